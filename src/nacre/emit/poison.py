"""Bytes of the scratch arenas that nothing reads any more, before each step and after the last.

A build with -DNACRE_POISON overwrites them: lifetimes and overlaps that were wrong would show.
"""

from __future__ import annotations

from dataclasses import dataclass

from nacre.ir import TensorId
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
    held = _held(program)
    return [
        DeadBytes(step, region.number, start, end - start)
        for step in _boundaries(program)
        for region in scratch
        for start, end in _gaps(
            [s for s in held[step] if s.region == region.number], region.usage.total_size
        )
    ]


def _boundaries(program: Program) -> list[int]:
    """Steps before which bytes may be overwritten: all of a segment that repeats is one time."""
    starts = [
        range(s.first, s.first + (len(s.actions) if s.iterations == 1 else 1))
        for s in program.segments
    ]
    return [step for steps in starts for step in steps] + [len(program.steps)]


def _held(program: Program) -> list[list[Slot]]:
    """The slots whose content is needed at the boundary before each step, and at the end."""
    steps = len(program.steps)
    kept = program.outputs + (program.inputs if program.keep_inputs else ())
    first = {_owner(program, key) for key in program.inputs}
    last = {_owner(program, key) for key in kept}
    held: list[list[Slot]] = [[] for _ in range(steps + 1)]
    for key, slot in program.slots.items():
        if slot.view_of is not None:
            continue
        inside = range(slot.lower + 1, min(slot.upper, steps))
        ends = ([0] if key in first else []) + ([steps] if key in last else [])
        for boundary in (*inside, *ends):
            held[boundary].append(slot)
    return held


def _owner(program: Program, key: TensorId) -> TensorId:
    return program.slots[key].view_of or key


def _gaps(slots: list[Slot], size: int) -> list[tuple[int, int]]:
    gaps, at = [], 0
    for slot in sorted(slots, key=lambda s: s.offset):
        if slot.offset > at:
            gaps.append((at, slot.offset))
        at = max(at, slot.offset + slot.size)
    if at < size:
        gaps.append((at, size))
    return gaps
