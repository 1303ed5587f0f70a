"""Resizing as a product with a matrix, one dimension at a time: cubic, and smooth reductions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.frontends.onnx.layout import transposed
from nacre.frontends.onnx.source import Emitter, OnnxSource
from nacre.ir import Array, Tensor
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Refuse

# Weights of one dimension, and outputs along it, that are worth their memory.
MOST_WEIGHTS, MOST_OUTPUTS = 1 << 22, 1 << 14


@dataclass(frozen=True)
class Axis:
    """One dimension: `scale` is outputs per input; the region of interest is [start, end]."""

    size: int
    outputs: int
    scale: float
    start: float = 0.0
    end: float = 1.0


def weighted(emit: Emitter, x: Tensor, axis: int, weights: Array) -> Tensor:
    """The product of a matrix [outputs, inputs] with one dimension."""
    rank = len(x.shape)
    order = (*(d for d in range(rank) if d != axis), axis)
    back = tuple(order.index(d) for d in range(rank))
    rows = transposed(emit, x, *order)
    taps = emit.constant(weights.astype(np.float32))
    return transposed(
        emit, emit.one(FullyConnected(keep_dimensions=True), (rows, taps, None)), *back
    )


def matrix(source: OnnxSource, axis: Axis, places: Array, mode: str, smooth: bool) -> Array:
    """What each output takes of each input."""
    _check_matrix(axis)
    slope = source.options.real("cubic_coeff_a", -0.75)
    stretch = min(axis.scale, 1.0) if smooth else 1.0
    reach = (2 if mode == "cubic" else 1) / stretch
    result = np.zeros((axis.outputs, axis.size), np.float64)
    for row, place in zip(result, places.astype(np.float64), strict=True):
        at = np.arange(np.floor(place - reach), np.ceil(place + reach) + 1)
        distance = np.abs(at - place) * stretch
        share = _cubic(distance, slope) if mode == "cubic" else np.maximum(1 - distance, 0)
        outside = (at < 0) | (at >= axis.size)
        if source.options.integer("exclude_outside") or smooth:
            share = np.where(outside & bool(source.options.integer("exclude_outside")), 0, share)
            share = share / share.sum()
        np.add.at(row, np.clip(at, 0, axis.size - 1).astype(int), share)
    return result


def _check_matrix(axis: Axis) -> None:
    if axis.outputs > MOST_OUTPUTS or axis.outputs * axis.size > MOST_WEIGHTS:
        raise Refuse(
            f"needs weights {[axis.outputs, axis.size]} for one dimension; "
            f"supported: {MOST_OUTPUTS} rows, {MOST_WEIGHTS} values"
        )


def _cubic(distance: Array, slope: float) -> Array:
    """Keys' kernel: 1 at 0, 0 at 1 and 2 and beyond."""
    near = ((slope + 2) * distance - (slope + 3)) * distance**2 + 1
    far = ((distance - 5) * distance + 8) * distance * slope - 4 * slope
    return np.where(distance <= 1, near, np.where(distance < 2, far, 0.0))
