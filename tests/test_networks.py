"""Every shared network, as emitted C under sanitizers, against its golden file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nacre.config.load import parse_config
from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.compare import assert_equal
from support.execute import program_of
from support.golden import check_model, expected, samples
from support.modules import SANITIZED, emit, run_module
from support.shared import golden_path, model_entry, model_path, requires_shared, tflite_models

pytestmark = requires_shared

WITH_GOLDEN = [n for n in tflite_models("net") if model_entry(n).get("golden")]
# Quantized at run time: within 1e-3, the spread between LiteRT's own kernels being smaller.
DYNAMIC_RANGE = 1e-3


def tolerance_of(name: str) -> float:
    dynamic = any("dynamic-range" in kind for kind in model_entry(name)["kind"])
    return DYNAMIC_RANGE if dynamic else 1e-5


@pytest.mark.slow
@pytest.mark.parametrize("name", WITH_GOLDEN)
def test_network_as_c(name: str, tmp_path: Path) -> None:
    module = emit(model_path(name).read_bytes(), tmp_path)
    golden = np.load(golden_path(name))
    rows = [
        [golden[f"s{i}_in{j}"] for j in range(len(module.graph.inputs))]
        for i in range(samples(golden))
    ]
    assert rows
    for i, outputs in enumerate(run_module(module, rows, SANITIZED)):
        for j, ours in enumerate(outputs):
            what = f"{name} sample {i} output {j}"
            assert_equal(ours, expected(golden, i, j), what, tolerance_of(name))


@pytest.mark.parametrize("name", tflite_models("op"))
def test_operator_model(name: str) -> None:
    if not model_entry(name).get("golden"):
        pytest.skip("no oracle runs it")
    # TFLite Micro's int16 leaky ReLU is off by one in places; LiteRT's is right.
    oracle = "litert" if name.startswith("seanet_leaky_relu") else "tflm"
    assert check_model(model_path(name), golden_path(name), tolerance_of(name), oracle) > 0


# Integer networks on which TFLite Micro and LiteRT give different numbers.
DISAGREEING = (
    "mlperf_ad01_int8",
    "mlperf_model_ToyCar_quant_fullint",
    "mltk_anomaly_detection",
    "ambiq_nnid",
    "tflm_mobilenet_v2_quantized_1x3x224x224",
)


@pytest.mark.parametrize("name", DISAGREEING)
def test_litert_numerics(name: str) -> None:
    assert check_model(model_path(name), golden_path(name), oracle="litert", litert=True) > 0


def test_model_for_another_compiler_is_refused_well() -> None:
    with pytest.raises(RefusedModel) as caught:
        import_model(model_path("tflm_person_detect_vela").read_bytes(), "vela")
    assert '"ethos-u"' in str(caught.value)
    assert "before Vela" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "scratch"),
    [
        ("mlperf_kws_ref_model", 16_000),
        ("mlperf_vww_96_int8", 55_296),
        ("mlperf_pretrainedResnet_quant", 49_152),
        ("mlperf_ad01_int8", 768),
        ("mlperf_str_ww_ref_model", 6_656),
    ],
)
def test_scratch_reaches_the_live_bytes_bound(name: str, scratch: int) -> None:
    config = parse_config({"memory": {"overlap": False}, "schedule": {"order": "model"}})
    program = program_of(import_model(model_path(name).read_bytes(), name), config)
    assert program.lower_bound == scratch
    assert program.scratch_bytes == scratch


@pytest.mark.parametrize("name", WITH_GOLDEN)
def test_packing_alone_reaches_the_bound(name: str) -> None:
    """Without sharing and in the model's order, no arena is larger than its live bytes."""
    config = parse_config({"memory": {"overlap": False}, "schedule": {"order": "model"}})
    program = program_of(import_model(model_path(name).read_bytes(), name), config)
    assert program.scratch_bytes == program.lower_bound


SHARED_SCRATCH = {
    "mlperf_kws_ref_model": 9_600,
    "mlperf_vww_96_int8": 39_000,
    "mlperf_pretrainedResnet_quant": 35_500,
    "mlperf_ad01_int8": 768,
    "mlperf_str_ww_ref_model": 3_840,
}


@pytest.mark.parametrize("target", ["host", "mps3-an547"])
@pytest.mark.parametrize("name", SHARED_SCRATCH)
def test_sharing_goes_below_the_bound(name: str, target: str) -> None:
    config = parse_config({"target": {"name": target}})
    program = program_of(import_model(model_path(name).read_bytes(), name), config)
    assert program.scratch_bytes <= SHARED_SCRATCH[name]
    assert program.scratch_bytes + program.overlap_saved == program.lower_bound
