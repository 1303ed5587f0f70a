"""FULLY_CONNECTED: every row of the input times a matrix of weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import bias_cut, boxed, is_whole, whole
from nacre.ops.fixedpoint import wide_objection
from nacre.ops.fully_connected import dsp, integer, mve, real
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import (
    Box,
    Boxed,
    Cost,
    Imported,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    Span,
    attributes,
)
from nacre.ops.window import tflite_activation


@dataclass(frozen=True)
class Form:
    """One combination of element types."""

    reference: Callable[[Node, tuple[Array | None, ...]], Array]
    lower: Callable[[Node], Lowered]
    # Element types of the bias, and whether the weights may be computed.
    biases: tuple[DType, ...]
    computed_weights: bool = False


Kinds: TypeAlias = tuple[DType, DType, DType]
_S8, _U8, _S16, _F32 = DType.INT8, DType.UINT8, DType.INT16, DType.FLOAT32
_S32, _S64 = DType.INT32, DType.INT64

FORMS: Mapping[Kinds, Form] = {
    (_S8, _S8, _S8): Form(integer.reference, integer.lower_int8, (_S32,), True),
    (_U8, _U8, _U8): Form(integer.reference, integer.lower_uint8, (_S32,)),
    (_S16, _S8, _S16): Form(integer.reference, integer.lower_int16, (_S64, _S32)),
    (_F32, _F32, _F32): Form(real.reference_float, real.lower_float, (_F32,), True),
    (_F32, _S8, _F32): Form(real.reference_hybrid, real.lower_hybrid, (_F32,)),
}


def _from_tflite(source: SourceNode) -> Imported:
    options = source.options
    if options.integer("weights_format") != 0:
        raise Refuse("the weights are shuffled; supported: the default weights format")
    return Imported(
        FullyConnected(
            tflite_activation(options),
            keep_dimensions=options.flag("keep_num_dims"),
            real_scales=source.litert,
            asymmetric_inputs=options.flag("asymmetric_quantize_inputs"),
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
    x, w = node.input(0), node.input(1)
    kinds = _kinds(node)
    if kinds not in FORMS:
        names = ", ".join(k.value for k in kinds)
        known = "; ".join(", ".join(k.value for k in known) for known in FORMS)
        return f"input, weights, output are {names}; supported: {known}"
    if layer.keep_dimensions and x.shape[-1:] != (w.shape[1],):
        return f"an input of {list(x.shape)} with weights for {w.shape[1]}"
    if not w.is_constant and not FORMS[kinds].computed_weights:
        return f"{w.dtype.value} weights for {x.dtype.value} are computed; supported: constants"
    if x.dtype is _S16 and any(t.q.zero_point != 0 for t in (x, w, node.output)):
        return "int16 with a zero point that is not 0; supported: 0"
    if x.dtype is _S16:
        largest = x.q.scale * max(w.q.scales) / node.output.q.scale
        return wide_objection(largest) or _check_bias(node, FORMS[kinds].biases)
    return _check_bias(node, FORMS[kinds].biases)


def _check_bias(node: Node, kinds: tuple[DType, ...]) -> str | None:
    bias, w = node.optional(2), node.input(1)
    if bias is None:
        return None
    if not bias.is_constant:
        return "the bias is computed at run time; supported: a constant"
    if bias.dtype not in kinds:
        known = " or ".join(k.value for k in kinds)
        return f"the bias is {bias.dtype.value}; supported: {known}"
    if bias.elements != w.shape[0]:
        return f"a bias of {bias.elements} values; supported: one for each of {w.shape[0]} outputs"
    return None


def _kinds(node: Node) -> Kinds:
    return node.input(0).dtype, node.input(1).dtype, node.output.dtype


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (FORMS[_kinds(node)].reference(node, values).reshape(node.output.shape),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return FORMS[_kinds(node)].lower(node)


def _cost(node: Node) -> Cost:
    return Cost(macs=node.output.elements * node.input(1).shape[1])


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """Rows of the input where they can be told apart, and outputs of them."""
    x, w, y = node.input(0), node.input(1), node.output
    if attributes(node, FullyConnected).keep_dimensions:
        rows: Box | None = (*box[:-1], Span(0, x.shape[-1]))
    elif is_whole(box[0], y.shape[0]):
        rows = whole(x.shape)
    else:
        rows = (box[0], *whole(x.shape[1:])) if x.shape[0] == y.shape[0] else None
    if rows is None:
        return None
    cuts = [(0, rows), (1, (box[-1], Span(0, w.shape[1]))), bias_cut(node, box[-1])]
    return boxed(node, box, cuts[: len(node.inputs)])


FULLY_CONNECTED = OpKind(
    type="FULLY_CONNECTED",
    attributes=FullyConnected,
    summary="Rows of the input times a matrix of weights, with bias and fused activation.",
    supports=(
        "int8 with int8 weights per tensor or per output, constant or computed",
        "uint8 with uint8 weights",
        "int16 with int8 weights and an int64 or int32 bias",
        "float32, constant or computed weights",
        "float32 with int8 weights (dynamic range): rows are quantized at run time",
    ),
    tflite={"FULLY_CONNECTED": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(*integer.KERNELS, *real.KERNELS),
    cost=_cost,
    box=_box,
    fold_offset=integer.fold_offset,
    variants=mve.VARIANTS + dsp.VARIANTS,
)
