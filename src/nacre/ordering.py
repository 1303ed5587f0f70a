"""An order of tasks with a low peak of live bytes: exact for small graphs, a good guess for large.

The peak of a task is what is alive while it runs: live buffers, its outputs, its scratch.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

# Graphs beyond this many tasks are ordered by a rule instead of a search.
EXACT_TASKS = 160
# Sets of finished tasks that the search may visit: some 20 microseconds each.
VISITS = 12_000


@dataclass(frozen=True)
class Task:
    """`buffers` are all that it reads or writes; scratch is alive only while it runs."""

    before: frozenset[int]
    buffers: frozenset[str]
    scratch: int = 0


@dataclass(frozen=True)
class OrderProblem:
    tasks: tuple[Task, ...]
    sizes: Mapping[str, int]
    # Alive before the first task, and alive after the last.
    inputs: frozenset[str]
    kept: frozenset[str]


def peak_of(problem: OrderProblem, order: Iterable[int]) -> int:
    """The peak of live bytes of an order."""
    state = _State(problem)
    peak = state.live
    for task in order:
        peak = max(peak, state.live + state.transient(task))
        state.run(task)
    return peak


def best_order(problem: OrderProblem) -> tuple[int, ...]:
    """The best order found; the given one when none is better. Always the same one."""
    given = tuple(range(len(problem.tasks)))
    best, peak = given, peak_of(problem, given)
    for order in (_greedy(problem, by_net=True), _greedy(problem, by_net=False)):
        found = peak_of(problem, order)
        if found < peak:
            best, peak = order, found
    floor = _floor(problem)
    if peak <= floor or len(problem.tasks) > EXACT_TASKS:
        return best
    return _search(problem, best, peak, floor)


def _floor(problem: OrderProblem) -> int:
    """No order goes below the inputs, nor below the task that needs most by itself."""
    sizes = problem.sizes
    needs = [sum(sizes[b] for b in t.buffers) + t.scratch for t in problem.tasks]
    return max(sum(sizes[b] for b in problem.inputs), *needs, 0)


def _search(problem: OrderProblem, best: tuple[int, ...], peak: int, floor: int) -> tuple[int, ...]:
    """Ask at the floor first, then bisect between what is impossible and what is known."""
    limit, visits = floor, VISITS
    while floor < peak and visits > 0:
        found, visits = _order_below(problem, limit, visits)
        if found is None:
            floor = limit + 1
        else:
            best, peak = found, peak_of(problem, found)
        limit = (floor + peak) // 2
    return best


def _order_below(
    problem: OrderProblem, limit: int, visits: int
) -> tuple[tuple[int, ...] | None, int]:
    """An order with a peak of at most `limit`, if one is found, and the visits that are left."""
    state = _State(problem)
    failed: set[int] = set()
    branches: list[list[int]] = []
    while len(state.order) < len(problem.tasks):
        branches.append(state.choices(limit) if state.done not in failed else [])
        visits -= 1
        while branches and not branches[-1]:
            branches.pop()
            if not branches or visits < 0:
                return None, visits
            failed.add(state.done)
            state.undo()
        state.run(branches[-1].pop(0))
    return tuple(state.order), visits


def _greedy(problem: OrderProblem, by_net: bool) -> tuple[int, ...]:
    """Always the ready task that frees most (or needs least while it runs); ties in given order."""
    state = _State(problem)
    heap: list[tuple[int, int]] = []

    def score(task: int) -> int:
        return state.net(task) if by_net else state.transient(task)

    for task in state.ready:
        heapq.heappush(heap, (score(task), task))
    while heap:
        value, task = heapq.heappop(heap)
        if task not in state.ready:
            continue
        fresh = score(task)
        if fresh > value:
            heapq.heappush(heap, (fresh, task))
            continue
        for other in state.run(task):
            heapq.heappush(heap, (score(other), other))
    return tuple(state.order)


class _State:
    """Which tasks are done, what is alive; runs forwards and backwards."""

    def __init__(self, problem: OrderProblem) -> None:
        self.problem = problem
        self.order: list[int] = []
        self.done = 0
        self.waiting = [len(t.before) for t in problem.tasks]
        self.ready = {n for n, count in enumerate(self.waiting) if count == 0}
        self.after: list[list[int]] = [[] for _ in problem.tasks]
        self.uses = dict.fromkeys(problem.sizes, 0)
        for number, task in enumerate(problem.tasks):
            for earlier in task.before:
                self.after[earlier].append(number)
            for buffer in task.buffers:
                self.uses[buffer] += 1
        self.alive = set(problem.inputs)
        self.live = sum(problem.sizes[b] for b in self.alive)
        self.changes: list[tuple[list[str], list[str]]] = []

    def transient(self, task: int) -> int:
        """Bytes beyond the live ones while the task runs."""
        new = self.problem.tasks[task].buffers - self.alive
        return sum(self.problem.sizes[b] for b in new) + self.problem.tasks[task].scratch

    def net(self, task: int) -> int:
        """Change of the live bytes once the task is done."""
        sizes, buffers = self.problem.sizes, self.problem.tasks[task].buffers
        new = sum(sizes[b] for b in buffers if b not in self.alive)
        return new - sum(sizes[b] for b in buffers if self._dies(b))

    def _dies(self, buffer: str) -> bool:
        return self.uses[buffer] == 1 and buffer not in self.problem.kept

    def choices(self, limit: int) -> list[int]:
        """Ready tasks that stay within the limit, the most promising first.

        One that ends no higher than it began can always go first: nothing else is worth trying.
        """
        fitting = [t for t in self.ready if self.live + self.transient(t) <= limit]
        ranked = sorted((self.net(t), t) for t in fitting)
        if ranked and ranked[0][0] <= 0:
            return [ranked[0][1]]
        return [t for _, t in ranked]

    def run(self, task: int) -> list[int]:
        """Do a task; the tasks that became ready."""
        buffers = self.problem.tasks[task].buffers
        born = [b for b in buffers if b not in self.alive]
        dead = [b for b in buffers if self._dies(b)]
        self.alive |= set(born)
        self.alive -= set(dead)
        sizes = self.problem.sizes
        self.live += sum(sizes[b] for b in born) - sum(sizes[b] for b in dead)
        for buffer in buffers:
            self.uses[buffer] -= 1
        self.changes.append((born, dead))
        self.order.append(task)
        self.done |= 1 << task
        self.ready.discard(task)
        fresh = []
        for later in self.after[task]:
            self.waiting[later] -= 1
            if self.waiting[later] == 0:
                self.ready.add(later)
                fresh.append(later)
        return fresh

    def undo(self) -> None:
        """Take the last task back."""
        task = self.order.pop()
        born, dead = self.changes.pop()
        sizes = self.problem.sizes
        self.alive |= set(dead)
        self.alive -= set(born)
        self.live -= sum(sizes[b] for b in born) - sum(sizes[b] for b in dead)
        for buffer in self.problem.tasks[task].buffers:
            self.uses[buffer] += 1
        self.done &= ~(1 << task)
        for later in self.after[task]:
            if self.waiting[later] == 0:
                self.ready.discard(later)
            self.waiting[later] += 1
        self.ready.add(task)
