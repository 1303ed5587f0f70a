"""Staged programs compute what the network computes, at every budget, bit for bit."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.emit.bands import formula_of
from nacre.frontends.tflite.importer import import_model
from nacre.lower import LoweredGraph
from nacre.program import Program
from nacre.reference import run_reference
from nacre.stages.budget import Stager
from nacre.stages.plan import Action, Holding, Move, Run, StagePlan
from stages.counting import counted, entered
from stages.staged_nets import NETS, samples_of
from stages.staging import lowered_of, program_of_plan, run_staged, stager_of
from support.execute import Runner, program_of


@dataclass(frozen=True, eq=False)
class Case:
    """A network with what it should compute, and its planner."""

    lowered: LoweredGraph
    stager: Stager
    samples: list[list[np.ndarray]]
    expected: list[list[np.ndarray]]
    # Bytes that it needs without a budget.
    peak: int


@cache
def case(name: str) -> Case:
    graph = import_model(NETS[name](), "net")
    samples = samples_of(name)
    lowered = lowered_of(graph)
    expected = [run_reference(graph, sample, {}) for sample in samples]
    peak = program_of(graph).scratch_bytes
    return Case(lowered, stager_of(lowered), samples, expected, peak)


def program_at(found: Case, budget: int) -> Program | None:
    staged = found.stager.plan(budget)
    return None if staged is None else program_of_plan(found.lowered, staged.plan, staged.solution)


def budgets(peak: int) -> list[int]:
    """From all of the memory that the network needs down to a sixteenth."""
    return [peak * part // 16 for part in range(16, 0, -1)]


def assert_same(ours: list[list[np.ndarray]], expected: list[list[np.ndarray]]) -> None:
    for a, b in zip(ours, expected, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("name", NETS)
def test_every_budget_gives_the_same(name: str) -> None:
    found = case(name)
    repeating = 0
    for budget in budgets(found.peak):
        program = program_at(found, budget)
        if program is None:
            continue
        assert program.regions[0].usage.total_size <= budget
        runner = Runner(program)
        assert_same([runner.run(s) for s in found.samples], found.expected)
        repeating += any(s.iterations > 1 for s in program.segments)
    assert repeating >= 5


@pytest.mark.parametrize("parts", (2, 4))
@pytest.mark.parametrize("name", NETS)
def test_emitted_modules_give_the_same(name: str, parts: int, tmp_path: Path) -> None:
    """Under the sanitizers, with everything that is dead overwritten."""
    found = case(name)
    program = program_at(found, found.peak // parts)
    assert program is not None
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)


@pytest.mark.parametrize("name", NETS)
def test_the_report_counts_what_a_run_counts(name: str, tmp_path: Path) -> None:
    found = case(name)
    program = program_at(found, found.peak // 4)
    assert program is not None and program.traffic is not None
    assert counted(program, found.samples[0], tmp_path) == program.traffic
    assert program.traffic.loaded > 0 < program.traffic.spilled


def test_steps_are_entered_in_the_order_that_the_program_says(tmp_path: Path) -> None:
    """`on_step` of the emitted C, as Program.executions."""
    found = case("unet")
    program = program_at(found, found.peak // 4)
    assert program is not None
    assert len(program.executions) > len(program.steps)
    assert set(program.executions) == set(range(len(program.steps)))
    text = "".join(f"{n}\n" for n in (*program.executions, len(program.steps)))
    assert entered(program, found.samples[0], tmp_path) == text


# --- bands ----------------------------------------------------------------------------------------


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30).filter(any))
@settings(deadline=None, derandomize=True, max_examples=200)
def test_a_formula_is_exact(steps: list[int]) -> None:
    ends = tuple(int(n) for n in np.cumsum(steps))
    found = formula_of(ends)
    assert found is None or tuple(found.end(i) for i in range(len(ends))) == ends


@given(
    st.integers(0, 20), st.integers(-50, 50), st.integers(1, 6), st.integers(1, 200),
    st.integers(1, 40),
)  # fmt: skip
@settings(deadline=None, derandomize=True, max_examples=200)
def test_every_formula_is_found(a: int, b: int, d: int, height: int, count: int) -> None:
    ends = tuple(min(max(0, (a * i + b) // d), height) for i in range(count))
    if ends[-1] > 0:
        found = formula_of(ends)
        assert found is not None
        assert tuple(found.end(i) for i in range(count)) == ends


def test_bands_without_a_formula_come_from_a_table(tmp_path: Path) -> None:
    """Bands as irregular as one likes give the same."""
    found = case("chain")
    staged = found.stager.plan(found.peak // 3)
    assert staged is not None
    segments = [s for s in staged.plan.segments if s.iterations > 2]
    assert segments
    program = program_of_plan(found.lowered, uneven(found.lowered, staged.plan))
    assert any(formula_of(a.ends) is None for s in program.segments for a in s.actions)
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)
    assert "net_band_of(net_ends" in (tmp_path / "net.c").read_text()


def is_ring(graph: LoweredGraph, holding: Holding) -> bool:
    shape, size = graph.tensors[holding.tensor].shape, graph.tensors[holding.tensor].size
    return len(shape) == 4 and holding.rows < shape[1] and holding.row_bytes * shape[1] == size


def uneven(graph: LoweredGraph, plan: StagePlan) -> StagePlan:
    """Every fourth iteration joins the one before it; rings grow by the rows of an iteration."""
    segments, holdings = [], dict(plan.holdings)
    for segment in plan.segments:
        if segment.iterations <= 2:
            segments.append(segment)
            continue
        kept = [i for i in range(segment.iterations) if i % 4 != 1 or i + 1 == segment.iterations]
        actions = []
        for action in segment.actions:
            most = max(b - a for a, b in pairwise((0, *action.ends)))
            actions.append(replace(action, ends=tuple(action.ends[i] for i in kept)))
            for held in holdings_of(action):
                holding = holdings[held]
                if is_ring(graph, holding):
                    holdings[held] = replace(holding, rows=holding.rows + 2 * most)
        segments.append(replace(segment, iterations=len(kept), actions=tuple(actions)))
    return replace(plan, segments=tuple(segments), holdings=holdings)


def holdings_of(action: Action) -> set[str]:
    if isinstance(action, Run):
        return set(action.holdings.values())
    assert isinstance(action, Move)
    return {h for h in (action.source, action.destination) if h is not None}
