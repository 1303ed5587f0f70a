"""exp, logistic and tanh in fixed point, in numpy, bit for bit as the integer kernels need them.

Values are int64 arrays that hold int32 numbers in Qm.n: m integer bits, n = 31 - m fraction bits.
"""

from __future__ import annotations

import math

import numpy as np

from nacre.ir import Array
from nacre.ops.fixedpoint import (
    INT32_MAX,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)

INT32_MIN = -(1 << 31)
# exp(-2^k) in Q0.31 for the binary digits of the exponent from 2^-2 to 2^4.
_EXP_OF_DIGITS = tuple((k, round(math.exp(-(2.0**k)) * 2**31)) for k in range(-2, 5))
_EXP_MINUS_EIGHTH = round(math.exp(-1 / 8) * 2**31)
_ONE_THIRD = round(2**31 / 3)
# The line 48/17 - 32/17 d, in Q2.29, is where Newton's iteration for 1 / d starts.
_NEWTON_CONSTANT = round(48 / 17 * 2**29)
_NEWTON_SLOPE = round(-32 / 17 * 2**29)


def multiply(a: Array, b: Array | int) -> Array:
    """Product of two fixed-point numbers: the integer bits add up."""
    return saturating_rounding_doubling_high_mul(np.asarray(a, np.int64), b)


def shift_left(a: Array, bits: int) -> Array:
    """a * 2^bits, saturated: fewer integer bits."""
    clamped: Array = np.clip(np.asarray(a, np.int64) << bits, INT32_MIN, INT32_MAX)
    return clamped


def exp_of_negative(a: Array, integer_bits: int = 5) -> Array:
    """exp(a) in Q0.31 for a <= 0 with at most 5 integer bits."""
    a = np.asarray(a, np.int64)
    fraction_bits = 31 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    below = (a & (quarter - 1)) - quarter
    result = _exp_near_zero(shift_left(below, integer_bits))
    remainder = below - a
    for power, factor in _EXP_OF_DIGITS[: integer_bits + 2]:
        has_digit = (remainder & (1 << (fraction_bits + power))) != 0
        result = np.where(has_digit, multiply(result, factor), result)
    return np.where(a == 0, INT32_MAX, result)


def _exp_near_zero(a: Array) -> Array:
    """exp(a) in Q0.31 for -1/4 <= a < 0 in Q0.31: Taylor's series around -1/8."""
    x = a + (1 << 28)
    x2 = multiply(x, x)
    x3 = multiply(x2, x)
    x4 = multiply(x2, x2)
    cubic = multiply(rounding_divide_by_pot(x4, 2) + x3, _ONE_THIRD)
    tail = rounding_divide_by_pot(cubic + x2, 1)
    return multiply(x + tail, _EXP_MINUS_EIGHTH) + _EXP_MINUS_EIGHTH


def _reciprocal_of_half_sum(a: Array) -> Array:
    """1 / ((1 + a) / 2) in Q2.29 for 0 <= a <= 1 in Q0.31, by Newton's iteration."""
    half = (np.asarray(a, np.int64) + INT32_MAX + 1) // 2
    x = _NEWTON_CONSTANT + multiply(half, _NEWTON_SLOPE)
    for _ in range(3):
        error = (1 << 29) - multiply(half, x)
        x = x + shift_left(multiply(x, error), 2)
    return x


def one_over_one_plus(a: Array) -> Array:
    """1 / (1 + a) in Q0.31 for 0 <= a <= 1 in Q0.31."""
    return shift_left(_reciprocal_of_half_sum(a), 1)


def logistic(a: Array) -> Array:
    """1 / (1 + exp(-a)) in Q0.31 for a in Q4.27."""
    a = np.asarray(a, np.int64)
    positive = one_over_one_plus(exp_of_negative(-np.abs(a), 4))
    result = np.where(a > 0, positive, INT32_MAX - positive)
    return np.where(a == 0, 1 << 30, result)


def tanh(a: Array) -> Array:
    """tanh(a) in Q0.31 for a in Q4.27."""
    a = np.asarray(a, np.int64)
    # 2a in Q5.26 has the bits of a in Q4.27.
    x = _reciprocal_of_half_sum(exp_of_negative(-np.abs(a)))
    magnitude = shift_left(x - (1 << 29), 2)
    return np.where(a == 0, 0, np.where(a < 0, -magnitude, magnitude))


def log(x: Array) -> Array:
    """Natural logarithm in Q5.26 of x in Q12.19, at least 1."""
    x = np.asarray(x, np.int64)
    above = _leading_zeros(x)
    rough = _shift(multiply(_shift(x, above - 1), _SQRT_HALF), 1)
    power = (12 - above) * (1 << 25) + (1 << 23)
    below = _leading_zeros(multiply(x, _SQRT_HALF)) - 1
    r = np.minimum(rough, _shift(x, below))
    power = np.maximum(power, (12 - below) * (1 << 25) - (1 << 23))
    fraction = rounding_divide_by_pot(_log_numerator(r), 6)
    scaled = multiply(fraction, one_over_one_plus(_log_denominator(r)))
    return shift_left(multiply(power, _LOG_2) + scaled, 1)


# log(r) near the fourth root of 1/2 as a quotient of polynomials in q = 2 (r - that root).
_LOG_2, _SQRT_HALF, _FOURTH_ROOT = (round(v * 2**31) for v in (math.log(2), 0.5**0.5, 0.5**0.25))
_ALPHA_N, _ALPHA_D, _ALPHA_F = (round(v * 2**0.25 * 2**31) for v in (11 / 240, 1 / 20, 1 / 4))
_ALPHA_I = round((2 / 2**0.25 - 2**0.25) * 2**31)


def _log_numerator(r: Array) -> Array:
    q = 2 * (r - _FOURTH_ROOT)
    return multiply(q, r) + multiply(multiply(q, multiply(q, q)), _ALPHA_N)


def _log_denominator(r: Array) -> Array:
    """Less one."""
    q = 2 * (r - _FOURTH_ROOT)
    middle = (r + _FOURTH_ROOT + 1) // 2
    inner = _ALPHA_I + q + multiply(multiply(q, q), _ALPHA_D)
    return multiply(middle, inner) + multiply(q, _ALPHA_F)


def _leading_zeros(x: Array) -> Array:
    """Of a positive int32."""
    return 32 - np.frexp(x.astype(np.float64))[1].astype(np.int64)


def _shift(x: Array, bits: Array | int) -> Array:
    """x * 2^bits, saturated, or rounded where bits is negative."""
    bits = np.asarray(bits, np.int64)
    left = np.clip(x << np.maximum(bits, 0), INT32_MIN, INT32_MAX)
    return np.where(bits < 0, rounding_divide_by_pot(x, np.maximum(-bits, 0)), left)


def inverse_sqrt(x: Array) -> tuple[Array, Array]:
    """Multiplier and shift of 1 / sqrt(x) for integers x >= 0; 0 counts as 1."""
    x = np.asarray(x, np.int64)
    large = x >= 1 << 29
    pairs = (_leading_zeros(np.maximum(np.where(large, x // 4, x), 1)) - 1) // 2 - 1
    shift = np.where(large, 12, 11) - pairs
    scaled = np.where(large, x // 4, x) << (2 * pairs)
    root = _newton_inverse_sqrt(scaled >> 1)
    multiplier = multiply(root, _SQRT_HALF) << np.maximum(-shift, 0)
    small = x <= 1
    return np.where(small, INT32_MAX, multiplier), np.where(small, 0, -np.maximum(shift, 0))


def _newton_inverse_sqrt(x: Array) -> Array:
    """1 / sqrt(x) in Q3.28 for x in Q3.28 near 1."""
    half = rounding_divide_by_pot(x, 1)
    root = np.full_like(x, 1 << 28)
    for _ in range(5):
        cube = shift_left(multiply(multiply(root, root), root), 6)
        root = shift_left(multiply(root, (1 << 28) + (1 << 27)) - multiply(half, cube), 3)
    return root
