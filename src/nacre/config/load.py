"""Reads the configuration: default < file < option. Every mistake names its key and a way out."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from nacre.config.schema import Config
from nacre.errors import ConfigError

Tree: TypeAlias = "dict[str, Tree] | list[Tree] | str | int | float | bool | None"

# Lists that options extend instead of replacing; rules may also stand at the top of the file.
RULE_LISTS = ("memory.tensors", "memory.constraints", "operators")


@dataclass(frozen=True)
class Loaded:
    """A valid configuration and the folder that its relative paths start from."""

    config: Config
    folder: Path


def load_config(file: Path | None, options: Mapping[str, Tree]) -> Loaded:
    """Merge a file with options given by dotted name ("memory.planner")."""
    tree = {} if file is None else _read(file)
    if "tensors" in tree:
        _extend(tree, "memory.tensors", tree.pop("tensors"))
    if "platform" in tree:
        if "target" in tree:
            raise ConfigError("platform: is a synonym of target:; give only one of them")
        tree["target"] = tree.pop("platform")
    for name, value in options.items():
        if name in RULE_LISTS:
            _extend(tree, name, value)
        else:
            _put(tree, name, value)
    return Loaded(parse_config(tree), Path() if file is None else file.parent)


def parse_config(tree: Mapping[str, Tree]) -> Config:
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(e) for e in error.errors())) from None


def _read(file: Path) -> dict[str, Tree]:
    try:
        tree = yaml.safe_load(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{file}: is not text in UTF-8") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{file}: is not valid YAML: {_one_line(error)}") from None
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        raise ConfigError(f"{file}: expected keys such as model:, found a {type(tree).__name__}")
    return {str(key): value for key, value in tree.items()}


def _one_line(error: yaml.YAMLError) -> str:
    return " ".join(str(error).split())


def _branch(tree: dict[str, Tree], path: list[str], name: str) -> dict[str, Tree]:
    for part in path:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            raise ConfigError(f"{part}: is {below!r}; {name} needs keys below it")
        tree = below
    return tree


def _put(tree: dict[str, Tree], name: str, value: Tree) -> None:
    *path, last = name.split(".")
    _branch(tree, path, name)[last] = value


def _extend(tree: dict[str, Tree], name: str, values: Tree) -> None:
    *path, last = name.split(".")
    branch = _branch(tree, path, name)
    old = branch.get(last) or []
    if not isinstance(old, list) or not isinstance(values, list):
        raise ConfigError(f"{name}: expected a list of rules, found {values!r}")
    branch[last] = [*old, *values]


def _explain(error: ErrorDetails) -> str:
    """One sentence for a pydantic error."""
    place = _dotted(error["loc"])
    if error["type"] == "extra_forbidden":
        return f"{place}: is not a known key.{_closest(error['loc'])}"
    found = error["input"]
    shown = "" if isinstance(found, (dict, list, tuple)) else f" (found {found!r})"
    return f"{place}: {error['msg'].removeprefix('Value error, ')}{shown}"


def _dotted(location: tuple[int | str, ...]) -> str:
    text = ""
    for part in location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _closest(location: tuple[int | str, ...]) -> str:
    """The known keys beside an unknown one, the closest first."""
    *path, last = location
    model: type[BaseModel] = Config
    for part in path:
        if isinstance(part, str):
            model = child_model(model, part) or model
    known = list(model.model_fields)
    near = difflib.get_close_matches(str(last), known, n=1, cutoff=0.5)
    hint = f" closest: {near[0]}." if near else ""
    return f"{hint} Known here: {', '.join(known)}"


def child_model(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    """The model behind a field: itself, or the element of a tuple of models."""
    field = model.model_fields.get(name)
    annotation = None if field is None else field.annotation
    for candidate in (annotation, *getattr(annotation, "__args__", ())):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
