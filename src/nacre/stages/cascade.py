"""Cascades: tasks that take turns on rows, with exact rolling line buffers.

Rows are demanded from the end. In every period the last task does `band` rows; whoever feeds it
does just the rows that it lacks, and so on backwards, each at its own steady pace: work that the
first rows of the last task would ask for at once is spread over earlier iterations (a prologue).

    ends(t) = max over later t' of demand(t') - pace * (t' - t)

The ring of a strip holds, in the iteration where that is most, the rows from the first one that
is still needed to the last one that was written.

A period may have several iterations: tasks with more rows than the last one then take several
turns of about as many rows each, so that tall strips need not keep a whole period's rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np

from nacre.stages.network import Need, Network, Rows, Task

# Bands of a cascade, about.
MOST_BANDS = 1024
# Rows of a turn worth trying where tasks take several turns in a period.
TURNS = (1, 2, 4)


@dataclass(frozen=True)
class Pace:
    """How a cascade that ends with task `last` goes about its rows."""

    last: int
    # Rows of the last task in a period.
    band: int
    # Iterations in a period, a power of two, and about how many rows a task does in a turn.
    iterations: int = 1
    rows: int = 0


@dataclass(frozen=True, eq=False)
class Cascade:
    """Tasks [first, last] run by rows; bytes without the slots of what comes from outside."""

    first: int
    pace: Pace
    # Rings of strips that live inside only, and the largest scratch.
    held: int
    # Rows kept of each strip that comes from outside or goes there, when it moves by bands.
    streams: dict[int, int]
    # Rows that must come of each strip from outside.
    loaded: dict[int, int]
    # Per task of the cascade: in how many iterations it does any row.
    turns: tuple[int, ...]

    @property
    def last(self) -> int:
        return self.pace.last


@dataclass(frozen=True, eq=False)
class Schedule:
    """Rows done after each iteration, per task and per strip from outside; rows kept per strip."""

    iterations: int
    tasks: dict[int, tuple[int, ...]]
    loads: dict[int, tuple[int, ...]]
    rings: dict[int, int]
    # Strips of which no row outlives an iteration: the first and last task that use them.
    passing: dict[int, tuple[int, int]]


def bands(rows: int) -> list[int]:
    """Band heights worth trying: those of 2, 3, 4, 6, 8, 12, … bands."""
    counts = [n for k in range(1, 17) for n in (1 << k, 3 << (k - 1))]
    least = max(1, rows // MOST_BANDS)
    return sorted({-(-rows // n) for n in counts if n <= rows // least} | {least})


def paces(net: Network, last: int) -> Iterator[Pace]:
    """Paces worth trying for cascades that end with a task."""
    total = net.tasks[last].rows
    tallest = max(task.rows for task in _run_up(net, last))
    narrow = is_narrow(net, last + 1)
    for band in bands(total):
        yield Pace(last, band)
        for rows in TURNS if narrow else ():
            iterations = _power_below(band * tallest // (total * rows))
            if iterations > 1:
                yield Pace(last, band, iterations, rows)


def _run_up(net: Network, last: int) -> Iterator[Task]:
    """The tasks that a cascade may have, the last first."""
    for task in net.tasks[last::-1]:
        if task.needs is None:
            return
        yield task


def is_narrow(net: Network, cut: int) -> bool:
    """Fewer bytes are alive at the cut than beside it."""
    width = [
        sum(net.strips[n].size for n in net.live(c))
        for c in (max(0, cut - 1), cut, min(len(net.tasks), cut + 1))
    ]
    return width[1] <= min(width)


def _power_below(value: int) -> int:
    return 1 << (value.bit_length() - 1) if value else 1


def cascades(net: Network, pace: Pace, room: int) -> Iterator[Cascade]:
    """All cascades with this pace, the shortest first, as long as their rings may fit `room`."""
    sweep = _Sweep(net, pace)
    for first in range(pace.last, -1, -1):
        if net.tasks[first].needs is None:
            return
        sweep.add(first)
        if sweep.held > room:
            return
        yield sweep.cascade(first)


def schedule(net: Network, pace: Pace, first: int) -> Schedule:
    """The rows of every iteration in which anything happens."""
    sweep = _Sweep(net, pace)
    for position in range(pace.last, first - 1, -1):
        sweep.add(position)
    loads = {strip: sweep.loads(strip) for strip in sorted(sweep.outside)}
    ends = np.stack([*sweep.ends.values(), *loads.values()])
    busy = np.any(np.diff(ends, axis=1, prepend=0) > 0, axis=0)
    return Schedule(
        int(busy.sum()),
        {t: tuple(e[busy].tolist()) for t, e in sweep.ends.items()},
        {s: tuple(e[busy].tolist()) for s, e in loads.items()},
        sweep.rings | sweep.streams(),
        sweep.passing,
    )


def _lead(net: Network, last: int) -> float:
    """Rows of the last task that the first could be ahead of it, in all."""
    total = net.tasks[last].rows
    lead = 0.0
    for task in _run_up(net, last):
        assert task.needs is not None
        lead += max((need.lead * total / len(need.since) for need in task.needs), default=0.0)
    return lead


class _Sweep:
    """Tasks added from the last to the first: an accumulator for one pace."""

    def __init__(self, net: Network, pace: Pace) -> None:
        self.net, self.pace = net, pace
        self.total = net.tasks[pace.last].rows
        periods = -(-self.total // pace.band)
        prologue = 2 + math.ceil(_lead(net, pace.last) / pace.band)
        self.length = (periods + prologue) * pace.iterations
        self.clock = np.arange(self.length)
        # Rows of the last task after each iteration.
        done = (self.clock // pace.iterations - prologue + 1) * pace.band
        self.done = np.clip(done, 0, self.total)
        self.demand: dict[int, Rows] = {}
        # First row of a strip that is still needed when an iteration begins.
        self.since: dict[int, Rows] = {}
        self.ends: dict[int, Rows] = {}
        self.rings: dict[int, int] = {}
        self.outputs: dict[int, int] = {}
        self.turns: list[int] = []
        self.inner = 0
        # Strips of which no row outlives an iteration, and their bytes while each task runs.
        self.passing: dict[int, tuple[int, int]] = {}
        self.passed = [0] * (pace.last + 1)
        # Bytes of the scratch tensors that the tasks take turns on.
        self.scratch: list[int] = []
        # Strips that come from before the cascade; rows of them that have come, and are kept.
        self.outside: set[int] = set()
        self._loads: dict[int, tuple[Rows, int]] = {}

    @property
    def held(self) -> int:
        return self.inner + max(self.passed) + sum(self.scratch)

    def add(self, position: int) -> None:
        """One more task in front."""
        task = self.net.tasks[position]
        assert task.needs is not None
        wanted = [self._wanted(strip, task.rows) for strip in task.writes]
        demand = np.maximum.reduce(wanted)
        ends = self.done if position == self.pace.last else self._smooth(demand, task.rows)
        self.ends[position] = ends
        before = np.concatenate(([0], ends[:-1]))
        self.turns.append(int(np.count_nonzero(ends > before)))
        for strip in task.writes:
            self._written(strip, position, ends, before)
            self.outside.discard(strip)
        for need in task.needs:
            self._needed(need, ends, before)
        self.scratch = [max(p) for p in zip_longest(self.scratch, task.scratch, fillvalue=0)]

    def _wanted(self, strip: int, rows: int) -> Rows:
        """Rows of an output that must be there after each iteration."""
        if strip not in self.demand:
            return -(-self.done * rows // self.total)
        demand = self.demand[strip]
        if self._leaves(strip):
            demand = demand.copy()
            demand[-1] = rows
        return demand

    def _leaves(self, strip: int) -> bool:
        s = self.net.strips[strip]
        return s.is_output or any(r > self.pace.last for r in s.readers)

    def _period(self, rows: int) -> int:
        """Iterations from one turn to the next of a task with so many rows."""
        iterations, band = self.pace.iterations, self.pace.band
        wanted = iterations * self.pace.rows * self.total // max(1, rows * band)
        return min(iterations, _power_below(wanted))

    def _smooth(self, demand: Rows, rows: int) -> Rows:
        """Ends at a steady pace, as late as demand allows."""
        period = self._period(rows)
        share = self.pace.band * rows * period
        pace = max(1, -(-share // (self.total * self.pace.iterations)))
        if period > 1:
            demand = demand.reshape(-1, period)[:, -1]
        slope = pace * np.arange(len(demand))
        ahead = np.maximum.accumulate((demand - slope)[::-1])[::-1] + slope
        ends = np.maximum(ahead, 0)
        return np.repeat(ends, period) if period > 1 else ends

    def _written(self, strip: int, position: int, ends: Rows, before: Rows) -> None:
        s = self.net.strips[strip]
        needed = self.since.get(strip)
        rows = int((ends - (before if needed is None else needed)).max())
        self.rings[strip] = min(rows, s.rows)
        if self._leaves(strip):
            self.outputs[strip] = min(s.rows, max(rows, int((ends - before).max())))
        elif needed is not None and bool((needed >= before).all()):
            self.passing[strip] = position, s.last_reader
            for place in range(position, s.last_reader + 1):
                self.passed[place] += s.padded_rows(self.rings[strip])
        else:
            self.inner += s.padded_rows(self.rings[strip])

    def _needed(self, need: Need, ends: Rows, before: Rows) -> None:
        upto, since = need.upto[ends], need.since[before]
        if need.strip in self.demand:
            upto = np.maximum(upto, self.demand[need.strip])
            since = np.minimum(since, self.since[need.strip])
        self.demand[need.strip], self.since[need.strip] = upto, since
        self.outside.add(need.strip)
        self._loads.pop(need.strip, None)

    def loads(self, strip: int) -> Rows:
        return self._load(strip)[0]

    def _load(self, strip: int) -> tuple[Rows, int]:
        """Rows that have come after each iteration, and how many are kept."""
        if strip not in self._loads:
            s = self.net.strips[strip]
            ends = self._smooth(self.demand[strip], s.rows)
            rows = int((ends - self.since[strip]).max())
            self._loads[strip] = ends, min(max(rows, 1), s.rows)
        return self._loads[strip]

    def streams(self) -> dict[int, int]:
        return self.outputs | {n: self._load(n)[1] for n in sorted(self.outside)}

    def cascade(self, first: int) -> Cascade:
        loaded = {n: int(self.loads(n)[-1]) for n in sorted(self.outside)}
        return Cascade(
            first, self.pace, self.held, self.streams(), loaded, tuple(reversed(self.turns))
        )  # fmt: skip
