"""From "is there a solution of this height?" to the lowest height: a bracket that closes.

Height in model units:   lower                      upper
                           |-- nothing known --------|   a solution of height `upper` is known,
                           ^ tried first             ^   none is lower than `lower`
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from itertools import islice
from threading import Timer
from time import monotonic
from typing import Protocol

from nacre.planner.exact import Outcome, Status, search
from nacre.planner.model import Model
from nacre.planner.native import NativeModel, load, suits
from nacre.planner.ranks import ranks

Rank = tuple[int, ...]


@dataclass(frozen=True)
class Bracket:
    """What is known of the least height that the search can reach, in units of the model.

    `lower` is a bound on every solution if it was one at first, and if the model is complete.
    """

    lower: int
    upper: int
    # Offsets that reach `upper`; empty as long as those are the caller's.
    offsets: tuple[int, ...] = ()

    @property
    def closed(self) -> bool:
        return self.upper <= self.lower


class Searcher(Protocol):
    """`exact.search` for one model, in Python or in C."""

    def search(self, rank: Rank, height: int, limit: int, stop: ctypes.c_int32, /) -> Outcome: ...


@dataclass(frozen=True)
class PythonModel:
    """The searcher that is always there."""

    model: Model

    def search(self, rank: Rank, height: int, limit: int, stop: ctypes.c_int32, /) -> Outcome:
        return search(self.model, rank, height, limit, stop)


# Asks for a solution of at most a height, with a number of ranks.
Probe = Callable[[int, int], Outcome]


def tighten_counted(model: Model, bracket: Bracket, limit: int, budget: int) -> Bracket:
    """Within `budget` units of work, `limit` for each try: the same on every machine.

    The C twin is used if it is there already, for speed: it returns what the Python one does.
    """
    searcher = searcher_for(model, bracket.upper, build=False)
    stream = ranks(model)
    stop = ctypes.c_int32(0)
    spent = 0

    def probe(height: int, tries: int) -> Outcome:
        nonlocal spent
        outcome = Outcome(Status.LIMIT, (), 0)
        for rank in islice(stream, tries):
            if spent >= budget:
                break
            allowed = min(limit, budget - spent)
            outcome = searcher.search(rank, height, allowed, stop)
            if outcome.status is Status.MEMORY:
                outcome = search(model, rank, height, allowed, stop)
            spent += outcome.worked
            if outcome.status in (Status.FOUND, Status.NONE):
                break
        return outcome

    while not bracket.closed and spent < budget:
        bracket = _close_in(model, bracket, probe, (3, 2), None)
    return bracket


def tighten_timed(
    model: Model, bracket: Bracket, seconds: float, threads: int = 2, goal: int | None = None
) -> Bracket:
    """Until closed, or for so many seconds; `goal` is a height worth an early try."""
    searcher = searcher_for(model, bracket.upper, build=True)
    workers = threads if isinstance(searcher, NativeModel) else 1
    with ThreadPoolExecutor(workers) as pool, _Clock(seconds) as clock:
        limit = 3 * model.count**2 + 1000
        race = _Race(searcher, ranks(model), pool, workers, clock, limit)
        tries = (40, 15)
        while not (bracket.closed or clock.expired or race.full):
            bracket = _close_in(model, bracket, race.probe, tries, goal)
            race.limit += race.limit // 4
            tries = (12, 15)
    return bracket


def searcher_for(model: Model, height: int, build: bool) -> Searcher:
    """The C twin if it is there (or may be built) and can hold the numbers, else the Python one."""
    library = load(build) if suits(model, height) else None
    return PythonModel(model) if library is None else NativeModel(library, model)


def _close_in(
    model: Model, bracket: Bracket, probe: Probe, tries: tuple[int, int], goal: int | None
) -> Bracket:
    """One round: the lower end first, then the goal, then halves of what has not failed."""
    failed = bracket.lower - 1
    targets = [bracket.lower] if goal is None else [bracket.lower, goal]
    while not bracket.closed:
        target = targets.pop(0) if targets else (failed + bracket.upper) // 2
        if not failed < target < bracket.upper:
            if targets:
                continue
            break
        outcome = probe(target, tries[0] if target == bracket.lower else tries[1])
        if outcome.status is Status.FOUND:
            height = max(o + s for o, s in zip(outcome.offsets, model.size, strict=True))
            bracket = replace(bracket, upper=height, offsets=outcome.offsets)
            continue
        failed = target
        if outcome.status is Status.NONE:
            bracket = replace(bracket, lower=target + 1)
    return bracket


class _Clock:
    """`stop` is set when the time is over, which ends all running searches."""

    def __init__(self, seconds: float) -> None:
        self.stop = ctypes.c_int32(0)
        self._end = monotonic() + seconds
        self._timer = Timer(seconds, self.halt)
        self._timer.daemon = True

    def __enter__(self) -> _Clock:
        self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._timer.cancel()

    @property
    def expired(self) -> bool:
        return monotonic() >= self._end

    def halt(self) -> None:
        self.stop.value = 1

    def resume(self) -> None:
        self.stop.value = 0
        if self.expired:
            self.halt()


@dataclass
class _Race:
    """Several ranks at once; the first that knows the answer ends the others."""

    searcher: Searcher
    stream: Iterator[Rank]
    pool: ThreadPoolExecutor
    workers: int
    clock: _Clock
    limit: int
    # A search ran out of memory: so would the others.
    full: bool = False

    def probe(self, height: int, tries: int) -> Outcome:
        answer = Outcome(Status.LIMIT, (), 0)
        running: set[Future[Outcome]] = set()
        left = tries
        while (left or running) and not (self.clock.expired or self.full):
            while left and len(running) < self.workers:
                running.add(self._submit(height))
                left -= 1
            done, running = wait(running, return_when=FIRST_COMPLETED)
            outcomes = [future.result() for future in done]
            self.full = self.full or any(o.status is Status.MEMORY for o in outcomes)
            answer = _decisive(outcomes, answer)
            if answer.status in (Status.FOUND, Status.NONE):
                break
        self.clock.halt()
        wait(running)
        self.clock.resume()
        return answer

    def _submit(self, height: int) -> Future[Outcome]:
        rank = next(self.stream)
        return self.pool.submit(self.searcher.search, rank, height, self.limit, self.clock.stop)


def _decisive(outcomes: list[Outcome], otherwise: Outcome) -> Outcome:
    for outcome in outcomes:
        if outcome.status in (Status.FOUND, Status.NONE):
            return outcome
    return otherwise
