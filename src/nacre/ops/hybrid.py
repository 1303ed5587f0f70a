"""Dynamic range: float rows quantized at run time, for layers with int8 weights."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array


def quantize_rows(rows: Array, asymmetric: bool) -> tuple[Array, Array, Array]:
    """Codes (int8), scales (float32) and zero points (int64) of the rows of a float matrix."""
    return _quantize_asymmetric(rows) if asymmetric else _quantize_symmetric(rows)


def _quantize_symmetric(rows: Array) -> tuple[Array, Array, Array]:
    span = np.abs(rows).max(axis=1, initial=0.0).astype(np.float32)
    safe = np.where(span > 0, span, np.float32(1))
    inverse = np.where(span > 0, np.float32(127) / safe, np.float32(0))
    codes = np.clip(_round(rows * inverse[:, None]), -127, 127).astype(np.int8)
    scales = np.where(span > 0, span / np.float32(127), np.float32(1))
    return codes, scales, np.zeros(len(rows), np.int64)


def _quantize_asymmetric(rows: Array) -> tuple[Array, Array, Array]:
    low = rows.min(axis=1, initial=0.0).astype(np.float64)
    high = rows.max(axis=1, initial=0.0).astype(np.float64)
    some = low < high
    scale = np.where(some, (high - low) / 255, 1.0)
    from_low, from_high = -128 - low / scale, 127 - high / scale
    nearer_low = 128 - low / scale < 127 + high / scale
    point = np.clip(_round(np.where(nearer_low, from_low, from_high)), -128, 127)
    point = np.where(some, point, 0).astype(np.int64)
    scales = scale.astype(np.float32)
    inverse = np.where(some, np.float32(1) / scales, np.float32(0))
    value = point[:, None].astype(np.float32) + rows * inverse[:, None]
    return np.clip(_round(value), -128, 127).astype(np.int8), scales, point


def _round(x: Array) -> Array:
    """Half away from zero."""
    whole = np.trunc(x)
    rounded: Array = whole + (x - whole >= 0.5) - (x - whole <= -0.5)
    return rounded
