"""solve: whatever the problem, the judge accepts the answer, and tiny problems are optimal."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nacre.planner.bounds import lower_bounds, overlap_bounds
from nacre.planner.instance import instances
from nacre.planner.problem import Buffer, Overlap, Problem
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import PlanError, validate
from planner.problems import PLAIN, Kind, best_height, problems, random_problem


def check(problem: Problem, effort: Effort) -> None:
    solution = solve(problem, effort, seconds=0.01)
    validate(problem, solution)
    bounds = overlap_bounds(problem)
    assert solution.lower_bounds == lower_bounds(problem)
    for memory, height in solution.heights.items():
        assert height >= bounds[memory]
        if not problem.overlaps:
            assert height >= solution.lower_bounds[memory]


@settings(max_examples=500, deadline=None)
@given(problem=problems())
def test_the_judge_accepts_every_answer(problem: Problem) -> None:
    check(problem, Effort.AUTO)


@settings(max_examples=100, deadline=None)
@given(problem=problems(Kind(most=40)), effort=st.sampled_from(list(Effort)))
def test_every_effort_is_valid(problem: Problem, effort: Effort) -> None:
    check(problem, effort)


@pytest.mark.parametrize("seed", range(20))
def test_a_hundred_problems_for_each_seed(seed: int) -> None:
    random = Random(seed)
    for _ in range(100):
        check(random_problem(random, Kind(), random.randrange(1, 30)), Effort.GREEDY)


@settings(max_examples=60, deadline=None)
@given(problem=problems(replace(PLAIN, most=6, memories=("",))))
def test_tiny_plain_problems_are_optimal(problem: Problem) -> None:
    solution = solve(problem)
    assert solution.optimal
    assert solution.heights[""] == best_height(problem)


@settings(max_examples=200, deadline=None)
@given(problem=problems(Kind(most=5, memories=("",), least_distance=0)))
def test_tiny_problems_of_all_kinds_are_optimal(problem: Problem) -> None:
    assume(min(instances(problem)[""].gaps.values(), default=0) >= 0)
    solution = solve(problem)
    best = best_height(problem)
    assert solution.heights[""] >= best
    if solution.optimal:
        assert solution.heights[""] == best


@settings(max_examples=40, deadline=None)
@given(problem=problems())
def test_the_same_problem_gives_the_same_offsets(problem: Problem) -> None:
    assert solve(problem) == solve(problem)


def test_memories_do_not_touch() -> None:
    buffers = tuple(Buffer(f"b{i}", 8, 0, 1, memory=f"m{i % 3}") for i in range(9))
    solution = solve(Problem(buffers))
    assert solution.heights == {"m0": 24, "m1": 24, "m2": 24}
    assert solution.optimal


def test_an_in_place_chain_needs_one_buffer() -> None:
    buffers = tuple(Buffer(f"b{i}", 64, i, i + 2) for i in range(6))
    chain = tuple(Overlap(f"b{i}", f"b{i + 1}", ahead=0, behind=0) for i in range(5))
    solution = solve(Problem(buffers, chain))
    assert solution.heights == {"": 64}
    assert solution.lower_bounds == {"": 128}
    assert solution.optimal


def test_rows_behind_rows_save_all_but_the_distance() -> None:
    problem = Problem(
        (Buffer("in", 100, 0, 2), Buffer("out", 100, 1, 3)), (Overlap("in", "out", ahead=16),)
    )
    solution = solve(problem)
    assert solution.heights == {"": 116}
    assert solution.offsets["in"] - solution.offsets["out"] == 16


def test_a_hard_little_problem_reaches_its_bound() -> None:
    """Greedy by size gives 5 here; the exact search proves 4."""
    rows = [("a", 1, 0, 2), ("b", 1, 1, 4), ("c", 2, 2, 5), ("d", 2, 0, 1), ("e", 1, 3, 5)]
    problem = Problem(tuple(Buffer(*row) for row in rows))
    assert solve(problem).heights[""] == best_height(problem)


def test_no_buffers_at_all() -> None:
    solution = solve(Problem(()))
    validate(Problem(()), solution)
    assert solution.heights == {}
    assert solution.optimal


def test_a_capacity_that_does_not_hold_is_reported_by_the_judge() -> None:
    problem = Problem((Buffer("a", 8, 0, 1), Buffer("b", 8, 0, 1)), capacities={"": 15})
    solution = solve(problem)
    assert solution.heights == {"": 16}
    with pytest.raises(PlanError, match="holds 15 bytes"):
        validate(problem, solution)
    validate(replace(problem, capacities={"": 16}), solution)


def test_pins_that_clash_name_both() -> None:
    problem = Problem((Buffer("a", 8, 0, 2, offset=0), Buffer("b", 8, 1, 3, offset=4)))
    with pytest.raises(PlanError, match=r"'a' and 'b'"):
        solve(problem)


def test_a_thousand_buffers_reach_their_bound() -> None:
    random = Random(1)
    buffers = []
    for i in range(1000):
        lower = random.randrange(1000)
        span = random.randrange(1, 20)
        buffers.append(Buffer(f"b{i}", random.randrange(1, 1000) * 16, lower, lower + span))
    problem = Problem(tuple(buffers))
    solution = solve(problem)
    validate(problem, solution)
    assert solution.heights == solution.lower_bounds
