"""Functions of one value: activations and the rest."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from nacre.frontends.onnx.rules_elementwise import aligned
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, Rule
from nacre.ir import Attributes, DType, Tensor
from nacre.ops.activations import Elu, Gelu, HardSwish
from nacre.ops.add import Add, Sub
from nacre.ops.binary import Maximum, Minimum
from nacre.ops.compare import Equal, Greater, NotEqual
from nacre.ops.div import Div
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.relu import LeakyRelu, Prelu, Relu, Relu0To1, Relu6, ReluN1To1
from nacre.ops.reshape import Reshape
from nacre.ops.select import SelectV2
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.trigonometric import Acos, Acosh, Asin, Asinh, Atan, Atanh, Cosh, Sinh, Tan
from nacre.ops.unary import (
    Abs,
    Ceil,
    Cos,
    Erf,
    Exp,
    Floor,
    Log,
    LogicalNot,
    Neg,
    Round,
    Sign,
    Sin,
    Sqrt,
)


def _unary(kind: Attributes) -> Rule:
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        return (emit.one(kind, (source.input(0),)),)

    return rule


def _made(build: Callable[[OnnxSource, Emitter, Tensor], Tensor]) -> Rule:
    """A function that is made of others."""

    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        return (build(source, emit, source.input(0)),)

    return rule


def _times(emit: Emitter, x: Tensor, factor: float) -> Tensor:
    return x if factor == 1.0 else emit.one(Mul(), (x, emit.like(factor, x)))


def _plus(emit: Emitter, x: Tensor, term: float) -> Tensor:
    return emit.one(Add(), (x, emit.like(term, x)))


# Limits that have operators of their own.
_CLAMPS: Mapping[tuple[float, float], Attributes] = {
    (0.0, math.inf): Relu(),
    (0.0, 6.0): Relu6(),
    (-1.0, 1.0): ReluN1To1(),
    (0.0, 1.0): Relu0To1(),
}


def _clip(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    if source.opset < 11:
        low = source.options.real("min", -math.inf)
        high = source.options.real("max", math.inf)
        return clamped(emit, x, low, high)
    bounds = [source.optional(1), source.optional(2)]
    if all(b is None or b.is_constant for b in bounds):
        low, high = (
            default if b is None else b.constant.reshape(-1)[0].item()
            for b, default in zip(bounds, (-math.inf, math.inf), strict=True)
        )
        return clamped(emit, x, low, high)
    for bound, kind in zip(bounds, (Maximum(), Minimum()), strict=True):
        x = x if bound is None else emit.one(kind, (x, bound))
    return x


def clamped(emit: Emitter, x: Tensor, low: float, high: float) -> Tensor:
    """min(max(x, low), high)."""
    if x.dtype is DType.FLOAT32 and (low, high) in _CLAMPS:
        return emit.one(_CLAMPS[low, high], (x,))
    least, most = _range(x.dtype)
    result = x
    if low > least:
        result = emit.one(Maximum(), (result, emit.like(low, x)))
    if high < most:
        result = emit.one(Minimum(), (result, emit.like(high, x)))
    return emit.one(Reshape(x.shape), (x,)) if result is x else result


def _range(dtype: DType) -> tuple[float, float]:
    if dtype.numpy.kind != "f":
        return dtype.range
    largest = float(np.finfo(dtype.numpy).max)
    return -largest, largest


def _hard_sigmoid(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    scaled = _times(emit, x, source.options.real("alpha", 0.2))
    return emit.one(Relu0To1(), (_plus(emit, scaled, source.options.real("beta", 0.5)),))


def _elu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return _bent(emit, x, source.options.real("alpha", 1.0))


def _bent(emit: Emitter, x: Tensor, alpha: float) -> Tensor:
    """x where it is positive, else alpha * (exp(x) - 1)."""
    if alpha == 1.0:
        return emit.one(Elu(), (x,))
    negative = emit.one(Minimum(), (x, emit.like(0, x)))
    below = _times(emit, emit.one(Elu(), (negative,)), alpha)
    return emit.one(Add(), (emit.one(Relu(), (x,)), below))


def _selu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    alpha = source.options.real("alpha", 1.6732632423543772)
    return _times(emit, _bent(emit, x, alpha), source.options.real("gamma", 1.0507009873554805))


def _celu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    alpha = source.options.real("alpha", 1.0)
    negative = _times(emit, emit.one(Minimum(), (x, emit.like(0, x))), 1 / alpha)
    below = _times(emit, emit.one(Elu(), (negative,)), alpha)
    return emit.one(Add(), (emit.one(Relu(), (x,)), below))


def _leaky_relu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(LeakyRelu(source.options.real("alpha", 0.01)), (x,))


def _thresholded(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    limit = emit.like(source.options.real("alpha", 1.0), x)
    above = emit.one(Greater(), (x, limit), DType.BOOL)
    return emit.one(SelectV2(), (above, x, emit.like(0, x)), x.dtype)


def _prelu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(Prelu(), aligned(emit, (x, source.input(1))))


def _gelu(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    kind = source.options.text("approximate") or "none"
    if kind not in ("none", "tanh"):
        raise Refuse(f"approximate is {kind!r}; supported: none, tanh")
    return emit.one(Gelu(kind == "tanh"), (x,))


def _softplus(_: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    """max(x, 0) + log(1 + exp(-|x|)): nothing overflows."""
    small = emit.one(Exp(), (emit.one(Neg(), (emit.one(Abs(), (x,)),)),))
    return emit.one(Add(), (emit.one(Relu(), (x,)), emit.one(Log(), (_plus(emit, small, 1.0),))))


def _softsign(_: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(Div(), (x, _plus(emit, emit.one(Abs(), (x,)), 1.0)))


def _mish(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(Mul(), (x, emit.one(Tanh(), (_softplus(source, emit, x),))))


def _swish(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    gate = emit.one(Logistic(), (_times(emit, x, source.options.real("alpha", 1.0)),))
    return emit.one(Mul(), (x, gate))


def _reciprocal(_: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(Div(), (emit.like(1, x), x))


def _shrink(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    """x + bias below -lambd, x - bias above lambd, else 0."""
    limit, bias = source.options.real("lambd", 0.5), source.options.real("bias", 0.0)
    above = emit.one(Greater(), (x, emit.like(limit, x)), DType.BOOL)
    below = emit.one(Greater(), (emit.like(-limit, x), x), DType.BOOL)
    zero, offset = emit.like(0, x), emit.like(bias, x)
    low = emit.one(SelectV2(), (below, emit.one(Add(), (x, offset)), zero), x.dtype)
    return emit.one(SelectV2(), (above, emit.one(Sub(), (x, offset)), low), x.dtype)


def _is_nan(_: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    return emit.one(NotEqual(), (x, x), DType.BOOL)


def _is_infinite(source: OnnxSource, emit: Emitter, x: Tensor) -> Tensor:
    signs = [
        s for s, word in ((1, "positive"), (-1, "negative"))
        if source.options.integer(f"detect_{word}", 1)
    ]  # fmt: skip
    if not signs:
        return emit.one(NotEqual(), (x, x), DType.BOOL)
    value = x if len(signs) == 1 else emit.one(Abs(), (x,))
    return emit.one(Equal(), (value, emit.like(signs[0] * math.inf, x)), DType.BOOL)


_REAL = "float32"
UNARY: Mapping[str, OnnxKind] = {
    "Relu": OnnxKind(_unary(Relu()), _REAL),
    "Sigmoid": OnnxKind(_unary(Logistic()), _REAL),
    "Tanh": OnnxKind(_unary(Tanh()), _REAL),
    "HardSwish": OnnxKind(_unary(HardSwish()), _REAL),
    "Abs": OnnxKind(_unary(Abs()), "float32, int32, int64"),
    "Neg": OnnxKind(_unary(Neg()), "float32, int32, int64"),
    "Sign": OnnxKind(_unary(Sign()), "float32, int32"),
    "Sqrt": OnnxKind(_unary(Sqrt()), _REAL),
    "Exp": OnnxKind(_unary(Exp()), _REAL),
    "Log": OnnxKind(_unary(Log()), _REAL),
    "Sin": OnnxKind(_unary(Sin()), _REAL),
    "Cos": OnnxKind(_unary(Cos()), _REAL),
    "Erf": OnnxKind(_unary(Erf()), _REAL),
    "Tan": OnnxKind(_unary(Tan()), _REAL),
    "Asin": OnnxKind(_unary(Asin()), _REAL),
    "Acos": OnnxKind(_unary(Acos()), _REAL),
    "Atan": OnnxKind(_unary(Atan()), _REAL),
    "Sinh": OnnxKind(_unary(Sinh()), _REAL),
    "Cosh": OnnxKind(_unary(Cosh()), _REAL),
    "Asinh": OnnxKind(_unary(Asinh()), _REAL),
    "Acosh": OnnxKind(_unary(Acosh()), _REAL),
    "Atanh": OnnxKind(_unary(Atanh()), _REAL),
    "IsNaN": OnnxKind(_made(_is_nan), _REAL),
    "IsInf": OnnxKind(_made(_is_infinite), _REAL),
    "Floor": OnnxKind(_unary(Floor()), _REAL),
    "Ceil": OnnxKind(_unary(Ceil()), _REAL),
    "Round": OnnxKind(_unary(Round()), _REAL),
    "Not": OnnxKind(_unary(LogicalNot()), "bool"),
    "Clip": OnnxKind(_made(_clip), "float32 and integers; constant or computed limits"),
    "HardSigmoid": OnnxKind(_made(_hard_sigmoid), _REAL),
    "Elu": OnnxKind(_made(_elu), _REAL),
    "Selu": OnnxKind(_made(_selu), _REAL),
    "Celu": OnnxKind(_made(_celu), _REAL),
    "LeakyRelu": OnnxKind(_made(_leaky_relu), _REAL),
    "ThresholdedRelu": OnnxKind(_made(_thresholded), _REAL),
    "PRelu": OnnxKind(_made(_prelu), _REAL),
    "Gelu": OnnxKind(_made(_gelu), "float32, exact or by tanh"),
    "Softplus": OnnxKind(_made(_softplus), _REAL),
    "Softsign": OnnxKind(_made(_softsign), _REAL),
    "Mish": OnnxKind(_made(_mish), _REAL),
    "Swish": OnnxKind(_made(_swish), _REAL),
    "Reciprocal": OnnxKind(_made(_reciprocal), _REAL),
    "Shrink": OnnxKind(_made(_shrink), _REAL),
}
