"""The form in which the exact search, in Python or in C, takes one section of an instance."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from nacre.planner.bounds import earlier_partners, shared_bytes
from nacre.planner.greedy import neighbours
from nacre.planner.instance import FREE, Instance, slice_spans


@dataclass(frozen=True)
class Model:
    """Columns in units of `unit` bytes; `csrc/solver/offsets.h` says what each means."""

    unit: int
    slices: int
    size: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    step: tuple[int, ...]
    pin: tuple[int, ...]
    # Per buffer: (other, gap when the other is above, gap when the other is below).
    edges: tuple[tuple[tuple[int, int, int], ...], ...]
    # Per buffer and slice of its life: bytes that it adds for certain. Empty: its size.
    weights: tuple[tuple[int, ...], ...]
    # An exhausted search proves that there is no solution.
    complete: bool

    @property
    def count(self) -> int:
        return len(self.size)


def build_model(instance: Instance) -> Model:
    """Scale, cut time into slices, list neighbours.

    The search places from low to high, so it cannot use a gap below zero ("the upper buffer may
    start below the lower one"): such a gap counts as zero, and `complete` is then false. So it is
    when zero gaps meet pins, which are never passed over, or one another in a circle.
    """
    first, last, slices = slice_spans(instance)
    unit = _unit(instance)
    return Model(
        unit=unit,
        slices=slices,
        size=_scaled(instance.sizes, unit),
        first=tuple(first.tolist()),
        last=tuple(last.tolist()),
        step=_scaled(instance.alignments, unit),
        pin=tuple(p // unit if p != FREE else FREE for p in instance.pins),
        edges=tuple(
            tuple((j, max(up, 0) // unit, max(down, 0) // unit) for j, up, down in around)
            for around in neighbours(instance)
        ),
        weights=_weights(instance, first.tolist(), last.tolist(), unit),
        complete=_is_complete(instance),
    )


def _is_complete(instance: Instance) -> bool:
    least = min(instance.gaps.values(), default=1)
    pinned = any(pin != FREE for pin in instance.pins)
    return least > 0 or (least == 0 and not pinned and not _tangled(instance))


def _unit(instance: Instance) -> int:
    """The largest unit in which all is whole; an alignment that divides the unit does not count."""
    pins = (p for p in instance.pins if p != FREE)
    gaps = (max(gap, 0) for gap in instance.gaps.values())
    unit = gcd(*instance.sizes, *pins, *gaps)
    while odd := [a for a in instance.alignments if unit % a and a % unit]:
        unit = gcd(unit, odd[0])
    return unit


def _scaled(values: tuple[int, ...], unit: int) -> tuple[int, ...]:
    return tuple(max(value // unit, 1) for value in values)


def _weights(
    instance: Instance, first: list[int], last: list[int], unit: int
) -> tuple[tuple[int, ...], ...]:
    """Size less what is shared with partners that count in full, in the slices where both live."""
    if not instance.gaps:
        return ()
    weights = [[size] * (last[i] - first[i]) for i, size in enumerate(instance.sizes)]
    for later, earlier in earlier_partners(instance).items():
        for other in earlier:
            shared = shared_bytes(instance, later, other)
            begin, end = max(first[later], first[other]), min(last[later], last[other])
            for t in range(begin - first[later], end - first[later]):
                weights[later][t] -= shared
    return tuple(tuple(max(w, 0) // unit for w in row) for row in weights)


def _tangled(instance: Instance) -> bool:
    """Whether buffers at one offset could need a circular order: i before j when gap(i, j) is 0."""
    after: dict[int, list[int]] = {}
    waiting: dict[int, int] = {}
    for (i, j), gap in instance.gaps.items():
        if gap == 0:
            after.setdefault(i, []).append(j)
            waiting[j] = waiting.get(j, 0) + 1
    ready = [i for i in after if i not in waiting]
    while ready:
        for j in after.get(ready.pop(), []):
            waiting[j] -= 1
            if not waiting[j]:
                del waiting[j]
                ready.append(j)
    return bool(waiting)
