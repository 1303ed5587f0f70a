"""Operators that come with scales of their own: QLinearConv, QLinearMatMul, QLinearAdd, ...

Each becomes the plain operator between DEQUANTIZE and QUANTIZE, as other files spell it out;
`quantized.py` then folds both forms into integer operators.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from nacre.frontends.onnx.layout import reshaped
from nacre.frontends.onnx.rules_activation import UNARY
from nacre.frontends.onnx.rules_convolution import CONVOLUTIONS
from nacre.frontends.onnx.rules_elementwise import BINARY
from nacre.frontends.onnx.rules_matmul import PRODUCTS
from nacre.frontends.onnx.rules_pooling import POOLS
from nacre.frontends.onnx.rules_quantized import (
    QUANTIZERS,
    as_float,
    dequantized,
    quantized,
    quantized_slowly,
)
from nacre.frontends.onnx.rules_reduction import ALONG_AXES
from nacre.frontends.onnx.rules_shape import MOVES
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, Rule
from nacre.ir import DType, Quantization, Tensor
from nacre.ops.add import Sub
from nacre.ops.binary import Maximum, Minimum
from nacre.ops.cast import Cast
from nacre.ops.compare import Equal
from nacre.ops.div import Div
from nacre.ops.kind import Refuse
from nacre.ops.quantize import Quantize
from nacre.ops.reduce import ReduceMax, ReduceMin
from nacre.ops.select import SelectV2

FLOAT32, UINT8, INT32 = DType.FLOAT32, DType.UINT8, DType.INT32
PLAIN: Mapping[str, OnnxKind] = {
    **CONVOLUTIONS, **PRODUCTS, **BINARY, **UNARY, **POOLS, **MOVES, **ALONG_AXES,
}  # fmt: skip


@dataclass(frozen=True)
class Triple:
    """Positions of a tensor, its scale and its zero point; scales per channel run along `axis`."""

    tensor: int
    axis: int = 0

    def read(self, source: OnnxSource, emit: Emitter) -> Tensor:
        x, scale = source.input(self.tensor), source.input(self.tensor + 1)
        return dequantized(source, emit, x, (scale, source.optional(self.tensor + 2)), self.axis)


def _plain(source: OnnxSource, emit: Emitter, type: str, inputs: Sequence[Tensor | None]) -> Tensor:
    """What the operator of real numbers makes of these."""
    if source.options.integer("channels_last"):
        raise Refuse("channels_last is 1; supported: 0")
    node = replace(source.node, type=type)
    (y,) = PLAIN[type].rule(replace(source, node=node, inputs=tuple(inputs)), emit)
    return y


def _written(source: OnnxSource, emit: Emitter, y: Tensor, scale: int, x: Tensor) -> Tensor:
    """Quantized by the scale at a position; of x's type where there is no zero point."""
    point = source.optional(scale + 1)
    dtype = x.dtype if point is None else point.dtype
    return quantized(source, emit, y, (source.input(scale), point), dtype)


def _between(type: str, *reads: Triple) -> Rule:
    """Inputs with their scales first, the scale of the output after them."""

    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        inputs = [triple.read(source, emit) for triple in reads]
        y = _plain(source, emit, type, inputs)
        return (_written(source, emit, y, 3 * len(reads), source.input(0)),)

    return rule


def _bias(source: OnnxSource, emit: Emitter, index: int, factor: float = 1.0) -> Tensor | None:
    """An int32 bias in real numbers: its steps are those of input times weights."""
    bias = source.optional(index)
    if bias is None:
        return None
    if not bias.is_constant:
        raise Refuse("the bias is computed at run time; supported: a constant")
    x, w = (source.constant(i, "a scale").astype(np.float64).reshape(-1) for i in (1, 4))
    return emit.constant((bias.constant * (factor * x * w)).astype(np.float32), bias)


def _conv(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    inputs = (*(Triple(i).read(source, emit) for i in (0, 3)), _bias(source, emit, 8))
    y = _plain(source, emit, "Conv", inputs)
    return (_written(source, emit, y, 6, source.input(0)),)


def _gemm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    turned = bool(source.options.integer("transB"))
    bias = _bias(source, emit, 6, source.options.real("alpha", 1.0))
    inputs = (Triple(0).read(source, emit), Triple(3, 0 if turned else 1).read(source, emit), bias)
    y = _plain(source, emit, "Gemm", inputs)
    if source.optional(7) is None:
        return (y,)
    return (_written(source, emit, y, 7, source.input(0)),)


def _concat(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    parts = [Triple(i).read(source, emit) for i in range(2, len(source.inputs), 3)]
    y = _plain(source, emit, "Concat", parts)
    return (_written(source, emit, y, 0, source.input(2)),)


def _softmax(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    opset = source.options.integer("opset", source.opset)
    x = Triple(0).read(source, emit)
    y = _plain(replace(source, opset=opset), emit, "Softmax", (x,))
    return (_written(source, emit, y, 3, source.input(0)),)


# --- sums of integers -----------------------------------------------------------------------------


def _centred(source: OnnxSource, emit: Emitter, index: int, rows: bool) -> Tensor:
    """An input minus its zero point, in real numbers; a list of points has one per row, or per
    column."""
    x, point = source.input(index), source.optional(index + 2)
    real = as_float(emit, x)
    if point is None:
        return real
    if rows and point.elements > 1:
        point = reshaped(emit, point, point.elements, *(1,) * (len(x.shape) - 1))
    return emit.one(Sub(), (real, as_float(emit, point)))


def _matmul_integer(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = _centred(source, emit, 0, len(source.input(0).shape) == 2)
    y = _plain(source, emit, "MatMul", (x, _centred(source, emit, 1, False)))
    return (emit.one(Cast(), (y,), INT32),)


def _conv_integer(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, w = _centred(source, emit, 0, False), _centred(source, emit, 1, True)
    return (emit.one(Cast(), (_plain(source, emit, "Conv", (x, w)),), INT32),)


def _dynamic_quantize(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """uint8 over the range that the tensor has, zero included."""
    x = source.input(0)
    axes, zero = tuple(range(len(x.shape))), emit.like(0, x)
    low = emit.one(Minimum(), (emit.one(ReduceMin(axes), (x,)), zero))
    high = emit.one(Maximum(), (emit.one(ReduceMax(axes), (x,)), zero))
    span = emit.one(Sub(), (high, low))
    flat = emit.one(Equal(), (span, zero), DType.BOOL)
    steps = emit.one(Div(), (span, emit.like(255, x)))
    scale = emit.one(SelectV2(), (flat, emit.like(1, x), steps), FLOAT32)
    exact = emit.one(Div(), (emit.one(Sub(), (zero, low)), scale))
    point = emit.one(Quantize(to_even=True), (exact,), UINT8, Quantization((1.0,), (0,)))
    return quantized_slowly(emit, x, scale, point, UINT8), scale, point


_BYTES = "int8, uint8; constant scales"
_CONTRIBUTED: Mapping[str, OnnxKind] = {
    "QLinearAdd": OnnxKind(_between("Add", Triple(0), Triple(3)), _BYTES),
    "QLinearMul": OnnxKind(_between("Mul", Triple(0), Triple(3)), _BYTES),
    "QLinearAveragePool": OnnxKind(
        _between("AveragePool", Triple(0)), f"{_BYTES}, channels second"
    ),
    "QLinearGlobalAveragePool": OnnxKind(
        _between("GlobalAveragePool", Triple(0)), f"{_BYTES}, channels second"
    ),
    "QLinearSigmoid": OnnxKind(_between("Sigmoid", Triple(0)), _BYTES),
    "QLinearLeakyRelu": OnnxKind(_between("LeakyRelu", Triple(0)), _BYTES),
    "QLinearConcat": OnnxKind(_concat, _BYTES),
    "QLinearSoftmax": OnnxKind(_softmax, _BYTES),
    "QGemm": OnnxKind(_gemm, f"{_BYTES}, scales of B per column too"),
    **QUANTIZERS,
}
QOPERATORS: Mapping[str, OnnxKind] = {
    "QLinearConv": OnnxKind(_conv, f"{_BYTES}, those of the weights per channel too; int32 bias"),
    "QLinearMatMul": OnnxKind(
        _between("MatMul", Triple(0), Triple(3, -1)), f"{_BYTES}, those of B per column too"
    ),
    "MatMulInteger": OnnxKind(_matmul_integer, "computed in float32"),
    "ConvInteger": OnnxKind(_conv_integer, "computed in float32; constant weights"),
    "DynamicQuantizeLinear": OnnxKind(_dynamic_quantize, "computed in float32"),
    **{f"com.microsoft.{name}": kind for name, kind in _CONTRIBUTED.items()},
}
