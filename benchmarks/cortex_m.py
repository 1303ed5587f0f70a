"""Instructions and bytes of the MLPerf Tiny networks on emulated boards, beside TFLite Micro.

Reads ../shared: the models, and the figures of TFLite Micro (baselines/tflm.json: same compiler and
-O3, one warm inference). Its code is its whole image less the model, ours as `nacre bench` counts
it. A ratio is that of our speed mode to theirs. Arguments pick networks by a part of their name, or
boards.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from nacre.bench import Bench, bench_board, measure  # noqa: E402
from nacre.compile import compile_graph, import_graph  # noqa: E402
from nacre.config.load import parse_config  # noqa: E402
from nacre.golden import random_inputs  # noqa: E402
from nacre.text import number, table  # noqa: E402

SHARED = ROOT.parent / "shared"
BOARDS = ("mps3-an547", "mps2-an386")
INTEGER = (
    "mlperf_kws_ref_model",
    "mlperf_vww_96_int8",
    "mlperf_pretrainedResnet_quant",
    "mlperf_ad01_int8",
    "mlperf_str_ww_ref_model",
)
CASES = (*((b, m) for b in BOARDS for m in INTEGER), ("mps3-an547", "mlperf_pretrainedResnet"))
THEIRS = ("TFLM reference", "TFLM+CMSIS-NN")
MODES = ("size", "balanced", "speed")
HEADER = ["", "instructions", "ratio", "arena", "ratio", "code", "ratio", "stack", "ratio"]


@dataclass(frozen=True)
class Figures:
    """One row of the table."""

    instructions: int
    arena: int
    code: int
    stack: int

    @property
    def all(self) -> tuple[int, ...]:
        return self.instructions, self.arena, self.code, self.stack


def main(arguments: Sequence[str]) -> None:
    baseline = read_baseline(SHARED / "baselines" / "tflm.json")
    rows = [HEADER]
    for board, model in CASES:
        if all(a in board or a in model for a in arguments):
            ours = {mode: run(board, model, mode) for mode in MODES}
            rows += compare(board, model, ours, baseline)
    print(table(rows, right=range(1, len(HEADER)), indent=""))


def read_baseline(path: Path) -> dict[tuple[str, str, str], Figures]:
    """Board, network and kernels -> figures."""
    rows = json.loads(path.read_text())
    return {
        (r["board"], r["model"], r["kernels"]): Figures(
            r["instructions"], r["arena_bytes"], r["code_rodata_bytes"], r["stack_bytes"]
        )
        for r in rows
    }


def run(board: str, model: str, optimize: str) -> Bench:
    config = parse_config({"target": {"name": board}, "kernels": {"optimize": optimize}})
    path = SHARED / "models" / "nets" / f"{model}.tflite"
    graph = import_graph(path, config)
    program = compile_graph(graph, config, path.name)
    return measure(program, random_inputs(graph, 1)[0], bench_board(program.target))


def compare(
    board: str,
    model: str,
    benches: dict[str, Bench],
    baseline: dict[tuple[str, str, str], Figures],
) -> list[list[str]]:
    """A row per mode of ours, and one per baseline with the ratio of our speed mode to it."""
    rows = [[f"{board}  {model}", *[""] * (len(HEADER) - 1)]]
    ours = [figures(bench) for bench in benches.values()]
    for mode, found in zip(benches, ours, strict=True):
        cells = (cell for value in found.all for cell in (number(value), ""))
        rows.append([f"  nacre {mode}", *cells])
    for kernels in THEIRS:
        theirs = baseline.get((board, model, kernels))
        if theirs is not None:
            pairs = zip(ours[-1].all, theirs.all, strict=True)
            cells = (cell for a, b in pairs for cell in (number(b), f"{a / b:.2f}"))
            rows.append([f"  {kernels}", *cells])
    return rows


def figures(bench: Bench) -> Figures:
    return Figures(bench.instructions, bench.arena_bytes, bench.code_bytes, bench.stack_bytes)


if __name__ == "__main__":
    main(sys.argv[1:])
