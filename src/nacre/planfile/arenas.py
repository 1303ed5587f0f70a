"""Regions of a Program as regions of a plan: one arena per memory, constants in the file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nacre.errors import ConfigError
from nacre.memory import BASE_ALIGNMENT, ArenaRole
from nacre.planfile.binary import aligned
from nacre.planfile.layout import MAX_ARENAS, MAX_REGIONS, OFFSET_BITS, REGION_KINDS
from nacre.program import Program, Region

# What comes first in an arena.
_ORDER = (ArenaRole.constant, ArenaRole.persistent, ArenaRole.scratch)


@dataclass(frozen=True)
class PlanRegion:
    """A region as the file has it; `source` and a constant's `offset` count from the constants."""

    kind: str
    arena: int
    offset: int
    size: int
    source: int = 0

    @property
    def number(self) -> int:
        return REGION_KINDS.number(self.kind)


@dataclass(frozen=True, eq=False)
class Arenas:
    """Arena sizes fastest first, regions by number, and the bytes of all constants."""

    sizes: tuple[int, ...]
    memories: tuple[str, ...]
    arena_alignment: int
    file_alignment: int
    reserved: int
    regions: tuple[PlanRegion, ...]
    constants: bytes


def arenas_of(program: Program, reserved: int, blobs: Mapping[int, bytes]) -> Arenas:
    """Lay out the regions; `blobs` are the constants of regions that stay in the file.

    `reserved` bytes at the start of the fastest arena become a last region, for unpacked constants.
    """
    memories = _memories(program, reserved)
    alignment = max([BASE_ALIGNMENT, *(r.usage.alignment for r in program.regions)])
    ends = [aligned(reserved, alignment) if n == 0 else 0 for n in range(len(memories))]
    constants = bytearray()
    placed: dict[int, PlanRegion] = {}
    for region in sorted(program.regions, key=lambda r: _ORDER.index(r.role)):
        blob = blobs.get(region.number, b"")
        source = aligned(len(constants), alignment)
        constants += bytes(source - len(constants)) + blob
        placed[region.number] = _place(region, memories, ends, alignment, source, len(blob))
    regions = [placed[r.number] for r in program.regions]
    if reserved:
        regions.append(PlanRegion("unpacked", 0, 0, reserved))
    _check_limits(memories, regions)
    return Arenas(
        tuple(ends), memories, alignment, alignment, aligned(reserved, alignment),
        tuple(regions), bytes(constants),
    )  # fmt: skip


def _memories(program: Program, reserved: int) -> tuple[str, ...]:
    """Memories of arenas, in the target's order of speed."""
    used = {r.usage.memory for r in program.regions if not r.is_cold}
    if reserved and not used:
        used = {program.target.data[0].type}
    return tuple(str(m.type) for m in program.target.memories if m.type in used)


def _place(
    region: Region,
    memories: tuple[str, ...],
    ends: list[int],
    alignment: int,
    source: int,
    kept: int,
) -> PlanRegion:
    """Behind what its arena holds already, or in the file."""
    if region.is_cold:
        return PlanRegion("constant", 0, source, kept)
    arena = memories.index(str(region.usage.memory))
    offset = aligned(ends[arena], alignment)
    ends[arena] = offset + region.usage.total_size
    kinds = {ArenaRole.scratch: "scratch", ArenaRole.persistent: "persistent"}
    staged = region.role is ArenaRole.constant
    kind = kinds.get(region.role, "staged")
    return PlanRegion(kind, arena, offset, region.usage.total_size, source if staged else 0)


def _check_limits(memories: tuple[str, ...], regions: list[PlanRegion]) -> None:
    if len(memories) > MAX_ARENAS or len(regions) > MAX_REGIONS:
        raise ConfigError(
            f"a plan file has at most {MAX_ARENAS} arenas and {MAX_REGIONS} regions; "
            f"this network uses {len(memories)} memories and {len(regions)} regions"
        )
    largest = max(r.size for r in regions)
    if largest >= 1 << OFFSET_BITS:
        raise ConfigError(
            f"a region of a plan file has less than {1 << OFFSET_BITS} bytes; "
            f"one here has {largest}"
        )
