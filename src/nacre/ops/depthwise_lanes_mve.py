"""DEPTHWISE_CONV_2D on Helium: any kernel, sixteen channels side by side."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic, multipliers
from nacre.ops.convolution_calls import ConvParams, Layer, constant, conv_params
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

LANES, MOST_TAPS = 16, 64
# Sums of the even and of the odd channels of each eight lie together.
ORDER = np.array([0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15])

DEPTHWISE = Kernel("nacre_depthwise_s8_mve", ConvParams, helpers=("nacre_lanes_s8_mve",), isa="mve")


def _objection(node: Node) -> str | None:
    x, w = node.input(0), node.input(1)
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if attributes(node, Sliding).once:
        return "for results that are rounded twice"
    if w.shape[3] != x.shape[3]:
        return "for as many output as input channels"
    if x.shape[3] < LANES:
        return f"{x.shape[3]} channels; at least {LANES}"
    if _taps(node) > MOST_TAPS:
        return f"{_taps(node)} taps; at most {MOST_TAPS}"
    return None


def _taps(node: Node) -> int:
    return node.input(1).shape[1] * node.input(1).shape[2]


def _estimate(node: Node) -> Estimate:
    channels = node.output.shape[3]
    pixels = node.output.elements // channels
    group = 15 * _taps(node) + 75
    return Estimate(pixels * (-(-channels // LANES) * group + 3 * _taps(node) + 40), 800)


def _stream(node: Node) -> Array:
    """Per group of channels: biases, weights tap by tap, left shifts, multipliers, right shifts."""
    channels = node.output.shape[3]
    multiplier, shift = multipliers(node)
    weights = node.input(1).constant.reshape(-1, channels)
    scales = (np.maximum(shift, 0), multiplier, np.minimum(shift, 0))
    parts = []
    for first in range(0, channels, LANES):
        begin = min(first, channels - LANES)
        inside = slice(begin, begin + LANES)
        parts.append(_words(node.input(2).constant[inside]))
        parts.append(weights[:, inside].reshape(-1))
        parts += [_words(s[inside]) for s in scales]
    return np.concatenate(parts)


def _words(values: Array) -> Array:
    return np.ascontiguousarray(values[ORDER], "<i4").view(np.int8)


def _lower(node: Node) -> Lowered:
    x, y = node.input(0), node.output
    stream = constant(node, "weights", _stream(node), node.input(1))
    room = Scratch(derived_id(node, "scratch0"), x.shape[3])
    params = conv_params(node, Layer(attributes(node, Sliding), node.input(1), LANES))
    image, made = x.size // x.shape[0], y.size // y.shape[0]
    calls = [
        Call(
            DEPTHWISE,
            (
                read(x, n * image), Pointer(stream.id, DType.INT8, alignment=4),
                write(y, n * made), params, Span(0, y.shape[1]),
                Pointer(room.id, DType.INT8, const=False),
            ),
        )
        for n in range(x.shape[0])
    ]  # fmt: skip
    return Lowered(tuple(calls), (stream,), (room,))


VARIANTS = (Variant("depthwise_s8_mve", "mve", _objection, _estimate, _lower, (DEPTHWISE,)),)
