"""Kernel calls of convolutions: parameters, derived constants, scratch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node, Tensor, TensorKind
from nacre.ops.convolution import Sliding, is_asymmetric, multipliers
from nacre.ops.fixedpoint import activation_range, float_activation_range, requant_table
from nacre.ops.kind import (
    Argument,
    Call,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    Span,
    derived_id,
    meaning,
    read,
    write,
)


@dataclass(frozen=True)
class ConvParams(Params):
    c_type: ClassVar[str] = "nacre_conv_params_t"
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
    groups: int = meaning("groups of channels")
    weights_pitch: int = meaning("elements of one row of weights")
    pad_value: int = meaning("what the padding holds: the input's zero point")
    weights_offset: int = meaning("minus the weights' zero point")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


@dataclass(frozen=True)
class ConvFloatParams(Params):
    c_type: ClassVar[str] = "nacre_conv_float_params_t"
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
    groups: int = meaning("groups of channels")
    weights_pitch: int = meaning("elements of one row of weights")
    activation_min: float = meaning("lower clamp")
    activation_max: float = meaning("upper clamp")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


@dataclass(frozen=True)
class Layer:
    """A convolution on its way to kernel calls: its window, the weights as a kernel wants them."""

    conv: Sliding
    weights: Tensor
    weights_pitch: int
    groups: int = 1


QUANTIZE_F32 = Kernel("nacre_hybrid_quantize_f32")


def conv_params(node: Node, layer: Layer) -> ConvParams:
    x, w, y, conv = node.input(0), node.input(1), node.output, layer.conv
    low, high = activation_range(conv.activation, y)
    return ConvParams(
        input_h=x.shape[1], input_w=x.shape[2], input_c=x.shape[3],
        output_w=y.shape[2], output_c=y.shape[3],
        kernel_h=w.shape[1], kernel_w=w.shape[2],
        stride_h=conv.stride_h, stride_w=conv.stride_w,
        dilation_h=conv.dilation_h, dilation_w=conv.dilation_w,
        pad_top=conv.pad_top, pad_left=conv.pad_left,
        groups=layer.groups, weights_pitch=layer.weights_pitch,
        pad_value=x.q.zero_point, weights_offset=-w.q.zero_points[0],
        output_offset=y.q.zero_point, activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def conv_float_params(node: Node, layer: Layer) -> ConvFloatParams:
    x, w, y, conv = node.input(0), node.input(1), node.output, layer.conv
    low, high = float_activation_range(conv.activation)
    return ConvFloatParams(
        input_h=x.shape[1], input_w=x.shape[2], input_c=x.shape[3],
        output_w=y.shape[2], output_c=y.shape[3],
        kernel_h=w.shape[1], kernel_w=w.shape[2],
        stride_h=conv.stride_h, stride_w=conv.stride_w,
        dilation_h=conv.dilation_h, dilation_w=conv.dilation_w,
        pad_top=conv.pad_top, pad_left=conv.pad_left,
        groups=layer.groups, weights_pitch=layer.weights_pitch,
        activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def constant(node: Node, what: str, data: Array, origin: Tensor | None) -> Tensor:
    """A constant that lowering makes; rules for its origin hold for it too."""
    data = np.ascontiguousarray(data)
    name = f"{node.output.name} {what}" if origin is None else origin.name
    return Tensor(
        derived_id(node, what), name, data.shape, DType(data.dtype.name), TensorKind.CONSTANT,
        data=data, origins=() if origin is None else (origin.id,),
    )  # fmt: skip


def bias_constant(node: Node, dtype: DType) -> Tensor:
    """The bias in the type that a kernel takes; zeros where there is none."""
    bias = node.optional(2)
    if bias is None:
        return constant(node, "bias", np.zeros(node.output.shape[3], dtype.numpy), None)
    if bias.dtype is dtype:
        return bias
    return constant(node, "bias", bias.constant.astype(dtype.numpy), bias)


def lower_integer(node: Node, layer: Layer, kernel: Kernel, bias_type: DType) -> Lowered:
    """One call per batch image of an integer kernel."""
    bias = bias_constant(node, bias_type)
    requant = requant_table(node, *multipliers(node))
    constants = (read(layer.weights), read(bias), read(requant))
    calls = per_image(node, kernel, constants, conv_params(node, layer))
    return Lowered(calls, (layer.weights, bias, requant))


def lower_float(node: Node, layer: Layer, kernel: Kernel) -> Lowered:
    """One call per batch image of a float kernel."""
    bias = bias_constant(node, DType.FLOAT32)
    constants = (read(layer.weights), read(bias))
    calls = per_image(node, kernel, constants, conv_float_params(node, layer))
    return Lowered(calls, (layer.weights, bias))


def per_image(
    node: Node, kernel: Kernel, constants: tuple[Argument, ...], params: Params
) -> tuple[Call, ...]:
    x, y = node.input(0), node.output
    rows = Span(0, y.shape[1])
    return tuple(
        Call(
            kernel,
            (
                read(x, n * (x.size // x.shape[0])), *constants,
                write(y, n * (y.size // y.shape[0])), params, rows,
            ),
        )
        for n in range(x.shape[0])
    )  # fmt: skip


def lower_hybrid(
    node: Node, layer: Layer, kernel: Kernel, sums: tuple[Tensor, ...] = ()
) -> Lowered:
    """Two calls per batch image: quantize the image, then convolve the codes."""
    x, w, y = node.input(0), node.input(1), node.output
    channels = y.shape[3]
    scales = w.q.scales if w.q.per_channel else w.q.scales * channels
    table = constant(node, "scales", np.array(scales, np.float32), None)
    bias = bias_constant(node, DType.FLOAT32)
    image = x.elements // x.shape[0]
    codes = Scratch(derived_id(node, "scratch0"), image)
    found = Scratch(derived_id(node, "scratch1"), 8)
    params = conv_float_params(node, layer)
    calls: list[Call] = []
    for n in range(x.shape[0]):
        into = (
            Pointer(codes.id, DType.INT8, const=False),
            Pointer(found.id, DType.FLOAT32, const=False),
        )
        start = read(x, n * image * x.dtype.size)
        calls.append(Call(QUANTIZE_F32, (start, *into, image, int(is_asymmetric(node)))))
        operands: tuple[Argument, ...] = (
            Pointer(codes.id, DType.INT8), Pointer(found.id, DType.FLOAT32), read(layer.weights),
            *(read(t) for t in sums), read(table), read(bias),
            write(y, n * (y.size // y.shape[0])), params, Span(0, y.shape[1]),
        )  # fmt: skip
        calls.append(Call(kernel, operands))
    return Lowered(tuple(calls), (layer.weights, *sums, table, bias), (codes, found))
