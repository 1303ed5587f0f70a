"""The quantized ONNX networks of the shared collection against ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from quantized_models import real_operators

from nacre.build import write_files
from nacre.emit.module import module_files
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.golden import output_steps, random_inputs
from nacre.ir import Array, Graph
from nacre.ops import kind_of
from nacre.oracles import run_ort
from nacre.passes import simplify
from nacre.reference import run_reference
from support.execute import Runner, program_of
from support.modules import SANITIZED, Module, run_module
from support.shared import (
    MODELS,
    golden_path,
    model_entry,
    model_path,
    onnx_models,
    requires_shared,
)

pytestmark = requires_shared

QUANTIZED = [n for n in onnx_models() if not model_entry(n)["kind"][0].startswith("float")]
TILING = tuple(
    f"{name}_i8"
    for name in (
        "branch_bfs", "branch_dfs", "dscnn", "mbv2_035_96", "mbv2_10_224", "resnet8", "srnet_128",
        "unet8_256", "vww_96",
    )
)  # fmt: skip
# Deep networks that turn one other step anywhere into several steps of the output, as exact
# arithmetic does. They are compared layer by layer.
DEEP = (
    "mbv2_10_224_i8",
    "unet8_256_i8",
    "ort_qdq_with_multi_consumer_dq_nodes.fixed.qdq16",
)
# Float sums of ONNX Runtime end on the other side of a tie in about 3 of a million values.
MOST_FLIPS = 1e-4
SAMPLES = 2
# Steps in float, where no integer kernel covers the operator.
IN_FLOAT = {
    "ort_layout_transform_reshape.qdq": ["DIV"],
    "ort_qdq_with_multi_consumer_dq_nodes.fixed.qdq16": ["CONV_2D", "CONV_2D", "ADD"] * 3,
}


def path_of(name: str) -> Path:
    return MODELS / "tiling" / f"{name}.onnx" if name in TILING else model_path(name)


def graph_of(name: str) -> Graph:
    shapes = {}
    if name not in TILING:
        shapes = {i["name"]: tuple(i["shape"]) for i in model_entry(name)["inputs"]}
    options = OnnxOptions(InputShapes(shapes))
    return import_model(path_of(name).read_bytes(), "model", None, options)


def samples_of(name: str, graph: Graph) -> list[list[Array]]:
    if name in TILING:
        return random_inputs(graph, SAMPLES)
    golden = np.load(golden_path(name))
    rows = range(model_entry(name)["samples"])
    return [[golden[f"s{i}_in{j}"] for j in range(len(graph.inputs))] for i in rows]


def within_one_step(graph: Graph, ours: list[list[Array]], theirs: list[list[Array]]) -> None:
    steps = output_steps(graph)
    assert all(steps) and ours
    for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        for j, step in enumerate(steps):
            distance = np.abs(a[j].astype(np.float64) - b[j]).max()
            assert distance <= step * 1.0001, f"sample {i} output {j}: {distance / step} steps"


@pytest.mark.parametrize("name", [n for n in (*QUANTIZED, *TILING) if n not in DEEP])
def test_network(name: str) -> None:
    graph = graph_of(name)
    samples = samples_of(name, graph)
    runner = Runner(program_of(graph))
    ours = [runner.run(sample) for sample in samples]
    within_one_step(graph, ours, run_ort(path_of(name).read_bytes(), samples))


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in (*QUANTIZED, *TILING) if n not in DEEP])
def test_c_module(name: str, tmp_path: Path) -> None:
    graph = graph_of(name)
    samples = samples_of(name, graph)
    program = program_of(graph)
    write_files(tmp_path, module_files(program))
    ours = run_module(Module(program, graph, tmp_path), samples, SANITIZED)
    within_one_step(graph, ours, run_ort(path_of(name).read_bytes(), samples))


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in DEEP if n in TILING])
def test_c_module_of_deep_network(name: str, tmp_path: Path) -> None:
    """Bit for bit what the references compute."""
    graph = graph_of(name)
    sample = samples_of(name, graph)[0]
    program = program_of(graph)
    write_files(tmp_path, module_files(program))
    (ours,) = run_module(Module(program, graph, tmp_path), [sample])
    for a, b in zip(ours, run_reference(graph, sample, {}), strict=True):
        assert (a == b).all()


# --- layer by layer -------------------------------------------------------------------------------


def every_quantized(name: str, sample: list[Array]) -> dict[str, Array]:
    """What ONNX Runtime computes for each QuantizeLinear, as the compiler stores it."""
    model = onnx.load(path_of(name))
    names = [n.output[0] for n in model.graph.node if n.op_type == "QuantizeLinear"]
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in names)
    (outputs,) = run_ort(model.SerializeToString(), [sample])
    found = dict(zip(names, outputs[-len(names) :], strict=True))
    return {n: _signed(v) for n, v in found.items()}


def _signed(codes: Array) -> Array:
    if codes.dtype.kind == "i":
        return codes
    wide = codes.astype(np.int64) - (1 << (8 * codes.itemsize - 1))
    return wide.astype(f"int{8 * codes.itemsize}")


@pytest.mark.parametrize("name", DEEP)
def test_layer_by_layer(name: str) -> None:
    """Each layer of the graph as imported, on the very numbers that ONNX Runtime computes."""
    graph = graph_of(name)
    sample = samples_of(name, graph)[0]
    theirs = every_quantized(name, sample)
    values: dict[str, Array] = dict(zip(graph.inputs, sample, strict=True))
    compared = flips = 0
    for node in graph.nodes():
        inputs = [
            t if t is None else t.constant if t.is_constant else values[t.id] for t in node.inputs
        ]
        (values[node.output.id],) = kind_of(node.operator).reference(node, tuple(inputs))
        if node.output.id in theirs:
            expected = theirs[node.output.id]
            distance = np.abs(values[node.output.id].astype(np.int64) - expected)
            assert distance.max() <= 1, node.output.id
            compared, flips = compared + distance.size, flips + int(distance.sum())
            values[node.output.id] = expected
    assert compared > 100_000
    assert flips <= MOST_FLIPS * compared


@pytest.mark.parametrize("name", [n for n in DEEP if n in TILING])
def test_kernels_of_deep_network(name: str) -> None:
    """Bit for bit what the references compute."""
    graph = graph_of(name)
    sample = samples_of(name, graph)[0]
    for a, b in zip(
        Runner(program_of(graph)).run(sample), run_reference(graph, sample, {}), strict=True
    ):
        assert (a == b).all()


# --- what the graphs become -----------------------------------------------------------------------


@pytest.mark.parametrize("name", (*QUANTIZED, *TILING))
def test_operators_are_integer(name: str) -> None:
    graph = simplify(graph_of(name))
    assert real_operators(graph) == IN_FLOAT.get(name, [])
    assert len(graph.source.notes) == (1 if name in IN_FLOAT else 0)


@pytest.mark.parametrize(
    ("name", "transposes"),
    [
        # From the layout of the input, and back to that of the output.
        ("branch_bfs_i8", 2), ("branch_dfs_i8", 2), ("srnet_128_i8", 2),
        # To a vector, or to a single channel.
        ("mbv2_035_96_i8", 1), ("mbv2_10_224_i8", 1), ("resnet8_i8", 1), ("unet8_256_i8", 1),
        ("vww_96_i8", 1),
        # From a single channel.
        ("dscnn_i8", 0), ("mlonmcu_micro_kws_m_static_qdq", 0),
        ("mlonmcu_micro_kws_m_static_qoperator", 0),
    ],
)  # fmt: skip
def test_transposes_that_remain(name: str, transposes: int) -> None:
    graph = simplify(graph_of(name))
    assert sum(o.type == "TRANSPOSE" for o in graph.operators) == transposes


def test_order_of_branches_does_not_matter() -> None:
    first, second = (program_of(graph_of(f"branch_{order}_i8")) for order in ("bfs", "dfs"))
    assert first.scratch_bytes == second.scratch_bytes
