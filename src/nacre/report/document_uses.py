"""Which slots each step touches: those that it names, and those that its calls point into."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ir import TensorId
from nacre.memory import ArenaRole
from nacre.program import Address, Program, ProgramStep, Slot


@dataclass(frozen=True, eq=False)
class _Places:
    """Slots that own bytes: those of a scratch arena by step, those that stay by offset."""

    passing: tuple[list[Slot], ...]
    staying: Mapping[int, list[Slot]]
    keys: Mapping[Slot, TensorId]


def uses(program: Program) -> tuple[tuple[TensorId, ...], ...]:
    """Per step: named tensors that have a slot, then packed constants and operator scratch."""
    places = _places(program)
    return tuple(_step_uses(program, places, step) for step in program.steps)


def _places(program: Program) -> _Places:
    passing: tuple[list[Slot], ...] = tuple([] for _ in program.steps)
    staying: dict[int, list[Slot]] = {r.number: [] for r in program.regions}
    owners = (s for s in program.slots.values() if s.view_of is None)
    for slot in sorted(owners, key=lambda s: s.offset):
        if program.regions[slot.region].role is not ArenaRole.scratch:
            staying[slot.region].append(slot)
            continue
        for step in range(slot.lower, min(slot.upper, len(passing))):
            passing[step].append(slot)
    return _Places(passing, staying, {slot: key for key, slot in program.slots.items()})


def _step_uses(program: Program, places: _Places, step: ProgramStep) -> tuple[TensorId, ...]:
    named = [t for t in (*step.inputs, *step.outputs) if t in program.slots]
    owners = {program.slots[t].view_of or t for t in named}
    found = [
        places.keys[slot]
        for call in step.calls
        for address in call.arguments
        if isinstance(address, Address)
        for slot in _at(places, address, step.number)
        if places.keys[slot] not in owners
    ]
    return tuple(dict.fromkeys([*named, *found]))


def _at(places: _Places, address: Address, step: int) -> list[Slot]:
    """The slots that hold the byte of an address while a step runs."""
    staying = places.staying[address.region]
    before = bisect_right(staying, address.offset, key=lambda s: s.offset)
    near = [*staying[max(0, before - 1) : before], *places.passing[step]]
    return [s for s in near if s.region == address.region and _holds(s, address.offset)]


def _holds(slot: Slot, offset: int) -> bool:
    return slot.offset <= offset < slot.offset + slot.size
