"""Scales and zero points of ONNX tensors, and which operators hand them on.

A float constant that the file dequantizes keeps its scales as well: values / scale are integers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nacre.ir import Array, Attributes, DType, Quantization, Shape, Tensor
from nacre.ops.batch_matmul import BatchMatmul
from nacre.ops.concat import Concat, Pack
from nacre.ops.conv2d import Conv2d
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.gather import Gather, GatherNd
from nacre.ops.kind import Refuse
from nacre.ops.log_softmax import LogSoftmax
from nacre.ops.pad import MirrorPad
from nacre.ops.pool import MaxPool2d
from nacre.ops.reduce import ReduceMax, ReduceMin
from nacre.ops.reshape import Copy, ExpandDims, Reshape, Squeeze
from nacre.ops.resize import ResizeNearest
from nacre.ops.reverse_sequence import ReverseSequence
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.slice import Slice, StridedSlice
from nacre.ops.softmax import Softmax
from nacre.ops.space import BatchToSpace, DepthToSpace, SpaceToBatch, SpaceToDepth
from nacre.ops.split import Split, SplitV, Unpack
from nacre.ops.tile import BroadcastTo, Tile
from nacre.ops.transpose import Reverse, Transpose
from nacre.ops.transpose_conv import TransposeConv

# Every output value is a value of input 0.
PICKS: tuple[type[Attributes], ...] = (
    Transpose, Reverse, Reshape, Squeeze, ExpandDims, Copy, Slice, StridedSlice, Split, SplitV,
    Unpack, Tile, BroadcastTo, Gather, GatherNd, SpaceToBatch, BatchToSpace, SpaceToDepth,
    DepthToSpace, MirrorPad, ResizeNearest, MaxPool2d, ReduceMax, ReduceMin, ReverseSequence,
)  # fmt: skip
# Every output value is a value of some input.
JOINS: tuple[type[Attributes], ...] = (Concat, Pack)


# Operators of real numbers: ONNX has narrow integers for them between quantizers alone.
REAL: tuple[type[Attributes], ...] = (
    BatchMatmul, Conv2d, DepthwiseConv2d, FullyConnected, LogSoftmax, Logistic, Softmax, Tanh,
    TransposeConv,
)  # fmt: skip
NARROW = (DType.INT8, DType.UINT8, DType.INT16)


def refuse_narrow(attributes: Attributes, inputs: Sequence[Tensor | None]) -> None:
    """Integer forms come later, from operators that were read as float ones."""
    if not isinstance(attributes, REAL):
        return
    for tensor in inputs:
        if tensor is not None and tensor.dtype in NARROW:
            raise Refuse(f"an input is {tensor.dtype.value}; supported: float32")


def handed_on(
    attributes: Attributes, inputs: Sequence[Tensor | None], shape: Shape
) -> Quantization | None:
    """The scales of an output that holds values of its inputs; None where there are none."""
    first = inputs[0]
    if first is None or first.quantization is None:
        return None
    if isinstance(attributes, JOINS):
        alike = all(t is not None and t.quantization == first.quantization for t in inputs)
        return first.quantization if alike and not first.q.per_channel else None
    if not isinstance(attributes, PICKS):
        return None
    return _moved(attributes, first, shape) if first.q.per_channel else first.quantization


def _moved(attributes: Attributes, x: Tensor, shape: Shape) -> Quantization | None:
    """Scales per channel, where the channels still are one dimension."""
    axis = x.q.axis
    if isinstance(attributes, Transpose):
        return replace(x.q, axis=attributes.permutation.index(axis))
    if not isinstance(attributes, Reshape):
        return None
    before = math.prod(x.shape[:axis])
    for place, size in enumerate(shape):
        if math.prod(shape[:place]) == before and size == x.shape[axis]:
            return replace(x.q, axis=place)
    return None


def stretched(values: Sequence[float], axis: int, rank: int) -> Array:
    """One value, or one per channel, as an array that stretches to a tensor."""
    shape = [1] * rank
    if len(values) > 1:
        shape[axis] = len(values)
    return np.array(values).reshape(shape)


def real_values(codes: Array, q: Quantization) -> Array:
    """scale * (code - zero point) in float32, as ONNX Runtime has it."""
    points = stretched(q.zero_points, q.axis, codes.ndim)
    scales = stretched(q.scales, q.axis, codes.ndim).astype(np.float32)
    real: Array = (codes.astype(np.int64) - points).astype(np.float32) * scales
    return real.astype(np.float32).reshape(codes.shape)


def codes_of(values: Array, q: Quantization, low: int, high: int) -> Array:
    """round(value / scale) + zero point, halves to even, cut to [low, high]."""
    scales = stretched(q.scales, q.axis, values.ndim).astype(np.float32)
    points = stretched(q.zero_points, q.axis, values.ndim)
    with np.errstate(all="ignore"):
        rounded = np.rint(values.astype(np.float32) / scales).astype(np.float64) + points
    inside: Array = np.clip(np.nan_to_num(rounded, nan=low), low, high).astype(np.int64)
    return inside.reshape(values.shape)


def centred(values: Array, q: Quantization) -> Array:
    """The integers that stand behind dequantized values, zero standing for zero."""
    scales = stretched(q.scales, q.axis, values.ndim)
    whole: Array = np.rint(values.astype(np.float64) / scales).astype(np.int64)
    return whole.reshape(values.shape)
