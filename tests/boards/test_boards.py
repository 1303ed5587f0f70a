"""Whole networks on the emulated boards: equal outputs, and a stack within its limit."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nacre.bench import bench_board, measure
from nacre.build import board_toolchain, build_runner, run_samples
from nacre.golden import random_inputs
from nacre.targets import load_target
from support.compare import assert_equal
from support.golden import expected, samples
from support.modules import emit
from support.shared import golden_path, model_path, requires_shared

pytestmark = [
    requires_shared,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
        reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
    ),
]

BOARDS = ("mps2-an385", "mps2-an386", "mps2-an500", "mps3-an547")
NETWORKS = ("mlperf_kws_ref_model", "mww_v2_alexa", "mlperf_kws_ref_model_float32")
MLPERF = (
    "mlperf_kws_ref_model",
    "mlperf_vww_96_int8",
    "mlperf_pretrainedResnet_quant",
    "mlperf_ad01_int8",
    "mlperf_str_ww_ref_model",
)
STACK_LIMIT = 1536


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", NETWORKS)
def test_network_on_board(board: str, name: str, tmp_path: Path) -> None:
    toolchain = board_toolchain(load_target(board))
    module = emit(model_path(name).read_bytes(), tmp_path, target={"name": board})
    golden = np.load(golden_path(name))
    rows = [[golden[f"s{i}_in0"]] for i in range(samples(golden))]
    runner = build_runner("net", tmp_path, toolchain)
    for i, outputs in enumerate(run_samples(module.program, runner, toolchain, rows)):
        assert_equal(outputs[0], expected(golden, i, 0), f"{name} on {board}, sample {i}")


@pytest.mark.parametrize("name", MLPERF)
def test_stack_of_a_run_is_small(name: str, tmp_path: Path) -> None:
    target = load_target("mps3-an547")
    module = emit(model_path(name).read_bytes(), tmp_path, target={"name": target.name})
    bench = measure(module.program, random_inputs(module.graph, 1)[0], bench_board(target))
    assert 0 < bench.stack_bytes <= STACK_LIMIT, f"{name}: {bench.stack_bytes} bytes of stack"
