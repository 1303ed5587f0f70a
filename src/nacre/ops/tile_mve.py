"""Constants of the Helium tiles (nacre_tile_mve.h): weights with their bias, requantization."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, Tensor
from nacre.ops.fixedpoint import activation_range

STEP, CHANNELS, GROUP = 16, 32, 4
# Steps that the short tile has at most.
SHORT = 8


def steps_of(taps: int) -> int:
    return -(-taps // STEP)


def stream(weights: Array, bias: Array, short: bool) -> Array:
    """Weights [channels, taps] and their bias as the tiles read them: one run of bytes.

    The short tile reads the last step first.
    """
    channels, taps = weights.shape
    steps = steps_of(taps)
    full = -(-channels // GROUP) * GROUP
    w = np.zeros((full, steps * STEP), np.int8)
    w[:channels, :taps] = weights
    b = np.zeros(full, np.int32)
    b[:channels] = bias
    blocks = [slice(c, min(c + CHANNELS, full)) for c in range(0, full, CHANNELS)]
    return np.concatenate([_block(w[s], b[s], steps, short) for s in blocks])


def _block(weights: Array, bias: Array, steps: int, short: bool) -> Array:
    """Pairs of channels, the last pair first."""
    pairs = weights.reshape(-1, 2, steps, STEP).transpose(0, 2, 1, 3)[::-1]
    if short:
        pairs = pairs[:, ::-1]
    starts = np.repeat(bias.reshape(-1, 2)[::-1], 4, axis=1).astype("<i4")
    rows = [np.frombuffer(s.tobytes(), np.int8) for s in starts]
    joined = [np.concatenate([s, p.reshape(-1)]) for s, p in zip(rows, pairs, strict=True)]
    return np.concatenate(joined)


def is_general(y: Tensor, activation: str, shift: Array) -> bool:
    """Not just v - 128, saturated: another zero point, other limits, or a shift to the left."""
    plain = y.q.zero_point == -128 and activation_range(activation, y) == (-128, 127)
    return not plain or bool((shift > 0).any())


def requant(multiplier: Array, shift: Array, general: bool) -> Array:
    """Four channels at a time; missing channels count as zero."""
    rest = -len(multiplier) % GROUP
    m = np.pad(multiplier, (0, rest)).reshape(-1, GROUP)
    s = np.pad(shift, (0, rest)).reshape(-1, GROUP)
    right = np.minimum(s, 0)
    rows = (np.maximum(s, 0), m, right < 0, right) if general else (m, right)
    return np.concatenate(rows, axis=1).astype(np.int32)
