"""Fast kernels within an allowance of scratch: strike those that cost too much of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nacre.errors import PlacementError
from nacre.memory import ArenaRole
from nacre.program import Program, ProgramStep
from nacre.selection import Selection
from nacre.text import number

# Scratch bytes per hundred of the smallest plan's.
ALLOWANCE: Mapping[str, int] = {"size": 103, "balanced": 125, "speed": 200}


def within_allowance(
    selection: Selection, optimize: str, planned: Callable[[Selection], Program]
) -> Program:
    """The program of the first selection, or of one without the kernels that need most scratch."""
    if not any(len(choices) > 1 for choices in selection.candidates.values()):
        return planned(selection)
    smallest = planned(selection.smallest)
    limit = smallest.scratch_bytes * ALLOWANCE[optimize] // 100
    try:
        program = planned(selection)
        while program.scratch_bytes > limit:
            worst = _worst(program, selection)
            if worst is None:
                return smallest
            selection = selection.strike(worst.ids[0], _reason(program, limit, optimize))
            program = planned(selection)
    except PlacementError:
        return smallest
    return program


def _reason(program: Program, limit: int, optimize: str) -> str:
    return (
        f"would raise scratch to {number(program.scratch_bytes)} bytes; "
        f"{optimize} allows {number(limit)}"
    )


def _worst(program: Program, selection: Selection) -> ProgramStep | None:
    """The step that reaches highest of those whose kernel can be struck."""
    steps = [s for s in program.steps if selection.can_strike(s.ids[0])]
    return max(steps, key=lambda step: _reach(program, step.number), default=None)


def _reach(program: Program, step: int) -> int:
    """Where the scratch alive at a step ends, summed over memories."""
    ends: dict[int, int] = {}
    for slot in program.slots.values():
        scratch = program.regions[slot.region].role is ArenaRole.scratch
        if scratch and slot.lower <= step < slot.upper:
            ends[slot.region] = max(ends.get(slot.region, 0), slot.offset + slot.size)
    return sum(ends.values())
