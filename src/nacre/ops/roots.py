"""One over a square root in fixed point, bit for bit as the integer kernels need it."""

from __future__ import annotations

import math

import numpy as np

from nacre.ops.fixedpoint import (
    INT32_MAX,
    requantize,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)

# sqrt(1/2) in Q0.31, 3/2 in Q3.28.
_HALF_ROOT_OF_TWO = round(math.sqrt(0.5) * 2**31)
_THREE_HALVES = 3 << 27


def inverse_square_root_multiplier(x: int) -> tuple[int, int]:
    """(multiplier, shift) with 1 / sqrt(x) = multiplier * 2^(shift - 31), for x >= 1."""
    if x <= 1:
        return INT32_MAX, 0
    right = 11
    while x >= 1 << 29:
        x //= 4
        right += 1
    pairs = (31 - x.bit_length()) // 2 - 1
    multiplier = _newton(x << (2 * pairs))
    right -= pairs
    return (multiplier << -right, 0) if right < 0 else (multiplier, -right)


def _newton(x: int) -> int:
    """sqrt(1 / (2 x)) in Q0.31 where x counts in Q2.29: five steps of r <- r (3 - x r^2) / 2."""
    value = x >> 1
    half = int(rounding_divide_by_pot(np.array(value), 1))
    r = 1 << 28
    for _ in range(5):
        cube = _product(_product(r, r), r)
        # Q3.28 cubed has nine integer bits: six places back to Q3.28.
        cube = _saturate(cube << 6)
        step = _product(_THREE_HALVES, r) - _product(half, cube)
        r = _saturate(step << 3)
    return _product(r, _HALF_ROOT_OF_TWO)


def inverse_square_root(x: int, fraction_bits: int) -> int:
    """1 / sqrt(x) with `fraction_bits` bits of fraction, for x >= 1."""
    multiplier, shift = inverse_square_root_multiplier(x)
    return int(requantize(np.array(1), multiplier, shift + fraction_bits))


def _product(a: int, b: int) -> int:
    return int(saturating_rounding_doubling_high_mul(np.array(a), b))


def _saturate(x: int) -> int:
    return max(-INT32_MAX - 1, min(INT32_MAX, x))
