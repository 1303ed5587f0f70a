"""The float ONNX networks of the shared collection against their golden files."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.ir import Graph
from nacre.passes import simplify
from support.compare import assert_equal
from support.execute import Runner, program_of
from support.shared import golden_path, model_entry, model_path, onnx_models, requires_shared

pytestmark = requires_shared

# What stands in the way of the networks that are not compiled yet.
REFUSED = {
    "silero6_silero_vad": "the condition is computed at run time",
    "speechmos_plcmos_v2": "GRU",
    "gtcrn_gtcrn_simple": "GRU",
    "onnxasr_kaldi": "GatherElements",
    "onnxasr_resample_48_16": "its types are int64",
}
FLOAT = [n for n in onnx_models() if model_entry(n)["kind"][0].startswith("float")]
# ONNX Runtime's sigmoid is off by 1e-7 of 1 where its result is small; these outputs are sigmoids.
UP_TO_ONE = {"yunet_yunet_n_320_320": range(6)}


def graph_of(name: str) -> Graph:
    entry = model_entry(name)
    shapes = {i["name"]: tuple(i["shape"]) for i in entry["inputs"]}
    data = model_path(name).read_bytes()
    return import_model(data, "model", None, OnnxOptions(InputShapes(shapes)))


@pytest.mark.parametrize("name", [n for n in FLOAT if n not in REFUSED])
def test_network(name: str) -> None:
    graph = graph_of(name)
    runner = Runner(program_of(graph))
    golden = np.load(golden_path(name))
    assert model_entry(name)["samples"] > 0
    for i in range(model_entry(name)["samples"]):
        inputs = [golden[f"s{i}_in{j}"] for j in range(len(graph.inputs))]
        for j, ours in enumerate(runner.run(inputs)):
            theirs = golden[f"s{i}_out{j}"]
            if j in UP_TO_ONE.get(name, ()):
                assert np.abs(ours - theirs).max() <= 1e-6, f"sample {i} output {j}"
            else:
                assert_equal(ours, theirs, f"sample {i} output {j}")


@pytest.mark.parametrize("name", [n for n in FLOAT if n in REFUSED])
def test_refused_network_says_why(name: str) -> None:
    with pytest.raises(RefusedModel, match=REFUSED[name]):
        graph_of(name)


@pytest.mark.parametrize(
    ("name", "transposes"),
    [
        # One remains: from the layout of the input.
        ("st_yamnet_256_64x96_tl", 1),
        ("st_mobilenet_v2_128_0.5", 1),
        ("rapidocr_ch_ppocr_mobile_v2.0_cls_infer", 1),
        ("ultraface_version-RFB-320", 1),
        ("yunet_yunet_n_320_320", 1),
        ("espdl_model", 1),
        # One channel: the input's layout is no other.
        ("ort_cnn_mnist_pytorch", 0),
        ("mlonmcu_micro_kws_m_static_fp32", 0),
    ],
)
def test_transposes_that_remain(name: str, transposes: int) -> None:
    simple = simplify(graph_of(name))
    assert sum(o.type == "TRANSPOSE" for o in simple.operators) == transposes
