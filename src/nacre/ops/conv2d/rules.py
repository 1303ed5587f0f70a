"""CONV_2D: attributes, import, shapes, numpy reference."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import whole
from nacre.ops.convolution import (
    Arithmetic,
    Sliding,
    arithmetic,
    axes,
    evaluate,
    objection,
    sliding_box,
    sliding_rows,
)
from nacre.ops.fixedpoint import folded_bias
from nacre.ops.kind import Box, Boxed, Cost, Imported, SourceNode, Span, attributes
from nacre.ops.window import tflite_activation, tflite_padding

SUPPORTED = tuple(Arithmetic)


@dataclass(frozen=True)
class Conv2d(Sliding):
    """Weights are [output channels, kernel_h, kernel_w, input channels of a group]."""


def from_tflite(source: SourceNode) -> Imported:
    return Imported(Conv2d(*tflite_window(source)), inputs=(0, 1, 2))


def tflite_window(source: SourceNode) -> tuple[int, int, int, int, int, int, int, int, str]:
    """The fields of `Sliding` in order, as the options of a TFLite convolution give them."""
    x, w, options = source.input(0), source.input(1), source.options
    stride_h, stride_w = options.integer("stride_h"), options.integer("stride_w")
    dilation_h = options.integer("dilation_h_factor", 1)
    dilation_w = options.integer("dilation_w_factor", 1)
    scheme = options.integer("padding")
    top, bottom = tflite_padding(scheme, x.shape[1], w.shape[1], stride_h, dilation_h)
    left, right = tflite_padding(scheme, x.shape[2], w.shape[2], stride_w, dilation_w)
    return (
        stride_h, stride_w, dilation_h, dilation_w, top, left, bottom, right,
        tflite_activation(options),
    )  # fmt: skip


def infer(conv: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, w = inputs[0], inputs[1]
    assert isinstance(conv, Conv2d) and x is not None and w is not None
    down, across = axes(conv, x.shape, w.shape)
    return ((x.shape[0], down.outputs, across.outputs, w.shape[0]),)


def check(node: Node) -> str | None:
    x, w = node.input(0), node.input(1)
    outputs, channels = w.shape[0], w.shape[3]
    parts = x.shape[3] // channels if channels else 0
    if parts < 1 or x.shape[3] % channels or outputs % parts:
        return (
            f"{x.shape[3]} input and {outputs} output channels with weights for {channels}; "
            "supported: groups of equal size"
        )
    return objection(node, SUPPORTED, outputs)


def groups(node: Node) -> int:
    return node.input(0).shape[3] // node.input(1).shape[3]


def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    conv = attributes(node, Conv2d)
    offset = node.input(0).q.zero_point if conv.offset_in_bias else 0

    def sums(x: Array, w: Array) -> Array:
        # With the offset in the bias, what counts is the input as it is stored.
        return _accumulate(conv, x + offset, w, offset, groups(node))

    return (evaluate(node, values, conv.activation, sums),)


def _accumulate(conv: Conv2d, x: Array, w: Array, padding: int, groups: int) -> Array:
    """sum x * w, group by group."""
    down, across = axes(conv, x.shape, w.shape)
    border = ((0, 0), (down.before, down.after), (across.before, across.after), (0, 0))
    inputs = np.split(np.pad(x, border, constant_values=padding), groups, axis=3)
    outputs = []
    for part, weights in zip(inputs, np.split(w, groups), strict=True):
        acc = np.zeros((x.shape[0], down.outputs, across.outputs, len(weights)))
        for ky in range(w.shape[1]):
            for kx in range(w.shape[2]):
                acc += down.taps(across.taps(part, 2, kx), 1, ky) @ weights[:, ky, kx].T
        outputs.append(acc)
    return np.concatenate(outputs, axis=3)


def fold_offset(node: Node) -> tuple[Attributes, Tensor] | None:
    conv = attributes(node, Conv2d)
    if conv.offset_in_bias or arithmetic(node) is not Arithmetic.S8:
        return None
    return replace(conv, offset_in_bias=True), folded_bias(node, node.input(1).constant, (1, 2, 3))


def cost(node: Node) -> Cost:
    w = node.input(1)
    return Cost(macs=node.output.elements * (w.elements // w.shape[0]))


def box(node: Node, output: int, box: Box) -> Boxed | None:
    """Whole groups of channels, or channels of one group."""
    conv, w = attributes(node, Conv2d), node.input(1)
    outputs, inputs = w.shape[0] // groups(node), w.shape[3]
    first, last = box[3].begin // outputs, -(-box[3].end // outputs)
    if last - first > 1 and (box[3].begin % outputs or box[3].end % outputs):
        return None
    weights = (box[3], *whole(w.shape[1:]))
    return sliding_box(conv, node, box, Span(first * inputs, last * inputs), weights)


def rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    return sliding_rows(attributes(node, Conv2d), node, out)
