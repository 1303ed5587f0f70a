"""Float inputs and outputs that are quantized next to the border, quantized outside too."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nacre.compile import import_graph
from nacre.config.load import parse_config
from nacre.golden import make_golden
from nacre.passes.quantized_ends import quantized_ends
from nacre.passes.verify import verify
from nacre.reference import run_reference
from support.graphs import convolution, graph_of, types_of
from tflite_builder import ModelBuilder

SHAPE, OUT = (1, 6, 6, 2), (1, 4, 4, 3)


def network(second_reader: bool = False, second_scale: float = 0.5) -> ModelBuilder:
    """float -> QUANTIZE -> CONV_2D -> DEQUANTIZE -> float."""
    b = ModelBuilder()
    x = b.input("x", SHAPE, "float32")
    codes = b.tensor("codes", SHAPE, "int8", 0.5, -3)
    b.operator("QUANTIZE", [x], [codes])
    y = convolution(b, codes, SHAPE, OUT)
    real = b.tensor("real", OUT, "float32")
    b.operator("DEQUANTIZE", [y], [real])
    b.output(real)
    if second_reader:
        other = b.tensor("other", SHAPE, "int8", second_scale, -3)
        b.operator("QUANTIZE", [x], [other])
        b.output(convolution(b, other, SHAPE, OUT))
    return b


def test_ends_are_quantized_under_their_names() -> None:
    before = graph_of(network())
    after = verify(quantized_ends(before))
    assert types_of(after) == ["CONV_2D"]
    assert (after.inputs, after.outputs) == (before.inputs, before.outputs)
    x, y = (after.tensors[k] for k in (*after.inputs, *after.outputs))
    assert (x.dtype.value, x.q.scale, x.q.zero_point, x.name) == ("int8", 0.5, -3, "x")
    assert y.dtype.value == "int8" and y.name == "real"
    assert after.real_ends == {*after.inputs, *after.outputs}


def test_numbers_are_those_behind_the_border() -> None:
    before = graph_of(network())
    after = quantized_ends(before)
    codes = np.random.default_rng(0).integers(-128, 128, SHAPE).astype(np.int8)
    (real,) = run_reference(before, [(codes.astype(np.float32) + 3) * np.float32(0.5)], {})
    (found,) = run_reference(after, [codes], {})
    q = after.tensors[after.outputs[0]].q
    np.testing.assert_array_equal((found.astype(np.float32) - q.zero_point) * q.scale, real)


def test_readers_of_one_scale_share_the_input() -> None:
    after = verify(quantized_ends(graph_of(network(second_reader=True))))
    assert types_of(after) == ["CONV_2D", "CONV_2D"]
    assert [o.inputs[0] for o in after.operators] == [after.inputs[0]] * 2


def test_readers_of_two_scales_keep_the_input() -> None:
    after = quantized_ends(graph_of(network(second_reader=True, second_scale=0.25)))
    assert types_of(after).count("QUANTIZE") == 2
    assert after.tensors[after.inputs[0]].dtype.value == "float32"


def test_oracles_are_asked_in_the_file_s_types(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(network().build())
    config = parse_config({"model": {"path": str(path), "io_types": "quantized"}})
    graph = import_graph(path, config)
    golden = make_golden(graph, path.read_bytes(), config, 2)
    assert golden.oracle == "TFLite Micro" and not golden.notes
    for inputs, outputs in zip(golden.inputs, golden.outputs, strict=True):
        (found,) = run_reference(graph, list(inputs), {})
        assert inputs[0].dtype == outputs[0].dtype == np.int8
        np.testing.assert_array_equal(found, outputs[0])
