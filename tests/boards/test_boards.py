"""Whole networks on the emulated boards: equal outputs, and a stack within its limit."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from nacre.build import board_toolchain, build_program, build_runner, run_program, run_samples
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
    toolchain = board_toolchain(load_target("mps3-an547"))
    emit(model_path(name).read_bytes(), tmp_path, target={"name": "mps3-an547"})
    (tmp_path / "example").mkdir(exist_ok=True)
    main = Path(__file__).parent / "stack_main.c"
    (tmp_path / "example" / "stack_main.c").write_text(main.read_text())
    printed = run_program(build_program(tmp_path, "stack_main.c", toolchain), toolchain)
    depth = re.search(r"stack (\d+)", printed)
    assert depth is not None
    assert 0 < int(depth[1]) <= STACK_LIMIT, f"{name}: {depth[1]} bytes of stack"
