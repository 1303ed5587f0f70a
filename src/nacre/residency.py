"""The residency report: where every tensor lives, as JSON, with hashes that tell layouts apart."""

from __future__ import annotations

import hashlib
import json
from typing import TypeAlias

from nacre.memory import ArenaRole
from nacre.program import Program, Region, Slot

SCHEMA_VERSION = 3
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"


def plan_hash(program: Program) -> str:
    """16 hex digits over the arena envelope: role, memories, size, alignment of each region."""
    return _hash(
        [
            [
                r.number, r.role.value, r.usage.memory.lower(), r.usage.source_memory.lower(),
                r.usage.total_size, r.usage.alignment, r.usage.is_staged,
            ]
            for r in program.regions
        ]
    )  # fmt: skip


def tensor_layout_hash(program: Program) -> str:
    """16 hex digits over the slot of every tensor."""
    rows: list[Json] = [
        [
            key, program.regions[s.region].role.value,
            program.regions[s.region].usage.memory.lower(), s.offset, s.size,
        ]
        for key, s in sorted(program.slots.items())
    ]  # fmt: skip
    return _hash(rows)


def _hash(rows: Json) -> str:
    text = json.dumps(rows, separators=(",", ":"), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def residency(program: Program) -> dict[str, Json]:
    """The report, schema 3."""
    return {
        "schema_version": SCHEMA_VERSION,
        "module_prefix": program.prefix,
        "plan_hash": plan_hash(program),
        "tensor_layout_hash": tensor_layout_hash(program),
        "arenas": arenas(program),
        "tensors": [_tensor(program, key, s) for key, s in program.slots.items()],
    }


def arenas(program: Program) -> dict[str, Json]:
    """The arenas by role."""
    return {
        role.value: [_arena(program, r) for r in program.regions if r.role is role]
        for role in ArenaRole
    }


def _arena(program: Program, region: Region) -> dict[str, Json]:
    usage = region.usage
    entry: dict[str, Json] = {"region_id": region.number, "memory": usage.memory.lower()}
    if region.role is ArenaRole.constant:
        entry["source_memory"] = usage.source_memory.lower()
        entry["kind"] = "staged" if usage.is_staged else "cold"
    entry |= {"used": usage.used, "total_size": usage.total_size, "alignment": usage.alignment}
    entry["tensor_count"] = sum(
        s.region == region.number and s.view_of is None for s in program.slots.values()
    )
    return entry


def _tensor(program: Program, key: str, slot: Slot) -> dict[str, Json]:
    usage = program.regions[slot.region].usage
    return {
        "id": key,
        "role": usage.role.value,
        "memory": usage.memory.lower(),
        "source_memory": usage.source_memory.lower(),
        "offset": slot.offset,
        "size": slot.size,
        "rule": slot.rule,
    }
