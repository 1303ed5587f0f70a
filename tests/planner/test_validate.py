"""validate: every kind of clash is refused, with the names of those involved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.planner.problem import Buffer, Overlap, Problem, Solution
from nacre.planner.solve import solve
from nacre.planner.validate import PlanError, validate
from planner.problems import PLAIN, problems

A = Buffer("a", 10, 0, 2)
B = Buffer("b", 10, 1, 3)


def solution(problem: Problem, offsets: Mapping[str, int]) -> Solution:
    heights: dict[str, int] = {}
    for b in problem.buffers:
        heights[b.memory] = max(heights.get(b.memory, 0), offsets[b.id] + b.size)
    return Solution(dict(offsets), heights, {})


def judge(problem: Problem, **offsets: int) -> None:
    validate(problem, solution(problem, offsets))


def test_disjoint_bytes_or_disjoint_times_are_fine() -> None:
    judge(Problem((A, B)), a=0, b=10)
    judge(Problem((A, replace(B, lower=2))), a=0, b=0)
    judge(Problem((A, replace(B, memory="other"))), a=0, b=0)


@pytest.mark.parametrize("b", [0, 9, -9 + 10])
def test_shared_bytes_clash(b: int) -> None:
    with pytest.raises(PlanError, match=r"'a'.*'b'.*clash"):
        judge(Problem((A, B)), a=0, b=b)


def test_one_inside_the_other_clashes() -> None:
    with pytest.raises(PlanError, match=r"'a'.*'b'.*clash"):
        judge(Problem((replace(A, size=100), B)), a=0, b=50)


def test_a_clash_far_apart_in_the_list_is_found() -> None:
    filler = tuple(Buffer(f"f{i}", 1, 0, 9) for i in range(50))
    offsets = {f.id: 100 + k for k, f in enumerate(filler)} | {"a": 0, "b": 5}
    problem = Problem((A, *filler, B))
    with pytest.raises(PlanError, match=r"'a'.*'b'.*clash"):
        validate(problem, solution(problem, offsets))


@pytest.mark.parametrize(
    ("a", "b", "fine"),
    [(3, 0, True), (2, 0, False), (0, 0, False), (0, 3, False), (0, 10, True), (10, 0, True)],
)
def test_ahead_allows_the_input_above_the_output(a: int, b: int, fine: bool) -> None:
    problem = Problem((A, B), (Overlap("a", "b", ahead=3),))
    if fine:
        judge(problem, a=a, b=b)
        return
    with pytest.raises(PlanError, match="none of"):
        judge(problem, a=a, b=b)


@pytest.mark.parametrize(("a", "b", "fine"), [(0, 3, True), (0, 2, False), (3, 0, False)])
def test_behind_allows_the_output_end_above_the_input_end(a: int, b: int, fine: bool) -> None:
    problem = Problem((A, B), (Overlap("a", "b", behind=3),))
    if fine:
        judge(problem, a=a, b=b)
        return
    with pytest.raises(PlanError, match="none of"):
        judge(problem, a=a, b=b)


def test_behind_compares_ends_not_starts() -> None:
    small = replace(B, size=4)
    problem = Problem((A, small), (Overlap("a", "b", behind=0),))
    judge(problem, a=0, b=6)
    with pytest.raises(PlanError, match="clash"):
        judge(problem, a=0, b=5)


def test_an_overlap_of_another_pair_does_not_help() -> None:
    problem = Problem((A, B, Buffer("c", 1, 9, 10)), (Overlap("a", "c", ahead=0),))
    with pytest.raises(PlanError, match=r"'a'.*'b'.*clash"):
        judge(problem, a=0, b=0, c=0)


def test_either_of_two_rules_for_a_pair_will_do() -> None:
    problem = Problem((A, B), (Overlap("a", "b", ahead=5), Overlap("b", "a", ahead=2)))
    judge(problem, a=0, b=2)
    with pytest.raises(PlanError, match="clash"):
        judge(problem, a=0, b=1)


def test_empty_buffers_clash_with_nothing() -> None:
    judge(Problem((A, replace(B, size=0))), a=0, b=5)


def test_alignment() -> None:
    with pytest.raises(PlanError, match=r"'b' starts at 12, not a multiple of 8"):
        judge(Problem((A, replace(B, alignment=8))), a=0, b=12)


def test_pins() -> None:
    with pytest.raises(PlanError, match=r"'b' is pinned to 16 but starts at 32"):
        judge(Problem((A, replace(B, offset=16))), a=0, b=32)


def test_negative_offsets() -> None:
    with pytest.raises(PlanError, match=r"'a' starts at -1"):
        judge(Problem((A,)), a=-1)


def test_capacities() -> None:
    with pytest.raises(PlanError, match="holds 19 bytes"):
        judge(Problem((A, B), capacities={"": 19}), a=0, b=10)


def test_heights() -> None:
    problem = Problem((A, B))
    good = solution(problem, {"a": 0, "b": 10})
    with pytest.raises(PlanError, match="has height 19"):
        validate(problem, replace(good, heights={"": 19}))
    with pytest.raises(PlanError, match="heights are for"):
        validate(problem, replace(good, heights={}))


def test_missing_and_surplus_offsets() -> None:
    problem = Problem((A, B))
    good = solution(problem, {"a": 0, "b": 10})
    with pytest.raises(PlanError, match="'b' has no offset"):
        validate(problem, replace(good, offsets={"a": 0}))
    with pytest.raises(PlanError, match="places 'c'"):
        validate(problem, replace(good, offsets={"a": 0, "b": 10, "c": 0}))


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem((A, A)), "two buffers have the id 'a'"),
        (Problem((replace(A, size=-1),)), "'a' has a wrong"),
        (Problem((replace(A, upper=0),)), "'a' has a wrong"),
        (Problem((replace(A, alignment=0),)), "'a' has a wrong"),
        (Problem((A,), (Overlap("a", "z"),)), "'z', which is no buffer"),
        (Problem((A,), (Overlap("a", "a"),)), "'a' twice"),
    ],
)
def test_problems_that_mean_nothing(problem: Problem, text: str) -> None:
    with pytest.raises(PlanError, match=text):
        solve(problem)


@settings(max_examples=150, deadline=None)
@given(problem=problems(PLAIN), data=st.data())
def test_a_buffer_moved_onto_another_is_refused(problem: Problem, data: st.DataObject) -> None:
    good = solve(problem)
    pairs = [
        (x, y)
        for x in problem.buffers
        for y in problem.buffers
        if x.id != y.id and x.memory == y.memory and x.lower < y.upper and y.lower < x.upper
    ]
    if not pairs:
        validate(problem, good)
        return
    x, y = data.draw(st.sampled_from(pairs))
    at = good.offsets[y.id]
    moved = data.draw(st.integers(max(0, at - x.size + 1), at + y.size - 1))
    with pytest.raises(PlanError, match="clash"):
        validate(problem, solution(problem, {**good.offsets, x.id: moved}))
