"""solve(problem): offsets for every buffer, as low as the effort allows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from nacre.planner.bounds import overlap_bound, plain_bound
from nacre.planner.greedy import Engine, Linked, Placement, engine, orders
from nacre.planner.instance import FREE, Instance, height_of, instances, sections, subset
from nacre.planner.local import improve
from nacre.planner.problem import Problem, Solution
from nacre.planner.validate import PlanError, check_problem


class Effort(Enum):
    """How hard to try. All but SEARCH count steps: the result is the same on every machine."""

    GREEDY = "greedy"
    AUTO = "auto"
    SEARCH = "search"


@dataclass(frozen=True)
class Answer:
    """Offsets of one memory's buffers; `optimal` when no lower height exists."""

    placement: Placement
    optimal: bool


def solve(problem: Problem, effort: Effort = Effort.AUTO, seconds: float = 60.0) -> Solution:
    """The lowest solution found; it may exceed a capacity, which `validate` then reports.

    `seconds` bounds the effort SEARCH alone.
    """
    check_problem(problem)
    offsets = {b.id: b.offset or 0 for b in problem.buffers}
    heights, bounds, optimal = {}, {}, True
    for name, instance in instances(problem).items():
        answer = solve_instance(instance, effort, seconds)
        offsets.update(zip(instance.ids, answer.placement.offsets, strict=True))
        bounds[name] = plain_bound(instance)
        optimal = optimal and answer.optimal
    for b in problem.buffers:
        heights[b.memory] = max(heights.get(b.memory, 0), offsets[b.id] + b.size)
    return Solution(offsets, heights, bounds, optimal)


def solve_instance(instance: Instance, effort: Effort, seconds: float) -> Answer:
    """Solve the sections of time apart; none needs to be lower than the highest bound."""
    target = overlap_bound(instance)
    offsets = [0] * instance.count
    optimal = True
    for members in sections(instance):
        answer = solve_section(subset(instance, members), target, effort)
        optimal = optimal and answer.optimal
        for i, at in zip(members, answer.placement.offsets, strict=True):
            offsets[i] = at
    return Answer(Placement(tuple(offsets), height_of(instance, offsets)), optimal)


def solve_section(instance: Instance, target: int, effort: Effort) -> Answer:
    """Greedy orders until one fits the target, then local search from the best."""
    best, order, tight, machine = _best_order(instance, target)
    if best.height > target and effort is not Effort.GREEDY and isinstance(machine, Linked):
        found = improve(machine, order, target, tight, LOCAL_BUDGET)
        best = min(best, found, key=lambda p: p.height)
    return Answer(best, best.height <= target)


LOCAL_BUDGET = 400_000
GREEDY_BUDGET = 12_000_000


def _best_order(instance: Instance, target: int) -> tuple[Placement, list[int], bool, Engine]:
    machine = engine(instance)
    best: Placement | None = None
    spent = 0
    for _, order in orders(instance):
        for tight in (False, True):
            if best is not None and (best.height <= target or spent > GREEDY_BUDGET):
                break
            found = machine.place(order, tight)
            spent += machine.work
            if best is None or found.height < best.height:
                best, kept = found, (order, tight)
    assert best is not None
    return best, *kept, machine
