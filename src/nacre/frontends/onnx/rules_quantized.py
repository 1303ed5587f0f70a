"""QuantizeLinear and DequantizeLinear."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.scales import codes_of, real_values
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, axis_of
from nacre.frontends.onnx.tensors import DTYPES, type_name
from nacre.ir import Array, DType, Quantization, Shape, Tensor
from nacre.ops.add import Add, Sub
from nacre.ops.cast import Cast
from nacre.ops.div import Div
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.quantize import Dequantize, Quantize
from nacre.ops.reshape import Reshape
from nacre.ops.unary import Round

FLOAT32 = DType.FLOAT32
# uint16 tensors are kept as int16, their zero points lower by as much.
HALF_16 = 1 << 15


def _dequantize_linear(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    pair = (source.input(1), source.optional(2))
    return (dequantized(source, emit, source.input(0), pair),)


def _quantize_linear(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, point = source.input(0), source.optional(2)
    if x.dtype is not FLOAT32:
        raise Refuse(f"the input is {x.dtype.value}; supported: float32")
    dtype = _target(source, point)
    return (quantized(source, emit, x, (source.input(1), point), dtype),)


def _target(source: OnnxSource, point: Tensor | None) -> DType:
    number = source.options.integer("output_dtype")
    dtype = point.dtype if point is not None else DTYPES.get(number) if number else DType.UINT8
    if dtype is None or dtype not in (*_STORED, DType.UINT16):
        found = type_name(number) if dtype is None else dtype.value
        raise Refuse(f"quantizes to {found}; supported: int8, uint8, int16, uint16")
    return dtype


# Types that quantized tensors have inside.
_STORED = (DType.INT8, DType.UINT8, DType.INT16)
# A scale and a zero point, None standing for 0.
Pair = tuple[Tensor, Tensor | None]


def scales_of(
    source: OnnxSource, pair: Pair, shape: Shape, axis: int | None = None
) -> Quantization | None:
    """Constant scales of a tensor; None where they are computed at run time."""
    if source.options.integer("block_size"):
        raise Refuse(f"block_size is {source.options.integer('block_size')}; supported: 0")
    scale, point = pair
    # Operators with scales of their own take halves too: no tensor is computed in them.
    halves = source.type not in QUANTIZERS and scale.dtype is DType.FLOAT16
    if scale.dtype is not FLOAT32 and not halves:
        raise Refuse(f"the scale is {scale.dtype.value}; supported: float32")
    if not scale.is_constant or (point is not None and not point.is_constant):
        if point is not None and point.dtype is DType.UINT16:
            raise Refuse("uint16 with a scale computed at run time; supported: constant scales")
        return None
    scales = tuple(float(s) for s in scale.constant.reshape(-1))
    points = (0,) if point is None else tuple(int(p) for p in point.constant.reshape(-1))
    if point is not None and point.dtype is DType.UINT16:
        points = tuple(p - HALF_16 for p in points)
    wrong = [s for s in scales if not s > 0 or not np.isfinite(s)]
    if wrong or not scales:
        found = f"a scale is {wrong[0]:g}" if wrong else "there is no scale"
        raise Refuse(f"{found}; supported: finite scales above 0")
    if len(points) not in (1, len(scales)):
        raise Refuse(f"{len(scales)} scales and {len(points)} zero points; supported: as many")
    if len(scales) == 1:
        return Quantization(scales, points)
    given = source.options.integer("axis", 1) if axis is None else axis
    along = axis_of(given, len(shape))
    if len(scale.shape) != 1 or len(scales) != shape[along]:
        found = f"scales {list(scale.shape)} for {list(shape)} along {along}"
        raise Refuse(f"{found}; supported: one, or one per channel")
    return Quantization(scales, points if len(points) > 1 else points * len(scales), along)


def dequantized(
    source: OnnxSource, emit: Emitter, x: Tensor, pair: Pair, axis: int | None = None
) -> Tensor:
    """scale * (x - zero point); with scales per channel along `axis`, or the node's own."""
    _check_types(x, pair[1])
    q = scales_of(source, pair, x.shape, axis)
    if q is None:
        return _dequantized_slowly(emit, x, *pair)
    if x.is_constant:
        codes = x.constant.astype(np.int64) - (HALF_16 if x.dtype is DType.UINT16 else 0)
        return emit.constant(real_values(codes, q), x, q)
    if x.dtype in _STORED and not q.per_channel:
        return emit.one(Dequantize(), (with_scales(emit, x, q),), FLOAT32)
    if x.dtype not in (*_STORED, DType.INT32):
        raise Refuse(f"the input is {x.dtype.value}; supported: int8, uint8, int16, int32")
    return _dequantized_slowly(emit, x, *(_along(emit, t, q, len(x.shape)) for t in _parts(q)))


def _check_types(x: Tensor, point: Tensor | None) -> None:
    if point is not None and _stored(point.dtype) is not _stored(x.dtype):
        found = f"{x.dtype.value} with a zero point of {point.dtype.value}"
        raise Refuse(f"the input is {found}; supported: of one type")


def _parts(q: Quantization) -> tuple[Array, Array]:
    return np.array(q.scales, np.float32), np.array(q.zero_points, np.float32)


def _along(emit: Emitter, values: Array, q: Quantization, rank: int) -> Tensor:
    """Scales or zero points in the shape that stretches to a tensor."""
    if values.size == 1:
        return emit.constant(values.reshape(()))
    return emit.constant(values.reshape([-1 if d == q.axis else 1 for d in range(rank)]))


def _dequantized_slowly(emit: Emitter, x: Tensor, scale: Tensor, point: Tensor | None) -> Tensor:
    real = as_float(emit, x)
    if point is not None and not (point.is_constant and not point.constant.any()):
        real = emit.one(Sub(), (real, as_float(emit, point)))
    return emit.one(Mul(), (real, scale))


def as_float(emit: Emitter, x: Tensor) -> Tensor:
    return x if x.dtype is FLOAT32 else emit.one(Cast(), (x,), FLOAT32)


def with_scales(emit: Emitter, x: Tensor, q: Quantization) -> Tensor:
    """The tensor under these scales: nothing else changes."""
    return x if x.quantization == q else emit.one(Reshape(x.shape), (x,), x.dtype, q)


def quantized(source: OnnxSource, emit: Emitter, x: Tensor, pair: Pair, dtype: DType) -> Tensor:
    """round(x / scale) + zero point."""
    q, stored = scales_of(source, pair, x.shape), _stored(dtype)
    if q is None:
        return quantized_slowly(emit, x, *pair, stored)
    if x.is_constant:
        codes = codes_of(x.constant, q, *stored.range).astype(stored.numpy)
        return emit.constant(codes, x, q)
    if not q.per_channel:
        return emit.one(Quantize(to_even=True), (x,), stored, q)
    scale, point = (_along(emit, t, q, len(x.shape)) for t in _parts(q))
    return quantized_slowly(emit, x, scale, point, stored)


def _stored(dtype: DType) -> DType:
    return DType.INT16 if dtype is DType.UINT16 else dtype


def quantized_slowly(
    emit: Emitter, x: Tensor, scale: Tensor, point: Tensor | None, dtype: DType
) -> Tensor:
    """With a scale that is computed at run time."""
    steps = emit.one(Round(), (emit.one(Div(), (x, scale)),))
    if point is not None:
        steps = emit.one(Add(), (steps, as_float(emit, point)))
    # The scale 1 leaves whole numbers alone: this is a cast that saturates.
    return emit.one(Quantize(), (steps,), dtype, Quantization((1.0,), (0,)))


QUANTIZERS: Mapping[str, OnnxKind] = {
    "QuantizeLinear": OnnxKind(
        _quantize_linear, "float32 to int8, uint8, int16, uint16; per tensor, constants per axis"
    ),
    "DequantizeLinear": OnnxKind(
        _dequantize_linear, "int8, uint8, int16, uint16, int32; per tensor or per axis, no blocks"
    ),
}
