"""DEPTHWISE_CONV_2D on cores with the DSP extension: four channels of a pixel at a time."""

from __future__ import annotations

from dataclasses import dataclass

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

TILE, WIDE_TILE = "nacre_depthwise_tile_s8_dsp", "nacre_depthwise_tile_wide_s8_dsp"


@dataclass(frozen=True)
class Form:
    """A kernel: weights of 8 or 16 bits, any window or pairs of pixels with 3x3 taps."""

    kernel: Kernel
    wide: bool = False
    pairs: bool = False


def _form(name: str, wide: bool = False, pairs: bool = False) -> Form:
    helpers = (WIDE_TILE if wide else TILE,)
    return Form(Kernel(f"nacre_{name}", ConvParams, helpers, "dsp"), wide, pairs)


FORMS = (
    _form("depthwise_s8_dsp"),
    _form("depthwise_3x3_s8_dsp", pairs=True),
    _form("depthwise_wide_s8_dsp", wide=True),
    _form("depthwise_3x3_wide_s8_dsp", wide=True, pairs=True),
)


def _objection(node: Node, form: Form) -> str | None:
    conv, channels = attributes(node, Sliding), node.output.shape[3]
    if arithmetic(node) is not Arithmetic.S8:
        return "int8 alone"
    if form.pairs and not _has_pairs(node, conv):
        return "3x3 taps of several channels without stride alone"
    if _is_convolution(node):
        return stream_objection(node, conv, _as_convolution(node), form.wide)
    if not conv.offset_in_bias:
        return "the input offset is not in the bias"
    if node.input(0).shape[3] != channels or channels < 4:
        return "four channels or more, as many outputs as inputs"
    return dsp.objection(_channels(node, conv), form.wide)


def _lower(node: Node, form: Form) -> Lowered:
    conv, w = attributes(node, Sliding), node.input(1)
    if _is_convolution(node):
        return lower_stream(node, conv, _as_convolution(node), form.wide)
    stream = constant(node, "stream", _pack(node, conv, form.wide), w)
    params = conv_params(node, Layer(conv, stream, stream.shape[1]))
    pointers = 12 if form.pairs else w.shape[1] * w.shape[2]
    padded = any((conv.pad_top, conv.pad_left, conv.pad_bottom, conv.pad_right))
    size = 4 * pointers + (w.shape[3] if padded else 0)
    scratch = Scratch(derived_id(node, "scratch0"), size)
    calls = per_image(node, form.kernel, stream, params, scratch)
    return Lowered(calls, (stream,), (scratch,))


def _has_pairs(node: Node, conv: Sliding) -> bool:
    together = (conv.stride_w, conv.dilation_w) == (1, 1) and node.output.shape[2] > 1
    return together and node.input(1).shape[1:3] == (3, 3) and not _is_convolution(node)


def _is_convolution(node: Node) -> bool:
    """Layers with one input channel are convolutions too."""
    return node.input(0).shape[3] == 1


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


def _estimate(node: Node, form: Form) -> Estimate:
    if _is_convolution(node):
        return stream_estimate(node, _as_convolution(node), form.wide)
    taps, channels = node.input(1).shape[1] * node.input(1).shape[2], node.output.shape[3]
    pixels, fours = node.output.elements // channels, -(-channels // 4)
    if form.pairs:
        odd = node.output.shape[2] % 2 * node.output.shape[1]
        pair = (187 if form.wide else 215) * fours + 100
        return Estimate((pixels - odd) // 2 * pair + odd * (120 * fours + 100), 2950)
    four = 9 * taps + 34 if form.wide else 11 * taps + 38
    return Estimate(pixels * (fours * four + 6 * taps + 40), 1400)


def _variant(form: Form) -> Variant:
    spare = CONV_WIDE_S8_DSP if form.wide else CONV_S8_DSP
    return Variant(
        form.kernel.name.removeprefix("nacre_"), "dsp",
        lambda node: _objection(node, form),
        lambda node: _estimate(node, form),
        lambda node: _lower(node, form),
        (form.kernel,) if form.pairs else (form.kernel, spare),
        speed_only=form.wide,
    )  # fmt: skip


VARIANTS = tuple(_variant(form) for form in FORMS)
