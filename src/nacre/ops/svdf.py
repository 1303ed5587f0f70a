"""SVDF: a layer of rank-one filters over features and time, which keeps the last features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.elementwise import value
from nacre.ops.fixedpoint import float_activation_range, quantize_multiplier, requantize, saturate
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
    real_meaning,
    write,
)
from nacre.ops.window import tflite_activation

# Position of the state among the inputs.
STATE = 4


@dataclass(frozen=True)
class Svdf(Attributes):
    """Inputs: x, feature weights, time weights, bias or nothing, state."""

    rank: int = 1
    activation: str = "NONE"
    # Ratios of scales are computed in float32, as in LiteRT.
    float_scales: bool = False


@dataclass(frozen=True)
class SvdfParams(Params):
    c_type: ClassVar[str] = "nacre_svdf_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    units: int = meaning("outputs of a row")
    rank: int = meaning("filters per output")
    memory: int = meaning("features that a filter keeps")
    input_offset: int = meaning("minus the zero point of the input")
    feature_multiplier: int = meaning("scale of the features")
    feature_shift: int = meaning("see feature_multiplier")
    state_offset: int = meaning("zero point of the state")
    output_multiplier: int = meaning("scale of the outputs")
    output_shift: int = meaning("see output_multiplier")
    output_offset: int = meaning("zero point of the output")


@dataclass(frozen=True)
class SvdfFloatParams(Params):
    c_type: ClassVar[str] = "nacre_svdf_float_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    units: int = meaning("outputs of a row")
    rank: int = meaning("filters per output")
    memory: int = meaning("features that a filter keeps")
    activation_min: float = real_meaning("lower clamp")
    activation_max: float = real_meaning("upper clamp")


SVDF_S8 = Kernel("nacre_svdf_s8", SvdfParams)
SVDF_S8_S16 = Kernel("nacre_svdf_s8_s16", SvdfParams)
SVDF_F32 = Kernel("nacre_svdf_f32", SvdfFloatParams)

Kinds: TypeAlias = tuple[DType, ...]
_S8, _S16, _F32 = DType.INT8, DType.INT16, DType.FLOAT32
# Types of x, feature weights, time weights, state, y.
KERNELS: dict[Kinds, Kernel] = {
    (_S8, _S8, _S16, _S16, _S8): SVDF_S8_S16,
    (_S8, _S8, _S8, _S8, _S8): SVDF_S8,
    (_F32, _F32, _F32, _F32, _F32): SVDF_F32,
}


def _from_tflite(source: SourceNode) -> Imported:
    rank = source.options.integer("rank")
    source.input(STATE)
    layer = Svdf(rank, tflite_activation(source.options), source.litert)
    return Imported(layer, inputs=(0, 1, 2, 3, STATE))


def _infer(layer: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, features = inputs[0], inputs[1]
    assert isinstance(layer, Svdf) and x is not None and features is not None
    if features.shape[0] % layer.rank:
        raise Refuse(f"{features.shape[0]} filters do not divide into ranks of {layer.rank}")
    return ((x.shape[0], features.shape[0] // layer.rank),)


def _check(node: Node) -> str | None:
    x, features, times, state = (node.input(i) for i in (0, 1, 2, STATE))
    kinds = _kinds(node)
    if kinds not in KERNELS:
        names = ", ".join(k.value for k in kinds)
        known = "; ".join(", ".join(k.value for k in known) for known in KERNELS)
        return f"input, weights, state, output are {names}; supported: {known}"
    if not features.is_constant or not times.is_constant:
        return "the weights are computed at run time; supported: constants"
    if state.kind is not TensorKind.PERSISTENT:
        return "the state is not a variable; supported: a variable"
    filters, memory = times.shape
    wanted = (x.shape[0], filters * memory)
    if features.shape != (filters, x.shape[1]) or state.shape != wanted:
        shapes = ", ".join(str(list(t.shape)) for t in (x, features, times, state))
        return f"input, weights, state are {shapes}, which do not fit"
    if x.dtype is DType.INT8 and (state.quantization is None or times.quantization is None):
        return "the time weights or the state have no scale; supported: with one"
    return _check_bias(node)


def _check_bias(node: Node) -> str | None:
    bias, units = node.optional(3), node.output.shape[1]
    wanted = DType.FLOAT32 if node.input(0).dtype is DType.FLOAT32 else DType.INT32
    if bias is None or (bias.is_constant and bias.dtype is wanted and bias.elements == units):
        return None
    return (
        f"the bias has {bias.elements} values of {bias.dtype.value}; "
        f"supported: {units} constant ones of {wanted.value}"
    )


def _kinds(node: Node) -> Kinds:
    return (*(node.input(i).dtype for i in (0, 1, 2, STATE)), node.output.dtype)


# --- reference --------------------------------------------------------------------------------


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, features, times = (value(values, i) for i in range(3))
    batches, memory = len(x), times.shape[1]
    old = value(values, STATE).reshape(batches, -1, memory)
    newest = _features(node, x, features)[:, :, None].astype(old.dtype)
    state = np.concatenate([old[:, :, 1:], newest], axis=2)
    y = _outputs(node, state, times, values[3])
    return y.reshape(node.output.shape), state.reshape(batches, -1)


def _features(node: Node, x: Array, features: Array) -> Array:
    if x.dtype == np.float32:
        return x @ features.T
    p = _params(node)
    acc = (x.astype(np.int64) + p.input_offset) @ features.astype(np.int64).T
    kind = node.input(STATE).dtype
    narrow = saturate(requantize(acc, p.feature_multiplier, p.feature_shift), kind)
    # TFLite Micro adds the zero point of the state after it has saturated: the sum may wrap.
    return (narrow.astype(np.int64) + p.state_offset).astype(kind.numpy)


def _outputs(node: Node, state: Array, times: Array, bias: Array | None) -> Array:
    layer = attributes(node, Svdf)
    if state.dtype == np.float32:
        real = (state * times).sum(axis=2, dtype=np.float32)
        total = real.reshape(-1, layer.rank).sum(axis=1).reshape(len(state), -1)
        low, high = float_activation_range(layer.activation)
        clamped: Array = np.clip(total + (0 if bias is None else bias), low, high)
        return clamped.astype(np.float32)
    p = _params(node)
    wide = ((state.astype(np.int64) - p.state_offset) * times.astype(np.int64)).sum(axis=2)
    acc = wide.reshape(-1, layer.rank).sum(axis=1).reshape(len(state), -1)
    acc = acc + (0 if bias is None else bias.astype(np.int64))
    scaled = requantize(acc, p.output_multiplier, p.output_shift) + p.output_offset
    return saturate(scaled, DType.INT8)


def _ratio(a: Tensor, b: Tensor, c: Tensor, layer: Svdf) -> tuple[int, int]:
    """Multiplier and shift of scale(a) * scale(b) / scale(c)."""
    if not layer.float_scales:
        return quantize_multiplier(a.q.scale * b.q.scale / c.q.scale)
    ratio = np.float32(a.q.scale) * np.float32(b.q.scale) / np.float32(c.q.scale)
    return quantize_multiplier(float(ratio))


def _params(node: Node) -> SvdfParams:
    x, features, times, state = (node.input(i) for i in (0, 1, 2, STATE))
    y, layer = node.output, attributes(node, Svdf)
    feature_multiplier, feature_shift = _ratio(x, features, state, layer)
    output_multiplier, output_shift = _ratio(state, times, y, layer)
    return SvdfParams(
        batches=x.shape[0], inputs=x.shape[1], units=y.shape[1], rank=layer.rank,
        memory=times.shape[1], input_offset=-x.q.zero_point,
        feature_multiplier=feature_multiplier, feature_shift=feature_shift,
        state_offset=state.q.zero_point,
        output_multiplier=output_multiplier, output_shift=output_shift,
        output_offset=y.q.zero_point,
    )  # fmt: skip


# --- lowering ---------------------------------------------------------------------------------


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, features, times, state = (node.input(i) for i in (0, 1, 2, STATE))
    kernel, bias = KERNELS[_kinds(node)], _bias(node)
    params = _float_params(node) if kernel is SVDF_F32 else _params(node)
    arguments = (
        read(x), read(features), read(times), read(bias), write(state), write(node.output), params,
    )  # fmt: skip
    return Lowered((Call(kernel, arguments),), (bias,))


def _float_params(node: Node) -> SvdfFloatParams:
    layer = attributes(node, Svdf)
    x, times, y = node.input(0), node.input(2), node.output
    low, high = float_activation_range(layer.activation)
    return SvdfFloatParams(
        batches=x.shape[0], inputs=x.shape[1], units=y.shape[1], rank=layer.rank,
        memory=times.shape[1], activation_min=low, activation_max=high,
    )  # fmt: skip


def _bias(node: Node) -> Tensor:
    bias = node.optional(3)
    if bias is not None:
        return bias
    dtype = DType.FLOAT32 if node.input(0).dtype is DType.FLOAT32 else DType.INT32
    data = np.zeros(node.output.shape[1], dtype.numpy)
    name = f"{node.output.name} bias"
    key = derived_id(node, "bias")
    return Tensor(key, name, data.shape, dtype, TensorKind.CONSTANT, data=data)


def _cost(node: Node) -> Cost:
    x, features, times = (node.input(i) for i in range(3))
    return Cost(macs=x.shape[0] * (features.elements + times.elements))


SVDF = OpKind(
    type="SVDF",
    attributes=Svdf,
    summary="Rank-one filters over features and time; the state is a variable.",
    supports=(
        "int8 with int16 time weights and state",
        "int8 with int8 time weights and state",
        "float32",
    ),
    tflite={"SVDF": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(SVDF_S8_S16, SVDF_S8, SVDF_F32),
    cost=_cost,
    mutates=(STATE,),
)
