"""Placed -> Schedule: the order in which steps run."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.ir import TensorId, TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.ordering import OrderProblem, Task, best_order, peak_of
from nacre.place import Placed

MODEL, REORDERED = "model", "reordered"


@dataclass(frozen=True, eq=False)
class Schedule:
    """Steps in the order in which they run; a step's number is its position here."""

    placed: Placed
    steps: tuple[Step, ...]
    order: str = MODEL


def schedules(placed: Placed, reorder: bool, keep_inputs: bool) -> tuple[Schedule, ...]:
    """Orders worth planning: the model's own, and one with a lower peak where there is one."""
    steps = placed.graph.steps
    own = Schedule(placed, steps)
    if not reorder:
        return (own,)
    problem = order_problem(placed.graph, keep_inputs)
    order = best_order(problem)
    if peak_of(problem, order) >= peak_of(problem, range(len(steps))):
        return (own,)
    return own, Schedule(placed, tuple(steps[i] for i in order), REORDERED)


def order_problem(graph: LoweredGraph, keep_inputs: bool) -> OrderProblem:
    """Bytes and dependencies of the steps, in the model's order."""
    sizes = {
        t.id: t.size
        for t in graph.tensors.values()
        if t.kind is TensorKind.SCRATCH and t.id not in graph.views
    }
    accesses = [_accesses(graph, step) for step in graph.steps]
    tasks = tuple(
        Task(
            before=frozenset(before),
            buffers=frozenset(o for o in (*reads, *writes) if o in sizes),
            scratch=sum(graph.tensors[s].size for s in step.scratch),
        )
        for step, (reads, writes), before in zip(
            graph.steps, accesses, _dependencies(accesses), strict=True
        )
    )
    inputs = frozenset(graph.storage(i) for i in graph.inputs)
    kept = frozenset(graph.storage(o) for o in graph.outputs) | (inputs if keep_inputs else set())
    return OrderProblem(tasks, sizes, inputs & sizes.keys(), kept & sizes.keys())


def _accesses(graph: LoweredGraph, step: Step) -> tuple[list[TensorId], list[TensorId]]:
    scratch = set(step.scratch)
    reads = [graph.storage(t) for t in step.reads]
    return reads, [graph.storage(t) for t in step.writes if t not in scratch]


def _dependencies(
    accesses: list[tuple[list[TensorId], list[TensorId]]],
) -> list[set[int]]:
    """Steps that must come before each step: its inputs' writers, and what it overwrites."""
    writers: dict[TensorId, list[int]] = {}
    readers: dict[TensorId, list[int]] = {}
    found = []
    for number, (reads, writes) in enumerate(accesses):
        before: set[int] = set()
        for owner in reads:
            before |= set(writers.get(owner, ()))
            readers.setdefault(owner, []).append(number)
        for owner in writes:
            before |= {*writers.get(owner, ()), *readers.get(owner, ())} - {number}
            writers.setdefault(owner, []).append(number)
        found.append(before)
    return found
