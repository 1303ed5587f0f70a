"""Fixed-point arithmetic of the integer kernels, in numpy, bit for bit.

real multiplier = multiplier * 2^(shift - 31), multiplier in [2^30, 2^31)

Results are rounded twice, as TFLite Micro does, or once where the shift is stored ONCE lower.
"""

from __future__ import annotations

import math

import numpy as np

from nacre.ir import Array, DType, Node, Tensor, TensorKind
from nacre.ops.kind import derived_id

INT32_MAX = (1 << 31) - 1
LEAST_SHIFT = -31
# So much lower a shift is stored where `requantize` rounds once.
ONCE = 64
# 64-bit accumulators are scaled by at most this power of two.
WIDEST_SHIFT = 7


def quantize_multiplier(real: float) -> tuple[int, int]:
    """Split a real multiplier into a 31-bit fraction and a power of two."""
    if real == 0.0:
        return 0, 0
    if not math.isfinite(real):
        return INT32_MAX, 30
    fraction, shift = math.frexp(real)
    # Half away from zero, as C's round(); Python's round() ties to even.
    fixed = math.floor(fraction * (1 << 31) + 0.5)
    if fixed == 1 << 31:
        fixed //= 2
        shift += 1
    if shift < LEAST_SHIFT:
        return 0, 0
    if shift > 30:
        return INT32_MAX, 30
    return fixed, shift


def single_multiplier(real: float) -> tuple[int, int]:
    """The same for a result that is rounded once."""
    multiplier, shift = quantize_multiplier(real)
    return multiplier, shift - ONCE


def rounds_once(shift: Array | int) -> Array:
    """Which stored shifts ask for one rounding."""
    return np.asarray(shift) < LEAST_SHIFT


def plain_shift(shift: Array | int) -> Array:
    """Stored shifts as they are meant."""
    return np.asarray(shift, np.int64) + np.where(rounds_once(shift), ONCE, 0)


def saturating_rounding_doubling_high_mul(a: Array, b: Array | int) -> Array:
    """round(a * b / 2^31), ties up; a, b int32."""
    product = a.astype(np.int64) * np.asarray(b, np.int64)
    rounded: Array = np.minimum((product + (1 << 30)) >> 31, INT32_MAX)
    return rounded


def rounding_divide_by_pot(x: Array, exponent: Array | int) -> Array:
    """x / 2^exponent, ties away from zero."""
    x = x.astype(np.int64)
    exponent = np.asarray(exponent, np.int64)
    mask = (np.int64(1) << exponent) - 1
    threshold = (mask >> 1) + (x < 0)
    quotient: Array = (x >> exponent) + ((x & mask) > threshold)
    return quotient


def requantize(x: Array, multiplier: Array | int, shift: Array | int) -> Array:
    """x * real multiplier, rounded twice, high multiply, then shift (TFLite Micro); or once."""
    power, once = plain_shift(shift), rounds_once(shift)
    left, right = np.maximum(power, 0), np.maximum(-power, 0)
    wide = (x.astype(np.int64) << left).astype(np.int32)
    if np.all(once):
        return _round_once(wide, multiplier, right)
    twice = rounding_divide_by_pot(saturating_rounding_doubling_high_mul(wide, multiplier), right)
    return np.where(once, _round_once(wide, multiplier, right), twice) if np.any(once) else twice


def _round_once(x: Array, multiplier: Array | int, right: Array) -> Array:
    """x * multiplier / 2^(31 + right), ties up."""
    product = x.astype(np.int64) * np.asarray(multiplier, np.int64)
    rounded: Array = (product + (np.int64(1) << (30 + right))) >> (31 + right)
    return rounded


def requantize_wide(x: Array, multiplier: Array | int, shift: Array | int) -> Array:
    """x * real multiplier for 64-bit accumulators: a 16-bit multiplier, rounded once."""
    multiplier = np.asarray(multiplier, np.int64)
    reduced = np.where(multiplier < 0x7FFF0000, (multiplier + (1 << 15)) >> 16, 0x7FFF)
    total = 15 - np.asarray(shift, np.int64)
    return (x.astype(np.int64) * reduced + (np.int64(1) << (total - 1))) >> total


def wide_objection(real: float) -> str | None:
    """The sentence that refuses a multiplier which `requantize_wide` does not take."""
    if quantize_multiplier(real)[1] <= WIDEST_SHIFT:
        return None
    return f"the products are scaled by {real:.3g}; supported: below {1 << WIDEST_SHIFT}"


def channel_multipliers(
    x: Tensor, weights: Tensor, y: Tensor, channels: int, once: bool = False
) -> tuple[Array, Array]:
    """int32 multiplier and shift per output channel of y = x * weights.

    The products and quotients are taken in double precision from the float32 scales; `once` asks
    for multipliers that round once.
    """
    fixed = single_multiplier if once else quantize_multiplier
    scales = weights.q.scales if weights.q.per_channel else weights.q.scales * channels
    pairs = [fixed(x.q.scale * s / y.q.scale) for s in scales]
    table = np.array(pairs, np.int32).reshape(channels, 2)
    return table[:, 0], table[:, 1]


def folded_bias(node: Node, weights: Array, axes: tuple[int, ...]) -> Tensor:
    """Input 2 (or zeros) minus zero_point(x) * sum of weights over `axes`, wrapping in int32."""
    bias = node.optional(2)
    sums = weights.astype(np.int64).sum(axis=axes).reshape(-1)
    start = 0 if bias is None else bias.constant.astype(np.int64).reshape(-1)
    data = (start - node.input(0).q.zero_point * sums).astype(np.int32)
    return Tensor(
        derived_id(node, "bias"),
        bias.name if bias is not None else f"{node.output.name} bias",
        data.shape,
        DType.INT32,
        TensorKind.CONSTANT,
        data=data,
        origins=() if bias is None else (bias.id,),
    )


def requant_table(node: Node, multiplier: Array, shift: Array) -> Tensor:
    """The constant that integer kernels read: multiplier[channels], then shift[channels]."""
    data = np.stack([multiplier, shift]).astype(np.int32)
    name = f"{node.output.name} requantization"
    return Tensor(
        derived_id(node, "requant"), name, data.shape, DType.INT32, TensorKind.CONSTANT, data=data
    )


def activation_range(activation: str, y: Tensor) -> tuple[int, int]:
    """Clamp limits of a fused activation in the quantized output type."""
    low, high = y.dtype.range
    bounds = ACTIVATION_BOUNDS[activation]
    lower = low if bounds[0] is None else max(low, _quantize(bounds[0], y))
    upper = high if bounds[1] is None else min(high, _quantize(bounds[1], y))
    return lower, upper


# Real limits of the activations that can be fused.
ACTIVATION_BOUNDS: dict[str, tuple[float | None, float | None]] = {
    "NONE": (None, None),
    "RELU": (0.0, None),
    "RELU_N1_TO_1": (-1.0, 1.0),
    "RELU6": (0.0, 6.0),
}


def float_activation_range(activation: str) -> tuple[float, float]:
    """Clamp limits of a fused activation for float32 outputs; the type's limits where open."""
    lowest, highest = np.finfo(np.float32).min, np.finfo(np.float32).max
    lower, upper = ACTIVATION_BOUNDS[activation]
    return float(lowest if lower is None else lower), float(highest if upper is None else upper)


def _quantize(real: float, y: Tensor) -> int:
    with np.errstate(over="ignore"):
        quotient = float(np.float32(real) / np.float32(y.q.scale))
    # Beyond 2^31 (a tiny scale may even give infinity) every type is saturated.
    rounded = math.floor(min(abs(quotient), float(1 << 31)) + 0.5)
    return y.q.zero_point + (rounded if quotient >= 0 else -rounded)


def saturate(
    values: Array, dtype: DType, lower: int | None = None, upper: int | None = None
) -> Array:
    """Clamp to [lower, upper] (default: the type's range) and narrow."""
    low, high = dtype.range
    return np.clip(
        values, low if lower is None else lower, high if upper is None else upper
    ).astype(dtype.numpy)
