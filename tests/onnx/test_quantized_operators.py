"""Operators with scales of their own (QLinearConv, QLinearAdd, ...) against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from quantized_models import Builder, Scale, check, real_operators, weights

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import import_model

TYPES = ("int8", "uint8")
MICROSOFT = "com.microsoft"


def scale(real: float, offset: int, dtype: str) -> Scale:
    return Scale(real, offset + (128 if dtype == "uint8" else 0), dtype)


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def biases(count: int) -> np.ndarray:
    return np.random.default_rng(3).integers(-700, 700, count).astype(np.int32)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("groups", [1, 4])
def test_qlinear_conv(dtype: str, per_channel: bool, bias: bool, groups: int) -> None:
    made, x, y = Builder(), scale(0.03, 4, dtype), scale(0.2, -5, dtype)
    w = Scale(np.linspace(0.005, 0.02, 4) if per_channel else 0.01)
    inputs = [made.quantize(made.input("x", 1, 4, 6, 6), x), *made.scales(x)]
    inputs += [made.constant(weights((4, 4 // groups, 3, 3), w), "w"), *made.scales(w)]
    inputs += [*made.scales(y), *([made.constant(biases(4), "b")] if bias else [])]
    result = made.node("QLinearConv", inputs, group=groups, pads=[1, 1, 1, 1])
    made.output(made.dequantize(result, y))
    check(made.model(), [noise(1, 4, 6, 6)])


@pytest.mark.parametrize("dtype", TYPES)
# ONNX Runtime has scales per column for constants alone.
@pytest.mark.parametrize(("per_column", "constant"), [(False, False), (False, True), (True, True)])
def test_qlinear_matmul(dtype: str, per_column: bool, constant: bool) -> None:
    made, a, y = Builder(), scale(0.03, 4, dtype), scale(0.07, -5, dtype)
    b = Scale(np.linspace(0.005, 0.02, 6)) if per_column else scale(0.01, 0, dtype)
    samples = [noise(5, 8)]
    inputs = [made.quantize(made.input("a", 5, 8), a), *made.scales(a)]
    if constant:
        inputs.append(made.constant(weights((8, 6), b), "w"))
    else:
        inputs.append(made.quantize(made.input("b", 8, 6), b))
        samples.append(noise(8, 6, seed=1))
    result = made.node("QLinearMatMul", [*inputs, *made.scales(b), *made.scales(y)])
    made.output(made.dequantize(result, y))
    check(made.model(), samples)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("type", ["QLinearAdd", "QLinearMul"])
@pytest.mark.parametrize("shape", [(1, 4, 5, 5), (4, 1, 1)])
def test_qlinear_of_two(dtype: str, type: str, shape: tuple[int, ...]) -> None:
    made, a, b = Builder(), scale(0.03, 4, dtype), scale(0.01, -9, dtype)
    y = scale(0.04, 2, dtype)
    inputs = [made.quantize(made.input("a", 1, 4, 5, 5), a), *made.scales(a)]
    inputs += [made.quantize(made.input("b", *shape), b), *made.scales(b), *made.scales(y)]
    made.output(made.dequantize(made.node(type, inputs, MICROSOFT), y))
    check(made.model(), [noise(1, 4, 5, 5), noise(*shape, seed=1)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("type", "options"),
    [
        ("QLinearAveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
        ("QLinearAveragePool", {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}),
        ("QLinearGlobalAveragePool", {}),
        ("QLinearSigmoid", {}),
        ("QLinearLeakyRelu", {"alpha": 0.2}),
        ("QLinearSoftmax", {"axis": -1, "opset": 17}),
        ("QLinearSoftmax", {"axis": 1, "opset": 12}),
    ],
)
def test_qlinear_of_one(dtype: str, type: str, options: dict[str, object]) -> None:
    made, x, y = Builder(), scale(0.03, 4, dtype), scale(0.011, -60, dtype)
    inputs = [made.quantize(made.input("x", 1, 4, 6, 6), x), *made.scales(x), *made.scales(y)]
    made.output(made.dequantize(made.node(type, inputs, MICROSOFT, **options), y))
    check(made.model(), [noise(1, 4, 6, 6)])


@pytest.mark.parametrize("dtype", TYPES)
def test_qlinear_concat(dtype: str) -> None:
    made, a, b = Builder(), scale(0.03, 4, dtype), scale(0.02, -4, dtype)
    inputs = [*made.scales(a), made.quantize(made.input("a", 1, 3, 4, 4), a), *made.scales(a)]
    inputs += [made.quantize(made.input("b", 1, 2, 4, 4), b), *made.scales(b)]
    made.output(made.dequantize(made.node("QLinearConcat", inputs, MICROSOFT, axis=1), a))
    check(made.model(), [noise(1, 3, 4, 4), noise(1, 2, 4, 4, seed=1)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("turned", [0, 1])
@pytest.mark.parametrize("per_column", [False, True])
def test_qgemm(dtype: str, turned: int, per_column: bool) -> None:
    made, a, y = Builder(), scale(0.03, 4, dtype), scale(0.07, -5, dtype)
    b = Scale(np.linspace(0.005, 0.02, 6) if per_column else 0.01)
    inputs = [made.quantize(made.input("a", 3, 8), a), *made.scales(a)]
    inputs += [made.constant(weights((6, 8) if turned else (8, 6), b), "w"), *made.scales(b)]
    inputs += [made.constant(biases(6), "b"), *made.scales(y)]
    made.output(made.dequantize(made.node("QGemm", inputs, MICROSOFT, transB=turned), y))
    check(made.model(), [noise(3, 8)])


def test_pool_of_stored_values() -> None:
    """Between operators with scales, others work on the codes."""
    made, x = Builder(), scale(0.03, 4, "uint8")
    codes = made.quantize(made.input("x", 1, 4, 6, 6), x)
    pooled = made.node("MaxPool", [codes], kernel_shape=[2, 2], strides=[2, 2])
    turned = made.node("Transpose", [pooled], perm=[0, 2, 3, 1])
    made.output(made.dequantize(turned, x))
    graph = check(made.model(), [noise(1, 4, 6, 6)], steps=0)
    assert {graph.tensors[o.outputs[0]].dtype.value for o in graph.operators} == {"int8", "float32"}


# --- sums of integers -----------------------------------------------------------------------------


@pytest.mark.parametrize("points", [False, True])
def test_matmul_integer(points: bool) -> None:
    made = Builder()
    a, b = weights((5, 8), Scale(1.0, 0, "uint8")), weights((8, 6), Scale(1.0), seed=2)
    inputs = [made.input("a", 5, 8, dtype="uint8"), made.constant(b)]
    if points:
        inputs += [made.constant(np.uint8(120)), made.constant(np.int8(3))]
    made.output(made.node("MatMulInteger", inputs), "int32")
    check(made.model(), [a], pure=False, steps=0)


@pytest.mark.parametrize("points", [False, True])
def test_conv_integer(points: bool) -> None:
    made = Builder()
    x = weights((1, 3, 6, 6), Scale(1.0, 0, "uint8"))
    w = weights((4, 3, 3, 3), Scale(1.0, 0, "uint8"), seed=2)
    inputs = [made.input("x", 1, 3, 6, 6, dtype="uint8"), made.constant(w)]
    if points:
        inputs += [made.constant(np.uint8(120)), made.constant(np.uint8(130))]
    made.output(made.node("ConvInteger", inputs, pads=[1, 1, 0, 0]), "int32")
    check(made.model(), [x], pure=False, steps=0)


def test_dynamic_quantization() -> None:
    """What quantizing the weights alone makes of a layer."""
    made, w = Builder(), Scale(0.01)
    x = made.input("x", 4, 8)
    made.nodes.append(_dynamic(x))
    product = made.node("MatMulInteger", ["codes", made.constant(weights((8, 6), w), "w"), "point"])
    factor = made.node("Mul", ["scale", made.constant(np.float32(0.01))])
    real = made.node("Cast", [product], to=1)
    made.output(made.node("Mul", [real, factor]))
    graph = check(made.model(), [noise(4, 8)], pure=False)
    assert "FULLY_CONNECTED" in real_operators(graph)


def _dynamic(x: str):
    from onnx import helper

    return helper.make_node("DynamicQuantizeLinear", [x], ["codes", "scale", "point"])


def test_scale_computed_at_run_time() -> None:
    made = Builder()
    x, s = made.input("x", 3, 7), made.input("s")
    codes = made.node("QuantizeLinear", [x, s, made.constant(np.int8(3))])
    made.output(codes, "int8")
    made.output(made.node("DequantizeLinear", [codes, s, "c0"]))
    check(made.model(), [noise(3, 7), np.array(0.05, np.float32)], pure=False, steps=0)


def test_channels_last_is_refused() -> None:
    made, x = Builder(), scale(0.03, 4, "uint8")
    inputs = [made.quantize(made.input("x", 1, 4, 4, 3), x), *made.scales(x), *made.scales(x)]
    made.output(made.node("QLinearGlobalAveragePool", inputs, MICROSOFT, channels_last=1), "uint8")
    with pytest.raises(RefusedModel, match="channels_last is 1; supported: 0"):
        import_model(made.model(), "model")
