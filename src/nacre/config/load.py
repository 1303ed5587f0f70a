"""Reads the configuration: default < file < option. Every mistake names its key and a way out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ValidationError

from nacre.config.explain import child_model, explain
from nacre.config.schema import Config
from nacre.config.tree import Tree, read_tree
from nacre.errors import ConfigError

__all__ = ["RULE_LISTS", "Tree", "child_model", "load_config", "parse_config"]

# Lists that options extend instead of replacing; rules may also stand at the top of the file.
RULE_LISTS = ("memory.tensors", "memory.constraints", "operators")
# Files and folders: in a configuration file they are relative to it.
PATHS = ("model.path", "module.path", "test.golden", "target.name")
TARGET_ENDINGS = (".yaml", ".yml")


def load_config(file: Path | None, options: Mapping[str, Tree]) -> Config:
    """Merge a file with options given by dotted name ("memory.planner")."""
    tree = {} if file is None else _read(file)
    for name, value in options.items():
        if name in RULE_LISTS:
            _extend(tree, name, value)
        else:
            _put(tree, name, value)
    return parse_config(tree)


def parse_config(tree: Mapping[str, Tree]) -> Config:
    try:
        return Config.model_validate(tree)
    except ValidationError as error:
        raise ConfigError(explain(error, Config)) from None


def _read(file: Path) -> dict[str, Tree]:
    """A file's tree, synonyms replaced and paths made relative to the working folder."""
    tree = read_tree(file)
    if tree is None:
        return {}
    if not isinstance(tree, dict):
        found = "a list" if isinstance(tree, list) else repr(tree)
        raise ConfigError(f"{file}: expected keys such as model:, found {found}")
    tree = _without_blanks(tree, Config)
    if "tensors" in tree:
        _extend(tree, "memory.tensors", tree.pop("tensors"))
    if "platform" in tree:
        if "target" in tree:
            raise ConfigError("platform: is a synonym of target:; give only one of them")
        tree["target"] = tree.pop("platform")
    for name in PATHS:
        _anchor(tree, name, file.parent)
    return tree


def _without_blanks(tree: dict[str, Tree], model: type[BaseModel]) -> dict[str, Tree]:
    """`memory:` with nothing behind it, or all of it commented out, says nothing."""
    kept = {}
    for key, value in tree.items():
        below = child_model(model, key)
        if below is None or value is not None:
            kept[key] = value
        if below is not None and isinstance(value, dict):
            kept[key] = _without_blanks(value, below)
    return kept


def _anchor(tree: dict[str, Tree], name: str, folder: Path) -> None:
    section, key = name.split(".")
    keys = tree.get(section)
    value = keys.get(key) if isinstance(keys, dict) else None
    if not isinstance(value, str) or not value:
        return
    if name != "target.name" or value.endswith(TARGET_ENDINGS):
        _put(tree, name, str(folder / value))


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
    branch[last] = [*_rules(name, branch.get(last)), *_rules(name, values)]


def _rules(name: str, tree: Tree) -> list[Tree]:
    if tree is not None and not isinstance(tree, list):
        raise ConfigError(f"{name}: expected a list, found {tree!r}")
    return tree or []
