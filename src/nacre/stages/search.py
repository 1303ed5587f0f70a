"""The cheapest way through a network with so much fast memory: dynamic programming over cuts.

A state says before which task we are and which live strips are in the fast memory. From there
either one task runs whole, or a cascade of several tasks runs by rows. What is not in the fast
memory is in the slow one; it is loaded where it is needed, whole or by bands. The set of choices
does not depend on the room, so more room never costs more, unless so many strips are alive at a
cut that a beam has to do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import TypeAlias

from nacre.stages.floor import Floor
from nacre.stages.frontier import Frontiers, Option
from nacre.stages.network import Network
from nacre.stages.tiling import Tiling, Tilings

# Strips in the fast memory, and whether the slow one has them too, in order of their numbers.
State: TypeAlias = tuple[tuple[int, bool], ...]
# Cost in bytes by rate, then a number that grows with segments.
Cost: TypeAlias = tuple[int, int]

WHOLE_STEP, CASCADE_STEP = 1, 64
# Strips at one place that are decided on one by one: more go to slow memory together.
MOST_CHOICES = 5


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
class Leg:
    """Tasks [first, last] of the way: as a cascade, one task by tiles, or one task whole."""

    first: int
    last: int
    before: State
    after: State
    # Strips produced here that go to the slow memory.
    spilled: tuple[int, ...]
    option: Option | None = None
    tiling: Tiling | None = None


@dataclass(frozen=True, eq=False)
class Way:
    """Legs from the first task to the last, and what they cost."""

    legs: tuple[Leg, ...]
    cost: int
    frontiers: Frontiers


@dataclass(frozen=True, eq=False)
class _Arrival:
    cost: Cost
    leg: Leg | None


class Search:
    """One search: states before each task, with the cheapest way to each."""

    def __init__(
        self,
        net: Network,
        frontiers: Frontiers,
        room: Room,
        tilings: Tilings | None = None,
        cascades: bool = True,
        beam: int | None = None,
        limit: int | None = None,
    ) -> None:
        """`beam`: states to go on from before each task; `limit`: a cost not to go beyond."""
        self.beam, self.limit = beam, limit
        self.net, self.frontiers, self.room, self.tilings = net, frontiers, room, tilings
        self.rates = frontiers.rates
        self.count = len(net.tasks)
        self.arrivals: list[dict[State, _Arrival]] = [{} for _ in range(self.count + 1)]
        self.live = [frozenset(net.live(cut)) for cut in range(self.count + 1)]
        self.padded = [strip.padded for strip in net.strips]
        self.sizes = [strip.size for strip in net.strips]
        self.roomy = [self._is_roomy(cut) for cut in range(self.count)]
        waiting = frozenset(n for n in range(len(net.strips)) if room.may_wait(n))
        self.floor = Floor(net, self.rates, waiting)
        self.lasts = [self._lasts(cut) if cascades else [] for cut in range(self.count)]

    def _is_roomy(self, cut: int) -> bool:
        """Whether a task fits whole beside all that is alive: then nothing is cheaper."""
        task = self.net.tasks[cut]
        alive = self.live[cut] | set(task.writes)
        return sum(self.padded[n] for n in alive) + sum(task.scratch) <= self.room.fast

    def _lasts(self, first: int) -> list[int]:
        """Ends of cascades from a task on; useless where all of their tasks fit whole."""
        found = []
        tight = False
        for last in range(first, self.count):
            if self.net.tasks[last].needs is None:
                break
            tight = tight or not self.roomy[last]
            if tight:
                found.append(last)
        return found

    def way(self) -> Way | None:
        """The cheapest way, or None: nothing fits."""
        start = self._start()
        if start is None:
            return None
        self.arrivals[0][start] = _Arrival((0, 0), None)
        for cut in range(self.count):
            for state, arrival in self._open(cut):
                self._whole(cut, state, arrival.cost)
                if not self.roomy[cut]:
                    self._tiled(cut, state, arrival.cost)
                for last in self.lasts[cut]:
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
            keeps = product((True, False), repeat=min(len(spare), MOST_CHOICES))
            for kept in keeps:
                gone = {n for n, keep in zip(spare, kept, strict=False) if not keep}
                less = tuple(entry for entry in state if entry[0] not in gone)
                if less not in found or arrival.cost < found[less].cost:
                    found[less] = arrival
        ranked = sorted(found.items(), key=lambda item: (self._outlook(cut, item), item[0]))
        return ranked if self.beam is None else ranked[: self.beam]

    def _outlook(self, cut: int, item: tuple[State, _Arrival]) -> int:
        """What a way through a state costs at least."""
        return item[1].cost[0] + self.floor.after(cut, item[0])

    def _bytes(self, state: State) -> int:
        return sum([self.padded[n] for n, _ in state])

    # --- one task, whole --------------------------------------------------------------------------

    def _whole(self, cut: int, state: State, cost: Cost) -> None:
        task = self.net.tasks[cut]
        here = {n for n, _ in state}
        fresh = [n for n in task.writes if not self._is_born(n, cut)]
        lacking = [n for n in task.reads if n not in here and n not in fresh]
        if not all(self.room.may_wait(n) for n in lacking):
            return
        held = self._bytes(state) + sum(self.padded[n] for n in (*lacking, *fresh))
        if held + sum(task.scratch) - self._saving(cut, here | set(lacking)) > self.room.fast:
            return
        loaded = self.rates.load * sum(self.sizes[n] for n in lacking)
        spent = cost[0] + loaded + self.rates.constant * task.constant_bytes
        both = (*state, *((n, n not in self.room.streams) for n in lacking))
        leg = Leg(cut, cut, state, state, ())
        self._arrive(leg, both, fresh, (spent, cost[1] + WHOLE_STEP))

    def _is_born(self, strip: int, cut: int) -> bool:
        s = self.net.strips[strip]
        return s.is_input or any(w < cut for w in s.writers)

    def _saving(self, cut: int, here: set[int]) -> int:
        """Bytes that the output may share with an input that dies."""
        savings = self.net.tasks[cut].savings
        after = self.live[cut + 1]
        return max((saved for n, saved in savings.items() if n in here - after), default=0)

    # --- one task, by tiles -----------------------------------------------------------------------

    def _tiled(self, cut: int, state: State, cost: Cost) -> None:
        """Boxes of the inputs come and boxes of the output go; nothing else is whole."""
        task = self.net.tasks[cut]
        here = {n for n, _ in state}
        lacking = tuple(n for n in task.reads if n not in here)
        if self.tilings is None or len(task.writes) != 1:
            return
        if not all(self._has_home(n) for n in lacking):
            return
        made, held = task.writes[0], self._bytes(state)
        for keep in (True, False) if self._has_home(made) else (True,):
            room = self.room.fast - held - (self.padded[made] if keep else 0)
            gone = () if keep else (made,)
            if room <= 0 or self._rows_will_do(cut, (*lacking, *gone), room):
                continue
            tiling = self.tilings.best(cut, lacking, room)
            if tiling is not None:
                moved = self.tilings.cost(tiling, lacking)
                moved += 0 if keep else self.rates.spill * self.sizes[made]
                leg = Leg(cut, cut, state, state, gone, tiling=tiling)
                spent = (cost[0] + moved, cost[1] + CASCADE_STEP)
                self._enter(leg, state, ((made, False),) if keep else (), spent)

    def _rows_will_do(self, cut: int, streamed: tuple[int, ...], room: int) -> bool:
        """The task by rows reads its constants once, and all of its input: no tiles are cheaper."""
        task = self.net.tasks[cut]
        stretch = self.frontiers.stretch(cut, cut) if task.needs is not None else None
        if task.needs is None or stretch is None:
            return False
        if any(need.touched < self.net.strips[need.strip].rows for need in task.needs):
            return False
        option = self.frontiers.best((cut, cut), streamed, room)
        return option is not None and option.cost <= self.rates.constant * task.constant_bytes

    def _has_home(self, strip: int) -> bool:
        """Whether boxes of it can be taken from slow memory, or put there."""
        return self.room.has_slow and strip not in self.room.streams

    # --- cascades ---------------------------------------------------------------------------------

    def _cascade(self, first: int, last: int, state: State, cost: Cost) -> None:
        stretch = self.frontiers.stretch(first, last)
        if stretch is None:
            return
        here = {n for n, _ in state}
        lacking = tuple(n for n in stretch.loaded if n not in here)
        if not all(self._can_stream(n, last) for n in lacking):
            return
        room = self.room.fast - self._bytes(state)
        for kept in self._keepings(stretch.leaving):
            stay = [n for n, keep in zip(stretch.leaving, kept, strict=True) if keep]
            gone = tuple(n for n, keep in zip(stretch.leaving, kept, strict=True) if not keep)
            left = room - sum([self.padded[n] for n in stay])
            option = self.frontiers.best((first, last), lacking + gone, left)
            if option is not None:
                loaded = sum(stretch.loaded[n] * self.net.strips[n].row_bytes for n in lacking)
                moved = self.rates.load * loaded
                moved += self.rates.spill * sum(self.sizes[n] for n in gone)
                leg = Leg(first, last, state, state, gone, option=option)
                spent = (cost[0] + option.cost + moved, cost[1] + CASCADE_STEP)
                self._arrive(leg, state, stay, spent)

    def _can_stream(self, strip: int, last: int) -> bool:
        """The caller hands rows over once: no task after the cascade may want them again."""
        if strip in self.room.streams:
            return strip not in self.live[last + 1]
        return self.room.has_slow

    def _keepings(self, leaving: tuple[int, ...]) -> Iterator[tuple[bool, ...]]:
        """Which outputs stay whole in fast memory."""
        choices = [(True, False) if self._can_leave(n) else (True,) for n in leaving]
        many = len(leaving) > MOST_CHOICES
        return product(*(c[-1:] if many else c for c in choices))

    def _can_leave(self, strip: int) -> bool:
        """What several tasks write stays; the caller takes rows once and gives none back."""
        s = self.net.strips[strip]
        if len(s.writers) > 1 or (strip in self.room.streams and s.readers):
            return False
        return self.room.may_wait(strip)

    # --- arriving ---------------------------------------------------------------------------------

    def _arrive(self, leg: Leg, here: State, fresh: list[int], cost: Cost) -> None:
        """Enter the states after a leg: a fresh strip stays, goes to slow memory, or both."""
        alive = [n for n in fresh if n in self.live[leg.last + 1]]
        fates_of = [self._fates(leg.option, n) for n in alive]
        if len(alive) > MOST_CHOICES:
            fates_of = [fates[-1:] for fates in fates_of]
        for choice in product(*fates_of):
            fates = list(zip(alive, choice, strict=True))
            spilled = tuple(n for n, (_, spill) in fates if spill)
            new = tuple((n, spill) for n, (stay, spill) in fates if stay)
            more = self.rates.spill * sum([self.sizes[n] for n in spilled])
            entered = replace(leg, spilled=spilled + leg.spilled) if spilled else leg
            self._enter(entered, here, new, (cost[0] + more, cost[1]))

    def _enter(self, leg: Leg, here: State, new: State, cost: Cost) -> None:
        """The state after a leg: what was there and is still alive, and the new."""
        alive = self.live[leg.last + 1]
        kept = [entry for entry in (*here, *new) if entry[0] in alive]
        kept.sort()
        after = tuple(kept)
        limit = self.limit
        if limit is not None and cost[0] + self.floor.after(leg.last + 1, after) > limit:
            return
        known = self.arrivals[leg.last + 1].get(after)
        if known is None or cost < known.cost:
            self.arrivals[leg.last + 1][after] = _Arrival(cost, replace(leg, after=after))

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
            last = self.rates.spill * sum(self.sizes[n] for n in fast_only)
            cost = (arrival.cost[0] + last, arrival.cost[1])
            if best is None or cost < best[0]:
                best = cost, state
        return None if best is None else Way(self._legs(best[1]), best[0][0], self.frontiers)

    def _legs(self, state: State) -> tuple[Leg, ...]:
        legs = []
        cut = self.count
        while cut:
            leg = self.arrivals[cut][state].leg
            assert leg is not None
            legs.append(leg)
            cut, state = leg.first, leg.before
        return tuple(reversed(legs))
