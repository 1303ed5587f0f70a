"""Scratch of every shared network: bound, arena without and with sharing, TFLite Micro's arena.

Planning time is that of placing, ordering, packing and validating; the import is not in it.
"""

from __future__ import annotations

import json
import time
from pathlib import Path

from nacre.compile import plan
from nacre.config.load import parse_config
from nacre.errors import CompileError
from nacre.frontends.tflite.importer import import_model
from nacre.lower import lower
from nacre.ops.kind import LowerOptions
from nacre.passes import simplify
from nacre.targets import load_target

SHARED = Path(__file__).resolve().parents[2] / "shared"
PLAIN = parse_config({"memory": {"overlap": False}, "schedule": {"order": "model"}})
SHARING = parse_config({})


def main() -> None:
    baseline = {
        row["model"]: row["arena_bytes"]
        for row in json.loads((SHARED / "baselines" / "tflm.json").read_text())
        if row["board"] == "mps3-an547" and "CMSIS" in row["kernels"]
    }
    print(f"{'network':<40}{'steps':>6}{'bound':>9}{'plain':>9}{'gap':>6}{'sharing':>9}"
          f"{'TFLM':>9}{'plain s':>9}{'sharing s':>10}")  # fmt: skip
    for path in sorted((SHARED / "models" / "nets").glob("*.tflite")):
        try:
            row = measure(path)
        except CompileError:
            continue
        steps, bound, plain, sharing, seconds, shared_seconds = row
        tflm = baseline.get(path.stem, "")
        print(
            f"{path.stem[:39]:<40}{steps:>6}{bound:>9}{plain:>9}{plain - bound:>6}{sharing:>9}"
            f"{tflm:>9}{seconds:>9.3f}{shared_seconds:>10.3f}"
        )


def measure(path: Path) -> tuple[int, int, int, int, float, float]:
    graph = simplify(import_model(path.read_bytes(), path.stem))
    target = load_target("host")
    lowered = lower(graph, LowerOptions(features=target.features))
    start = time.perf_counter()
    plain = plan(lowered, target, PLAIN, path.name)
    middle = time.perf_counter()
    sharing = plan(lowered, target, SHARING, path.name)
    end = time.perf_counter()
    return (
        len(plain.steps),
        plain.lower_bound,
        plain.scratch_bytes,
        sharing.scratch_bytes,
        middle - start,
        end - middle,
    )


if __name__ == "__main__":
    main()
