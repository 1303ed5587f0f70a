"""FULLY_CONNECTED on quantized tensors: int8, uint8, int16 with int8 weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.fixedpoint import (
    activation_range,
    channel_multipliers,
    folded_bias,
    requant_table,
    requantize,
    requantize_wide,
    saturate,
)
from nacre.ops.fully_connected.layer import FullyConnected, batches, bias_as, constant, operands
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    Params,
    Pointer,
    attributes,
    meaning,
    read,
    write,
)


@dataclass(frozen=True)
class FullyConnectedParams(Params):
    c_type: ClassVar[str] = "nacre_fully_connected_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    input_offset: int = meaning("minus the zero point of the input, 0 where the bias has it")
    weights_offset: int = meaning("minus the zero point of the weights")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    scale_step: int = meaning("1 with a scale per output, 0 with one for all")


FC_S8 = Kernel("nacre_fully_connected_s8", FullyConnectedParams)
FC_S16 = Kernel("nacre_fully_connected_s16", FullyConnectedParams)
FC_NARROW_S16 = Kernel("nacre_fully_connected_narrow_s16", FullyConnectedParams)
FC_REAL_S8 = Kernel("nacre_fully_connected_real_s8", FullyConnectedParams)
FC_REAL_U8 = Kernel("nacre_fully_connected_real_u8", FullyConnectedParams)
FC_REAL_S16 = Kernel("nacre_fully_connected_real_s16", FullyConnectedParams)
KERNELS = (FC_S8, FC_S16, FC_NARROW_S16, FC_REAL_S8, FC_REAL_U8, FC_REAL_S16)


# --- scales -----------------------------------------------------------------------------------


def multipliers(x: Tensor, w: Tensor, y: Tensor, once: bool = False) -> tuple[Array, Array]:
    """Multiplier and shift, one for all outputs or one for each."""
    return channel_multipliers(x, w, y, len(w.q.scales), once and x.dtype is not DType.INT16)


def multipliers_of(node: Node) -> tuple[Array, Array]:
    """Those of a layer."""
    once = attributes(node, FullyConnected).once
    return multipliers(node.input(0), node.input(1), node.output, once)


def real_scales(x: Tensor, w: Tensor, y: Tensor) -> Array:
    """float64 factors of the accumulators, one for all outputs or one for each."""
    return np.array([x.q.scale * s / y.q.scale for s in w.q.scales], np.float64)


def scale_real(acc: Array, scales: Array) -> Array:
    """round(acc * scale), half away from zero, kept where an offset can be added."""
    product = np.clip(acc.astype(np.float64) * scales, -(2.0**30), 2.0**30)
    whole = np.trunc(product)
    rest = product - whole
    return (whole + (rest >= 0.5) - (rest <= -0.5)).astype(np.int64)


def _is_real(node: Node) -> bool:
    """uint8 layers exist in LiteRT alone."""
    return attributes(node, FullyConnected).real_scales or node.input(0).dtype is DType.UINT8


def _is_narrow(node: Node) -> bool:
    """An int32 bias makes int16 layers of TFLite Micro sum in 32 bits."""
    bias = node.optional(2)
    return not _is_real(node) and bias is not None and bias.dtype is DType.INT32


# --- reference --------------------------------------------------------------------------------


def reference(node: Node, values: tuple[Array | None, ...]) -> Array:
    layer = attributes(node, FullyConnected)
    x, w, y = node.input(0), node.input(1), node.output
    rows, weights, bias = operands(values)
    offset = 0 if layer.offset_in_bias else x.q.zero_point
    centred = weights.astype(np.int64) - w.q.zero_point
    acc = (rows.astype(np.int64) - offset) @ centred.T + np.asarray(bias, np.int64)
    if x.dtype is not DType.INT16:
        acc = acc.astype(np.int32)  # sums wrap, there as here
    if _is_real(node):
        scaled = scale_real(acc, real_scales(x, w, y))
    else:
        scale = requantize_wide if x.dtype is DType.INT16 and not _is_narrow(node) else requantize
        scaled = scale(acc, *multipliers_of(node))
    return saturate(scaled + y.q.zero_point, y.dtype, *activation_range(layer.activation, y))


def fold_offset(node: Node) -> tuple[Attributes, Tensor] | None:
    layer = attributes(node, FullyConnected)
    w = node.input(1)
    if layer.offset_in_bias or not w.is_constant:
        return None
    if node.input(0).dtype not in (DType.INT8, DType.UINT8):
        return None
    centred = w.constant.astype(np.int64) - w.q.zero_point
    return replace(layer, offset_in_bias=True), folded_bias(node, centred, (1,))


# --- lowering ---------------------------------------------------------------------------------


def lower_int8(node: Node) -> Lowered:
    bias = bias_as(node, DType.INT32)
    lowered = _lower(node, FC_REAL_S8 if _is_real(node) else FC_S8, read(bias))
    return replace(lowered, constants=(*lowered.constants, bias))


def lower_uint8(node: Node) -> Lowered:
    assert attributes(node, FullyConnected).offset_in_bias
    return _lower(node, FC_REAL_U8, read(node.input(2)))


def lower_int16(node: Node) -> Lowered:
    if _is_narrow(node):
        return _lower(node, FC_NARROW_S16, read(node.input(2)))
    bias = bias_as(node, DType.INT64)
    lowered = _lower(node, FC_REAL_S16 if _is_real(node) else FC_S16, read(bias))
    return replace(lowered, constants=(*lowered.constants, bias))


def _lower(node: Node, kernel: Kernel, bias: Pointer) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    scales = _scales(node)
    call = Call(kernel, (read(x), read(w), bias, read(scales), write(y), fc_params(node)))
    return Lowered((call,), (scales,))


def _scales(node: Node) -> Tensor:
    x, w, y = node.input(0), node.input(1), node.output
    if _is_real(node):
        return constant(node, "scales", f"{y.name} scales", real_scales(x, w, y))
    return requant_table(node, *multipliers_of(node))


def fc_params(node: Node) -> FullyConnectedParams:
    layer = attributes(node, FullyConnected)
    w, y = node.input(1), node.output
    low, high = activation_range(layer.activation, y)
    return FullyConnectedParams(
        batches=batches(node), inputs=w.shape[1], outputs=w.shape[0],
        input_offset=0 if layer.offset_in_bias else -node.input(0).q.zero_point,
        weights_offset=-w.q.zero_point, output_offset=y.q.zero_point,
        activation_min=low, activation_max=high, scale_step=int(w.q.per_channel),
    )  # fmt: skip
