"""Copies that run while kernels compute: rings get rows for two iterations where there is room."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import MappingProxyType

from nacre.ir import TensorId
from nacre.planner.problem import Problem, Solution
from nacre.planner.solve import solve
from nacre.planner.validate import validate
from nacre.stages.budget import Staged, StageOptions
from nacre.stages.offsets import stage_problem
from nacre.stages.plan import Holding, Move, Run, StagePlan


def copies_ahead(plan: StagePlan, fits: Callable[[StagePlan], bool]) -> StagePlan:
    """The plan with as many moves of repeating segments double-buffered as still fit.

    Moves are tried in order; each one that fits is kept.
    """
    for number, segment in enumerate(plan.segments):
        for position, action in enumerate(segment.actions):
            if segment.iterations > 1 and isinstance(action, Move) and _is_copy(action):
                tried = _doubled(plan, number, position)
                plan = tried if fits(tried) else plan
    return plan


def _is_copy(move: Move) -> bool:
    """Not by a callback, which has nothing to wait for."""
    return move.source is not None and move.destination is not None


def _doubled(plan: StagePlan, number: int, position: int) -> StagePlan:
    """One move ahead: the ring on its near side has room for one more iteration."""
    segment = plan.segments[number]
    move = segment.actions[position]
    assert isinstance(move, Move)
    near = _near(plan, number, move)
    rows = min(near.rows + _most(move.ends), _height(plan, move.tensor, near))
    holdings = dict(plan.holdings) | {near.id: replace(near, rows=rows, turn=None)}
    actions = list(segment.actions)
    actions[position] = replace(move, ahead=True)
    segments = list(plan.segments)
    segments[number] = replace(segment, actions=tuple(actions))
    return replace(plan, segments=tuple(segments), holdings=MappingProxyType(holdings))


def _near(plan: StagePlan, number: int, move: Move) -> Holding:
    """The side of a move that steps of its segment use."""
    runs = [a for a in plan.segments[number].actions if isinstance(a, Run)]
    used = {held for run in runs for held in run.holdings.values()}
    sides = [h for h in (move.destination, move.source) if h is not None]
    return plan.holdings[next((h for h in sides if h in used), sides[0])]


def _most(ends: tuple[int, ...]) -> int:
    """The most rows that one iteration moves."""
    return max(b - a for a, b in pairwise((0, *ends)))


def _height(plan: StagePlan, tensor: TensorId, near: Holding) -> int:
    """All rows of a tensor: those of its largest holding."""
    return max(h.rows for h in plan.holdings.values() if h.tensor in (tensor, near.tensor))


def prefetched(staged: Staged, room: int, options: StageOptions) -> Staged:
    """The staged plan with copies ahead, as many as `room` bytes of fast memory allow."""
    fast = options.memories.fast

    def packed(plan: StagePlan) -> tuple[Problem, Solution]:
        problem = stage_problem(
            plan, staged.graph, options.alignment, options.overlap, options.keep_inputs
        )
        return problem, solve(problem, options.effort)

    plan = copies_ahead(staged.plan, lambda p: packed(p)[1].heights.get(fast, 0) <= room)
    if plan is staged.plan:
        return staged
    problem, solution = packed(plan)
    validate(problem, solution)
    return replace(staged, plan=plan, problem=problem, solution=solution)
