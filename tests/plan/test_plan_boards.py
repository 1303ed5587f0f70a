"""Plans on emulated boards: the same bits as the C module, and hardly more instructions."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nacre.bench import bench_board, bench_sources, count, measure
from nacre.build import write_files
from nacre.targets import load_target
from plan.plans import (
    build_on_board,
    firmware,
    needs_boards,
    program_for,
    run_on_board,
    same_bits,
    samples_for,
)
from support.execute import Runner
from support.shared import model_path, requires_shared

pytestmark = [pytest.mark.slow, needs_boards, requires_shared]

BOARDS = ("mps2-an386", "mps3-an547")
HERE = Path(__file__).parent


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize(
    "name", ["mlperf_kws_ref_model", "mlperf_vww_96_int8", "mww_v2_okay_nabu"]
)
def test_plan_gives_the_same_bits(name: str, board: str, tmp_path: Path) -> None:
    program = program_for(model_path(name), board)
    samples = samples_for(program, 3)
    on_board = run_on_board(program, tmp_path, board, samples)
    host = Runner(program_for(model_path(name)))
    for inputs, outputs in zip(samples, on_board, strict=True):
        assert same_bits(outputs, host.run(inputs))


def plan_instructions(name: str, board: str, folder: Path) -> int:
    target = load_target(board)
    toolchain = bench_board(target)
    firmware(program_for(model_path(name), board), folder, target)
    write_files(folder, bench_sources(toolchain))
    shutil.copy(HERE / "bench.c", folder / "example" / "bench.c")
    built = build_on_board(folder, toolchain, folder / "example" / "bench.c")
    between, _ = count(built, toolchain)
    return round(between[0] - between[1])


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", ["mlperf_kws_ref_model", "mlperf_vww_96_int8"])
def test_plan_takes_hardly_more_instructions(name: str, board: str, tmp_path: Path) -> None:
    program = program_for(model_path(name), board)
    inputs = [np.zeros(program.tensor(k).shape, program.tensor(k).dtype.numpy)
              for k in program.inputs]  # fmt: skip
    module = measure(program, inputs, bench_board(load_target(board))).instructions
    plan = plan_instructions(name, board, tmp_path)
    assert plan <= 1.02 * module
