"""Does the program fit its memories? If not: by how much, because of whom, and what would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nacre.config.schema import ConstraintConfig
from nacre.errors import ConfigError, PlacementError
from nacre.kernels import kernel_files, kernel_text
from nacre.memory import ArenaRole, MemoryType
from nacre.ops.kind import Kernel
from nacre.program import Program, Region, Slot
from nacre.targets import Memory, Target
from nacre.text import number, short, size

# Thumb code and tables of a module, estimated: bytes per letter of its kernels' C, per step, and
# besides. Measured modules have 0.14 to 0.17 per letter.
CODE_PER_LETTER = 0.16
CODE_PER_STEP = 60
CODE_BESIDES = 500


@dataclass(frozen=True)
class Limit:
    """Bytes that may be used of a memory, and who says so."""

    bytes: int
    said_by: str


@dataclass(frozen=True)
class Overflow:
    memory: MemoryType
    needed: int
    limit: Limit


def memory_limits(
    target: Target, constraints: Sequence[ConstraintConfig]
) -> dict[MemoryType, Limit]:
    """The target's sizes, tightened by the user's constraints."""
    limits = {
        m.type: Limit(m.size, f"the size on {target.name}")
        for m in target.memories
        if m.size is not None
    }
    for n, constraint in enumerate(constraints):
        memory = target.memory(MemoryType(constraint.name))
        if memory is None:
            names = ", ".join(m.name for m in target.memories)
            raise ConfigError(
                f"memory.constraints[{n}]: {constraint.name!r} is not a memory of {target.name}.\n"
                f"  its memories: {names}"
            )
        if constraint.max_size is not None:
            mine = Limit(constraint.max_size, f"memory.constraints[{n}]")
            other = limits.get(memory.type)
            limits[memory.type] = mine if other is None or mine.bytes < other.bytes else other
    return limits


def arena_alignments(
    target: Target, constraints: Sequence[ConstraintConfig]
) -> dict[MemoryType, int]:
    """Alignment floors per memory from the constraints."""
    found: dict[MemoryType, int] = {}
    for constraint in constraints:
        memory = target.memory(MemoryType(constraint.name))
        if memory is not None and constraint.arena_alignment is not None:
            found[memory.type] = max(constraint.arena_alignment, found.get(memory.type, 1))
    return found


def usage(program: Program) -> dict[MemoryType, int]:
    """Bytes of each memory that arenas and staged sources take."""
    used: dict[MemoryType, int] = {}
    for region in program.regions:
        for memory in _memories_of(region):
            used[memory] = used.get(memory, 0) + region.usage.total_size
    return used


def _memories_of(region: Region) -> tuple[MemoryType, ...]:
    if region.usage.is_staged:
        return (region.usage.memory, region.usage.source_memory)
    return (region.usage.memory,)


def overflows(program: Program, limits: Mapping[MemoryType, Limit]) -> list[Overflow]:
    return [
        Overflow(memory, needed, limits[memory])
        for memory, needed in usage(program).items()
        if memory in limits and needed > limits[memory].bytes
    ]


def excess(program: Program, limits: Mapping[MemoryType, Limit]) -> int:
    """Bytes beyond the limits, over all memories."""
    return sum(over.needed - over.limit.bytes for over in overflows(program, limits))


def does_not_fit(program: Program, limits: Mapping[MemoryType, Limit]) -> PlacementError:
    """The error for a program that overflows."""
    parts = [_explain(program, o, limits) for o in overflows(program, limits)]
    return PlacementError("\n".join(parts) + "\n  Nothing was written.")


def code_estimate(kernels: Iterable[Kernel], steps: int) -> int:
    """About how many bytes of code a module has."""
    letters = sum(len(kernel_text(name)) for name in kernel_files(tuple(set(kernels))))
    return CODE_BESIDES + CODE_PER_STEP * steps + round(CODE_PER_LETTER * letters)


def check_flash(program: Program, limit: int | None) -> None:
    """Refuse a module whose constants and code do not fit the read-only memory."""
    if limit is None:
        return
    code = code_estimate(program.kernels, len(program.steps))
    needed = program.constant_bytes + code
    if needed > limit:
        raise PlacementError(
            f"memory.flash: needs about {number(needed)} bytes (constants "
            f"{number(program.constant_bytes)}, code about {number(code)}), the limit is "
            f"{number(limit)}.\n  would fit: -f {needed}"
        )


def _explain(program: Program, over: Overflow, limits: Mapping[MemoryType, Limit]) -> str:
    regions = [r for r in program.regions if over.memory in _memories_of(r)]
    arenas = " + ".join(f"{r.name} {number(r.usage.total_size)}" for r in regions)
    lines = [
        f"{over.memory}: needs {number(over.needed)} bytes ({arenas}), the limit is "
        f"{number(over.limit.bytes)} ({over.limit.said_by}): "
        f"{number(over.needed - over.limit.bytes)} too many.",
        f"  largest: {_tenants(program, regions)}",
        f"  would fit: {_remedy(program, over, regions, limits)}",
    ]
    return "\n".join(lines)


def _tenants(program: Program, regions: list[Region]) -> str:
    """The three largest tensors; for scratch, of those alive at the fullest step."""
    numbers = {r.number for r in regions}
    slots = [s for s in program.slots.values() if s.region in numbers and s.view_of is None]
    step = max(range(len(program.steps)), key=lambda n: _alive(slots, n), default=0)
    alive = [s for s in slots if s.lower <= step < s.upper]
    largest = sorted(alive, key=lambda s: -s.size)[:3]
    names = ", ".join(f'"{short(s.tensor.name or s.tensor.id)}" {number(s.size)}' for s in largest)
    if not program.steps or all(r.role is not ArenaRole.scratch for r in regions):
        return names
    return f"{names} (at step {step}, {program.steps[step].type})"


def _alive(slots: list[Slot], step: int) -> int:
    return sum(s.size for s in slots if s.lower <= step < s.upper)


def _remedy(
    program: Program, over: Overflow, regions: list[Region], limits: Mapping[MemoryType, Limit]
) -> str:
    """The smallest change that fits: an arena elsewhere, or a larger limit."""
    used = usage(program)
    for region in sorted(regions, key=lambda r: r.usage.total_size):
        if over.needed - region.usage.total_size > over.limit.bytes:
            continue
        for memory in _candidates(program.target, region):
            limit = limits.get(memory.type)
            free = None if limit is None else limit.bytes - used.get(memory.type, 0)
            if memory.type == over.memory:
                continue
            if free is None or free >= region.usage.total_size:
                room = "no limit there" if free is None else f"{size(free)} free"
                rule = "" if memory.default_data else ", by a rule"
                return f"{_what(region)} in {memory.name}{rule} ({room})"
    return f"a {over.memory} of {number(over.needed)} bytes"


def _candidates(target: Target, region: Region) -> list[Memory]:
    """Memories for an arena, the best first: the fastest, or for cold constants the slowest."""
    if region.is_cold:
        return [m for m in reversed(target.memories) if m.default_data]
    return [*target.data, *(m for m in target.writable if m not in target.data)]


def _what(region: Region) -> str:
    return "constants" if region.role is ArenaRole.constant else region.role.value
