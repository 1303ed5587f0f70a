"""What the kernels for the DSP extension share: scales of channels, weights as streams of words.

A kernel computes, from a doubled sum of products (`left` = 1, or more with a left shift),

    y = ((high half of (acc << left) * multiplier) + nudge - (acc < 0)) >> exponent, clamped

which is the two roundings of `fixedpoint.requantize`, the zero point included. With an exponent
of 0 there is one rounding, and (acc < 0) is left out; just the first channel of a block tells.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Tensor
from nacre.ops.fixedpoint import requantize

# nudge and the product's high half must add up within 32 bits.
MOST_EXPONENT = 23
# Weights of 16 bits hold 8-bit ones shifted by this much.
MOST_LEFT = 8


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

    @property
    def table(self) -> Array:
        """int32 [channels, 3]."""
        return np.stack([self.multiplier, self.nudge, self.exponent], axis=1).astype(np.int32)


def scales(found: Channels) -> Scales:
    """Scales of channels that `objection` has nothing against."""
    fixed, value = _constant_outputs(found)
    plain = int(np.any(~fixed & (found.shift < 0)))
    exponent = np.where(fixed, plain, np.maximum(-found.shift, 0))
    nudge = ((1 << exponent) >> 1) + (np.where(fixed, value, found.zero_point) << exponent)
    return Scales(
        np.where(fixed, 0, found.multiplier),
        nudge,
        exponent,
        np.where(fixed, 1, 1 + np.maximum(found.shift, 0)),
    )


def objection(found: Channels, wide: bool) -> str | None:
    """None, or what these kernels cannot scale exactly."""
    if found.low.size == 0:
        return "there are no channels"
    moving = ~_constant_outputs(found)[0]
    left = 1 + np.maximum(found.shift, 0)
    if np.any(moving & (_widest(found) << left >= 1 << 31)):
        return "its doubled sums may not fit 32 bits"
    if np.any(moving & (left > (MOST_LEFT if wide else 1))):
        return f"a multiplier is {2.0 ** (left[moving].max() - 2):g} or more"
    if np.any(moving & (found.shift < -MOST_EXPONENT)):
        return f"a multiplier is below 2^-{MOST_EXPONENT}"
    once = found.shift[moving] >= 0
    if found.clamp[0] < found.zero_point and np.any(once) and not np.all(once):
        return "some multipliers alone are rounded once, and no activation clamps at zero"
    return None


def _constant_outputs(found: Channels) -> tuple[Array, Array]:
    """Which channels have one output whatever the input, and that output."""
    ends = [_output(found, end.clip(-(1 << 31), (1 << 31) - 1)) for end in (found.low, found.high)]
    exact = _widest(found) << np.maximum(found.shift, 0) < 1 << 31
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
