"""Five networks on the emulated Cortex-M4: golden outputs, instructions and bytes within limits."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from nacre.bench import bench_board, measure
from nacre.build import board_toolchain, build_runner, run_samples, write_files
from nacre.compile import compile_model
from nacre.config.load import parse_config
from nacre.emit.module import module_files
from nacre.program import Program
from support.compare import assert_equal
from support.golden import expected, samples
from support.shared import golden_path, model_path, requires_shared

pytestmark = [
    requires_shared,
    pytest.mark.slow,
    pytest.mark.skipif(
        not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
        reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
    ),
]


@dataclass(frozen=True)
class Limits:
    """Instructions of an inference, bytes of scratch."""

    speed: tuple[int, int]
    balanced: tuple[int, int]
    size: tuple[int, int]


CODE = {"speed": 48 << 10, "balanced": 24 << 10, "size": 24 << 10}
LIMITS = {
    "mlperf_kws_ref_model": Limits(
        (3_300_000, 20_500), (4_700_000, 12_000), (7_844_314, 9_600)
    ),
    "mlperf_vww_96_int8": Limits(
        (9_500_000, 75_500), (14_500_000, 48_750), (24_720_379, 39_000)
    ),
    "mlperf_pretrainedResnet_quant": Limits(
        (12_500_000, 41_000), (17_500_000, 44_375), (29_876_123, 35_500)
    ),
    "mlperf_ad01_int8": Limits((270_000, 2_048), (380_000, 960), (582_330, 768)),
    "mlperf_str_ww_ref_model": Limits(
        (1_000_000, 14_900), (1_400_000, 4_800), (2_226_383, 3_840)
    ),
}  # fmt: skip


def check_outputs(program: Program, name: str, folder: Path) -> list[np.ndarray]:
    """Run the golden samples on the program's board; the inputs of the first."""
    golden, toolchain = np.load(golden_path(name)), board_toolchain(program.target)
    rows = [[golden[f"s{i}_in0"]] for i in range(samples(golden))]
    write_files(folder, module_files(program))
    runner = build_runner(program.prefix, folder, toolchain)
    for i, outputs in enumerate(run_samples(program, runner, toolchain, rows)):
        assert_equal(outputs[0], expected(golden, i, 0), f"{name}, sample {i}")
    return rows[0]


@pytest.mark.parametrize("optimize", ["speed", "balanced", "size"])
@pytest.mark.parametrize("name", LIMITS)
def test_network_on_cortex_m4(name: str, optimize: str, tmp_path: Path) -> None:
    settings = {"target": {"name": "mps2-an386"}, "kernels": {"optimize": optimize}}
    program = compile_model(model_path(name), parse_config(settings))
    inputs = check_outputs(program, name, tmp_path)
    bench = measure(program, inputs, bench_board(program.target))
    instructions, scratch = getattr(LIMITS[name], optimize)
    assert bench.instructions <= instructions
    assert program.scratch_bytes <= scratch
    assert bench.code_bytes <= CODE[optimize]


@pytest.mark.parametrize("name", ["mlperf_vww_96_int8", "mlperf_pretrainedResnet_quant"])
def test_network_on_cortex_m7(name: str, tmp_path: Path) -> None:
    settings = {"target": {"name": "mps2-an500"}, "kernels": {"optimize": "speed"}}
    program = compile_model(model_path(name), parse_config(settings))
    assert any(k.isa == "dsp" for k in program.kernels)
    check_outputs(program, name, tmp_path)
