"""Greedy placement: buffers in some order, each into the first or the tightest gap that holds it.

Two engines give the same offsets. `Linked` walks each buffer's list of neighbours, which is best
when those are few; `Columns` scans all placed buffers with numpy, which is best when they are many.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nacre.planner.instance import FREE, Instance, Ints, height_of, slice_spans

# Above this mean number of neighbours a numpy scan beats a Python loop.
FEW_NEIGHBOURS = 90

Order = Sequence[int]
# Neighbours of one buffer: (other, gap when the buffer is below it, gap when it is above it).
Neighbours = list[list[tuple[int, int, int]]]


@dataclass(frozen=True)
class Placement:
    """Offsets by index, and the height that they reach."""

    offsets: tuple[int, ...]
    height: int


class Engine(Protocol):
    """Places all free buffers in the given order, around the pinned ones."""

    def place(self, order: Order, tight: bool) -> Placement: ...

    @property
    def work(self) -> int:
        """Elementary steps that one placement takes, the unit of all budgets."""
        ...


def engine(instance: Instance) -> Engine:
    """The engine that suits this instance; its offsets do not depend on the choice."""
    if pair_count(instance) <= FEW_NEIGHBOURS * instance.count:
        return Linked.of(instance)
    return Columns(instance)


def neighbours(instance: Instance) -> Neighbours:
    """For each buffer those that are alive with it, unless the pair may share all bytes."""
    lists: Neighbours = [[] for _ in range(instance.count)]
    sizes, gaps = instance.sizes, instance.gaps
    for i, j in live_pairs(instance):
        below = gaps.get((i, j), sizes[i]) if gaps else sizes[i]
        above = gaps.get((j, i), sizes[j]) if gaps else sizes[j]
        if below + above > 0:
            lists[i].append((j, below, above))
            lists[j].append((i, above, below))
    return lists


def live_pairs(instance: Instance) -> Iterator[tuple[int, int]]:
    """Pairs that are alive together, each once."""
    line = sorted(range(instance.count), key=lambda i: (instance.lowers[i], i))
    lowers = [instance.lowers[i] for i in line]
    for k, i in enumerate(line):
        for other in range(k + 1, bisect_left(lowers, instance.uppers[i])):
            yield i, line[other]


def pair_count(instance: Instance) -> int:
    lowers = np.sort(np.array(instance.lowers, dtype=np.int64))
    ends = np.searchsorted(lowers, np.array(instance.uppers, dtype=np.int64))
    return int(ends.sum()) - instance.count * (instance.count + 1) // 2


@dataclass(frozen=True)
class Linked:
    """Placement over lists of neighbours."""

    instance: Instance
    lists: Neighbours
    work: int

    @classmethod
    def of(cls, instance: Instance) -> Linked:
        lists = neighbours(instance)
        return cls(instance, lists, sum(map(len, lists)) // 2 + 4 * instance.count)

    def place(self, order: Order, tight: bool) -> Placement:
        offsets = list(self.instance.pins)
        for i in order:
            offsets[i] = self.offset_of(i, offsets, tight)
        return Placement(tuple(offsets), height_of(self.instance, offsets))

    def offset_of(self, i: int, offsets: list[int], tight: bool) -> int:
        """Where buffer i goes, given the offsets so far (FREE: not placed yet)."""
        taken = []
        for j, below, above in self.lists[i]:
            at = offsets[j]
            if at >= 0:
                taken.append((at - below, at + above))
        taken.sort()
        step = self.instance.alignments[i]
        return tightest_fit(taken, step) if tight else first_fit(taken, step)


def first_fit(taken: list[tuple[int, int]], step: int) -> int:
    """Least multiple of `step` that is strictly inside none of the sorted ranges."""
    at = 0
    for start, end in taken:
        if start >= at:
            break
        if end > at:
            at = end if step == 1 else -(-end // step) * step
    return at


def tightest_fit(taken: list[tuple[int, int]], step: int) -> int:
    """Like `first_fit`, but where the range of allowed offsets is the shortest."""
    at, best, slack = 0, -1, -1
    for start, end in taken:
        if start >= at and (best < 0 or start - at < slack):
            best, slack = at, start - at
        if end > at:
            at = end if step == 1 else -(-end // step) * step
    return best if best >= 0 else at


@dataclass(frozen=True)
class Columns:
    """Placement over numpy columns of what is placed already, sorted by offset."""

    instance: Instance

    @property
    def work(self) -> int:
        # A scanned element costs about a 60th of a step of `Linked`; a call has a fixed price.
        return self.instance.count * (200 + self.instance.count // 60)

    def place(self, order: Order, tight: bool) -> Placement:
        instance = self.instance
        pinned = sorted((p, i) for i, p in enumerate(instance.pins) if p != FREE)
        partners = _partners(instance)
        table = _Table(instance)
        for at, i in pinned:
            table.add(i, at)
        for i in order:
            starts, ends = table.forbidden(i, partners.get(i, []))
            table.add(i, _column_fit(starts, ends, instance.alignments[i], tight))
        return Placement(table.offsets(), height_of(instance, table.offsets()))


class _Table:
    """Rows (offset, end, lower, upper, index) of placed buffers, sorted by offset."""

    def __init__(self, instance: Instance) -> None:
        self.instance = instance
        self.rows: Ints = np.zeros((5, instance.count), dtype=np.int64)
        self.filled = 0

    def add(self, i: int, at: int) -> None:
        rows, n, one = self.rows, self.filled, self.instance
        k = int(rows[0, :n].searchsorted(at))
        rows[:, k + 1 : n + 1] = rows[:, k:n]
        rows[:, k] = (at, at + one.sizes[i], one.lowers[i], one.uppers[i], i)
        self.filled = n + 1

    def forbidden(self, i: int, partners: list[tuple[int, int, int]]) -> tuple[Ints, Ints]:
        """Ranges of offsets that buffer i may not take, sorted by start."""
        rows, n, one = self.rows, self.filled, self.instance
        alive = np.flatnonzero((rows[2, :n] < one.uppers[i]) & (rows[3, :n] > one.lowers[i]))
        starts, ends = rows[0].take(alive) - one.sizes[i], rows[1].take(alive)
        if not partners:
            return starts, ends
        members = rows[4].take(alive)
        for other, below, above in partners:
            for k in np.flatnonzero(members == other):
                at = starts[k] + one.sizes[i]
                # A pair that may share all bytes forbids nothing.
                starts[k], ends[k] = (at - below, at + above) if below + above > 0 else (-1, -1)
        order = np.lexsort((ends, starts))
        return starts[order], ends[order]

    def offsets(self) -> tuple[int, ...]:
        found = np.zeros(self.filled, dtype=np.int64)
        found[self.rows[4, : self.filled]] = self.rows[0, : self.filled]
        return tuple(found.tolist())


def _partners(instance: Instance) -> dict[int, list[tuple[int, int, int]]]:
    partners: dict[int, list[tuple[int, int, int]]] = {}
    sizes, gaps = instance.sizes, instance.gaps
    for i, j in sorted({(i, j) for i, j in gaps} | {(j, i) for i, j in gaps}):
        below, above = gaps.get((i, j), sizes[i]), gaps.get((j, i), sizes[j])
        partners.setdefault(i, []).append((j, below, above))
    return partners


def _column_fit(starts: Ints, ends: Ints, step: int, tight: bool) -> int:
    """`first_fit` or `tightest_fit`, vectorised: gap k lies between reach[k] and starts[k]."""
    if not len(starts):
        return 0
    reach = np.zeros(len(starts) + 1, dtype=np.int64)
    np.maximum.accumulate(ends, out=reach[1:])
    np.maximum(reach, 0, out=reach)
    if step > 1:
        reach = -(-reach // step) * step
    slack = starts - reach[:-1]
    gaps = np.flatnonzero(slack >= 0)
    if not len(gaps):
        return int(reach[-1])
    return int(reach[gaps[slack[gaps].argmin()] if tight else gaps[0]])


def orders(instance: Instance) -> Iterator[list[int]]:
    """Orders of the free buffers, the most promising first."""
    free = [i for i in range(instance.count) if instance.pins[i] == FREE]
    fullest, crowd = _contention(instance)
    sizes, lowers, uppers = instance.sizes, instance.lowers, instance.uppers
    spans = [u - lo for u, lo in zip(uppers, lowers, strict=True)]
    keys: tuple[Callable[[int], tuple[int, ...]], ...] = (
        lambda i: (-sizes[i], -spans[i], lowers[i], i),
        lambda i: (-sizes[i] * spans[i], -sizes[i], lowers[i], i),
        lambda i: (-fullest[i], -sizes[i], -spans[i], i),
        lambda i: (-spans[i], -sizes[i], lowers[i], i),
        lambda i: (lowers[i], -sizes[i], -spans[i], i),
        lambda i: (-uppers[i], -sizes[i], -spans[i], i),
        lambda i: (-fullest[i], -spans[i], -sizes[i], i),
        lambda i: (-crowd[i], -sizes[i], -spans[i], i),
    )
    for key in keys:
        yield sorted(free, key=key)


def _contention(instance: Instance) -> tuple[list[int], list[int]]:
    """Per buffer: live bytes at its fullest slice, and the live bytes summed over its slices."""
    first, last, count = slice_spans(instance)
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, first, np.array(instance.sizes))
    np.subtract.at(steps, last, np.array(instance.sizes))
    live = np.cumsum(steps)
    total = np.concatenate([[0], np.cumsum(live)])
    fullest = [int(live[a:b].max()) for a, b in zip(first, last, strict=True)]
    return fullest, (total[last] - total[first]).tolist()
