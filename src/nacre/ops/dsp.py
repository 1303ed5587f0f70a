"""What the kernels for the DSP extension share: scales of channels, weights as streams of words.

A kernel computes one of these, clamped, from a shifted sum of products x = acc << left:

    y = (round(x * multiplier / 2^32) + nudge - (acc < 0)) >> exponent     rounded twice, left = 1
    y = (floor(x * multiplier / 2^32) + nudge) >> exponent                 rounded once, left = 2

(left is more with a left shift) which is `fixedpoint.requantize`, the zero point included: without
a shift to the right, two roundings are one. The first channel of a block tells which.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Tensor
from nacre.ops.fixedpoint import plain_shift, requantize, rounds_once

# nudge and the product's high half must add up within 32 bits.
MOST_EXPONENT = 23
# Weights of 16 bits hold 8-bit ones shifted by this much.
MOST_LEFT = 8
# Marks exponents of layers that are rounded once; shifts look at the lowest byte.
ONCE = -(1 << 31)


@dataclass(frozen=True, eq=False)
class Channels:
    """Output channels: bias, least and greatest sum, scale; arrays have one entry for each."""

    bias: Array
    low: Array
    high: Array
    multiplier: Array
    shift: Array
    clamp: tuple[int, int]
    zero_point: int
    # One scale serves all channels, also those whose output never changes.
    shared: bool = False


def channels(
    bias: Array, weights: Array, scale: tuple[Array, Array], clamp: tuple[int, int], y: Tensor
) -> Channels:
    """Channels of int8 inputs; weights are [channels, taps], the bias has the input offset."""
    wide, start = weights.astype(np.int64), bias.astype(np.int64).reshape(-1)
    most, least = wide.clip(min=0).sum(axis=1), wide.clip(max=0).sum(axis=1)
    low, high = start - 128 * most + 127 * least, start + 127 * most - 128 * least
    multiplier, shift = (part.astype(np.int64) for part in scale)
    return Channels(start, low, high, multiplier, shift, clamp, y.q.zero_point)


@dataclass(frozen=True, eq=False)
class Scales:
    """Per channel, as kernels read them; `left` is the shift of the sum before the product."""

    multiplier: Array
    nudge: Array
    exponent: Array
    left: Array
    once: bool

    @property
    def table(self) -> Array:
        """int32 [channels, 3]."""
        exponent = self.exponent + ONCE if self.once else self.exponent
        return np.stack([self.multiplier, self.nudge, exponent], axis=1).astype(np.int32)


def scales(found: Channels) -> Scales:
    """Scales of channels that `objection` has nothing against."""
    fixed, value = _constant_outputs(found)
    power, once = plain_shift(found.shift), _is_once(found)
    exponent = np.where(fixed, 1, np.maximum(-power, 0) + once)
    nudge = ((1 << exponent) >> 1) + (np.where(fixed, value, found.zero_point) << exponent)
    left = 1 + once + np.where(fixed, 0, np.maximum(power, 0))
    return Scales(np.where(fixed, 0, found.multiplier), nudge, exponent, left, once)


def objection(found: Channels, wide: bool) -> str | None:
    """None, or what these kernels cannot scale exactly."""
    if found.low.size == 0:
        return "there are no channels"
    moving = ~_constant_outputs(found)[0]
    power, once = plain_shift(found.shift), _is_once(found)
    left = 1 + once + np.maximum(power, 0)
    if np.any(moving & (_widest(found) << left >= 1 << 31)):
        return "its shifted sums may not fit 32 bits"
    if np.any(moving & (left > MOST_LEFT if wide else power > 0)):
        return f"a multiplier is {2.0 ** (power[moving].max() - 1):g} or more"
    if np.any(moving & (once - power > MOST_EXPONENT)):
        return f"a multiplier is below 2^-{MOST_EXPONENT - once}"
    if found.clamp[0] < found.zero_point and not once and np.any(moving & (power >= 0)):
        return "some multipliers alone are rounded once, and no activation clamps at zero"
    return None


def _is_once(found: Channels) -> bool:
    """Whether all channels are rounded once: they ask for it, or need no shift to the right."""
    fixed = _constant_outputs(found)[0]
    return bool(np.all(fixed | rounds_once(found.shift) | (plain_shift(found.shift) >= 0)))


def _constant_outputs(found: Channels) -> tuple[Array, Array]:
    """Which channels have one output whatever the input, and that output."""
    ends = [_output(found, end.clip(-(1 << 31), (1 << 31) - 1)) for end in (found.low, found.high)]
    exact = _widest(found) << np.maximum(plain_shift(found.shift), 0) < 1 << 31
    return exact & (ends[0] == ends[1]) & (not found.shared), ends[0]


def _output(found: Channels, acc: Array) -> Array:
    scaled = requantize(acc, found.multiplier, found.shift)
    return np.asarray(np.clip(scaled + found.zero_point, *found.clamp))


def _widest(found: Channels) -> Array:
    return np.maximum(np.abs(found.low), np.abs(found.high))


# --- streams ----------------------------------------------------------------------------------


def words(weights: Array) -> Array:
    """Fours of int8 weights, the last axis, as words: one each."""
    return np.ascontiguousarray(weights.astype(np.int8)).view(np.int32)


def wide_words(weights: Array) -> Array:
    """Fours of weights as two words of 16 bits each: w0 | w2 << 16, w1 | w3 << 16."""
    return np.ascontiguousarray(weights[..., [0, 2, 1, 3]].astype(np.int16)).view(np.int32)


def fours(weights: Array) -> Array:
    """The last axis filled up with zeros to fours: [..., taps] -> [..., fours, 4]."""
    rest = -weights.shape[-1] % 4
    filled = np.pad(weights, [(0, 0)] * (weights.ndim - 1) + [(0, rest)])
    return filled.reshape(*weights.shape[:-1], -1, 4)


def starts(channels: int, block: int) -> Array:
    """Where blocks of channels begin; the last begins earlier where it would not be full."""
    firsts = list(range(0, channels - block + 1, block))
    if channels % block:
        firsts.append(channels - block)
    return np.array(firsts)


def wrapped(values: Array) -> Array:
    """int64 to int32, modulo 2^32."""
    return values.astype(np.int64).astype(np.int32)


def left_shifts(scale: Scales, wide: bool) -> Array:
    """By how much packed weights and biases are shifted."""
    return scale.left.astype(np.int64) if wide else np.zeros(len(scale.left), np.int64)
