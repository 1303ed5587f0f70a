"""How planning time grows: synthetic graphs with branches, residuals and long skips."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from nacre.compile import compile_graph
from nacre.config.schema import Config
from nacre.frontends.tflite.importer import import_model
from tflite_builder import ModelBuilder

LIMITS = {200: 0.2, 1_000: 1.0, 5_000: 6.0, 20_000: 30.0}


def synthetic(operators: int) -> bytes:
    """Adds and ReLUs on vectors of random sizes, a tenth of them reading far back."""
    rng = np.random.default_rng(operators)
    b = ModelBuilder()
    sizes = [int(s) * 16 for s in rng.integers(1, 64, 8)]
    live: dict[int, list[int]] = {
        size: [b.input(f"x{size}", (1, size), "float32")] for size in set(sizes)
    }
    for n in range(operators):
        size = sizes[int(rng.integers(len(sizes)))]
        row = live[size]
        recent, far = row[-1], row[int(rng.integers(max(1, len(row) - 40), len(row) + 1)) - 1]
        out = b.tensor(f"t{n}", (1, size), "float32")
        if rng.random() < 0.6:
            b.operator("RELU", [recent if rng.random() < 0.7 else far], [out])
        else:
            b.operator("ADD", [recent, far], [out])
        row.append(out)
    for row in live.values():
        b.output(row[-1])
    return b.build()


def main() -> None:
    print(f"{'operators':>10} {'import':>8} {'plan':>8} {'limit':>6} {'arena':>9} {'bound':>9}")
    for count, limit in LIMITS.items():
        data = synthetic(count)
        start = time.perf_counter()
        graph = import_model(data, "synthetic")
        middle = time.perf_counter()
        program = compile_graph(graph, Config(), "synthetic.tflite")
        end = time.perf_counter()
        print(
            f"{count:>10} {middle - start:>7.2f}s {end - middle:>7.2f}s {limit:>5}s"
            f" {program.scratch_bytes:>9} {program.lower_bound:>9}"
        )


if __name__ == "__main__":
    main()
