"""DEPTHWISE_CONV_2D: every output channel reads one input channel."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import whole
from nacre.ops.conv2d.rules import tflite_window
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
from nacre.ops.depthwise_dsp import VARIANTS as DSP
from nacre.ops.depthwise_lanes_mve import VARIANTS as LANES_MVE
from nacre.ops.depthwise_line_mve import VARIANTS as LINE_MVE
from nacre.ops.depthwise_mve import VARIANTS as MVE
from nacre.ops.fixedpoint import folded_bias
from nacre.ops.kind import (
    Box,
    Boxed,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    SourceNode,
    Span,
    attributes,
)

SUPPORTED = tuple(Arithmetic)

DEPTHWISE_S8 = Kernel("nacre_depthwise_s8", ConvParams, helpers=("nacre_conv_finish_s8",))
DEPTHWISE_U8 = Kernel("nacre_depthwise_u8", ConvParams, helpers=("nacre_conv_finish_u8",))
DEPTHWISE_S16 = Kernel("nacre_depthwise_s16", ConvParams)
DEPTHWISE_F32 = Kernel("nacre_depthwise_f32", ConvFloatParams)
DEPTHWISE_HYBRID_F32 = Kernel("nacre_depthwise_hybrid_f32", ConvFloatParams)

# Output channels that a kernel computes side by side.
_LANES = {
    Arithmetic.S8: 32,
    Arithmetic.U8: 32,
    Arithmetic.S16: 16,
    Arithmetic.F32: 16,
    Arithmetic.HYBRID: 32,
}


@dataclass(frozen=True)
class DepthwiseConv2d(Sliding):
    """Weights are [1, kernel_h, kernel_w, output channels]; output channel c reads input channel
    c // (output channels / input channels)."""


def _from_tflite(source: SourceNode) -> Imported:
    return Imported(DepthwiseConv2d(*tflite_window(source)), inputs=(0, 1, 2))


def _infer(conv: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, w = inputs[0], inputs[1]
    assert isinstance(conv, DepthwiseConv2d) and x is not None and w is not None
    down, across = axes(conv, x.shape, w.shape)
    return ((x.shape[0], down.outputs, across.outputs, w.shape[3]),)


def _check(node: Node) -> str | None:
    x, w = node.input(0), node.input(1)
    if w.shape[0] != 1 or x.shape[3] < 1 or w.shape[3] % x.shape[3]:
        return (
            f"{x.shape[3]} input channels with weights {list(w.shape)}; "
            "supported: [1, rows, columns, a multiple of the input channels]"
        )
    return objection(node, SUPPORTED, w.shape[3])


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    conv = attributes(node, DepthwiseConv2d)
    offset = node.input(0).q.zero_point if conv.offset_in_bias else 0

    def sums(x: Array, w: Array) -> Array:
        # With the offset in the bias, what counts is the input as it is stored.
        return _accumulate(conv, x + offset, w, offset)

    # int16 always sums in 64 bits, whatever the type of the bias.
    return (evaluate(_with_wide_bias(node), values, conv.activation, sums),)


def _accumulate(conv: DepthwiseConv2d, x: Array, w: Array, padding: int) -> Array:
    down, across = axes(conv, x.shape, w.shape)
    border = ((0, 0), (down.before, down.after), (across.before, across.after), (0, 0))
    spread = np.repeat(x, w.shape[3] // x.shape[3], axis=3)
    padded = np.pad(spread, border, constant_values=padding)
    acc = np.zeros((x.shape[0], down.outputs, across.outputs, w.shape[3]))
    for ky in range(w.shape[1]):
        for kx in range(w.shape[2]):
            acc += down.taps(across.taps(padded, 2, kx), 1, ky) * w[0, ky, kx]
    return acc


def _with_wide_bias(node: Node) -> Node:
    bias = node.optional(2)
    if bias is None or arithmetic(node) is not Arithmetic.S16:
        return node
    return replace(node, inputs=(*node.inputs[:2], replace(bias, dtype=DType.INT64)))


def _fold_offset(node: Node) -> tuple[Attributes, Tensor] | None:
    conv = attributes(node, DepthwiseConv2d)
    if conv.offset_in_bias or arithmetic(node) is not Arithmetic.S8:
        return None
    return replace(conv, offset_in_bias=True), folded_bias(node, node.input(1).constant, (0, 1, 2))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    layer, kind = _layer(node), arithmetic(node)
    assert kind is not Arithmetic.S8 or layer.conv.offset_in_bias, "offsets are folded before"
    match kind:
        case Arithmetic.S8:
            return lower_integer(node, layer, DEPTHWISE_S8, DType.INT32)
        case Arithmetic.U8:
            return lower_integer(node, layer, DEPTHWISE_U8, DType.INT32)
        case Arithmetic.S16:
            return lower_integer(node, layer, DEPTHWISE_S16, DType.INT64)
        case Arithmetic.F32:
            return lower_float(node, layer, DEPTHWISE_F32)
        case Arithmetic.HYBRID:
            return lower_hybrid(node, layer, DEPTHWISE_HYBRID_F32)


def _layer(node: Node) -> Layer:
    """Few channels: several pixels side by side, the weights repeated for each."""
    conv, w = attributes(node, DepthwiseConv2d), node.input(1)
    channels = w.shape[3]
    pixels = min(_LANES[arithmetic(node)] // channels, node.output.shape[2])
    copies = channels != node.input(0).shape[3]
    if pixels < 2 or (conv.stride_w > 1 and not copies):
        return Layer(conv, w, channels)
    repeated = np.tile(w.constant, (1, 1, 1, pixels))
    return Layer(conv, constant(node, "weights", repeated, w), channels * pixels)


def _cost(node: Node) -> Cost:
    w = node.input(1)
    return Cost(macs=node.output.elements * w.shape[1] * w.shape[2])


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    return sliding_rows(attributes(node, DepthwiseConv2d), node, out)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """The outputs of whole input channels, or outputs of one input channel."""
    conv, w = attributes(node, DepthwiseConv2d), node.input(1)
    copies = w.shape[3] // node.input(0).shape[3]
    first, last = box[3].begin // copies, -(-box[3].end // copies)
    if last - first > 1 and (box[3].begin % copies or box[3].end % copies):
        return None
    return sliding_box(conv, node, box, Span(first, last), (*whole(w.shape[:3]), box[3]))


DEPTHWISE_CONV_2D = OpKind(
    type="DEPTHWISE_CONV_2D",
    attributes=DepthwiseConv2d,
    summary="Depthwise convolution, any stride, dilation, padding and depth multiplier.",
    supports=tuple(a.value for a in SUPPORTED),
    tflite={"DEPTHWISE_CONV_2D": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(
        DEPTHWISE_S8,
        DEPTHWISE_U8,
        DEPTHWISE_S16,
        DEPTHWISE_F32,
        DEPTHWISE_HYBRID_F32,
        QUANTIZE_F32,
    ),
    cost=_cost,
    rows=_rows,
    box=_box,
    fold_offset=_fold_offset,
    variants=MVE + LINE_MVE + LANES_MVE + DSP,
)
