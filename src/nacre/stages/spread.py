"""Three memories and more: what the second does not hold waits in the next."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from nacre.memory import MemoryType
from nacre.planner.problem import Problem, Solution
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate
from nacre.stages.budget import Staged
from nacre.stages.plan import Holding, Move, StagePlan, Tiles


def spread(
    staged: Staged, memories: tuple[MemoryType, ...], sizes: tuple[int, ...], effort: Effort
) -> Staged:
    """The plan with holdings of a memory that overflows moved to the one after it."""
    for place in range(1, len(memories) - 1):
        while staged.peak(memories[place]) > sizes[place]:
            moved = _least_used(staged, memories[place])
            if moved is None:
                break
            staged = _moved(staged, moved, memories[place + 1], effort)
    return staged


def _least_used(staged: Staged, memory: MemoryType) -> Holding | None:
    """Of the holdings that reach the peak: the one whose bytes are touched least often."""
    held = [h for h in staged.plan.holdings.values() if h.memory == memory]
    uses = _uses(staged.plan)
    return min(held, key=lambda h: (uses.get(h.id, 0), -h.size, h.id), default=None)


def _uses(plan: StagePlan) -> dict[str, int]:
    """How many actions read or write each holding."""
    found: dict[str, int] = {}
    for action in (a for segment in plan.segments for a in segment.actions):
        keys: list[str | None] = []
        if isinstance(action, Move):
            keys = [action.source, action.destination]
        elif isinstance(action, Tiles):
            keys = [box.whole for g in action.groups for box in (*g.loads, *g.stores)]
        for key in keys:
            if key is not None:
                found[key] = found.get(key, 0) + 1
    return found


def _moved(staged: Staged, held: Holding, memory: MemoryType, effort: Effort) -> Staged:
    """The holding in another memory; the fast memory stays as it is."""
    plan = staged.plan
    holdings = {**plan.holdings, held.id: replace(held, memory=memory)}
    buffers = tuple(
        replace(b, memory=memory) if b.id == held.id else b for b in staged.problem.buffers
    )
    problem = replace(staged.problem, buffers=buffers)
    solution = _again(problem, staged.solution, {held.memory, memory}, effort)
    validate(problem, solution)
    changed = replace(plan, holdings=MappingProxyType(holdings))
    return replace(staged, plan=changed, problem=problem, solution=solution)


def _again(problem: Problem, old: Solution, memories: set[str], effort: Effort) -> Solution:
    """Offsets anew in these memories alone."""
    part = Problem(tuple(b for b in problem.buffers if b.memory in memories))
    new = solve(part, effort)
    gone = dict.fromkeys(memories, 0)
    return Solution(
        {**old.offsets, **new.offsets},
        {**old.heights, **gone, **new.heights},
        {**old.lower_bounds, **gone, **new.lower_bounds},
        old.optimal and new.optimal,
    )
