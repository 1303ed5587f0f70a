"""docs/CONFIGURATION.md: the reference of every key, from the schema itself."""

from __future__ import annotations

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from nacre.config.load import RULE_LISTS, child_model
from nacre.config.schema import Config

_INTRO = """\
# Configuration

Generated from `nacre.config.schema` by `make docs`. A YAML file has these keys; each is also an
option by its dotted name, with dashes, and `--no-` for booleans: `--memory.allocate-arenas`,
`--no-memory.allocate-arenas`. Precedence: default < file < option. Sizes accept `64K`, `1M`,
`65536`. Unknown keys, and keys given twice, are errors. Paths in a file are relative to the file,
paths in options to the working folder. `platform:` is accepted for `target:`, and `tensors:` at the
top for `memory.tensors`. Rules given as options are inline YAML, repeatable, and come after the
file's.

| key | default | meaning |
|---|---|---|
"""


def configuration_page() -> str:
    rows = "".join(
        f"| `{name}` | {_default(field)} | {_meaning(field)} |\n" for name, field in _keys()
    )
    lists = "".join(_list_section(name) for name in RULE_LISTS)
    return _INTRO + rows + lists


def _keys(model: type[BaseModel] = Config, prefix: str = "") -> list[tuple[str, FieldInfo]]:
    found = []
    for key, field in model.model_fields.items():
        name, below = f"{prefix}{key}", child_model(model, key)
        if below is not None and name not in RULE_LISTS:
            found += _keys(below, f"{name}.")
        else:
            found.append((name, field))
    return found


def _list_section(name: str) -> str:
    model: type[BaseModel] = Config
    for part in name.split("."):
        model = child_model(model, part) or model
    rows = "".join(
        f"| `{k}` | {_default(f)} | {_meaning(f)} |\n" for k, f in model.model_fields.items()
    )
    return f"\n## Entries of `{name}`\n\n| key | default | meaning |\n|---|---|---|\n{rows}"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return "" if value in (None, (), {}) else f"`{value}`"


def _meaning(field: FieldInfo) -> str:
    text = field.description or ""
    choices = [a for a in getattr(field.annotation, "__args__", ()) if isinstance(a, str)]
    return f"{text} ({', '.join(f'`{c}`' for c in choices)})" if choices else text
