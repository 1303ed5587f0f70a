"""CONV_2D: kernels, and the weights as they want them."""

from __future__ import annotations

import numpy as np

from nacre.ir import DType, Node, Tensor
from nacre.ops.conv2d.rules import Conv2d, groups
from nacre.ops.convolution import Arithmetic, arithmetic, rounds_once
from nacre.ops.convolution_calls import (
    QUANTIZE_F32,
    ConvFloatParams,
    ConvParams,
    Layer,
    constant,
    lower_float,
    lower_hybrid,
    lower_integer,
)
from nacre.ops.kind import Kernel, Lowered, LowerOptions, attributes

CONV_S8 = Kernel("nacre_conv2d_s8", ConvParams, helpers=("nacre_conv_finish_s8",))
CONV_U8 = Kernel("nacre_conv2d_u8", ConvParams, helpers=("nacre_conv_finish_u8",))
CONV_S16 = Kernel("nacre_conv2d_s16", ConvParams)
CONV_BIAS32_S16 = Kernel("nacre_conv2d_bias32_s16", ConvParams)
CONV_F32 = Kernel("nacre_conv2d_f32", ConvFloatParams)
CONV_HYBRID_F32 = Kernel("nacre_conv2d_hybrid_f32", ConvFloatParams)
KERNELS = (
    CONV_S8, CONV_U8, CONV_S16, CONV_BIAS32_S16, CONV_F32, CONV_HYBRID_F32, QUANTIZE_F32,
)  # fmt: skip

# The 8-bit kernels read rows of weights in steps; rows that fit one piece are filled up.
STEP, PIECE = 16, 64


def lower(node: Node, options: LowerOptions) -> Lowered:
    return _LOWERINGS[arithmetic(node)](node)


def _lower_s8(node: Node) -> Lowered:
    assert attributes(node, Conv2d).offset_in_bias, "the pass that folds offsets runs before"
    return lower_integer(node, _stepped(node), CONV_S8, DType.INT32)


def _lower_u8(node: Node) -> Lowered:
    return lower_integer(node, _stepped(node), CONV_U8, DType.INT32)


def _lower_s16(node: Node) -> Lowered:
    kernel, bias = (CONV_S16, DType.INT64) if rounds_once(node) else (CONV_BIAS32_S16, DType.INT32)
    return lower_integer(node, _layer(node, node.input(1), _taps(node)), kernel, bias)


def _lower_f32(node: Node) -> Lowered:
    """Weights become [group][kernel_h][kernel_w][input channel][output channel]."""
    w = node.input(1)
    parts = [p.transpose(1, 2, 3, 0) for p in np.split(w.constant, groups(node))]
    packed = constant(node, "weights", np.stack(parts), w)
    return lower_float(node, _layer(node, packed, _taps(node)), CONV_F32)


def _lower_hybrid(node: Node) -> Lowered:
    w = node.input(1)
    sums = constant(node, "sums", w.constant.sum(axis=(1, 2, 3), dtype=np.int32), None)
    return lower_hybrid(node, _stepped(node), CONV_HYBRID_F32, (sums,))


_LOWERINGS = {
    Arithmetic.S8: _lower_s8,
    Arithmetic.U8: _lower_u8,
    Arithmetic.S16: _lower_s16,
    Arithmetic.F32: _lower_f32,
    Arithmetic.HYBRID: _lower_hybrid,
}


def _stepped(node: Node) -> Layer:
    """Rows of few taps filled up with zeros to a whole number of steps."""
    w, taps = node.input(1), _taps(node)
    rest = -taps % STEP
    if taps >= PIECE or rest == 0:
        return _layer(node, w, taps)
    filled = np.pad(w.constant.reshape(-1, taps), ((0, 0), (0, rest)))
    return _layer(node, constant(node, "weights", filled, w), taps + rest)


def _taps(node: Node) -> int:
    w = node.input(1)
    return w.elements // w.shape[0]


def _layer(node: Node, weights: Tensor, pitch: int) -> Layer:
    return Layer(attributes(node, Conv2d), weights, pitch, groups(node))
