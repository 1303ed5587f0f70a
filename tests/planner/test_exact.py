"""The exact search: both twins decide alike, and what they prove is true."""

from __future__ import annotations

import ctypes
import shutil
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from nacre.planner import native
from nacre.planner.bounds import overlap_bound
from nacre.planner.csvfile import read_problem
from nacre.planner.exact import Status, search
from nacre.planner.instance import instances, split
from nacre.planner.model import Model, build_model
from nacre.planner.native import COMPILERS, NativeModel
from nacre.planner.problem import Buffer, Overlap, Problem
from nacre.planner.ranks import ranks
from nacre.planner.search import Bracket, PythonModel, searcher_for, tighten_counted
from nacre.planner.solve import solve
from planner.problems import Kind, best_height, random_problem
from support.shared import MODELS, requires_shared

requires_compiler = pytest.mark.skipif(
    not any(map(shutil.which, COMPILERS)), reason="no C compiler to build the native search with"
)
STOP = ctypes.c_int32(0)


def model_of(problem: Problem) -> Model:
    return build_model(instances(problem)[""])


def lower_end(problem: Problem, model: Model) -> int:
    return -(-overlap_bound(instances(problem)[""]) // model.unit)


def native_of(model: Model) -> NativeModel:
    library = native.load()
    assert library is not None
    return NativeModel(library, model)


@requires_compiler
@pytest.mark.parametrize("seed", range(10))
def test_the_twins_make_the_same_decisions(seed: int) -> None:
    random = Random(seed)
    kinds = (Kind(memories=("",)), Kind(memories=("",), least_distance=0, pinned=False))
    for _ in range(10):
        problem = random_problem(random, random.choice(kinds), random.randrange(2, 25))
        model = model_of(problem)
        if not model.count:
            continue
        rank = tuple(random.sample(range(model.count), model.count))
        for height in range(lower_end(problem, model), lower_end(problem, model) + 3):
            python = search(model, rank, height, 6_000, STOP)
            c = native_of(model).search(rank, height, 6_000, STOP)
            assert (python.status, python.worked) == (c.status, c.worked)
            if python.status is Status.FOUND:
                assert python.offsets == c.offsets


@pytest.mark.parametrize("seed", range(8))
def test_what_is_exhausted_has_no_solution(seed: int) -> None:
    """Alignment and pins push optima above the bound, so that there is something to prove."""
    random = Random(seed)
    kind = Kind(memories=("",), least_distance=0)
    for _ in range(12):
        problem = random_problem(random, kind, random.randrange(2, 6))
        model = model_of(problem)
        if not model.complete or not all(buffer.size for buffer in problem.buffers):
            continue
        rank = tuple(random.sample(range(model.count), model.count))
        height = lower_end(problem, model)
        while search(model, rank, height, 10**9, STOP).status is Status.NONE:
            height += 1
        assert height * model.unit == best_height(problem)


@requires_compiler
@pytest.mark.parametrize("seed", range(6))
def test_the_order_of_ranks_does_not_change_what_is_true(seed: int) -> None:
    random = Random(seed)
    for _ in range(20):
        problem = random_problem(random, Kind(memories=("",)), random.randrange(6, 12))
        model = model_of(problem)
        if not model.complete or not model.count:
            continue
        height = lower_end(problem, model) + random.randrange(3)
        found = {
            native_of(model).search(rank, height, 10**8, STOP).status
            for rank in islice(ranks(model), 8)
        }
        assert len(found - {Status.LIMIT}) <= 1


def test_a_limit_ends_the_search() -> None:
    model = model_of(random_problem(Random(3), Kind(most=30, memories=("",)), 30))
    rank = tuple(range(model.count))
    assert search(model, rank, 1 << 20, 1, STOP).status is Status.LIMIT
    assert search(model, rank, 1 << 20, 10**6, ctypes.c_int32(1)).status is Status.LIMIT


def test_gaps_below_zero_prove_nothing() -> None:
    buffers = (Buffer("a", 8, 0, 2), Buffer("b", 4, 1, 3))
    assert not model_of(Problem(buffers, (Overlap("a", "b", ahead=-2),))).complete
    assert model_of(Problem(buffers, (Overlap("a", "b", ahead=0),))).complete


def test_a_circle_of_zero_gaps_proves_nothing() -> None:
    buffers = tuple(Buffer(name, 8, 0, 2) for name in "abc")
    circle = (Overlap("a", "b", ahead=0), Overlap("b", "c", ahead=0), Overlap("c", "a", ahead=0))
    assert not model_of(Problem(buffers, circle)).complete
    assert model_of(Problem(buffers, circle[:2])).complete


def test_units_are_as_large_as_can_be() -> None:
    problem = Problem((Buffer("a", 4096, 0, 1, alignment=16), Buffer("b", 2048, 0, 1, 3000)))
    assert model_of(problem).unit == 8
    assert model_of(Problem((Buffer("a", 4096, 0, 1, alignment=1024),))).unit == 4096


def test_without_a_compiler_the_answers_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = [random_problem(Random(seed), Kind(), 25) for seed in range(25)]
    native.load()
    expected = [solve(problem) for problem in problems]
    monkeypatch.setattr(native, "COMPILERS", ())
    native.load.cache_clear()
    try:
        assert native.load() is None
        model = build_model(next(iter(instances(problems[0]).values())))
        assert isinstance(searcher_for(model, 1000, build=True), PythonModel)
        assert [solve(problem) for problem in problems] == expected
    finally:
        native.load.cache_clear()


def test_a_compiler_that_fails_is_as_good_as_none(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken = tmp_path / "cc"
    broken.write_text("#!/bin/sh\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(native, "COMPILERS", (str(broken),))
    monkeypatch.setattr(native, "cache_folder", lambda: tmp_path)
    native.load.cache_clear()
    try:
        assert native.load() is None
    finally:
        native.load.cache_clear()


def test_numbers_that_32_bits_cannot_hold_go_to_python() -> None:
    buffers = (Buffer("a", (1 << 31) + 1, 0, 1), Buffer("b", (1 << 31) + 2, 0, 1))
    problem = Problem(buffers)
    assert isinstance(searcher_for(model_of(problem), 1 << 33, build=True), PythonModel)
    assert solve(problem).heights == {"": (1 << 32) + 3}


def test_the_bracket_closes_on_the_optimum() -> None:
    problem = random_problem(Random(11), Kind(most=6, memories=("",), overlapping=False), 6)
    model = model_of(problem)
    bracket = tighten_counted(model, Bracket(lower_end(problem, model), 10**6), 10**4, 10**6)
    assert bracket.closed
    assert bracket.upper * model.unit == best_height(problem)


@requires_shared
@requires_compiler
@pytest.mark.parametrize(
    ("name", "height"),
    [(name, 1_048_576) for name in "ABDEFGHIJK"] + [("C", 1_039_360)],
)
def test_hard_public_problems_fit_their_capacity(name: str, height: int) -> None:
    """Counted in work, not in seconds."""
    problem = read_problem(MODELS / "planner" / f"{name}.1048576.csv")
    for part in split(instances(problem)[""]):
        model = build_model(part)
        searcher = native_of(model)
        outcomes = (
            searcher.search(rank, height // model.unit, 500_000, STOP)
            for rank in islice(ranks(model), 60)
        )
        found = next(outcome for outcome in outcomes if outcome.status is Status.FOUND)
        tops = [o + s for o, s in zip(found.offsets, model.size, strict=True)]
        assert max(tops) * model.unit <= height
