"""CONV_2D on cores with the DSP extension: two pixels by two channels at a time."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, DType, Node, Shape, Tensor
from nacre.ops import dsp
from nacre.ops.conv2d.rules import Conv2d, groups
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic, multipliers
from nacre.ops.convolution_calls import ConvParams, Layer, bias_constant, constant, conv_params
from nacre.ops.fixedpoint import activation_range
from nacre.ops.kind import (
    Call,
    Estimate,
    Kernel,
    Lowered,
    Pointer,
    Scratch,
    Span,
    Variant,
    attributes,
    derived_id,
    read,
    write,
)

CONV_S8_DSP = Kernel("nacre_conv2d_s8_dsp", ConvParams, isa="dsp")
CONV_WIDE_S8_DSP = Kernel("nacre_conv2d_wide_s8_dsp", ConvParams, isa="dsp")


def objection(node: Node) -> str | None:
    return _objection(node, wide=False)


def wide_objection(node: Node) -> str | None:
    return _objection(node, wide=True)


def lower(node: Node) -> Lowered:
    return lower_stream(node, attributes(node, Conv2d), node.input(1).constant, wide=False)


def lower_wide(node: Node) -> Lowered:
    return lower_stream(node, attributes(node, Conv2d), node.input(1).constant, wide=True)


def _objection(node: Node, wide: bool) -> str | None:
    if arithmetic(node) is not Arithmetic.S8:
        return "int8 alone"
    if groups(node) != 1:
        return "one group alone"
    return stream_objection(node, attributes(node, Conv2d), node.input(1).constant, wide)


def stream_objection(node: Node, conv: Sliding, weights: Array, wide: bool) -> str | None:
    """Why these kernels do not take weights of [output channels, rows, columns, channels]."""
    if not conv.offset_in_bias:
        return "the input offset is not in the bias"
    if node.output.shape[3] < 2:
        return "two output channels or more"
    return dsp.objection(_channels(node, conv, weights), wide)


def lower_stream(node: Node, conv: Sliding, weights: Array, wide: bool) -> Lowered:
    """One call per batch image; weights are [output channels, rows, columns, channels]."""
    stream = constant(node, "stream", pack(node, conv, weights, wide), node.input(1))
    params = conv_params(node, Layer(conv, stream, stream.shape[1]))
    scratch = Scratch(derived_id(node, "scratch0"), _scratch_bytes(conv, weights.shape))
    kernel = CONV_WIDE_S8_DSP if wide else CONV_S8_DSP
    calls = per_image(node, kernel, stream, params, scratch)
    return Lowered(calls, (stream,), (scratch,), in_place=(0,) if _in_place(node, conv) else None)


def _in_place(node: Node, conv: Sliding) -> bool:
    """Two pixels are read before they are written: single pixels may be replaced as they come."""
    x, y = node.input(0), node.output
    still = (conv.stride_h, conv.stride_w) == (1, 1) and x.shape[:3] == y.shape[:3]
    return still and node.input(1).shape[1:3] == (1, 1) and y.shape[3] <= x.shape[3]


def pack(node: Node, conv: Sliding, weights: Array, wide: bool) -> Array:
    """int32 [pairs of channels, words]: biases, weights four taps at a time, scales."""
    found = _channels(node, conv, weights)
    scale = dsp.scales(found)
    left = dsp.left_shifts(scale, wide)
    pair = dsp.starts(len(weights), 2)[:, None] + np.arange(2)
    runs = dsp.fours(weights.reshape(*weights.shape[:2], -1).astype(np.int64))
    taps = runs.reshape(len(weights), -1, 4) << left[:, None, None]
    spelled = (dsp.wide_words if wide else dsp.words)(taps[pair].swapaxes(1, 2))
    bias = dsp.wrapped(found.bias << left)
    parts = (bias[pair], spelled.reshape(len(pair), -1), scale.table[pair].reshape(len(pair), -1))
    return np.concatenate(parts, axis=1)


def per_image(
    node: Node, kernel: Kernel, stream: Tensor, params: ConvParams, scratch: Scratch
) -> tuple[Call, ...]:
    x, y = node.input(0), node.output
    room = Pointer(scratch.id, DType.INT32, const=False)
    return tuple(
        Call(
            kernel,
            (
                read(x, n * (x.size // x.shape[0])), read(stream),
                write(y, n * (y.size // y.shape[0])), params, Span(0, y.shape[1]), room,
            ),
        )
        for n in range(x.shape[0])
    )  # fmt: skip


def _channels(node: Node, conv: Sliding, weights: Array) -> dsp.Channels:
    taps = weights.reshape(len(weights), -1)
    clamp = activation_range(conv.activation, node.output)
    bias = bias_constant(node, DType.INT32).constant
    return dsp.channels(bias, taps, multipliers(node), clamp, node.output)


def _scratch_bytes(conv: Sliding, weights: Shape) -> int:
    """Two pixels widened, and a run of taps that crosses a border or is spread out."""
    fours = -(-weights[2] * weights[3] // 4)
    crosses = conv.pad_left > 0 or conv.pad_right > 0 or conv.dilation_w > 1
    return 16 * weights[1] * fours + (4 * fours if crosses else 0)


def stream_estimate(node: Node, weights: Array, wide: bool) -> Estimate:
    """Widening of every pixel, then a tile per two pixels and two channels."""
    taps = weights.shape[2] * weights.shape[3]
    fours = weights.shape[1] * -(-taps // 4)
    pixels = node.output.elements // node.output.shape[3]
    tiles = -(-pixels // 2) * -(-node.output.shape[3] // 2)
    tile = 10 * fours + 4 * -(-fours // 8) + 40 if wide else 14 * fours + 4 * -(-fours // 8) + 44
    code = 2050 if wide else 2200
    return Estimate(tiles * tile + pixels * (6 * fours + 20 * weights.shape[1] + 40), code)


def _estimate(node: Node) -> Estimate:
    return stream_estimate(node, node.input(1).constant, wide=False)


def _wide_estimate(node: Node) -> Estimate:
    return stream_estimate(node, node.input(1).constant, wide=True)


VARIANTS = (
    Variant("conv2d_s8_dsp", "dsp", objection, _estimate, lower, (CONV_S8_DSP,)),
    Variant(
        "conv2d_wide_s8_dsp", "dsp", wide_objection, _wide_estimate, lower_wide,
        (CONV_WIDE_S8_DSP,), speed_only=True,
    ),
)  # fmt: skip
