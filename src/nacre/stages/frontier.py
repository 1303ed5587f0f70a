"""Cascades of every stretch of tasks, several paces each, with more or fewer constants staged."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np

from nacre.stages.cascade import Cascade, cascades, paces
from nacre.stages.network import Network, Rows


@dataclass(frozen=True)
class Rates:
    """What a byte costs: loaded or spilled, and read as a constant."""

    load: int = 1
    spill: int = 1
    constant: int = 1


@dataclass(frozen=True)
class Option:
    """A cascade with some of its tasks' constants staged: a point of a stretch."""

    cost: int
    span: tuple[int, int]
    index: int


@dataclass(frozen=True, eq=False)
class Stretch:
    """The cascades of tasks [first, last]."""

    cascades: list[Cascade]
    # Strips that come from before it, with the rows that must come, and strips that leave it.
    loaded: dict[int, int]
    leaving: tuple[int, ...]
    # Padded bytes of the rows kept of each of these, per cascade.
    rings: dict[int, Rows]
    # Per cascade and number of tasks whose constants are staged, in the order of `busy`.
    memory: Rows
    cost: Rows
    busy: Rows


@dataclass(frozen=True, eq=False)
class _Frontier:
    """Points that no smaller one undercuts, by memory; `indices` into the points of a stretch."""

    memory: list[int]
    costs: list[int]
    indices: list[int]


class Frontiers:
    """Per stretch of tasks and set of streamed strips: the cascades, cheaper ones larger.

    Only cascades that may fit `room` are made, and only when they are asked for.
    """

    def __init__(self, net: Network, rates: Rates, staging: bool, room: int) -> None:
        self.net, self.rates, self.staging, self.room = net, rates, staging, room
        self._swept: dict[int, dict[int, list[Cascade]]] = {}
        self._stretches: dict[tuple[int, int], Stretch | None] = {}
        self._found: dict[tuple[int, int, tuple[int, ...]], _Frontier] = {}
        constants = [[-(-size // 16) * 16 for size in t.constants.values()] for t in net.tasks]
        self._padded = np.array([sum(sizes) for sizes in constants], dtype=np.int64)
        self._bytes = np.array([t.constant_bytes for t in net.tasks], dtype=np.int64)

    def stretch(self, first: int, last: int) -> Stretch | None:
        """The cascades of some tasks, or None: there are none that may fit."""
        key = first, last
        if key not in self._stretches:
            if last not in self._swept:
                self._swept[last] = self._sweep(last)
            found = self._swept[last].get(first)
            self._stretches[key] = None if found is None else self._stretch(key, found)
        return self._stretches[key]

    def best(self, span: tuple[int, int], streamed: tuple[int, ...], room: int) -> Option | None:
        """The cheapest cascade of the tasks that fits, when these strips move by bands."""
        key = (*span, streamed)
        frontier = self._found.get(key)
        if frontier is None:
            frontier = self._found[key] = self._frontier(span, streamed)
        place = bisect_right(frontier.memory, room) - 1
        if place < 0:
            return None
        return Option(frontier.costs[place], span, frontier.indices[place])

    def cascade(self, option: Option) -> tuple[Cascade, tuple[int, ...]]:
        """The cascade of an option, and the positions of the tasks whose constants are staged."""
        stretch = self.stretch(*option.span)
        assert stretch is not None
        number, staged = divmod(option.index, stretch.memory.shape[1])
        tasks = stretch.busy[number][:staged] + option.span[0]
        return stretch.cascades[number], tuple(sorted(tasks.tolist()))

    def _sweep(self, last: int) -> dict[int, list[Cascade]]:
        found: dict[int, list[Cascade]] = {}
        for pace in paces(self.net, last):
            for cascade in cascades(self.net, pace, self.room):
                found.setdefault(cascade.first, []).append(cascade)
        return found

    def _stretch(self, span: tuple[int, int], found: list[Cascade]) -> Stretch:
        strips, sample = self.net.strips, found[0]
        rings = {
            n: np.array([strips[n].padded_rows(c.streams[n]) for c in found])
            for n in sample.streams
        }
        leaving = tuple(n for n in sample.streams if n not in sample.loaded)
        return Stretch(found, sample.loaded, leaving, rings, *self._points(span, found))

    def _points(self, span: tuple[int, int], found: list[Cascade]) -> tuple[Rows, Rows, Rows]:
        """Memory and cost with more and more constants staged, the busiest tasks' first."""
        turns = np.array([c.turns for c in found], dtype=np.int64)
        held = np.array([c.held for c in found], dtype=np.int64)[:, None]
        own, padded = (a[span[0] : span[1] + 1] for a in (self._bytes, self._padded))
        cost = self.rates.constant * (turns * own).sum(axis=1)[:, None]
        busy = np.argsort(-turns, axis=1, kind="stable")
        if not self.staging:
            return held, cost, busy
        saved = self.rates.constant * np.take_along_axis((turns - 1) * own, busy, axis=1)
        more = np.cumsum(padded[busy], axis=1)
        memory = np.concatenate((held, held + more), axis=1)
        return memory, np.concatenate((cost, cost - np.cumsum(saved, axis=1)), axis=1), busy

    def _frontier(self, span: tuple[int, int], streamed: tuple[int, ...]) -> _Frontier:
        stretch = self.stretch(*span)
        assert stretch is not None
        memory = stretch.memory
        for n in streamed:
            memory = memory + stretch.rings[n][:, None]
        memory, cost = memory.ravel(), stretch.cost.ravel()
        order = np.lexsort((cost, memory))
        best = np.minimum.accumulate(cost[order])
        kept = order[np.concatenate(([True], best[1:] < best[:-1]))]
        kept = kept[memory[kept] <= self.room]
        return _Frontier(memory[kept].tolist(), cost[kept].tolist(), kept.tolist())
