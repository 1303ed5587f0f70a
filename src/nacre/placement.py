"""Which symbol of a module must lie in which memory: what a linked image is checked against."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.emit.steps import code_groups, group_kernels
from nacre.memory import ArenaRole, MemoryType
from nacre.program import Program, Region
from nacre.residency import Json, plan_hash


@dataclass(frozen=True)
class PlacedSymbol:
    """A symbol, the memory that the plan gave it, and its bytes (0: not known, code)."""

    symbol: str
    memory: MemoryType
    size: int
    what: str
    alignment: int = 1


def placed_symbols(program: Program) -> tuple[PlacedSymbol, ...]:
    """Arena buffers, blobs, and the functions that rules placed."""
    found = [s for region in program.regions for s in _region_symbols(program, region)]
    for group in code_groups(program)[1:]:
        memory = MemoryType(group.name)
        for step in group.steps:
            name = f"{program.prefix}_step{step.number}"
            found.append(PlacedSymbol(name, memory, 0, f"step {step.number} {step.type}"))
        for kernel in group_kernels(group):
            for symbol in kernel.symbols:
                name = f"{program.prefix}_{group.name}_{symbol}"
                found.append(PlacedSymbol(name, memory, 0, "kernel"))
    return tuple(dict.fromkeys(found))


def _region_symbols(program: Program, region: Region) -> list[PlacedSymbol]:
    usage, base = region.usage, f"{program.prefix}_{region.name}"
    symbols = []
    if usage.is_staged:
        symbols.append((f"{base}__source", usage.source_memory, "staged source"))
    if program.allocate_arenas and region.is_cold:
        symbols.append((f"{base}__blob", usage.memory, "cold constants"))
    elif program.allocate_arenas:
        what = "staged constants" if region.role is ArenaRole.constant else region.role.value
        symbols.append((f"{base}_buffer", usage.memory, what))
    return [
        PlacedSymbol(symbol, memory, usage.total_size, what, usage.alignment)
        for symbol, memory, what in symbols
    ]


def placement_json(program: Program) -> dict[str, Json]:
    """`<prefix>_placement.json`, which `nacre check-image` reads."""
    return {
        "module_prefix": program.prefix,
        "plan_hash": plan_hash(program),
        "target": program.target.name,
        "core": program.target.core,
        "memories": {
            m.name.lower(): {"base": m.base, "size": m.size} for m in program.target.memories
        },
        "steps": [
            {
                "step": step.number,
                "ids": [*step.ids],
                "type": step.type,
                "code": step.code.lower(),
                "attributes": dict(step.attributes),
            }
            for step in program.steps
        ],
        "symbols": [
            {
                "symbol": s.symbol,
                "memory": s.memory.lower(),
                "size": s.size,
                "alignment": s.alignment,
                "what": s.what,
            }
            for s in placed_symbols(program)
        ],
    }
