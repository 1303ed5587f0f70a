"""Generated quantized graphs (QuantizeLinear, DequantizeLinear) against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quantized_models import (
    Builder,
    Scale,
    centre,
    check,
    noise,
    real_operators,
    types_of,
    weights,
)

from nacre.errors import CompileError
from nacre.frontends.onnx.importer import import_model
from nacre.passes import simplify

QUICK = settings(max_examples=40, deadline=None, derandomize=True)
TYPES = ("int8", "uint8")
X = Scale(0.03, 5)
BYTES = st.sampled_from(TYPES)


# --- layers ---------------------------------------------------------------------------------------


@QUICK
@given(st.data(), BYTES, BYTES, st.booleans(), st.sampled_from(["none", "int32", "float"]))
def test_conv(data: st.DataObject, dtype: str, kind: str, per_channel: bool, bias: str) -> None:
    groups = data.draw(st.sampled_from([1, 1, 2, 4]))
    channels, outputs = 4, 4 * data.draw(st.integers(1, 2))
    x = Scale(0.05, centre(dtype, data.draw(st.integers(-20, 20))), dtype)
    fine = np.linspace(0.004, 0.012, outputs) if per_channel else 0.01
    # Zero points of weights per channel are 0: only then one kernel takes them all.
    w = Scale(fine, 128 if kind == "uint8" else 0, kind)
    stored = weights((outputs, channels // groups, 3, 3), w)
    made = Builder()
    inputs = [
        made.rounded(made.input("x", 1, channels, 7, 6), x),
        made.dequantize(made.constant(stored, "w"), w),
    ]
    if bias == "int32":
        steps = Scale(np.broadcast_to(np.float32(0.05) * np.float32(fine), outputs), 0, "int32")
        values = np.random.default_rng(3).integers(-500, 500, outputs).astype(np.int32)
        inputs.append(made.dequantize(made.constant(values, "b"), steps))
    if bias == "float":
        inputs.append(made.constant(noise(outputs, seed=3), "b"))
    pads = data.draw(st.lists(st.integers(0, 1), min_size=4, max_size=4))
    strides = data.draw(st.lists(st.integers(1, 2), min_size=2, max_size=2))
    y = made.node("Conv", inputs, group=groups, pads=pads, strides=strides)
    if data.draw(st.booleans()):
        y = made.node("Relu", [y])
    low = data.draw(st.integers(-30, 30))
    made.output(made.rounded(y, Scale(0.11, centre(dtype, low), dtype)))
    graph = check(made.model(), [noise(1, channels, 7, 6)])
    assert {"CONV_2D", "DEPTHWISE_CONV_2D"} & set(types_of(graph))


@pytest.mark.parametrize("point", [0, 100, 255])
@pytest.mark.parametrize("groups", [1, 4])
def test_weights_that_int8_does_not_hold(point: int, groups: int) -> None:
    made, w = Builder(), Scale(0.01, point, "uint8")
    x = made.rounded(made.input("x", 1, 4, 6, 6), Scale(0.03, 120, "uint8"))
    kernel = made.dequantize(made.constant(weights((4, 4 // groups, 3, 3), w), "w"), w)
    y = made.node("Conv", [x, kernel], group=groups)
    made.output(made.rounded(y, Scale(0.2, 128, "uint8")))
    check(made.model(), [noise(1, 4, 6, 6)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("strides", [[1, 1], [2, 2]])
@pytest.mark.parametrize("per_channel", [False, True])
def test_conv_transpose(dtype: str, strides: list[int], per_channel: bool) -> None:
    scales = np.linspace(0.005, 0.02, 5) if per_channel else 0.01
    made, w = Builder(), Scale(scales, 0, "int8", axis=1)
    x = made.rounded(made.input("x", 1, 3, 5, 4), Scale(0.03, centre(dtype, 3), dtype))
    kernel = made.dequantize(made.constant(weights((3, 5, 3, 3), w), "w"), w)
    y = made.node("ConvTranspose", [x, kernel], strides=strides)
    made.output(made.rounded(y, Scale(0.15, centre(dtype, -7), dtype)))
    check(made.model(), [noise(1, 3, 5, 4)])


def test_convolution_of_a_sequence() -> None:
    made, w = Builder(), Scale(np.linspace(0.01, 0.02, 6))
    x = made.rounded(made.input("x", 1, 4, 20), X)
    kernel = made.dequantize(made.constant(weights((6, 4, 5), w), "w"), w)
    made.output(made.rounded(made.node("Conv", [x, kernel], pads=[2, 2]), Scale(0.2, -3)))
    check(made.model(), [noise(1, 4, 20)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("bias", ["none", "int32", "float"])
def test_gemm(dtype: str, turned: int, per_channel: bool, bias: str) -> None:
    scales = np.linspace(0.002, 0.01, 10) if per_channel else 0.005
    made, w = Builder(), Scale(scales, 0, "int8", axis=1 - turned)
    x = made.rounded(made.input("x", 3, 16), Scale(0.03, centre(dtype, -9), dtype))
    stored = weights((10, 16) if turned else (16, 10), w)
    inputs = [x, made.dequantize(made.constant(stored, "w"), w)]
    if bias == "int32":
        values = np.random.default_rng(3).integers(-900, 900, 10).astype(np.int32)
        steps = Scale(np.broadcast_to(np.float32(0.03) * np.float32(scales), 10), 0, "int32")
        inputs.append(made.dequantize(made.constant(values), steps))
    if bias == "float":
        inputs.append(made.constant(noise(10, seed=3)))
    y = made.node("Gemm", inputs, transB=turned)
    made.output(made.rounded(y, Scale(0.04, centre(dtype, 11), dtype)))
    assert "FULLY_CONNECTED" in types_of(check(made.model(), [noise(3, 16)]))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_matmul(dtype: str, constant: bool, batch: tuple[int, ...]) -> None:
    made = Builder()
    a = made.rounded(made.input("a", *batch, 5, 8), Scale(0.03, centre(dtype, 4), dtype))
    z = Scale(0.02, centre(dtype, -6), dtype)
    samples = [noise(*batch, 5, 8)]
    if constant:
        b = made.dequantize(made.constant(weights((8, 6), Scale(0.01)), "w"), Scale(0.01))
    else:
        b = made.rounded(made.input("b", *batch, 8, 6), z)
        samples.append(noise(*batch, 8, 6, seed=1))
    y = made.node("MatMul", [a, b])
    made.output(made.rounded(y, Scale(0.09, centre(dtype, 2), dtype)))
    check(made.model(), samples)


# --- functions of each value ----------------------------------------------------------------------


@QUICK
@given(st.sampled_from(["Add", "Sub", "Mul"]), BYTES, st.integers(-40, 40), st.integers(0, 3))
def test_two_operands(type: str, dtype: str, point: int, shape: int) -> None:
    second = [(1, 4, 5, 3), (1, 4, 1, 1), (1, 1, 1, 3), (5, 3)][shape]
    made = Builder()
    a = made.rounded(made.input("a", 1, 4, 5, 3), Scale(0.02, centre(dtype, point), dtype))
    b = made.rounded(made.input("b", *second), Scale(0.013, centre(dtype, -point), dtype))
    made.output(made.rounded(made.node(type, [a, b]), Scale(0.04, centre(dtype, point), dtype)))
    graph = check(made.model(), [noise(1, 4, 5, 3), noise(*second, seed=1)])
    assert type.upper() in types_of(graph)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("type", ["Add", "Sub", "Mul", "Div", "Max", "Min", "Pow"])
def test_constant_operand_is_a_table(type: str, dtype: str) -> None:
    made = Builder()
    a = made.rounded(made.input("a", 1, 30), Scale(0.02, centre(dtype, -128), dtype))
    y = made.node(type, [a, made.constant(np.float32(1.7))])
    made.output(made.rounded(y, Scale(0.03, centre(dtype, -100), dtype)))
    graph = check(made.model(), [noise(1, 30)], steps=0 if type != "Pow" else 1)
    assert types_of(graph) == ["QUANTIZE", "LOOKUP_TABLE", "DEQUANTIZE"]


def test_quantized_constant_per_channel_shape() -> None:
    made = Builder()
    a = made.rounded(made.input("a", 1, 4, 5, 3), Scale(0.02, 4))
    stored = made.constant(np.arange(-8, -4, dtype=np.int8).reshape(4, 1, 1))
    y = made.node("Add", [a, made.dequantize(stored, Scale(0.1, -100))])
    made.output(made.rounded(y, Scale(0.1, -20)))
    assert "ADD" in types_of(check(made.model(), [noise(1, 4, 5, 3)]))


def test_quotient_of_two_is_computed_in_float() -> None:
    made = Builder()
    a = made.rounded(made.input("a", 1, 40), Scale(0.02, 4))
    b = made.rounded(made.input("b", 1, 40), Scale(0.1, -3))
    made.output(made.rounded(made.node("Div", [a, b]), Scale(0.05, 2)))
    graph = check(made.model(), [noise(1, 40), noise(1, 40, seed=1)], pure=False)
    assert real_operators(graph) == ["DIV"]
    assert ["Div" in note for note in graph.source.notes] == [True]


FUNCTIONS = (
    "Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSwish", "HardSigmoid", "Elu", "Selu", "Softplus",
    "Exp", "Abs", "Neg", "Erf", "Sqrt", "Floor", "Sign", "Softsign", "Mish",
)  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("type", FUNCTIONS)
def test_function_is_a_table(type: str, dtype: str) -> None:
    made = Builder(opset=18)
    x = made.rounded(made.input("x", 1, 3, 9, 9), Scale(0.02, centre(dtype, -20), dtype))
    made.output(made.rounded(made.node(type, [x]), Scale(0.017, centre(dtype, -40), dtype)))
    graph = check(made.model(), [noise(1, 3, 9, 9)], steps=int(type in ("Exp", "Erf", "Mish")))
    assert set(types_of(graph)) <= {"QUANTIZE", "LOOKUP_TABLE", "DEQUANTIZE", "RELU", "RESHAPE"}


def test_chain_of_functions_is_one_table() -> None:
    made = Builder()
    x = made.rounded(made.input("x", 1, 60), X)
    y = made.node("Mul", [x, made.node("Sigmoid", [x])])
    made.output(made.rounded(made.node("Clip", [y, "", made.constant(np.float32(2))]), X))
    graph = check(made.model(), [noise(1, 60)], steps=0)
    assert types_of(graph) == ["QUANTIZE", "LOOKUP_TABLE", "DEQUANTIZE"]


@pytest.mark.parametrize("limits", [(0.0, 6.0), (-1.0, 1.0), (0.0, 2.5), (-0.3, 0.9)])
def test_clip_after_convolution(limits: tuple[float, float]) -> None:
    made, w = Builder(), Scale(0.01)
    x = made.rounded(made.input("x", 1, 4, 6, 6), X)
    kernel = made.dequantize(made.constant(weights((4, 4, 3, 3), w), "w"), w)
    bounds = [made.constant(np.float32(v)) for v in limits]
    y = made.node("Clip", [made.node("Conv", [x, kernel]), *bounds])
    made.output(made.rounded(y, Scale(0.03, -20)))
    check(made.model(), [noise(1, 4, 6, 6)])


def test_prelu() -> None:
    made, slopes = Builder(), Scale(0.01, -3)
    x = made.rounded(made.input("x", 1, 4, 5, 5), X)
    stored = made.constant(weights((4, 1, 1), slopes))
    y = made.node("PRelu", [x, made.dequantize(stored, slopes)])
    made.output(made.rounded(y, Scale(0.04, -12)))
    assert "PRELU" in types_of(check(made.model(), [noise(1, 4, 5, 5)]))


# --- types ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", TYPES)
def test_integer_inputs_and_outputs(dtype: str) -> None:
    x, w = Scale(0.03, centre(dtype, 4), dtype), Scale(0.01)
    made = Builder()
    real = made.dequantize(made.input("x", 1, 4, 6, 6, dtype=dtype), x)
    kernel = made.dequantize(made.constant(weights((3, 4, 3, 3), w), "w"), w)
    made.output(
        made.quantize(made.node("Conv", [real, kernel]), Scale(0.2, x.zero_point, dtype)), dtype
    )
    sample = weights((1, 4, 6, 6), x, seed=5)
    graph = check(made.model(), [sample])
    assert types_of(graph).count("QUANTIZE") == (2 if dtype == "uint8" else 0)


@pytest.mark.parametrize("dtype", TYPES)
def test_borders_without_a_step_of_their_own(dtype: str) -> None:
    made = Builder()
    q = made.quantize(made.input("x", 1, 40), Scale(0.02, centre(dtype, 3), dtype))
    made.output(q, dtype)
    made.output(made.dequantize(made.input("y", 1, 30, dtype=dtype), X))
    assert len(made.nodes) == 2
    made.nodes[1].input[2] = made.constant(np.array(7, dtype))
    graph = check(made.model(), [noise(1, 40), weights((1, 30), Scale(1.0, 0, dtype))], steps=0)
    assert types_of(graph) == ["QUANTIZE", "DEQUANTIZE"]


@pytest.mark.parametrize("type", ["Conv", "Gemm", "Add", "Mul", "MaxPool", "Relu"])
def test_int16(type: str) -> None:
    x, y = Scale(0.0002, 0, "int16"), Scale(0.0015, 0, "int16")
    made, w = Builder(opset=21), Scale(np.linspace(0.004, 0.01, 6))
    shape = (2, 8) if type == "Gemm" else (1, 8, 6, 6)
    real = made.rounded(made.input("x", *shape), x)
    stored = weights((6, 8) if type == "Gemm" else (6, 8, 3, 3), w)
    kernel = made.dequantize(made.constant(stored, "w"), w)
    match type:
        case "Conv":
            result = made.node("Conv", [real, kernel])
        case "Gemm":
            result = made.node("Gemm", [real, kernel], transB=1)
        case "MaxPool":
            result, y = made.node("MaxPool", [real], kernel_shape=[2, 2]), x
        case "Relu":
            result = made.node("Relu", [real])
        case _:
            result = made.node(type, [real, real])
    made.output(made.rounded(result, y))
    check(made.model(), [noise(*shape)])


def test_uint16_with_zero_in_the_middle_is_int16() -> None:
    made, w = Builder(opset=21), Scale(0.01)
    x = made.rounded(made.input("x", 1, 4, 6, 6), Scale(0.0002, 32768, "uint16"))
    kernel = made.dequantize(made.constant(weights((4, 4, 3, 3), w), "w"), w)
    made.output(made.rounded(made.node("Conv", [x, kernel]), Scale(0.002, 32768, "uint16")))
    check(made.model(), [noise(1, 4, 6, 6)])


def test_other_zero_points_of_16_bits_are_computed_in_float() -> None:
    made, w = Builder(opset=21), Scale(0.01)
    x = made.rounded(made.input("x", 1, 4, 6, 6), Scale(0.0002, 30000, "uint16"))
    kernel = made.dequantize(made.constant(weights((4, 4, 3, 3), w), "w"), w)
    made.output(made.rounded(made.node("Conv", [x, kernel]), Scale(0.002, 32768, "uint16")))
    assert real_operators(check(made.model(), [noise(1, 4, 6, 6)], pure=False)) == ["CONV_2D"]


def test_ties_go_to_even() -> None:
    made = Builder()
    made.output(made.quantize(made.input("x", 12), Scale(2.0, 3)), "int8")
    check(made.model(), [np.arange(-6, 6).astype(np.float32)], steps=0)


@pytest.mark.parametrize("opset", [10, 13, 19, 21])
def test_opsets(opset: int) -> None:
    made, w = Builder(opset=opset), Scale(0.01)
    x = made.rounded(made.input("x", 2, 8), X)
    kernel = made.dequantize(made.constant(weights((8, 5), w), "w"), w)
    made.output(made.rounded(made.node("MatMul", [x, kernel]), Scale(0.05, 1)))
    check(made.model(), [noise(2, 8)])


# --- what is left -------------------------------------------------------------------------------


def test_float_between_is_named() -> None:
    made, w = Builder(), Scale(0.01)
    x = made.rounded(made.input("x", 2, 8), X)
    kernel = made.dequantize(made.constant(weights((8, 8), w), "w"), w)
    y = made.rounded(made.node("MatMul", [x, kernel]), Scale(0.05, 1))
    scale, bias = made.constant(np.ones(8, np.float32)), made.constant(np.zeros(8, np.float32))
    y = made.node("LayerNormalization", [y, scale, bias])
    made.output(made.rounded(y, Scale(0.05, 1)))
    graph = check(made.model(), [noise(2, 8)], pure=False)
    assert "FULLY_CONNECTED" in types_of(graph)
    (note,) = graph.source.notes
    assert "LayerNormalization" in note


def test_graph_without_quantizers_has_no_note() -> None:
    made = Builder()
    made.output(made.node("Relu", [made.input("x", 4)]))
    assert simplify(import_model(made.model(), "model")).source.notes == ()


def test_layer_without_quantized_result_stays_in_float() -> None:
    made, w = Builder(), Scale(0.01)
    x = made.rounded(made.input("x", 2, 8), X)
    kernel = made.dequantize(made.constant(weights((8, 5), w), "w"), w)
    made.output(made.node("MatMul", [x, kernel]))
    assert real_operators(check(made.model(), [noise(2, 8)], pure=False)) == ["FULLY_CONNECTED"]


def blocked() -> Builder:
    made = Builder(opset=21)
    scales = made.constant(np.full((2, 4), 0.1, np.float32))
    y = made.node("QuantizeLinear", [made.input("x", 4, 4), scales], block_size=2, axis=0)
    made.output(y, "uint8")
    return made


def zero_scale() -> Builder:
    made = Builder()
    made.output(made.rounded(made.input("x", 4), Scale(0.0)))
    return made


def border_of_16_bits() -> Builder:
    made = Builder(opset=21)
    made.output(made.quantize(made.input("x", 4), Scale(0.1, 0, "uint16")), "uint16")
    return made


def softmax_of_codes() -> Builder:
    made = Builder()
    made.output(made.node("Softmax", [made.quantize(made.input("x", 4), X)]), "int8")
    return made


def other_zero_point() -> Builder:
    made = Builder()
    x = made.input("x", 4, dtype="uint8")
    made.output(made.dequantize(x, X))
    return made


def too_few_scales() -> Builder:
    made = Builder()
    x = made.input("x", 4, 3, dtype="int8")
    made.output(made.dequantize(x, Scale(np.array([0.1, 0.2]), axis=1)))
    return made


@pytest.mark.parametrize(
    ("build", "reason"),
    [
        (softmax_of_codes, "an input is int8; supported: float32"),
        (other_zero_point, "uint8 with a zero point of int8; supported: of one type"),
        (too_few_scales, r"scales \[2\] for \[4, 3\] along 1; supported: one, or one per channel"),
        (blocked, "block_size is 2; supported: 0"),
        (zero_scale, "a scale is 0; supported: finite scales above 0"),
        (border_of_16_bits, "is uint16; supported"),
    ],
)
def test_refused(build: object, reason: str) -> None:
    with pytest.raises(CompileError, match=reason):
        import_model(build().model(), "model")  # type: ignore[operator]
