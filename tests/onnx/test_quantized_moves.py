"""Generated quantized pools, reductions and moves of values against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import helper
from quantized_models import Builder, Scale, centre, check, noise, types_of, weights

TYPES = ("int8", "uint8")
X = Scale(0.03, 5)


# --- pools, reductions, softmax -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize(
    ("type", "options"),
    [
        ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("MaxPool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("AveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("AveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("AveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1], "count_include_pad": 1}),
        ("GlobalAveragePool", {}),
        ("GlobalMaxPool", {}),
    ],
)
def test_pool(dtype: str, same: bool, type: str, options: dict[str, object]) -> None:
    made = Builder()
    before = Scale(0.03, centre(dtype, 7), dtype)
    x = made.rounded(made.input("x", 1, 5, 8, 8), before)
    after = before if same else Scale(0.017, centre(dtype, -4), dtype)
    made.output(made.rounded(made.node(type, [x], **options), after))
    check(made.model(), [noise(1, 5, 8, 8)], steps=0 if "Max" in type else 1)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("type", ["ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum"])
@pytest.mark.parametrize("axes", [[1], [-1], [2, 3]])
def test_reduction(dtype: str, type: str, axes: list[int]) -> None:
    made = Builder(opset=18)
    x = made.rounded(made.input("x", 1, 5, 6, 7), Scale(0.03, centre(dtype, 7), dtype))
    y = made.node(type, [x, made.constant(np.array(axes))], keepdims=1)
    made.output(made.rounded(y, Scale(0.05, centre(dtype, -4), dtype)))
    check(made.model(), [noise(1, 5, 6, 7)])


@pytest.mark.parametrize(
    "scale", [Scale(1 / 256, -128), Scale(1 / 255, 0, "uint8"), Scale(0.02, 3)]
)
@pytest.mark.parametrize("axis", [-1, 1])
def test_softmax(scale: Scale, axis: int) -> None:
    made = Builder()
    x = made.rounded(made.input("x", 2, 7, 4), Scale(0.05, centre(scale.dtype, 0), scale.dtype))
    made.output(made.rounded(made.node("Softmax", [x], axis=axis), scale))
    assert "SOFTMAX" in types_of(check(made.model(), [2 * noise(2, 7, 4)]))


def test_argmax_reads_the_codes() -> None:
    made = Builder()
    x = made.rounded(made.input("x", 2, 7, 4), X)
    made.output(made.node("ArgMax", [x], axis=1), "int64")
    graph = check(made.model(), [noise(2, 7, 4)], pure=False)
    assert "DEQUANTIZE" not in types_of(graph)


# --- moves ----------------------------------------------------------------------------------------


def moved(made: Builder, x: str, way: str) -> str:
    ints = {k: made.constant(np.array(v)) for k, v in SHAPES.get(way, {}).items()}
    match way:
        case "Transpose":
            return made.node("Transpose", [x], perm=[0, 3, 1, 2])
        case "Reshape":
            return made.node("Reshape", [x, ints["shape"]])
        case "Slice":
            return made.node("Slice", [x, ints["starts"], ints["ends"], ints["axes"]])
        case "Gather":
            return made.node("Gather", [x, ints["indices"]], axis=2)
        case "Pad":
            return made.node("Pad", [x, ints["pads"]])
        case "reflect":
            return made.node("Pad", [x, ints["pads"]], mode="reflect")
        case "Resize":
            return made.node("Resize", [x, "", made.constant(np.float32([1, 1, 2, 2]))])
        case "linear":
            scales = made.constant(np.float32([1, 1, 2, 2]))
            return made.node("Resize", [x, "", scales], mode="linear")
        case "DepthToSpace":
            return made.node("DepthToSpace", [x], blocksize=2)
        case _:
            return made.node("Tile", [x, ints["repeats"]])


SHAPES = {
    "Reshape": {"shape": [1, 8, 6]},
    "Slice": {"starts": [1, 0], "ends": [4, 3], "axes": [1, 2]},
    "Gather": {"indices": [2, 0, 1, 1]},
    "Pad": {"pads": [0, 0, 1, 2, 0, 1, 0, 1]},
    "reflect": {"pads": [0, 0, 1, 1, 0, 0, 1, 1]},
    "Tile": {"repeats": [1, 2, 1, 3]},
}
WAYS = (*SHAPES, "Transpose", "Resize", "linear", "DepthToSpace")


def test_linear_resize_to_smaller_steps() -> None:
    made = Builder()
    x = made.rounded(made.input("x", 1, 4, 3, 4), Scale(0.03, 7))
    made.output(made.rounded(moved(made, x, "linear"), Scale(0.01, -14)))
    check(made.model(), [noise(1, 4, 3, 4)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("way", WAYS)
def test_values_that_move(dtype: str, same: bool, way: str) -> None:
    made = Builder()
    before = Scale(0.03, centre(dtype, 7), dtype)
    x = made.rounded(made.input("x", 1, 4, 3, 4), before)
    after = before if same else Scale(0.021, centre(dtype, -14), dtype)
    made.output(made.rounded(moved(made, x, way), after))
    check(made.model(), [noise(1, 4, 3, 4)], steps=int(way == "linear"))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("same", [False, True])
def test_concat_and_split(dtype: str, same: bool) -> None:
    made = Builder(opset=18)
    first = Scale(0.03, centre(dtype, 7), dtype)
    second = first if same else Scale(0.05, centre(dtype, -20), dtype)
    a = made.rounded(made.input("a", 1, 4, 3, 3), first)
    b = made.rounded(made.input("b", 1, 2, 3, 3), second)
    joined = made.rounded(made.node("Concat", [a, b], axis=1), first)
    made.nodes.append(helper.make_node("Split", [joined], ["p", "q"], axis=1, num_outputs=2))
    for part in ("p", "q"):
        made.output(made.rounded(part, first))
    check(made.model(), [noise(1, 4, 3, 3), noise(1, 2, 3, 3, seed=1)], steps=0)


def test_transposes_cancel_through_quantizers() -> None:
    made, w = Builder(), Scale(0.01)
    x = made.rounded(made.input("x", 1, 4, 9, 8), X)
    for seed in range(3):
        kernel = made.dequantize(made.constant(weights((4, 4, 3, 3), w, seed), "w"), w)
        y = made.node("Relu", [made.node("Conv", [x, kernel])])
        x = made.node("Mul", [made.rounded(y, X), made.constant(np.float32(0.5))])
        x = made.rounded(x, Scale(0.02, -128))
    made.output(x)
    graph = check(made.model(), [noise(1, 4, 9, 8)])
    assert types_of(graph).count("TRANSPOSE") == 2
