"""Checks one model of the shared collection against its golden file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.ir import Array
from nacre.reference import run_reference
from support.compare import assert_equal
from support.execute import Runner, program_of


def expected(golden: np.lib.npyio.NpzFile, sample: int, output: int, oracle: str = "tflm") -> Array:
    """TFLM's result where the file has it, else LiteRT's; or LiteRT's always."""
    key = f"s{sample}_tflm_out{output}" if oracle == "tflm" else ""
    return golden[key if key in golden.files else f"s{sample}_out{output}"]


def samples(golden: np.lib.npyio.NpzFile) -> int:
    return sum(f"s{i}_in0" in golden.files for i in range(64))


def check_model(
    path: Path,
    golden_path: Path,
    tolerance: float = 1e-5,
    oracle: str = "tflm",
    litert: bool = False,
) -> int:
    """Run all samples through the kernels in order; returns how many values were compared."""
    graph = import_model(path.read_bytes(), "model", litert=litert)
    runner = Runner(program_of(graph))
    golden = np.load(golden_path)
    compared = 0
    for sample in range(samples(golden)):
        inputs = [golden[f"s{sample}_in{j}"] for j in range(len(graph.inputs))]
        for j, ours in enumerate(runner.run(inputs)):
            theirs = expected(golden, sample, j, oracle)
            assert_equal(ours, theirs, f"sample {sample} output {j}", tolerance)
            compared += ours.size
    return compared


def check_reference(path: Path, golden_path: Path, tolerance: float = 1e-5) -> None:
    """The numpy references of all operators, run one after another, against the golden file."""
    graph = import_model(path.read_bytes(), "model")
    golden = np.load(golden_path)
    state: dict[str, Array] = {}
    for sample in range(samples(golden)):
        inputs = [golden[f"s{sample}_in{j}"] for j in range(len(graph.inputs))]
        for j, ours in enumerate(run_reference(graph, inputs, state)):
            assert_equal(
                ours, expected(golden, sample, j), f"sample {sample} output {j}", tolerance
            )
