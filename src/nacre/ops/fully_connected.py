"""FULLY_CONNECTED: every row of the input times a matrix of weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.fixedpoint import (
    activation_range,
    channel_multipliers,
    float_activation_range,
    folded_bias,
    quantize_multiplier,
    requant_table,
    requantize,
    requantize_once,
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
    Refuse,
    SourceNode,
    attributes,
    derived_id,
    meaning,
    read,
    write,
)
from nacre.ops.window import tflite_activation


@dataclass(frozen=True)
class FullyConnected(Attributes):
    """Weights are [outputs, inputs]."""

    activation: str = "NONE"
    # The output has the input's leading dimensions; otherwise it is a matrix.
    keep_dimensions: bool = False
    # Scaled int8 accumulators are rounded once, as in LiteRT; TFLite Micro rounds twice.
    round_once: bool = False
    # The input offset is already in the bias.
    offset_in_bias: bool = False


@dataclass(frozen=True)
class FullyConnectedParams(Params):
    c_type: ClassVar[str] = "nacre_fully_connected_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    weights_offset: int = meaning("minus the zero point of the weights")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    requant_step: int = meaning("1 with a multiplier per output, 0 with one for all")


@dataclass(frozen=True)
class FullyConnectedFloatParams(Params):
    c_type: ClassVar[str] = "nacre_fully_connected_float_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    activation_min: float = meaning("lower clamp")
    activation_max: float = meaning("upper clamp")


FC_S8 = Kernel("nacre_fully_connected_s8", FullyConnectedParams)
FC_ONCE_S8 = Kernel("nacre_fully_connected_once_s8", FullyConnectedParams)
FC_F32 = Kernel("nacre_fully_connected_f32", FullyConnectedFloatParams)


@dataclass(frozen=True)
class Form:
    """One combination of element types."""

    reference: Callable[[Node, tuple[Array | None, ...]], Array]
    lower: Callable[[Node], Lowered]


Kinds: TypeAlias = tuple[DType, DType, DType]


def _from_tflite(source: SourceNode) -> Imported:
    options = source.options
    if options.integer("weights_format") != 0:
        raise Refuse("weights are shuffled; supported: the default weights format")
    return Imported(
        FullyConnected(
            tflite_activation(options), options.flag("keep_num_dims"), round_once=source.litert
        ),
        inputs=(0, 1, 2),
    )


def _infer(layer: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, w = inputs[0], inputs[1]
    assert isinstance(layer, FullyConnected) and x is not None and w is not None
    outputs, width = w.shape
    if layer.keep_dimensions:
        return ((*x.shape[:-1], outputs),)
    if width == 0 or x.elements % width:
        raise Refuse(f"an input of {list(x.shape)} is not made of rows of {width}")
    return ((x.elements // width, outputs),)


def _check(node: Node) -> str | None:
    layer = attributes(node, FullyConnected)
    x, w, bias = node.input(0), node.input(1), node.optional(2)
    if not w.is_constant or (bias is not None and not bias.is_constant):
        return "weights or bias are computed at run time; supported: constants"
    kinds = _kinds(node)
    if kinds not in FORMS:
        names = ", ".join(k.value for k in kinds)
        known = "; ".join(", ".join(k.value for k in known) for known in FORMS)
        return f"input, weights, output are {names}; supported: {known}"
    if layer.keep_dimensions and x.shape[-1:] != (w.shape[1],):
        return f"an input of {list(x.shape)} with weights for {w.shape[1]}"
    if bias is not None and bias.elements != w.shape[0]:
        return f"a bias of {bias.elements} for {w.shape[0]} outputs"
    return None


def _kinds(node: Node) -> Kinds:
    return node.input(0).dtype, node.input(1).dtype, node.output.dtype


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (FORMS[_kinds(node)].reference(node, values).reshape(node.output.shape),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return FORMS[_kinds(node)].lower(node)


def _operands(values: tuple[Array | None, ...]) -> tuple[Array, Array, Array | int]:
    """The input as a matrix, the weights, the bias or 0."""
    x, w = values[0], values[1]
    bias = values[2] if len(values) > 2 else None
    assert x is not None and w is not None
    return x.reshape(-1, w.shape[1]), w, 0 if bias is None else bias


# --- int8 -------------------------------------------------------------------------------------


def multipliers(x: Tensor, w: Tensor, y: Tensor) -> tuple[Array, Array]:
    """Multiplier and shift, one for all outputs or one for each.

    With one scale the product of the scales is taken in float32, unlike elsewhere.
    """
    if w.q.per_channel:
        return channel_multipliers(x, w, y, w.shape[0])
    product = np.float32(x.q.scale) * np.float32(w.q.scale)
    pair = quantize_multiplier(float(product) / y.q.scale)
    return np.array(pair[:1], np.int32), np.array(pair[1:], np.int32)


def _reference_int8(node: Node, values: tuple[Array | None, ...]) -> Array:
    layer = attributes(node, FullyConnected)
    x, w, y = node.input(0), node.input(1), node.output
    rows, weights, bias = _operands(values)
    offset = 0 if layer.offset_in_bias else x.q.zero_point
    centred = weights.astype(np.int64) - w.q.zero_point
    acc = (rows.astype(np.int64) - offset) @ centred.T + bias
    scale = requantize_once if layer.round_once else requantize
    scaled = scale(acc, *multipliers(x, w, y)) + y.q.zero_point
    return saturate(scaled, y.dtype, *activation_range(layer.activation, y))


def _fold_offset(node: Node) -> tuple[Attributes, Tensor] | None:
    layer = attributes(node, FullyConnected)
    w = node.input(1)
    if layer.offset_in_bias or node.input(0).dtype not in (DType.INT8, DType.UINT8):
        return None
    centred = w.constant.astype(np.int64) - w.q.zero_point
    return replace(layer, offset_in_bias=True), folded_bias(node, centred, (1,))


def _lower_int8(node: Node) -> Lowered:
    layer = attributes(node, FullyConnected)
    x, w, y = node.input(0), node.input(1), node.output
    assert layer.offset_in_bias, "the pass that folds input offsets runs before lowering"
    requant = requant_table(node, *multipliers(x, w, y))
    kernel = FC_ONCE_S8 if layer.round_once else FC_S8
    call = Call(
        kernel, (read(x), read(w), read(node.input(2)), read(requant), write(y), _params(node))
    )
    return Lowered((call,), (requant,))


def _params(node: Node) -> FullyConnectedParams:
    layer = attributes(node, FullyConnected)
    w, y = node.input(1), node.output
    low, high = activation_range(layer.activation, y)
    return FullyConnectedParams(
        batches=y.elements // w.shape[0], inputs=w.shape[1], outputs=w.shape[0],
        weights_offset=-w.q.zero_point, output_offset=y.q.zero_point,
        activation_min=low, activation_max=high, requant_step=int(w.q.per_channel),
    )  # fmt: skip


# --- float32 ----------------------------------------------------------------------------------


def _reference_float(node: Node, values: tuple[Array | None, ...]) -> Array:
    rows, weights, bias = _operands(values)
    low, high = float_activation_range(attributes(node, FullyConnected).activation)
    acc = rows.astype(np.float64) @ weights.astype(np.float64).T
    return np.clip(acc.astype(np.float32) + np.asarray(bias, np.float32), low, high)


def _lower_float(node: Node) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    low, high = float_activation_range(attributes(node, FullyConnected).activation)
    bias = bias_or_zeros(node)
    params = FullyConnectedFloatParams(
        batches=y.elements // w.shape[0], inputs=w.shape[1], outputs=w.shape[0],
        activation_min=low, activation_max=high,
    )  # fmt: skip
    return Lowered((Call(FC_F32, (read(x), read(w), read(bias), write(y), params)),), (bias,))


def bias_or_zeros(node: Node, dtype: DType = DType.FLOAT32) -> Tensor:
    """The bias, or a constant of zeros where the layer has none."""
    bias = node.optional(2)
    if bias is not None:
        return bias
    data = np.zeros(node.input(1).shape[:1], dtype.numpy)
    name = f"{node.output.name} bias"
    key = derived_id(node, "bias")
    return Tensor(key, name, data.shape, dtype, TensorKind.CONSTANT, data=data)


# --- the row ----------------------------------------------------------------------------------

_S8, _F32 = DType.INT8, DType.FLOAT32

FORMS: Mapping[Kinds, Form] = {
    (_S8, _S8, _S8): Form(_reference_int8, _lower_int8),
    (_F32, _F32, _F32): Form(_reference_float, _lower_float),
}


def _cost(node: Node) -> Cost:
    return Cost(macs=node.output.elements * node.input(1).shape[1])


FULLY_CONNECTED = OpKind(
    type="FULLY_CONNECTED",
    attributes=FullyConnected,
    summary="Rows of the input times a matrix of weights, with bias and fused activation.",
    supports=(
        "int8 with int8 weights per tensor or per output",
        "float32",
    ),
    tflite={"FULLY_CONNECTED": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(FC_S8, FC_ONCE_S8, FC_F32),
    cost=_cost,
    fold_offset=_fold_offset,
)
