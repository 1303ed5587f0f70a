"""Targets are data: YAML files beside this module, or a user's own by path."""

from __future__ import annotations

import difflib
from importlib import resources
from pathlib import Path

from pydantic import ValidationError

from nacre.config.explain import explain
from nacre.config.load import TARGET_ENDINGS
from nacre.config.tree import Tree, parse_tree, read_tree
from nacre.errors import ConfigError
from nacre.targets.schema import Memory, Sections, Target

__all__ = ["Memory", "Sections", "Target", "load_target", "target_names"]


def target_names() -> tuple[str, ...]:
    """The bundled targets."""
    files = resources.files("nacre.targets").iterdir()
    return tuple(sorted(f.name[:-5] for f in files if f.name.endswith(".yaml")))


def load_target(name: str, said_by: str = "target.name") -> Target:
    """A bundled target by name, or a user's by the path of its file; `said_by` asked for it."""
    if name.endswith(TARGET_ENDINGS):
        if not Path(name).exists():
            raise ConfigError(f"{said_by}: there is no file {name}; `nacre targets` lists names")
        return _parse(read_tree(Path(name)), name)
    if name not in target_names():
        raise ConfigError(_unknown(name, said_by))
    text = resources.files("nacre.targets").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return _parse(parse_tree(text, name), name)


def _unknown(name: str, said_by: str) -> str:
    near = difflib.get_close_matches(name.lower(), target_names(), n=2, cutoff=0.5)
    hint = f"  closest: {', '.join(near)}\n" if near else ""
    return (
        f"{said_by}: {name!r} is not a target.\n{hint}"
        f"  known: {', '.join(target_names())}; or the path of a .yaml file"
    )


def _parse(tree: Tree, name: str) -> Target:
    try:
        return Target.model_validate(tree)
    except ValidationError as error:
        lines = explain(error, Target).splitlines()
        raise ConfigError("\n".join(f"{name}: {line}" for line in lines)) from None
