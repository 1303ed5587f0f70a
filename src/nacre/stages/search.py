"""The cheapest way through a network with so much fast memory: dynamic programming over cuts.

A state says before which task we are and which live strips are in the fast memory. From there
either one task runs whole, or a cascade of several tasks runs by rows. What is not in the fast
memory is in the slow one; it is loaded where it is needed, whole or by bands. The set of choices
does not depend on the room, so more room never costs more.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np

from nacre.stages.cascade import Cascade
from nacre.stages.network import Network, Rows
from nacre.stages.tiling import Tiling, Tilings

# Strips in the fast memory, and whether the slow one has them too, in order of their numbers.
State: TypeAlias = tuple[tuple[int, bool], ...]
# Cost in bytes by rate, then a number that grows with segments.
Cost: TypeAlias = tuple[int, int]

WHOLE_STEP, CASCADE_STEP = 1, 64


@dataclass(frozen=True)
class Rates:
    """What a byte costs: loaded or spilled, and read as a constant."""

    load: int = 1
    spill: int = 1
    constant: int = 1


@dataclass(frozen=True)
class Room:
    """Bytes of fast memory, and whether there is a slow one to spill to.

    `streams`: inputs and outputs whose rows the caller hands over or takes, once.
    """

    fast: int
    has_slow: bool
    streams: frozenset[int] = frozenset()

    def may_wait(self, strip: int) -> bool:
        """Whether a strip can be anywhere but in fast memory."""
        return self.has_slow or strip in self.streams


@dataclass(frozen=True, eq=False)
class Option:
    """A cascade with some of its tasks' constants staged in fast memory."""

    cost: int
    cascade: Cascade
    # Positions of these tasks.
    staged: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Leg:
    """Tasks [first, last] of the way: as a cascade, one task by tiles, or one task whole."""

    first: int
    last: int
    option: Option | None
    before: State
    after: State
    # Strips produced here that go to the slow memory.
    spilled: tuple[int, ...]
    tiling: Tiling | None = None


@dataclass(frozen=True, eq=False)
class Way:
    """Legs from the first task to the last, and what they cost."""

    legs: tuple[Leg, ...]
    cost: int


class Frontiers:
    """Per stretch of tasks and set of streamed strips: the cascades, cheaper ones larger."""

    def __init__(
        self,
        net: Network,
        cascades: Mapping[tuple[int, int], list[Cascade]],
        rates: Rates,
        staging: bool,
    ) -> None:
        self.net, self.cascades, self.rates, self.staging = net, cascades, rates, staging
        self._points: dict[tuple[int, int], _Points] = {}
        self._found: dict[tuple[int, int, tuple[int, ...]], _Frontier] = {}
        constants = [[-(-size // 16) * 16 for size in t.constants.values()] for t in net.tasks]
        self._padded = np.array([sum(sizes) for sizes in constants], dtype=np.int64)
        self._bytes = np.array([t.constant_bytes for t in net.tasks], dtype=np.int64)

    def best(self, span: tuple[int, int], streamed: tuple[int, ...], room: int) -> Option | None:
        """The cheapest cascade of the tasks that fits, when these strips move by bands."""
        key = (*span, streamed)
        if key not in self._found:
            self._found[key] = self._frontier(span, streamed)
        frontier = self._found[key]
        place = bisect_right(frontier.memory, room)
        return self._option(span, *frontier.point(place - 1)) if place else None

    def _option(self, span: tuple[int, int], cost: int, cascade: int, staged: int) -> Option:
        points = self._points[span]
        tasks = points.busy[cascade][:staged] + span[0]
        return Option(cost, self.cascades[span][cascade], tuple(sorted(tasks.tolist())))

    def _frontier(self, span: tuple[int, int], streamed: tuple[int, ...]) -> _Frontier:
        if span not in self._points:
            self._points[span] = self._staged(span)
        points, strips = self._points[span], self.net.strips
        rings = [
            sum(strips[n].padded_rows(c.streams[n]) for n in streamed if n in c.streams)
            for c in self.cascades[span]
        ]
        memory = (points.memory + np.array(rings)[:, None]).ravel()
        cost = points.cost.ravel()
        order = np.lexsort((cost, memory))
        cost = cost[order]
        best = np.minimum.accumulate(cost)
        kept = order[np.concatenate(([True], best[1:] < best[:-1]))]
        return _Frontier(memory[kept].tolist(), points.cost.ravel()[kept], kept, points.width)

    def _staged(self, span: tuple[int, int]) -> _Points:
        """The cascades with more and more constants staged, those of the busiest tasks first."""
        cascades = self.cascades[span]
        turns = np.array([c.turns for c in cascades], dtype=np.int64)
        held = np.array([c.held for c in cascades], dtype=np.int64)[:, None]
        own, padded = (a[span[0] : span[1] + 1] for a in (self._bytes, self._padded))
        cost = self.rates.constant * (turns * own).sum(axis=1)[:, None]
        busy = np.argsort(-turns, axis=1, kind="stable")
        if not self.staging:
            return _Points(held, cost, busy)
        saved = self.rates.constant * np.take_along_axis((turns - 1) * own, busy, axis=1)
        more = np.cumsum(padded[busy], axis=1)
        return _Points(
            np.concatenate((held, held + more), axis=1),
            np.concatenate((cost, cost - np.cumsum(saved, axis=1)), axis=1),
            busy,
        )


@dataclass(frozen=True, eq=False)
class _Points:
    """Per cascade and number of tasks whose constants are staged; `busy` is their order."""

    memory: Rows
    cost: Rows
    busy: Rows

    @property
    def width(self) -> int:
        return int(self.memory.shape[1])


@dataclass(frozen=True, eq=False)
class _Frontier:
    """Points that no smaller one undercuts, by memory."""

    memory: list[int]
    costs: Rows
    indices: Rows
    width: int

    def point(self, place: int) -> tuple[int, int, int]:
        """Cost, cascade and number of staged tasks."""
        index = int(self.indices[place])
        return int(self.costs[place]), index // self.width, index % self.width


@dataclass(frozen=True, eq=False)
class _Arrival:
    cost: Cost
    leg: Leg | None


class Search:
    """One search: states before each task, with the cheapest way to each."""

    def __init__(
        self, net: Network, frontiers: Frontiers, room: Room, tilings: Tilings | None = None
    ) -> None:
        self.net, self.frontiers, self.room, self.tilings = net, frontiers, room, tilings
        self.rates = frontiers.rates
        self.count = len(net.tasks)
        self.arrivals: list[dict[State, _Arrival]] = [{} for _ in range(self.count + 1)]
        self.lasts: dict[int, list[int]] = {}
        for first, last in sorted(frontiers.cascades):
            self.lasts.setdefault(first, []).append(last)

    def way(self) -> Way | None:
        """The cheapest way, or None: nothing fits."""
        start = self._start()
        if start is None:
            return None
        self.arrivals[0][start] = _Arrival((0, 0), None)
        for cut in range(self.count):
            for state, arrival in self._open(cut):
                self._whole(cut, state, arrival.cost)
                self._tiled(cut, state, arrival.cost)
                for last in self.lasts.get(cut, ()):
                    self._cascade(cut, last, state, arrival.cost)
        return self._end()

    def furthest(self) -> int:
        """The first task that no state gets past."""
        return max((cut for cut, found in enumerate(self.arrivals) if found), default=0)

    def _start(self) -> State | None:
        inputs = [n for n, s in enumerate(self.net.strips) if s.is_input]
        state = tuple((n, False) for n in inputs if not self.room.may_wait(n))
        return state if self._bytes(state) <= self.room.fast else None

    def _open(self, cut: int) -> list[tuple[State, _Arrival]]:
        """States before a task, those with a copy dropped from fast memory included."""
        found = self.arrivals[cut]
        for state, arrival in list(found.items()):
            spare = [n for n, both in state if both]
            for kept in product((True, False), repeat=len(spare)):
                gone = {n for n, keep in zip(spare, kept, strict=True) if not keep}
                less = tuple(entry for entry in state if entry[0] not in gone)
                if less not in found or arrival.cost < found[less].cost:
                    found[less] = arrival
        return sorted(found.items(), key=lambda item: item[0])

    def _bytes(self, state: State) -> int:
        return sum(self.net.strips[n].padded for n, _ in state)

    # --- one task, whole --------------------------------------------------------------------------

    def _whole(self, cut: int, state: State, cost: Cost) -> None:
        task = self.net.tasks[cut]
        here = {n for n, _ in state}
        lacking = [n for n in task.reads if n not in here and n not in self._fresh(cut)]
        if not all(self.room.may_wait(n) for n in lacking):
            return
        fresh = self._fresh(cut)
        held = self._bytes(state) + sum(self.net.strips[n].padded for n in (*lacking, *fresh))
        if held + sum(task.scratch) - self._saving(cut, here | set(lacking)) > self.room.fast:
            return
        loaded = sum(self.net.strips[n].size for n in lacking)
        bytes_cost = self.rates.load * loaded + self.rates.constant * task.constant_bytes
        spent = (cost[0] + bytes_cost, cost[1] + WHOLE_STEP)
        both = (*state, *((n, n not in self.room.streams) for n in lacking))
        self._arrive(cut, cut, None, state, both, list(fresh), spent)

    def _fresh(self, cut: int) -> tuple[int, ...]:
        """Strips that the task at `cut` is the first to write."""
        writes = self.net.tasks[cut].writes
        return tuple(n for n in writes if not self._is_born(n, cut))

    def _is_born(self, strip: int, cut: int) -> bool:
        s = self.net.strips[strip]
        return s.is_input or any(w < cut for w in s.writers)

    def _saving(self, cut: int, here: set[int]) -> int:
        """Bytes that the output may share with an input that dies."""
        savings = self.net.tasks[cut].savings
        dying = [
            saved
            for n, saved in savings.items()
            if n in here and not self.net.strips[n].is_live(cut + 1)
        ]
        return max(dying, default=0)

    # --- one task, by tiles -----------------------------------------------------------------------

    def _tiled(self, cut: int, state: State, cost: Cost) -> None:
        """Boxes of the inputs come and boxes of the output go; nothing else is whole."""
        task = self.net.tasks[cut]
        here = {n for n, _ in state}
        lacking = [n for n in task.reads if n not in here]
        if self.tilings is None or len(task.writes) != 1 or self._is_roomy(cut):
            return
        if not all(self._has_home(n) for n in lacking):
            return
        strip = self.net.strips[task.writes[0]]
        held = self._bytes(state)
        for keep in (True, False) if self._has_home(task.writes[0]) else (True,):
            room = self.room.fast - held - (strip.padded if keep else 0)
            tiling = self.tilings.best(cut, room) if room > 0 else None
            if tiling is None:
                continue
            loaded = sum(tiling.loaded.get(n, 0) for n in lacking)
            moved = self.rates.load * loaded + self.rates.constant * tiling.constants
            moved += 0 if keep else self.rates.spill * strip.size
            spent = (cost[0] + moved, cost[1] + CASCADE_STEP)
            after = [entry for entry in state if self.net.strips[entry[0]].is_live(cut + 1)]
            after += [(task.writes[0], False)] if keep and strip.is_live(cut + 1) else []
            spilled = () if keep else (task.writes[0],)
            leg = Leg(cut, cut, None, state, tuple(sorted(after)), spilled, tiling)
            self._enter(leg, spent)

    def _has_home(self, strip: int) -> bool:
        """Whether boxes of it can be taken from slow memory, or put there."""
        return self.room.has_slow and strip not in self.room.streams

    def _is_roomy(self, cut: int) -> bool:
        """Whether the task fits whole beside all that is alive: then nothing is cheaper."""
        task, strips = self.net.tasks[cut], self.net.strips
        alive = {*self.net.live(cut), *task.writes}
        return sum(strips[n].padded for n in alive) + sum(task.scratch) <= self.room.fast

    # --- cascades ---------------------------------------------------------------------------------

    def _cascade(self, first: int, last: int, state: State, cost: Cost) -> None:
        net, span = self.net, (first, last)
        sample = self.frontiers.cascades[span][0]
        here = {n for n, _ in state}
        lacking = tuple(n for n in sample.loaded if n not in here)
        if not all(self._can_stream(n, last) for n in lacking):
            return
        leaving = [n for n in sample.streams if n not in sample.loaded]
        held = self._bytes(state)
        for kept in self._keepings(leaving):
            whole = sum(net.strips[n].padded for n, keep in zip(leaving, kept, strict=True) if keep)
            gone = tuple(n for n, keep in zip(leaving, kept, strict=True) if not keep)
            room = self.room.fast - held - whole
            option = self.frontiers.best(span, lacking + gone, room) if room > 0 else None
            if option is not None:
                self._take(option, state, cost, lacking, leaving, kept)

    def _can_stream(self, strip: int, last: int) -> bool:
        """The caller hands rows over once: no task after the cascade may want them again."""
        if strip in self.room.streams:
            return not self.net.strips[strip].is_live(last + 1)
        return self.room.has_slow

    def _keepings(self, leaving: list[int]) -> Iterator[tuple[bool, ...]]:
        """Which outputs stay whole in fast memory."""
        choices = [(True, False) if self._can_leave(n) else (True,) for n in leaving]
        return product(*choices)

    def _can_leave(self, strip: int) -> bool:
        """The caller takes rows once, and no task can have them back."""
        s = self.net.strips[strip]
        return self.room.may_wait(strip) and (strip not in self.room.streams or not s.readers)

    def _take(
        self,
        option: Option,
        state: State,
        cost: Cost,
        lacking: tuple[int, ...],
        leaving: list[int],
        kept: tuple[bool, ...],
    ) -> None:
        cascade, strips = option.cascade, self.net.strips
        loaded = sum(cascade.loaded[n] * strips[n].row_bytes for n in lacking)
        gone = [n for n, keep in zip(leaving, kept, strict=True) if not keep]
        spilled = sum(strips[n].size for n in gone)
        moved = self.rates.load * loaded + self.rates.spill * spilled
        spent = (cost[0] + option.cost + moved, cost[1] + CASCADE_STEP)
        stay = [n for n, keep in zip(leaving, kept, strict=True) if keep]
        self._arrive(cascade.first, cascade.last, option, state, state, stay, spent, tuple(gone))

    # --- arriving ---------------------------------------------------------------------------------

    def _arrive(
        self,
        first: int,
        last: int,
        option: Option | None,
        before: State,
        here: State,
        fresh: list[int],
        cost: Cost,
        gone: tuple[int, ...] = (),
    ) -> None:
        """Enter the states after a leg: a fresh strip stays, goes to slow memory, or both."""
        strips = self.net.strips
        old = tuple(entry for entry in here if strips[entry[0]].is_live(last + 1))
        alive = [n for n in fresh if strips[n].is_live(last + 1)]
        for choice in product(*(self._fates(option, n) for n in alive)):
            fates = list(zip(alive, choice, strict=True))
            spilled = tuple(n for n, (_, spill) in fates if spill)
            new = tuple((n, spill) for n, (stay, spill) in fates if stay)
            after = tuple(sorted(old + new))
            more = self.rates.spill * sum(strips[n].size for n in spilled)
            leg = Leg(first, last, option, before, after, spilled + gone)
            self._enter(leg, (cost[0] + more, cost[1]))

    def _enter(self, leg: Leg, cost: Cost) -> None:
        known = self.arrivals[leg.last + 1].get(leg.after)
        if known is None or cost < known.cost:
            self.arrivals[leg.last + 1][leg.after] = _Arrival(cost, leg)

    def _fates(self, option: Option | None, strip: int) -> tuple[tuple[bool, bool], ...]:
        """(stays in fast memory, goes to slow memory); a cascade spills by bands instead."""
        if not self._can_leave(strip):
            return ((True, False),)
        if option is not None:
            return ((True, False), (True, True))
        return ((True, False), (True, True), (False, True))

    def _end(self) -> Way | None:
        """The cheapest arrival, outputs moved to slow memory where there is one."""
        best: tuple[Cost, State] | None = None
        for state, arrival in sorted(self.arrivals[self.count].items()):
            fast_only = [n for n, both in state if not both and self.room.may_wait(n)]
            last = self.rates.spill * sum(self.net.strips[n].size for n in fast_only)
            cost = (arrival.cost[0] + last, arrival.cost[1])
            if best is None or cost < best[0]:
                best = cost, state
        return None if best is None else Way(self._legs(best[1]), best[0][0])

    def _legs(self, state: State) -> tuple[Leg, ...]:
        legs = []
        cut = self.count
        while cut:
            leg = self.arrivals[cut][state].leg
            assert leg is not None
            legs.append(leg)
            cut, state = leg.first, leg.before
        return tuple(reversed(legs))
