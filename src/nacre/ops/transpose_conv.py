"""TRANSPOSE_CONV: transposed convolution."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import bias_cut, boxed, whole
from nacre.ops.convolution import (
    Arithmetic,
    Sliding,
    Spreading,
    arithmetic,
    evaluate,
    objection,
    rounds_once,
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
from nacre.ops.kind import (
    Box,
    Boxed,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    Span,
    attributes,
)
from nacre.ops.window import SAME, same_padding, tflite_activation, tflite_scheme

SUPPORTED = tuple(Arithmetic)

TRANSPOSE_S8 = Kernel("nacre_transpose_conv_s8", ConvParams, helpers=("nacre_conv_finish_s8",))
TRANSPOSE_U8 = Kernel("nacre_transpose_conv_u8", ConvParams, helpers=("nacre_conv_finish_u8",))
TRANSPOSE_S16 = Kernel("nacre_transpose_conv_s16", ConvParams)
TRANSPOSE_BIAS32_S16 = Kernel("nacre_transpose_conv_bias32_s16", ConvParams)
TRANSPOSE_F32 = Kernel("nacre_transpose_conv_f32", ConvFloatParams)
TRANSPOSE_HYBRID_F32 = Kernel("nacre_transpose_conv_hybrid_f32", ConvFloatParams)


@dataclass(frozen=True)
class TransposeConv(Spreading):
    """Input (iy, ix) adds to output (iy * stride_h - pad_top + ky, ix * stride_w - pad_left + kx).

    Weights are [output channels, kernel_h, kernel_w, input channels].
    """


def _from_tflite(source: SourceNode) -> Imported:
    w, x, options = source.input(1), source.input(2), source.options
    if len(x.shape) != 4:
        raise Refuse(f"input 2 is {list(x.shape)}; supported: 4 dimensions")
    shape = _output_shape(source)
    if len(shape) != 4 or shape[0] != x.shape[0] or shape[3] != w.shape[0] or min(shape) < 1:
        raise Refuse(
            f"the output shape is {list(shape)}; "
            f"supported: [{x.shape[0]}, rows, columns, {w.shape[0]}]"
        )
    same = tflite_scheme(options) == SAME
    stride_h, stride_w = options.integer("stride_h"), options.integer("stride_w")
    top = same_padding(shape[1], w.shape[1], stride_h, 1)[0] if same else 0
    left = same_padding(shape[2], w.shape[2], stride_w, 1)[0] if same else 0
    activation = tflite_activation(options)
    return Imported(
        TransposeConv(shape[1], shape[2], stride_h, stride_w, top, left, activation),
        inputs=(2, 1, 3),
    )


def _output_shape(source: SourceNode) -> Shape:
    """The constant that asks for it, or what the file says of the output if that fits."""
    asked = source.input(0)
    if asked.data is not None:
        return tuple(int(d) for d in asked.data.reshape(-1))
    shape = source.outputs[0].shape
    if len(shape) != 4 or _shrunk(source, shape) != source.input(2).shape[1:3]:
        raise Refuse(
            f"the output shape is computed at run time, and {list(shape)} of the file does not "
            f"fit the input {list(source.input(2).shape)}; supported: a constant"
        )
    return shape


def _shrunk(source: SourceNode, shape: Shape) -> Shape:
    """Rows and columns of a convolution over the output with the same window."""
    kernel, options = source.input(1).shape, source.options
    same = tflite_scheme(options) == SAME
    down = shape[1] if same else shape[1] - kernel[1] + 1
    across = shape[2] if same else shape[2] - kernel[2] + 1
    return -(-down // options.integer("stride_h")), -(-across // options.integer("stride_w"))


def _infer(conv: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, w = inputs[0], inputs[1]
    assert isinstance(conv, TransposeConv) and x is not None and w is not None
    return ((x.shape[0], conv.output_h, conv.output_w, w.shape[0]),)


def _check(node: Node) -> str | None:
    x, w = node.input(0), node.input(1)
    if x.shape[3] != w.shape[3]:
        return f"{x.shape[3]} input channels with weights for {w.shape[3]}; supported: as many"
    return objection(node, SUPPORTED, w.shape[0])


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    conv = attributes(node, TransposeConv)

    def sums(x: Array, w: Array) -> Array:
        return _accumulate(conv, x, w)

    return (evaluate(node, values, conv.activation, sums),)


def _accumulate(conv: TransposeConv, x: Array, w: Array) -> Array:
    """Add every input times the kernel where it lands, then cut the outputs out."""
    batches, height, width, _ = x.shape
    outputs, kernel_h, kernel_w, _ = w.shape
    down = (height - 1) * conv.stride_h + max(kernel_h, conv.output_h + conv.pad_top)
    across = (width - 1) * conv.stride_w + max(kernel_w, conv.output_w + conv.pad_left)
    plane = np.zeros((batches, down, across, outputs))
    for ky in range(kernel_h):
        for kx in range(kernel_w):
            landing = plane[
                :,
                ky : ky + height * conv.stride_h : conv.stride_h,
                kx : kx + width * conv.stride_w : conv.stride_w,
            ][:, :height, :width]
            landing += x @ w[:, ky, kx].T
    inside = plane[:, conv.pad_top :, conv.pad_left :]
    return inside[:, : conv.output_h, : conv.output_w]


def _lower(node: Node, options: LowerOptions) -> Lowered:
    layer = _layer(node)
    match arithmetic(node):
        case Arithmetic.S8:
            return lower_integer(node, layer, TRANSPOSE_S8, DType.INT32)
        case Arithmetic.U8:
            return lower_integer(node, layer, TRANSPOSE_U8, DType.INT32)
        case Arithmetic.S16 if rounds_once(node):
            return lower_integer(node, layer, TRANSPOSE_S16, DType.INT64)
        case Arithmetic.S16:
            return lower_integer(node, layer, TRANSPOSE_BIAS32_S16, DType.INT32)
        case Arithmetic.F32:
            return lower_float(node, replace(layer, weights=_channels_last(node)), TRANSPOSE_F32)
        case Arithmetic.HYBRID:
            return lower_hybrid(node, layer, TRANSPOSE_HYBRID_F32)


def _channels_last(node: Node) -> Tensor:
    """The weights as [kernel_h][kernel_w][input channel][output channel]."""
    w = node.input(1)
    return constant(node, "weights", w.constant.transpose(1, 2, 3, 0), w)


def _layer(node: Node) -> Layer:
    conv, w = attributes(node, TransposeConv), node.input(1)
    window = Sliding(
        stride_h=conv.stride_h, stride_w=conv.stride_w, pad_top=conv.pad_top,
        pad_left=conv.pad_left, activation=conv.activation,
    )  # fmt: skip
    return Layer(window, w, w.elements // w.shape[0])


def _cost(node: Node) -> Cost:
    return Cost(macs=node.input(0).elements * (node.input(1).elements // node.input(1).shape[3]))


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    """Row oy reads input rows iy with oy = iy * stride_h - pad_top + ky; hybrid reads all."""
    if arithmetic(node) is Arithmetic.HYBRID:
        return (None, None, None)
    conv, x, w = attributes(node, TransposeConv), node.input(0), node.input(1)
    first = -(-(out.begin + conv.pad_top - w.shape[1] + 1) // conv.stride_h)
    last = (out.end - 1 + conv.pad_top) // conv.stride_h
    begin = min(max(0, first), x.shape[1])
    return (Span(begin, max(begin, min(x.shape[1], last + 1))), None, None)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    if arithmetic(node) is Arithmetic.HYBRID:
        return None
    conv, x, w = attributes(node, TransposeConv), node.input(0), node.input(1)
    rows, top = _cut(box[1], x.shape[1], w.shape[1], conv.stride_h, conv.pad_top)
    columns, left = _cut(box[2], x.shape[2], w.shape[2], conv.stride_w, conv.pad_left)
    small = replace(conv, output_h=box[1].size, output_w=box[2].size, pad_top=top, pad_left=left)
    weights = (box[3], *whole(w.shape[1:]))
    cuts = [(0, (box[0], rows, columns, Span(0, x.shape[3]))), (1, weights)]
    return boxed(node, box, [*cuts, bias_cut(node, box[3])][: len(node.inputs)], small)


def _cut(out: Span, size: int, kernel: int, stride: int, before: int) -> tuple[Span, int]:
    """At least one of the inputs that reach these outputs, and what is cut off before them."""
    first = -(-(out.begin + before - kernel + 1) // stride)
    last = (out.end - 1 + before) // stride
    begin = max(0, min(first, (out.begin + before) // stride, size - 1))
    end = max(begin + 1, min(size, last + 1))
    return Span(begin, end), out.begin + before - begin * stride


TRANSPOSE_CONV = OpKind(
    type="TRANSPOSE_CONV",
    attributes=TransposeConv,
    summary="Transposed convolution, any stride and output size.",
    supports=tuple(a.value for a in SUPPORTED),
    tflite={"TRANSPOSE_CONV": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(
        TRANSPOSE_S8,
        TRANSPOSE_U8,
        TRANSPOSE_S16,
        TRANSPOSE_BIAS32_S16,
        TRANSPOSE_F32,
        TRANSPOSE_HYBRID_F32,
        QUANTIZE_F32,
    ),
    cost=_cost,
    rows=_rows,
    box=_box,
)
