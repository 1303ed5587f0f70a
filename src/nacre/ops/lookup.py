"""Tables that are computed at compile time: shared constants, 8-bit functions of one value."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from nacre.ir import Array, DType, Tensor, TensorKind
from nacre.ops.fixedpoint import quantize_multiplier, requantize, rounding_divide_by_pot

# Real numbers to real numbers; int32 fixed point to int32 fixed point.
Function: TypeAlias = Callable[[Array], Array]


def shared_table(name: str, data: Array) -> Tensor:
    """A constant that operators with the same table share: its id follows from the content."""
    content = np.ascontiguousarray(data)
    digest = hashlib.sha256(content.tobytes()).hexdigest()[:8]
    return Tensor(
        f"table.{name}.{digest}", f"{name} table", content.shape, DType(content.dtype.name),
        TensorKind.CONSTANT, data=content,
    )  # fmt: skip


def codes(dtype: DType) -> Array:
    """All values of an 8-bit type, in the order of a table: by the byte that holds them."""
    return np.arange(256, dtype=np.uint8).view(dtype.numpy).astype(np.int64)


def float_table(x: Tensor, y: Tensor, function: Function) -> Array:
    """Dequantize, apply, quantize again in float32 (LiteRT)."""
    real = np.float32(x.q.scale) * (codes(x.dtype) - x.q.zero_point).astype(np.float32)
    value = function(real.astype(np.float64)).astype(np.float32)
    scaled = (value * (np.float32(1) / np.float32(y.q.scale))).astype(np.float64)
    rounded = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled) + y.q.zero_point
    low, high = y.dtype.range
    # Where the function has no value, like the logarithm of -1: the smallest, as there.
    known = np.where(np.isnan(rounded), low, rounded)
    table: Array = np.clip(known, low, high).astype(y.dtype.numpy)
    return table


def fixed_table(x: Tensor, y: Tensor, function: Function, output_bits: int, offset: int) -> Array:
    """Apply a fixed-point function from Q4.27 to Q0.31 (TFLite Micro)."""
    centred = codes(x.dtype) - x.q.zero_point
    multiplier, shift = quantize_multiplier(x.q.scale * (1 << 27))
    radius = input_radius(4, math.frexp(x.q.scale * (1 << 27))[1])
    inside = np.clip(centred, 1 - radius, radius - 1)
    value = function(requantize(inside, multiplier, shift))
    low, high = y.dtype.range
    result = np.clip(rounding_divide_by_pot(value, 31 - output_bits) + offset, low, high)
    result = np.where(centred <= -radius, low, np.where(centred >= radius, high, result))
    return result.astype(y.dtype.numpy)


def input_radius(integer_bits: int, left_shift: int) -> int:
    """How far an input may be from zero before its rescaled value leaves the fixed-point range."""
    largest = ((1 << integer_bits) - 1) * (1 << (31 - integer_bits))
    return int(largest // 2**left_shift)
