"""CONV_2D: two-dimensional convolution."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.fixedpoint import (
    activation_range,
    channel_multipliers,
    folded_bias,
    requant_table,
    requantize,
    saturate,
)
from nacre.ops.kind import (
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Scratch,
    SourceNode,
    Span,
    attributes,
    derived_id,
    meaning,
    read,
    write,
)
from nacre.ops.window import Axis, tflite_activation, tflite_padding


@dataclass(frozen=True)
class Conv2d(Attributes):
    """Weights are [output channels, kernel_h, kernel_w, input channels]."""

    stride_h: int = 1
    stride_w: int = 1
    dilation_h: int = 1
    dilation_w: int = 1
    pad_top: int = 0
    pad_left: int = 0
    pad_bottom: int = 0
    pad_right: int = 0
    activation: str = "NONE"
    # The input offset is already in the bias, so padding reads the zero point.
    offset_in_bias: bool = False


@dataclass(frozen=True)
class Conv2dParams(Params):
    c_type: ClassVar[str] = "nacre_conv2d_params_t"
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    input_c: int = meaning("input channels")
    output_w: int = meaning("output columns")
    output_c: int = meaning("output channels")
    kernel_h: int = meaning("kernel rows")
    kernel_w: int = meaning("kernel columns")
    stride_h: int = meaning("rows from one output to the next")
    stride_w: int = meaning("columns from one output to the next")
    dilation_h: int = meaning("rows from one tap to the next")
    dilation_w: int = meaning("columns from one tap to the next")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    pad_value: int = meaning("what the padding holds: the input's zero point")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


CONV_S8 = Kernel("nacre_conv2d_s8", Conv2dParams)
CONV_PATCH_S8 = Kernel("nacre_conv2d_patch_s8", Conv2dParams)

# Below this many bytes per contiguous run of taps, gathering them first is cheaper.
SHORT_RUN = 16


def _from_tflite(source: SourceNode) -> Imported:
    x, w, options = source.input(0), source.input(1), source.options
    stride_h, stride_w = options.integer("stride_h"), options.integer("stride_w")
    dilation_h = options.integer("dilation_h_factor", 1)
    dilation_w = options.integer("dilation_w_factor", 1)
    scheme = options.integer("padding")
    top, bottom = tflite_padding(scheme, x.shape[1], w.shape[1], stride_h, dilation_h)
    left, right = tflite_padding(scheme, x.shape[2], w.shape[2], stride_w, dilation_w)
    return Imported(
        Conv2d(
            stride_h, stride_w, dilation_h, dilation_w, top, left, bottom, right,
            tflite_activation(options),
        ),
        inputs=(0, 1, 2),
    )  # fmt: skip


def axes(conv: Conv2d, x: Shape, w: Shape) -> tuple[Axis, Axis]:
    return (
        Axis(x[1], w[1], conv.stride_h, conv.dilation_h, conv.pad_top, conv.pad_bottom),
        Axis(x[2], w[2], conv.stride_w, conv.dilation_w, conv.pad_left, conv.pad_right),
    )


def _infer(conv: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, w = inputs[0], inputs[1]
    assert isinstance(conv, Conv2d) and x is not None and w is not None
    rows, columns = axes(conv, x.shape, w.shape)
    return ((x.shape[0], rows.outputs, columns.outputs, w.shape[0]),)


def _check(node: Node) -> str | None:
    x, w, bias = node.input(0), node.input(1), node.optional(2)
    if not w.is_constant or (bias is not None and not bias.is_constant):
        return "weights or bias are computed at run time; supported: constants"
    kinds = (x.dtype, w.dtype, node.output.dtype)
    if kinds != (DType.INT8, DType.INT8, DType.INT8):
        names = ", ".join(k.value for k in kinds)
        return f"input, weights, output are {names}; supported: int8, int8, int8"
    if x.shape[3] != w.shape[3]:
        return f"{x.shape[3]} input channels with weights for {w.shape[3]}"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    conv = attributes(node, Conv2d)
    x, w, y = node.input(0), node.input(1), node.output
    offset = 0 if conv.offset_in_bias else -x.q.zero_point
    acc = accumulate(conv, values, x.q.zero_point, offset)
    multiplier, shift = channel_multipliers(x, w, y, y.shape[3])
    scaled = requantize(acc, multiplier, shift) + y.q.zero_point
    return (saturate(scaled, y.dtype, *activation_range(conv.activation, y)),)


def accumulate(
    conv: Conv2d, values: tuple[Array | None, ...], pad_value: int, offset: int
) -> Array:
    """bias + sum (x + offset) * w in int64, padding with `pad_value`."""
    x, w = values[0], values[1]
    assert x is not None and w is not None
    rows, columns = axes(conv, x.shape, w.shape)
    padded = np.pad(
        x.astype(np.int64),
        ((0, 0), (rows.before, rows.after), (columns.before, columns.after), (0, 0)),
        constant_values=pad_value,
    )
    acc = np.zeros((x.shape[0], rows.outputs, columns.outputs, w.shape[0]), np.int64)
    for ky in range(w.shape[1]):
        for kx in range(w.shape[2]):
            taps = padded[
                :,
                ky * rows.dilation :: rows.stride,
                kx * columns.dilation :: columns.stride,
            ][:, : rows.outputs, : columns.outputs]
            acc += (taps + offset) @ w[:, ky, kx].astype(np.int64).T
    bias = values[2] if len(values) > 2 else None
    return acc if bias is None else acc + bias.astype(np.int64)


def _fold_offset(node: Node) -> tuple[Attributes, Tensor] | None:
    conv = attributes(node, Conv2d)
    if conv.offset_in_bias or node.input(0).dtype is not DType.INT8:
        return None
    return replace(conv, offset_in_bias=True), folded_bias(node, node.input(1).constant, (1, 2, 3))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    conv = attributes(node, Conv2d)
    x, w, y = node.input(0), node.input(1), node.output
    assert conv.offset_in_bias, "the pass that folds input offsets runs before lowering"
    bias = node.input(2)
    requant = requant_table(node, *channel_multipliers(x, w, y, y.shape[3]))
    run = x.shape[3] * (w.shape[2] if conv.dilation_w == 1 else 1)
    patch = run < SHORT_RUN and w.shape[1] * w.shape[2] > 1
    scratch = (Scratch(derived_id(node, "scratch0"), w.elements // w.shape[0]),) if patch else ()
    kernel = CONV_PATCH_S8 if patch else CONV_S8
    calls = tuple(
        Call(
            kernel,
            (
                read(x, n * (x.size // x.shape[0])), read(w), read(bias), read(requant),
                write(y, n * (y.size // y.shape[0])), _params(conv, x, w, y), Span(0, y.shape[1]),
                *(Pointer(s.id, DType.INT8, const=False) for s in scratch),
            ),
        )
        for n in range(x.shape[0])
    )  # fmt: skip
    return Lowered(calls, (requant,), scratch)


def _params(conv: Conv2d, x: Tensor, w: Tensor, y: Tensor) -> Conv2dParams:
    low, high = activation_range(conv.activation, y)
    return Conv2dParams(
        input_h=x.shape[1], input_w=x.shape[2], input_c=x.shape[3],
        output_w=y.shape[2], output_c=y.shape[3],
        kernel_h=w.shape[1], kernel_w=w.shape[2],
        stride_h=conv.stride_h, stride_w=conv.stride_w,
        dilation_h=conv.dilation_h, dilation_w=conv.dilation_w,
        pad_top=conv.pad_top, pad_left=conv.pad_left, pad_value=x.q.zero_point,
        output_offset=y.q.zero_point, activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def _cost(node: Node) -> Cost:
    w = node.input(1)
    return Cost(macs=node.output.elements * (w.elements // w.shape[0]))


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    rows, _ = axes(attributes(node, Conv2d), node.input(0).shape, node.input(1).shape)
    return (rows.needs(out), None, None)


CONV_2D = OpKind(
    type="CONV_2D",
    attributes=Conv2d,
    summary="Two-dimensional convolution, any stride, dilation and padding.",
    supports=("int8 with int8 weights per tensor or per channel",),
    tflite={"CONV_2D": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(CONV_S8, CONV_PATCH_S8),
    cost=_cost,
    rows=_rows,
    fold_offset=_fold_offset,
)
