"""Two residency reports -> what changed between them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, ValidationError

from nacre.errors import ConfigError
from nacre.residency import SCHEMA_VERSION, Json
from nacre.text import number, table

# Keys of later versions are let through: the schema promises that the known ones keep their sense.
_FROZEN = ConfigDict(frozen=True, extra="ignore", strict=True)
_NAMED = 30


class Arena(BaseModel):
    """One arena of a report; `source_memory` and `kind` belong to constants."""

    model_config = _FROZEN

    region_id: NonNegativeInt
    memory: str
    total_size: NonNegativeInt
    used: NonNegativeInt
    alignment: PositiveInt
    source_memory: str | None = None
    kind: Literal["cold", "staged"] | None = None


class Arenas(BaseModel):
    model_config = _FROZEN

    scratch: list[Arena]
    persistent: list[Arena]
    constant: list[Arena]


class Placed(BaseModel):
    """One tensor of a report."""

    model_config = _FROZEN

    id: str
    role: Literal["scratch", "persistent", "constant"]
    memory: str
    source_memory: str
    offset: NonNegativeInt
    size: NonNegativeInt
    rule: str | None = None


class Residency(BaseModel):
    """A residency report as the file has it."""

    model_config = _FROZEN

    schema_version: int
    module_prefix: str
    plan_hash: str
    tensor_layout_hash: str
    arenas: Arenas
    tensors: list[Placed]


@dataclass(frozen=True)
class Change:
    """Something that is not as before; None where there is none. `words` say what differs."""

    name: str
    kind: str  # added, removed, grown, shrunk, changed, moved, resized
    before: dict[str, Json] | None
    after: dict[str, Json] | None
    words: str


@dataclass(frozen=True)
class Difference:
    """All changes. Notes are of no consequence to the layout."""

    hashes: tuple[Change, ...]
    arenas: tuple[Change, ...]
    tensors: tuple[Change, ...]
    notes: tuple[str, ...]

    @property
    def drift(self) -> bool:
        return bool(self.hashes or self.arenas or self.tensors)


def read_residency(path: Path) -> Residency:
    """A report from its file; every way in which it can be wrong has its own sentence."""
    document = _document(path)
    version = document.get("schema_version") if isinstance(document, dict) else None
    if version is None:
        raise ConfigError(f"{path}: not a residency report: it has no schema_version")
    if version != SCHEMA_VERSION:
        raise ConfigError(
            f"{path}: schema_version is {json.dumps(version)[:40]}; supported: {SCHEMA_VERSION}"
        )
    try:
        report = Residency.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"{path}: not a residency report: {where}: {first['msg']}") from None
    _check_unique(path, report)
    return report


def difference(before: Residency, after: Residency) -> Difference:
    return Difference(
        tuple(_hash_changes(before, after)),
        tuple(_arena_changes(before, after)),
        tuple(_tensor_changes(before, after)),
        tuple(_notes(before, after)),
    )


# --- reading --------------------------------------------------------------------------------------


def _document(path: Path) -> Json:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not JSON: the file is not UTF-8 text") from None
    try:
        document: Json = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise ConfigError(f"{path}: not JSON: {error.msg} at {place}") from None
    except (RecursionError, ValueError):
        raise ConfigError(f"{path}: not JSON that a report can hold") from None
    return document


def _check_unique(path: Path, report: Residency) -> None:
    tensors = [t.id for t in report.tensors]
    arenas = [f"{role} {a.memory}" for role, listed in _by_role(report) for a in listed]
    for what, names in (("tensor", tensors), ("arena", arenas)):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise ConfigError(f"{path}: not a residency report: {what} {twice[0]!r} comes twice")


# --- comparing ------------------------------------------------------------------------------------


def _by_role(report: Residency) -> Iterable[tuple[str, list[Arena]]]:
    arenas = report.arenas
    return (
        ("scratch", arenas.scratch),
        ("persistent", arenas.persistent),
        ("constant", arenas.constant),
    )


def _arenas(report: Residency) -> dict[str, Arena]:
    """Arenas by `role memory`: a role has at most one arena in a memory."""
    return {f"{role} {a.memory}": a for role, arenas in _by_role(report) for a in arenas}


def _hash_changes(before: Residency, after: Residency) -> Iterable[Change]:
    for name, old, new in (
        ("plan_hash", before.plan_hash, after.plan_hash),
        ("tensor_layout_hash", before.tensor_layout_hash, after.tensor_layout_hash),
    ):
        if old != new:
            yield Change(name, "changed", {"hash": old}, {"hash": new}, f"{old} -> {new}")


def _arena_changes(before: Residency, after: Residency) -> Iterable[Change]:
    old, new = _arenas(before), _arenas(after)
    for name in dict.fromkeys((*old, *new)):
        a, b = old.get(name), new.get(name)
        if a is None or b is None:
            bytes_of = sum(arena.total_size for arena in (a, b) if arena is not None)
            yield _one_sided(name, a, b, f"{number(bytes_of)} bytes")
        elif words := _arena_words(a, b):
            gap = b.total_size - a.total_size
            kind = "grown" if gap > 0 else "shrunk" if gap < 0 else "changed"
            yield Change(name, kind, a.model_dump(), b.model_dump(), words)


def _arena_words(a: Arena, b: Arena) -> str:
    parts = []
    if a.total_size != b.total_size:
        gap = b.total_size - a.total_size
        sign = "+" if gap > 0 else "-"
        sizes = f"{number(a.total_size)} -> {number(b.total_size)} bytes"
        parts.append(f"{sizes} ({sign}{number(abs(gap))})")
    for name, old, new in (
        ("alignment", a.alignment, b.alignment),
        ("region", a.region_id, b.region_id),
        ("source", a.source_memory, b.source_memory),
        ("kind", a.kind, b.kind),
    ):
        if old != new:
            parts.append(f"{name} {old} -> {new}")
    return ", ".join(parts)


def _tensor_changes(before: Residency, after: Residency) -> Iterable[Change]:
    old = {t.id: t for t in before.tensors}
    new = {t.id: t for t in after.tensors}
    for name in dict.fromkeys((*old, *new)):
        a, b = old.get(name), new.get(name)
        if a is None or b is None:
            yield _one_sided(name, a, b, "".join(_place(t) for t in (a, b) if t is not None))
        elif (_home(a), a.offset, a.size) != (_home(b), b.offset, b.size):
            moved = (_home(a), a.offset) != (_home(b), b.offset)
            words = f"{_place(a)} -> {_place(b)}"
            kind = "moved" if moved else "resized"
            yield Change(name, kind, a.model_dump(), b.model_dump(), words)


def _home(tensor: Placed) -> tuple[str, str, str]:
    return tensor.role, tensor.memory, tensor.source_memory


def _place(tensor: Placed) -> str:
    end = tensor.offset + tensor.size
    source = "" if tensor.source_memory == tensor.memory else f" from {tensor.source_memory}"
    return f"{tensor.role} {tensor.memory}{source} [{number(tensor.offset)}, {number(end)})"


def _one_sided(name: str, before: BaseModel | None, after: BaseModel | None, words: str) -> Change:
    if before is None:
        return Change(name, "added", None, None if after is None else after.model_dump(), words)
    return Change(name, "removed", before.model_dump(), None, words)


def _notes(before: Residency, after: Residency) -> Iterable[str]:
    if before.module_prefix != after.module_prefix:
        yield f"module_prefix {before.module_prefix} -> {after.module_prefix}"
    rules = {t.id: t.rule for t in before.tensors}
    for tensor in after.tensors:
        old = rules.get(tensor.id, tensor.rule)
        if old != tensor.rule:
            yield f"tensor {tensor.id}: rule {old} -> {tensor.rule}"
    old_arenas = _arenas(before)
    for name, arena in _arenas(after).items():
        old_used = old_arenas[name].used if name in old_arenas else arena.used
        if old_used != arena.used:
            yield f"arena {name}: used {number(old_used)} -> {number(arena.used)} bytes"


# --- showing --------------------------------------------------------------------------------------


def difference_text(names: tuple[str, str], found: Difference) -> str:
    """What changed, arenas first; long lists of tensors are cut and counted."""
    verdict = "the layout has changed" if found.drift else "the same layout"
    parts = [f"{names[0]} -> {names[1]}: {verdict}."]
    parts += [table(_rows(changes)) for changes in (found.arenas, found.hashes) if changes]
    if found.tensors:
        counts = Counter(change.kind for change in found.tensors)
        words = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        parts.append(f"  tensors: {words}\n" + table(_rows(found.tensors[:_NAMED])))
        if len(found.tensors) > _NAMED:
            parts.append(f"  and {len(found.tensors) - _NAMED} more; --json lists all of them")
    if found.notes:
        notes = [f"  note: {note}" for note in found.notes[:_NAMED]]
        more = len(found.notes) - _NAMED
        parts.append("\n".join([*notes, *([f"  and {more} more notes"] if more > 0 else [])]))
    return "\n\n".join(parts)


def _rows(changes: Iterable[Change]) -> list[list[str]]:
    return [[change.name, change.kind, change.words] for change in changes]


def difference_json(found: Difference) -> dict[str, Json]:
    return {
        "equal": not found.drift,
        "hashes": {c.name: {"before": _hash(c.before), "after": _hash(c.after)}
                   for c in found.hashes},
        "arenas": [_change_json("arena", c) for c in found.arenas],
        "tensors": [_change_json("id", c) for c in found.tensors],
        "notes": list(found.notes),
    }  # fmt: skip


def _hash(side: dict[str, Json] | None) -> Json:
    return None if side is None else side["hash"]


def _change_json(key: str, change: Change) -> dict[str, Json]:
    return {key: change.name, "change": change.kind, "before": change.before, "after": change.after}
