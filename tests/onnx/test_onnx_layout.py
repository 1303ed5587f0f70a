"""Transposes cancel, weights take in what they can, and no number changes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
import pytest
from onnx_models import check, count, model, node, noise

from nacre.config.load import parse_config
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.golden import make_golden
from nacre.passes import simplify
from support.compare import assert_equal
from support.execute import Runner, program_of

SHAPE = (1, 4, 6, 5)
WEIGHTS = {"w": noise(4, 4, 3, 3, seed=1), "b": noise(4, seed=2), "v": noise(4, 4, 1, 1, seed=3)}


def conv(x: str, y: str, weights: str = "w") -> onnx.NodeProto:
    pads = [1, 1, 1, 1] if weights == "w" else [0, 0, 0, 0]
    return node("Conv", [x, weights, "b"], [y], pads=pads)


def remaining(
    nodes: Sequence[onnx.NodeProto],
    constants: dict[str, np.ndarray] | None = None,
    outputs: Sequence[str] = ("y",),
    shape: Sequence[int] = SHAPE,
) -> int:
    """TRANSPOSEs that stay; one at the input and one at each image output are the least."""
    data = model(nodes, {"x": shape}, outputs, WEIGHTS | (constants or {}))
    _, simple = check(data, [noise(*shape, seed=9)])
    return count(simple, "TRANSPOSE")


def test_chain() -> None:
    assert remaining([conv("x", "a"), node("Relu", ["a"], ["c"]), conv("c", "y", "v")]) == 2


def test_residual() -> None:
    nodes = [conv("x", "a"), node("Relu", ["a"], ["c"]), conv("c", "d")]
    nodes.append(node("Add", ["c", "d"], ["y"]))
    assert remaining(nodes) == 2


def test_function_and_gate_of_one_tensor() -> None:
    nodes = [conv("x", "a"), node("Sigmoid", ["a"], ["s"]), node("Mul", ["a", "s"], ["c"])]
    nodes.append(conv("c", "y"))
    assert remaining(nodes) == 2


def test_squeeze_and_excitation() -> None:
    nodes = [
        conv("x", "a"), node("GlobalAveragePool", ["a"], ["g"]), conv("g", "h", "v"),
        node("HardSigmoid", ["h"], ["s"]), node("Mul", ["a", "s"], ["c"]), conv("c", "y"),
    ]  # fmt: skip
    assert remaining(nodes) == 2


def test_channels_are_joined_split_padded_and_sliced() -> None:
    constants = {
        "pads": np.array([0, 0, 1, 2, 0, 0, 0, 1]), "zero": np.array([0]), "four": np.array([4]),
        "one": np.array([1]),
    }  # fmt: skip
    nodes = [
        conv("x", "a"), conv("x", "c", "v"), node("Concat", ["a", "c"], ["d"], axis=1),
        node("Split", ["d"], ["e", "f"], axis=1), node("Sub", ["f", "e"], ["g"]),
        node("Pad", ["g", "pads"], ["h"]), node("Slice", ["h", "zero", "four", "one"], ["i"]),
        conv("i", "y"),
    ]  # fmt: skip
    assert remaining(nodes, constants=constants) == 2


def test_constants_of_fewer_dimensions_follow() -> None:
    constants = {"c": noise(4, 1, 1, seed=4), "r": noise(6, 1, seed=5), "s": noise(4, 1, 1, seed=6)}
    nodes = [
        conv("x", "a"), node("Add", ["a", "c"], ["d"]), node("Mul", ["r", "d"], ["e"]),
        node("PRelu", ["e", "s"], ["f"]), conv("f", "y"),
    ]  # fmt: skip
    assert remaining(nodes, constants=constants) == 2


def test_softmax_over_channels() -> None:
    assert remaining([conv("x", "a"), node("Softmax", ["a"], ["c"], axis=1), conv("c", "y")]) == 2


def test_mean_over_the_image_needs_no_transpose() -> None:
    nodes = [conv("x", "a"), node("ReduceMean", ["a"], ["y"], axes=[2, 3], keepdims=0)]
    assert remaining(nodes) == 1


def test_flattened_image_reorders_the_weights() -> None:
    nodes = [conv("x", "a"), node("Relu", ["a"], ["c"]), node("Flatten", ["c"], ["d"]),
             node("Gemm", ["d", "m", "k"], ["y"], transB=1)]  # fmt: skip
    constants = {"m": noise(7, 120, seed=7), "k": noise(7, seed=8)}
    assert remaining(nodes, constants=constants) == 1


def test_an_intermediate_output_is_in_the_models_layout() -> None:
    nodes = [conv("x", "a"), node("Relu", ["a"], ["c"]), conv("c", "y")]
    assert remaining(nodes, outputs=("c", "y")) == 3


def test_one_channel_needs_no_transpose() -> None:
    constants = {"u": noise(1, 1, 3, 3, seed=1)}
    nodes = [node("Conv", ["x", "u"], ["a"]), node("Relu", ["a"], ["y"])]
    assert remaining(nodes, constants=constants, shape=(1, 1, 6, 5)) == 0


def test_sequences() -> None:
    constants = {"u": noise(4, 4, 3, seed=1), "g": noise(4, 1, 3, seed=2)}
    nodes = [
        node("Conv", ["x", "u", "b"], ["a"], pads=[1, 1]), node("Relu", ["a"], ["c"]),
        node("Conv", ["c", "g"], ["d"], group=4), node("MaxPool", ["d"], ["y"], kernel_shape=[2]),
    ]  # fmt: skip
    data = model(nodes, {"x": [1, 4, 9]}, ["y"], WEIGHTS | constants)
    _, simple = check(data, [noise(1, 4, 9)])
    assert count(simple, "TRANSPOSE") == 2
    assert count(simple, "RELU") == 0, "the activation is fused"


def test_batch_normalisation_is_folded() -> None:
    parts = {n: np.abs(noise(4, seed=i)) + 0.5 for i, n in enumerate("spqr")}
    nodes = [conv("x", "a"), node("BatchNormalization", ["a", "s", "p", "q", "r"], ["c"]),
             node("Relu", ["c"], ["y"])]  # fmt: skip
    data = model(nodes, {"x": SHAPE}, ["y"], WEIGHTS | parts)
    _, simple = check(data, [noise(*SHAPE)])
    assert [o.type for o in simple.operators] == ["TRANSPOSE", "CONV_2D", "TRANSPOSE"]


def test_bias_of_a_product_becomes_its_own() -> None:
    nodes = [node("MatMul", ["x", "m"], ["a"]), node("Add", ["k", "a"], ["y"])]
    data = model(nodes, {"x": [2, 3, 5]}, ["y"], {"m": noise(5, 7), "k": noise(7)})
    _, simple = check(data, [noise(2, 3, 5)])
    assert [o.type for o in simple.operators] == ["FULLY_CONNECTED"]


def test_attention() -> None:
    nodes = [
        *(node("MatMul", ["x", f"w{n}"], [n]) for n in "qkv"),
        *(node("Reshape", [n, "heads"], [f"{n}h"]) for n in "qkv"),
        *(node("Transpose", [f"{n}h"], [f"{n}t"], perm=[0, 2, 1, 3]) for n in "qv"),
        node("Transpose", ["kh"], ["kt"], perm=[0, 2, 3, 1]),
        node("MatMul", ["qt", "kt"], ["s"]), node("Mul", ["s", "scale"], ["u"]),
        node("Softmax", ["u"], ["p"]), node("MatMul", ["p", "vt"], ["c"]),
        node("Transpose", ["c"], ["d"], perm=[0, 2, 1, 3]), node("Reshape", ["d", "flat"], ["y"]),
    ]  # fmt: skip
    constants = {f"w{n}": noise(8, 8, seed=i) for i, n in enumerate("qkv")}
    constants |= {"heads": np.array([1, 5, 2, 4]), "flat": np.array([1, 5, 8])}
    constants["scale"] = np.array(0.5, np.float32)
    check(model(nodes, {"x": [1, 5, 8]}, ["y"], constants), [noise(1, 5, 8)])


@pytest.mark.parametrize("layout", ["model", "nhwc"])
def test_layout_of_inputs_and_outputs(layout: str) -> None:
    data = model([conv("x", "a"), node("Relu", ["a"], ["y"])], {"x": SHAPE}, ["y"], WEIGHTS)
    graph = import_model(data, "model", None, OnnxOptions(nhwc=layout == "nhwc"))
    shape = (1, 6, 5, 4) if layout == "nhwc" else SHAPE
    assert [graph.tensors[k].shape for k in (*graph.inputs, *graph.outputs)] == [shape, shape]
    assert count(simplify(graph), "TRANSPOSE") == (0 if layout == "nhwc" else 2)
    config = parse_config({"model": {"io_layout": layout, "path": "model.onnx"}})
    golden = make_golden(graph, data, config, 2)
    assert golden.oracle == "ONNX Runtime"
    runner = Runner(program_of(graph))
    for inputs, outputs in zip(golden.inputs, golden.outputs, strict=True):
        assert_equal(runner.run(list(inputs))[0], outputs[0])
