"""The stage planner: its plans hold, count right, fit, and never cost more with more memory."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from nacre.compile import import_graph
from nacre.config.schema import Config, ModelConfig
from nacre.frontends.tflite.importer import import_model
from nacre.lower import LoweredGraph
from nacre.stages.budget import Stager, grid_above, grid_below
from nacre.stages.facts import stages
from nacre.stages.plan import Tiles
from stages.plan_checker import Machine
from stages.staged_nets import NETS
from stages.staging import DTCM, lowered_of, stager_of
from support.shared import MODELS, SHARED, requires_shared


@cache
def planner(name: str) -> Stager:
    return stager_of(lowered_of(import_model(NETS[name](), "net")))


@cache
def tiling_model(name: str) -> LoweredGraph:
    config = Config(model=ModelConfig(io_layout="nhwc", io_types="quantized"))
    return lowered_of(import_graph(MODELS / "tiling" / f"{name}.onnx", config))


@cache
def tiling_planner(name: str) -> Stager:
    return stager_of(tiling_model(name))


def check(stager: Stager, budget: int) -> None:
    """The plan does what it says, within the budget."""
    staged = stager.plan(budget)
    assert staged is not None
    traffic = staged.plan.traffic
    assert staged.peak(DTCM) <= budget
    assert Machine(staged.plan, staged.graph, DTCM).run() == replace(traffic, extra_macs=0)
    assert staged.cost == traffic.activations + traffic.weights
    found = stages(staged)
    assert sum(s.loaded + s.spilled for s in found) == traffic.activations
    assert sum(s.constants for s in found) == traffic.weights
    assert max(s.fast_bytes for s in found) == staged.peak(DTCM)


def spread(stager: Stager, count: int) -> list[int]:
    """Budgets from the smallest that works to where all is whole."""
    low = stager.smallest()
    assert low is not None
    high = sum(strip.padded for strip in stager.networks[0].strips)
    return [round(low * (high / low) ** (n / (count - 1))) for n in range(count)]


@pytest.mark.parametrize("name", NETS)
def test_plans_hold_at_every_budget(name: str) -> None:
    for budget in spread(planner(name), 6):
        check(planner(name), budget)


@pytest.mark.parametrize("name", NETS)
def test_more_memory_never_costs_more(name: str) -> None:
    plans = [planner(name).plan(budget) for budget in spread(planner(name), 60)]
    costs = [staged.cost for staged in plans if staged is not None]
    assert len(costs) == 60
    assert costs == sorted(costs, reverse=True)
    assert costs[0] > costs[-1]


@pytest.mark.parametrize("name", NETS)
def test_below_the_smallest_budget_nothing_fits(name: str) -> None:
    smallest = planner(name).smallest()
    assert smallest is not None
    assert planner(name).plan(smallest) is not None
    assert planner(name).plan(smallest - 1) is None
    assert planner(name).blocker(smallest - 1) is not None


@pytest.mark.parametrize("name", NETS)
def test_without_slow_memory_nothing_moves(name: str) -> None:
    stager = stager_of(planner(name).graph, slow=None)
    smallest = stager.smallest()
    assert smallest is not None
    staged = stager.plan(smallest)
    assert staged is not None and staged.plan.traffic.activations == 0
    Machine(staged.plan, staged.graph, DTCM).run()


@pytest.mark.parametrize("name", NETS)
def test_plans_are_the_same_every_time(name: str) -> None:
    graph = planner(name).graph
    budget = spread(planner(name), 5)[2]
    first, second = (stager_of(graph).plan(budget) for _ in range(2))
    assert first is not None and second is not None
    assert first.plan.holdings == second.plan.holdings
    assert first.solution.offsets == second.solution.offsets


def test_constants_are_staged_where_that_is_cheaper() -> None:
    graph = planner("chain").graph
    budget = spread(planner("chain"), 7)[5]
    without, with_them = (stager_of(graph, staging=s).plan(budget) for s in (False, True))
    assert without is not None and with_them is not None
    assert with_them.cost <= without.cost
    Machine(without.plan, graph, DTCM).run()


def test_small_budgets_are_met_by_tiles() -> None:
    smallest = planner("chain").smallest()
    assert smallest is not None
    staged = planner("chain").plan(smallest)
    assert staged is not None
    actions = [a for segment in staged.plan.segments for a in segment.actions]
    assert any(isinstance(action, Tiles) for action in actions)


@pytest.mark.parametrize("budget", [1, 2, 63, 64, 100, 127, 128, 129, 1000, 176128, 1 << 20])
def test_grid_neighbours(budget: int) -> None:
    below, above = grid_below(budget), grid_above(budget)
    assert below <= budget <= above
    assert above == budget or grid_below(above - 1) == below
    assert above - below <= max(1, budget // 32)


# --- against another planner's figures ------------------------------------------------------------

# Sums of activation and weight bytes that an analysis of exact rolling rows gives.
WHAT_IF = {
    ("mbv2_10_224_i8", 262144): 4_363_288,
    ("mbv2_10_224_i8", 65536): 9_321_832,
    ("unet8_256_i8", 262144): 4_414_208,
    ("unet8_256_i8", 65536): 8_564_616,
    ("vww_96_i8", 16384): 317_002,
    ("resnet8_i8", 32768): 130_290,
    ("srnet_128_i8", 65536): 947_840,
}


# Networks that take seconds to plan.
LARGE = ("mbv2_10_224_i8", "mbv2_035_96_i8", "unet8_256_i8")


def marked(name: str, *values: object) -> object:
    """Parameters of a test, slow when the network is large."""
    return pytest.param(*values, marks=pytest.mark.slow if name in LARGE else ())


@requires_shared
@pytest.mark.parametrize(("name", "budget"), [marked(n, n, b) for n, b in WHAT_IF])
def test_sum_is_at_most_the_what_if(name: str, budget: int) -> None:
    staged = tiling_planner(name).plan(budget)
    assert staged is not None
    traffic = staged.plan.traffic
    assert traffic.activations + traffic.weights <= WHAT_IF[name, budget]


def baseline() -> list[dict]:
    """Rows of the baseline whose model is there."""
    if SHARED is None:
        return []
    rows = json.loads((Path(SHARED) / "baselines" / "tigris.json").read_text())
    return [r for r in rows if (MODELS / "tiling" / f"{r['model']}.onnx").is_file()]


COUNTED = [r for r in baseline() if r["weights_streamed"] is not None and r["stages"] > 1]
SMALLEST = {r["model"]: r["smallest_budget"] for r in baseline()}


@pytest.mark.parametrize(
    "row",
    [marked(r["model"], r) for r in COUNTED],
    ids=[f"{r['model']}-{r['budget']}" for r in COUNTED],
)
def test_sum_is_below_the_baseline(row: dict) -> None:
    """Weights and biases: the baseline does not count the multipliers that rescale sums."""
    staged = tiling_planner(row["model"]).plan(row["budget"])
    assert staged is not None
    traffic, tables = staged.plan.traffic, sum(s.tables for s in stages(staged))
    theirs = row["slow_read"] + row["slow_written"] + row["weights_streamed"]
    assert traffic.activations + traffic.weights - tables < theirs


@pytest.mark.parametrize("name", [marked(n, n) for n in SMALLEST])
def test_smallest_budget_is_at_most_the_baselines(name: str) -> None:
    smallest = tiling_planner(name).smallest()
    assert smallest is not None and smallest <= SMALLEST[name]


@requires_shared
def test_mobilenet_in_172_kib() -> None:
    staged = tiling_planner("mbv2_10_224_i8").plan(172 << 10)
    assert staged is not None
    ends = 224 * 224 * 3 + 1000
    traffic = staged.plan.traffic
    assert traffic.activations == ends  # nothing besides input and output moves
    assert traffic.extra_macs * 100 < 3 * traffic.macs
    Machine(staged.plan, staged.graph, DTCM).run()


@requires_shared
def test_unet_in_232_kib_spills() -> None:
    staged = tiling_planner("unet8_256_i8").plan(232 << 10)
    assert staged is not None
    assert staged.plan.traffic.spilled > 256 * 256
    Machine(staged.plan, staged.graph, DTCM).run()
