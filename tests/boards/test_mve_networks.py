"""Five networks on the emulated Cortex-M55: golden outputs, instructions, bytes within limits."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from boards.test_dsp_networks import CODE, check_outputs
from nacre.bench import bench_board, measure
from nacre.compile import compile_model
from nacre.config.load import parse_config
from support.shared import model_path, requires_shared

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


# For size: the instructions of TFLite Micro's reference kernels are the least that one may ask.
LIMITS = {
    "mlperf_kws_ref_model": Limits((650_000, 20_500), (890_000, 12_000), (14_000_000, 9_600)),
    "mlperf_vww_96_int8": Limits((2_000_000, 75_500), (3_000_000, 48_750), (42_000_000, 39_000)),
    "mlperf_pretrainedResnet_quant": Limits(
        (1_900_000, 41_000), (2_600_000, 44_375), (52_000_000, 35_500)
    ),
    "mlperf_ad01_int8": Limits((52_000, 2_048), (65_000, 960), (800_000, 768)),
    "mlperf_str_ww_ref_model": Limits((165_000, 14_900), (245_000, 4_800), (3_900_000, 3_840)),
}


@pytest.mark.parametrize("optimize", ["speed", "balanced", "size"])
@pytest.mark.parametrize("name", LIMITS)
def test_network_on_cortex_m55(name: str, optimize: str, tmp_path: Path) -> None:
    settings = {"target": {"name": "mps3-an547"}, "kernels": {"optimize": optimize}}
    program = compile_model(model_path(name), parse_config(settings))
    inputs = check_outputs(program, name, tmp_path)
    bench = measure(program, inputs, bench_board(program.target))
    instructions, scratch = getattr(LIMITS[name], optimize)
    assert bench.instructions <= instructions
    assert program.scratch_bytes <= scratch
    assert bench.code_bytes <= CODE[optimize]
