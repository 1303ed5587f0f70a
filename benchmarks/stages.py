"""Stage planning: bytes moved against another planner's figures, smallest budgets, seconds.

    python benchmarks/stages.py [MODEL ...] [--sweep]

Needs the shared models beside the checkout.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from nacre.compile import budgeted, import_graph
from nacre.config.schema import Config, MemoryConfig, ModelConfig
from nacre.stages.analysis import sweep_budgets, sweep_point
from nacre.stages.facts import stages
from nacre.stages.request import Forms

SHARED = Path(__file__).resolve().parents[2] / "shared"
# Seconds that a plan for one budget may take.
SECONDS = {"mbv2_10_224_i8": 3.0, "unet8_256_i8": 2.0}
SWEEP = 64


def planner(model: str) -> Forms:
    config = Config(
        model=ModelConfig(io_layout="nhwc", io_types="quantized"),
        memory=MemoryConfig(budget=(1 << 20, 64 << 20)),
    )
    graph = import_graph(SHARED / "models" / "tiling" / f"{model}.onnx", config)
    return budgeted(graph, config)


def compare(row: dict) -> None:
    """One row of the baseline, planned from nothing."""
    forms = planner(row["model"])
    start = time.process_time()
    staged = forms.plan(row["budget"])
    seconds = time.process_time() - start
    if staged is None:
        print(f"{row['model']:16} {row['budget']:>8}  does not fit")
        return
    traffic, tables = staged.plan.traffic, sum(s.tables for s in stages(staged))
    theirs = row["slow_read"] + row["slow_written"]
    weights = row["weights_streamed"]
    verdict = ""
    if weights is not None:
        ours = traffic.activations + traffic.weights - tables
        verdict = "lower" if ours < theirs + weights else "equal or higher"
    slow = " SLOW" if seconds > SECONDS.get(row["model"], 3.0) else ""
    print(
        f"{row['model']:16} {row['budget']:>8}  {traffic.activations:>9} + {traffic.weights:>9} "
        f"(tables {tables:>7})  {theirs:>9} + {weights if weights is not None else '?':>9}  "
        f"{verdict:16} {seconds:5.2f} s{slow}"
    )


def sweep(model: str, theirs: int) -> None:
    """Cost must never rise with the budget; `theirs` is the baseline's least fast + slow."""
    forms = planner(model)
    smallest = forms.smallest()
    assert smallest is not None
    whole = sum(strip.padded for strip in forms.stagers[0].networks[0].strips)
    budgets = sweep_budgets(smallest, min(whole, 2 << 20), SWEEP)
    start = time.process_time()
    points = [sweep_point(forms, budget) for budget in reversed(budgets)][::-1]
    costs = [p.cost for p in points if p.cost is not None]
    monotone = costs == sorted(costs, reverse=True)
    seconds = time.process_time() - start
    total = min(p.fast_peak + p.slow_peak for p in points if p.cost is not None)
    print(
        f"{model:16} smallest {smallest:>6}  {len(points)} budgets  {costs[0]:>9} .. {costs[-1]:>9}"
        f"  {'monotone' if monotone else 'NOT MONOTONE'}  fast+slow {total} ({theirs})"
        f"  {seconds:.1f} s"
    )


def main() -> None:
    wanted = [a for a in sys.argv[1:] if not a.startswith("--")]
    rows = json.loads((SHARED / "baselines" / "tigris.json").read_text())
    there = [r for r in rows if (SHARED / "models" / "tiling" / f"{r['model']}.onnx").is_file()]
    chosen = [r for r in there if not wanted or r["model"] in wanted]
    if "--sweep" in sys.argv:
        for model in dict.fromkeys(r["model"] for r in chosen):
            own = [r for r in chosen if r["model"] == model]
            sweep(model, min(r["fast_peak"] + r["slow_peak"] for r in own))
        return
    for row in chosen:
        compare(row)


if __name__ == "__main__":
    main()
