"""The memory types under their public names, and the example of docs/python.md as it stands."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nacre import memory
from nacre.errors import ConfigError, PlacementError
from nacre.memory import (
    ArenaRole,
    GreedyMemoryPlanner,
    MemoryConstraint,
    MemoryPlan,
    MemoryType,
    PlannedTensor,
    TensorAttributes,
    TensorLifetime,
)

DTCM, MRAM, SRAM = MemoryType("DTCM"), MemoryType("MRAM"), MemoryType("SRAM")
NAMES = (
    "ArenaRole", "MemoryType", "TensorId", "TensorBinding", "TensorLifetime", "TensorAllocation",
    "ArenaUsage", "MemoryConstraint", "MemoryPlan", "MemoryPlannerType", "GreedyMemoryPlanner",
    "TensorAttributes",
)  # fmt: skip


def scratch(name: str, size: int, start: int, end: int) -> PlannedTensor:
    life = TensorLifetime(name, start, end)
    return PlannedTensor(name, size, ArenaRole.scratch, TensorAttributes(DTCM), life)


@pytest.mark.parametrize("name", NAMES)
def test_name_is_public(name: str) -> None:
    assert getattr(memory, name)


def test_documented_example_runs_as_it_stands(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text()
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert code
    exec(code[1], {})
    first, second, third = capsys.readouterr().out.split()
    assert (first, second) == ("6144", "True")
    assert third in ("0", "2048")


def test_memory_names_are_the_same_in_any_case() -> None:
    assert MemoryType("dtcm") == DTCM
    assert MemoryType("flash") == MRAM
    assert DTCM.lower() == "dtcm"


def test_lifetime_accumulates() -> None:
    life = TensorLifetime("t", 4, 4)
    life.add_op(2)
    life.merge(TensorLifetime("u", 6, 9))
    assert (life.start_op, life.end_op) == (2, 9)


def test_end_op_is_inclusive() -> None:
    touching = [scratch("a", 64, 0, 1), scratch("b", 64, 1, 2)]
    apart = [scratch("a", 64, 0, 1), scratch("b", 64, 2, 3)]
    planner = GreedyMemoryPlanner()
    assert planner.plan(touching).arena_usages[DTCM].total_size == 128
    assert planner.plan(apart).arena_usages[DTCM].total_size == 64


def test_alignment_of_a_constraint_reaches_base_and_slots() -> None:
    limit = MemoryConstraint(DTCM, arena_alignment=64)
    plan = GreedyMemoryPlanner((limit,)).plan([scratch("a", 10, 0, 1), scratch("b", 10, 0, 1)])
    assert plan.arena_usages[DTCM].alignment == 64
    assert {a.offset % 64 for a in plan.tensor_allocs.values()} == {0}


def test_missing_allocation_is_a_key_error() -> None:
    plan: MemoryPlan = GreedyMemoryPlanner().plan([scratch("a", 1, 0, 0)])
    with pytest.raises(KeyError):
        plan.get_allocation("b")


def test_two_sources_for_one_arena_are_refused() -> None:
    rows = [
        PlannedTensor("w", 8, ArenaRole.constant, TensorAttributes(MRAM, DTCM)),
        PlannedTensor("v", 8, ArenaRole.constant, TensorAttributes(SRAM, DTCM)),
    ]
    with pytest.raises(ConfigError, match="2 memories"):
        GreedyMemoryPlanner().plan(rows)


def test_limit_that_cannot_be_met_is_refused() -> None:
    with pytest.raises(PlacementError, match="needs 128 bytes, the limit is 100"):
        GreedyMemoryPlanner((MemoryConstraint(DTCM, 100),)).plan(
            [scratch("a", 64, 0, 0), scratch("b", 64, 0, 0)]
        )
