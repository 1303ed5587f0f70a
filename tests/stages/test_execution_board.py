"""Staged modules on the emulated Cortex-M55: fast memory is DTCM, slow memory is DDR."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nacre.build import board_toolchain, build_runner, run_samples, write_files
from nacre.compile import compile_graph
from nacre.config.load import parse_config
from nacre.emit.module import module_files
from nacre.frontends.tflite.importer import import_model
from nacre.image import check_image
from nacre.stages.stream import streamed
from nacre.targets import load_target
from stages.staged_nets import NETS
from stages.staging import PSRAM, lowered_of, program_of_plan, stager_of
from stages.test_execution import assert_same, case
from support.compare import assert_equal
from support.golden import expected, samples
from support.shared import golden_path, model_path, requires_shared

BOARD = "mps3-an547"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
        reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
    ),
]


@pytest.mark.parametrize("streams", (False, True), ids=("resident", "streamed"))
@pytest.mark.parametrize("name", NETS)
def test_stages_on_board(name: str, streams: bool, tmp_path: Path) -> None:
    found = case(name)
    lowered = lowered_of(import_model(NETS[name](), "net"), BOARD)
    staged = stager_of(lowered, PSRAM).plan(found.peak // 3)
    assert staged is not None
    plan = staged.plan
    if streams:
        plan = streamed(plan, lowered, lowered.inputs, lowered.outputs)
    program = program_of_plan(lowered, plan, target=BOARD)
    assert program.regions[0].name == "arena_dtcm"
    write_files(tmp_path, module_files(program))
    toolchain = board_toolchain(load_target(BOARD))
    runner = build_runner("net", tmp_path, toolchain)
    assert_same(run_samples(program, runner, toolchain, found.samples), found.expected)
    assert not [f for f in check_image(runner, tmp_path).findings if f.problem]


@requires_shared
@pytest.mark.parametrize(
    ("name", "fast"),
    (("mlperf_vww_96_int8", 16384), ("mlperf_pretrainedResnet_quant", 8192)),
)
def test_network_in_little_memory(name: str, fast: int, tmp_path: Path) -> None:
    """With the board's own kernels, against the vectors of the oracle."""
    tree = {"memory": {"budget": [fast, 1 << 20]}, "target": {"name": BOARD}}
    graph = import_model(model_path(name).read_bytes(), "net")
    program = compile_graph(graph, parse_config(tree), f"{name}.tflite")
    assert program.regions[0].usage.total_size <= fast
    write_files(tmp_path, module_files(program))
    toolchain = board_toolchain(load_target(BOARD))
    runner = build_runner("net", tmp_path, toolchain)
    vectors = np.load(golden_path(name))
    rows = [[vectors[f"s{i}_in0"]] for i in range(samples(vectors))]
    for i, outputs in enumerate(run_samples(program, runner, toolchain, rows)):
        assert_equal(outputs[0], expected(vectors, i, 0), f"{name}, sample {i}")
