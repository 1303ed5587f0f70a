"""Bytes of the scratch arenas that nothing reads any more, before each step and after the last.

A build with -DNACRE_POISON overwrites them: lifetimes and overlaps that were wrong would show.
"""

from __future__ import annotations

from dataclasses import dataclass

from nacre.memory import ArenaRole
from nacre.program import Program, Slot


@dataclass(frozen=True)
class DeadBytes:
    """`size` bytes at `offset` of a region hold nothing when `step` begins."""

    step: int
    region: int
    offset: int
    size: int


def dead_bytes(program: Program) -> list[DeadBytes]:
    scratch = [r for r in program.regions if r.role is ArenaRole.scratch]
    slots = [s for s in program.slots.values() if s.view_of is None]
    return [
        DeadBytes(step, region.number, start, end - start)
        for step in range(len(program.steps) + 1)
        for region in scratch
        for start, end in _gaps(
            [s for s in slots if s.region == region.number and _holds(program, s, step)],
            region.usage.total_size,
        )
    ]


def _holds(program: Program, slot: Slot, step: int) -> bool:
    """The slot's content is needed at the boundary before a step."""
    owners = {o: program.slots[o].view_of or o for o in (*program.inputs, *program.outputs)}
    key = slot.tensor.id
    if step == 0:
        return key in {owners[i] for i in program.inputs}
    if step == len(program.steps):
        kept = program.outputs + (program.inputs if program.keep_inputs else ())
        return key in {owners[o] for o in kept}
    return slot.lower < step < slot.upper


def _gaps(slots: list[Slot], size: int) -> list[tuple[int, int]]:
    gaps, at = [], 0
    for slot in sorted(slots, key=lambda s: s.offset):
        if slot.offset > at:
            gaps.append((at, slot.offset))
        at = max(at, slot.offset + slot.size)
    if at < size:
        gaps.append((at, size))
    return gaps
