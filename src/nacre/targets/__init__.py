"""Targets are data: YAML files beside this module, or a user's own by path."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import yaml
from pydantic import ValidationError

from nacre.errors import ConfigError
from nacre.targets.schema import Memory, Sections, Target

__all__ = ["Memory", "Sections", "Target", "load_target", "target_names"]


def target_names() -> tuple[str, ...]:
    """The bundled targets."""
    files = resources.files("nacre.targets").iterdir()
    return tuple(sorted(f.name[:-5] for f in files if f.name.endswith(".yaml")))


def load_target(name: str) -> Target:
    """A bundled target by name, or a user's by the path of its file."""
    if name.endswith((".yaml", ".yml")):
        path = Path(name)
        if not path.is_file():
            raise ConfigError(f"target.name: there is no file {name}")
        return _parse(path.read_text(encoding="utf-8"), name)
    if name not in target_names():
        raise ConfigError(
            f"target.name: {name!r} is not a target.\n"
            f"  known: {', '.join(target_names())}; or the path of a .yaml file"
        )
    text = resources.files("nacre.targets").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    return _parse(text, name)


def _parse(text: str, name: str) -> Target:
    try:
        return Target.model_validate(yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ConfigError(f"target {name}: not valid YAML: {error}") from None
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']}" for e in error.errors()
        )
        raise ConfigError(f"target {name}: {problems}") from None
