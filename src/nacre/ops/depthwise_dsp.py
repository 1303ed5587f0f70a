"""DEPTHWISE_CONV_2D on cores with the DSP extension: four channels of a pixel at a time."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops import dsp
from nacre.ops.conv2d.dsp import (
    CONV_S8_DSP,
    CONV_WIDE_S8_DSP,
    lower_stream,
    per_image,
    stream_estimate,
    stream_objection,
)
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic, multipliers
from nacre.ops.convolution_calls import ConvParams, Layer, bias_constant, constant, conv_params
from nacre.ops.fixedpoint import activation_range
from nacre.ops.kind import Estimate, Kernel, Lowered, Scratch, Variant, attributes, derived_id

DEPTHWISE_S8_DSP = Kernel("nacre_depthwise_s8_dsp", ConvParams, isa="dsp")
DEPTHWISE_WIDE_S8_DSP = Kernel("nacre_depthwise_wide_s8_dsp", ConvParams, isa="dsp")


def objection(node: Node) -> str | None:
    return _objection(node, wide=False)


def wide_objection(node: Node) -> str | None:
    return _objection(node, wide=True)


def lower(node: Node) -> Lowered:
    return _lower(node, wide=False)


def lower_wide(node: Node) -> Lowered:
    return _lower(node, wide=True)


def _objection(node: Node, wide: bool) -> str | None:
    conv, channels = attributes(node, Sliding), node.output.shape[3]
    if arithmetic(node) is not Arithmetic.S8:
        return "int8 alone"
    if node.input(0).shape[3] == 1:
        return stream_objection(node, conv, _as_convolution(node), wide)
    if not conv.offset_in_bias:
        return "the input offset is not in the bias"
    if node.input(0).shape[3] != channels or channels < 4:
        return "four channels or more, as many outputs as inputs"
    return dsp.objection(_channels(node, conv), wide)


def _lower(node: Node, wide: bool) -> Lowered:
    conv, w = attributes(node, Sliding), node.input(1)
    if node.input(0).shape[3] == 1:
        return lower_stream(node, conv, _as_convolution(node), wide)
    stream = constant(node, "stream", _pack(node, conv, wide), w)
    params = conv_params(node, Layer(conv, stream, stream.shape[1]))
    size = 4 * w.shape[1] * w.shape[2] + w.shape[3]
    scratch = Scratch(derived_id(node, "scratch0"), size)
    kernel = DEPTHWISE_WIDE_S8_DSP if wide else DEPTHWISE_S8_DSP
    return Lowered(per_image(node, kernel, stream, params, scratch), (stream,), (scratch,))


def _pack(node: Node, conv: Sliding, wide: bool) -> Array:
    """int32 [fours of channels, words]: biases, weights tap by tap, scales."""
    found = _channels(node, conv)
    scale = dsp.scales(found)
    left = dsp.left_shifts(scale, wide)
    channels = dsp.starts(node.output.shape[3], 4)[:, None] + np.arange(4)
    taps = _taps(node).astype(np.int64) << left[:, None]
    spelled = (dsp.wide_words if wide else dsp.words)(taps[channels].swapaxes(1, 2))
    bias = dsp.wrapped(found.bias << left)
    count = len(channels)
    parts = (bias[channels], spelled.reshape(count, -1), scale.table[channels].reshape(count, -1))
    return np.concatenate(parts, axis=1)


def _channels(node: Node, conv: Sliding) -> dsp.Channels:
    clamp = activation_range(conv.activation, node.output)
    bias = bias_constant(node, DType.INT32).constant
    return dsp.channels(bias, _taps(node), multipliers(node), clamp, node.output)


def _taps(node: Node) -> Array:
    """Weights as [channels, taps]."""
    w = node.input(1).constant
    return w.reshape(-1, w.shape[3]).T


def _as_convolution(node: Node) -> Array:
    """The weights of a layer with one input channel, as those of a convolution."""
    return node.input(1).constant.transpose(3, 1, 2, 0)


def _estimate(node: Node, wide: bool) -> Estimate:
    if node.input(0).shape[3] == 1:
        return stream_estimate(node, _as_convolution(node), wide)
    taps, channels = node.input(1).shape[1] * node.input(1).shape[2], node.output.shape[3]
    pixels = node.output.elements // channels
    four = 9 * taps + 34 if wide else 11 * taps + 38
    return Estimate(pixels * (-(-channels // 4) * four + 6 * taps + 40), 1400)


VARIANTS = (
    Variant(
        "depthwise_s8_dsp", "dsp", objection, lambda node: _estimate(node, wide=False), lower,
        (DEPTHWISE_S8_DSP, CONV_S8_DSP),
    ),
    Variant(
        "depthwise_wide_s8_dsp", "dsp", wide_objection, lambda node: _estimate(node, wide=True),
        lower_wide, (DEPTHWISE_WIDE_S8_DSP, CONV_WIDE_S8_DSP), speed_only=True,
    ),
)  # fmt: skip
