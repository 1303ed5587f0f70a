"""Functions of one, two or three values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from nacre.frontends.onnx.layout import reshaped
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, Rule
from nacre.frontends.onnx.tensors import DTYPES, TYPES, type_name
from nacre.ir import Attributes, DType, Tensor
from nacre.ops.add import Add, Sub
from nacre.ops.binary import FloorMod, LogicalAnd, LogicalOr, Maximum, Minimum, Pow
from nacre.ops.cast import Cast
from nacre.ops.compare import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from nacre.ops.div import Div
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.reshape import Reshape
from nacre.ops.select import SelectV2
from nacre.ops.unary import Abs, Sign, Sqrt, Square


def aligned(emit: Emitter, inputs: Sequence[Tensor]) -> tuple[Tensor, ...]:
    """Inputs of one rank, so that each dimension has a place of its own; scalars stay."""
    rank = max(len(t.shape) for t in inputs)
    return tuple(
        t
        if t.elements == 1 or len(t.shape) == rank
        else reshaped(emit, t, *(1,) * (rank - len(t.shape)), *t.shape)
        for t in inputs
    )


def _binary(kind: Attributes, dtype: DType | None = None) -> Rule:
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        a, b = aligned(emit, (source.input(0), source.input(1)))
        return (emit.one(kind, (a, b), dtype),)

    return rule


def _variadic(kind: Attributes, mean: bool = False) -> Rule:
    """Pairs from the left."""

    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        result = source.input(0)
        for index in range(1, len(source.inputs)):
            result = emit.one(kind, aligned(emit, (result, source.input(index))))
        if mean and len(source.inputs) > 1:
            result = emit.one(Mul(), (result, emit.like(1 / len(source.inputs), result)))
        return (result,)

    return rule


def _divide(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    a, b = aligned(emit, (source.input(0), source.input(1)))
    if a.dtype is DType.FLOAT32 and b.is_constant and _is_power_of_two(b):
        return (emit.one(Mul(), (a, emit.constant(1 / b.constant, b))),)
    return (emit.one(Div(), (a, b)),)


def _is_power_of_two(b: Tensor) -> bool:
    """Dividing by it is multiplying by its inverse, bit for bit."""
    mantissa, exponent = np.frexp(b.constant)
    return bool((np.abs(mantissa) == 0.5).all() and (np.abs(exponent) < 100).all())


def _power(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    a, b = source.input(0), source.input(1)
    if (
        b.is_constant
        and b.elements == 1
        and a.dtype is DType.FLOAT32
        and len(b.shape) <= len(a.shape)
    ):
        exponent = float(b.constant.reshape(-1)[0])
        if exponent in (1.0, 2.0, 0.5):
            kinds = {1.0: Reshape(a.shape), 2.0: Square(), 0.5: Sqrt()}
            return (emit.one(kinds[exponent], (a,)),)
    if b.dtype is not a.dtype:
        b = emit.one(Cast(), (b,), a.dtype)
    return (emit.one(Pow(), aligned(emit, (a, b))),)


def _modulo(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """With fmod the remainder has the sign of the dividend."""
    a, b = aligned(emit, (source.input(0), source.input(1)))
    if not source.options.integer("fmod"):
        return (emit.one(FloorMod(), (a, b)),)
    if a.dtype is DType.FLOAT32:
        rest = emit.one(FloorMod(), (emit.one(Abs(), (a,)), emit.one(Abs(), (b,))))
        return (emit.one(Mul(), (emit.one(Sign(), (a,)), rest)),)
    quotient = emit.one(Div(), (a, b))
    return (emit.one(Sub(), (a, emit.one(Mul(), (quotient, b)))),)


def _where(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    inputs = aligned(emit, tuple(source.input(i) for i in range(3)))
    return (emit.one(SelectV2(), inputs, inputs[1].dtype),)


def _cast(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    number = source.options.integer("to")
    dtype = source.input(1).dtype if source.type == "CastLike" else DTYPES.get(number)
    if dtype is None:
        raise Refuse(f"casts to {type_name(number)}; supported: {TYPES}")
    return (emit.one(Reshape(x.shape) if dtype is x.dtype else Cast(), (x,), dtype),)


def _xor(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    a, b = aligned(emit, (source.input(0), source.input(1)))
    return (emit.one(NotEqual(), (a, b)),)


_NUMBERS = "float32, int32, int64; broadcasting over up to 6 dimensions"
BINARY: Mapping[str, OnnxKind] = {
    "Add": OnnxKind(_binary(Add()), _NUMBERS),
    "Sub": OnnxKind(_binary(Sub()), _NUMBERS),
    "Mul": OnnxKind(_binary(Mul()), _NUMBERS),
    "Div": OnnxKind(_divide, _NUMBERS),
    "Pow": OnnxKind(_power, "float32, int32"),
    "Mod": OnnxKind(_modulo, "float32, int32, int64; either sign"),
    "Min": OnnxKind(_variadic(Minimum()), "any number of inputs"),
    "Max": OnnxKind(_variadic(Maximum()), "any number of inputs"),
    "Sum": OnnxKind(_variadic(Add()), "any number of inputs"),
    "Mean": OnnxKind(_variadic(Add(), mean=True), "any number of inputs"),
    "And": OnnxKind(_binary(LogicalAnd()), "bool"),
    "Or": OnnxKind(_binary(LogicalOr()), "bool"),
    "Xor": OnnxKind(_xor, "bool"),
    "Equal": OnnxKind(_binary(Equal(), DType.BOOL), _NUMBERS),
    "Greater": OnnxKind(_binary(Greater(), DType.BOOL), _NUMBERS),
    "GreaterOrEqual": OnnxKind(_binary(GreaterEqual(), DType.BOOL), _NUMBERS),
    "Less": OnnxKind(_binary(Less(), DType.BOOL), _NUMBERS),
    "LessOrEqual": OnnxKind(_binary(LessEqual(), DType.BOOL), _NUMBERS),
    "Where": OnnxKind(_where, "every element type; broadcasting over up to 6 dimensions"),
    "Cast": OnnxKind(_cast, "bool, integers and float32 among each other"),
    "CastLike": OnnxKind(_cast, "bool, integers and float32 among each other"),
}
