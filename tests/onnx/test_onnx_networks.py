"""The float ONNX networks of the shared collection against their golden files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nacre.build import write_files
from nacre.emit.module import module_files
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.ir import Graph
from nacre.passes import simplify
from support.compare import assert_equal
from support.execute import Runner, program_of
from support.modules import SANITIZED, Module, run_module
from support.shared import golden, model_entry, model_path, onnx_models, requires_shared

pytestmark = requires_shared

# Sums that go round in a sequence, and their errors with them.
RECURRENT = {"silero6_silero_vad", "speechmos_plcmos_v2", "gtcrn_gtcrn_simple", "dtln_model_2"}
# Logarithms of spectra: ONNX Runtime itself is off by this much from what float64 gives.
SPECTRA = {"onnxasr_kaldi": 5e-5}
FLOAT = [n for n in onnx_models() if model_entry(n)["kind"][0].startswith("float")]
# ONNX Runtime's sigmoid is off by 1e-7 of 1 where its result is small; these outputs are sigmoids.
UP_TO_ONE = {"yunet_yunet_n_320_320": range(6)}


def graph_of(name: str) -> Graph:
    entry = model_entry(name)
    shapes = {i["name"]: tuple(i["shape"]) for i in entry["inputs"]}
    data = model_path(name).read_bytes()
    return import_model(data, "model", None, OnnxOptions(InputShapes(shapes)))


def tolerance_of(name: str) -> float:
    return 1e-4 if name in RECURRENT else SPECTRA.get(name, 1e-5)


def rows(name: str, graph: Graph) -> list[list[np.ndarray]]:
    """The inputs of the golden samples, which are consecutive calls."""
    arrays = golden(name)
    assert model_entry(name)["samples"] > 0
    keys = range(len(graph.inputs))
    return [[arrays[f"s{i}_in{j}"] for j in keys] for i in range(model_entry(name)["samples"])]


def compare(name: str, results: list[list[np.ndarray]]) -> None:
    arrays = golden(name)
    for i, outputs in enumerate(results):
        for j, ours in enumerate(outputs):
            theirs = arrays[f"s{i}_out{j}"]
            if j in UP_TO_ONE.get(name, ()):
                assert np.abs(ours - theirs).max() <= 1e-6, f"sample {i} output {j}"
            else:
                assert_equal(ours, theirs, f"sample {i} output {j}", tolerance_of(name))


@pytest.mark.parametrize("name", FLOAT)
def test_network(name: str) -> None:
    graph = graph_of(name)
    runner = Runner(program_of(graph))
    compare(name, [runner.run(inputs) for inputs in rows(name, graph)])


@pytest.mark.slow
@pytest.mark.parametrize("name", FLOAT)
def test_onnx_network_as_c(name: str, tmp_path: Path) -> None:
    graph = graph_of(name)
    program = program_of(graph)
    write_files(tmp_path, module_files(program))
    module = Module(program, graph, tmp_path)
    compare(name, run_module(module, rows(name, graph), SANITIZED))


def test_branch_that_the_shapes_rule_out() -> None:
    """The VAD has one network per rate; with frames of one rate the other one does not run."""
    graph = graph_of("silero6_silero_vad")
    (note,) = graph.source.notes
    assert "its else branch does not fit these shapes" in note
    inputs = rows("silero6_silero_vad", graph)[0]
    (probability, _) = Runner(program_of(graph)).run([*inputs[:2], np.array(8000)])
    assert np.isnan(probability).all()


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
