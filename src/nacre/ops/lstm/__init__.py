"""UNIDIRECTIONAL_SEQUENCE_LSTM: long short-term memory over a sequence, state in variables."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.fixedpoint import wide_objection
from nacre.ops.kind import (
    Cost,
    Imported,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    attributes,
)
from nacre.ops.lstm import integer, real, series
from nacre.ops.lstm.layer import (
    BIASES,
    CELL,
    HIDDEN,
    INPUT_WEIGHTS,
    RECURRENT_WEIGHTS,
    Lstm,
    X,
    walk,
)

# Positions in the file: x, weights, recurrent weights, biases, hidden state, cell state.
_FILE_INPUTS = (*range(9), *range(12, 16), 18, 19)
# What the kernels do not do, by position in the file.
_VARIANTS = {
    9: "peephole connections", 10: "peephole connections", 11: "peephole connections",
    16: "a projection", 17: "a projection",
    20: "layer normalisation", 21: "layer normalisation",
    22: "layer normalisation", 23: "layer normalisation",
}  # fmt: skip
_TANH = 4


@dataclass(frozen=True)
class Form:
    """The element types of weights, biases and cells for one type of values."""

    weights: DType
    bias: DType
    cell: DType
    reference: Callable[[Node, tuple[Array | None, ...]], tuple[Array, Array, Array]]
    lower: Callable[[Node], Lowered]


_S8, _S16, _F32 = DType.INT8, DType.INT16, DType.FLOAT32
FORMS: Mapping[DType, Form] = {
    _S8: Form(_S8, DType.INT32, _S16, integer.reference, integer.lower),
    _S16: Form(_S8, DType.INT64, _S16, integer.reference, integer.lower),
    _F32: Form(_F32, _F32, _F32, real.reference, real.lower),
}
SERIES = Form(_S8, DType.INT32, _S16, series.reference, series.lower)


def _from_tflite(source: SourceNode) -> Imported:
    options = source.options
    for position, what in _VARIANTS.items():
        if source.optional(position) is not None:
            raise Refuse(f"it has {what}; supported: plain LSTM")
    if source.optional(1) is None:
        raise Refuse("it has no input gate (coupled gates); supported: four gates")
    if options.integer("fused_activation_function") != _TANH:
        code = options.integer("fused_activation_function")
        raise Refuse(f"fused activation {code}; supported: {_TANH} (TANH)")
    if options.flag("diagonal_recurrent_tensors"):
        raise Refuse("the recurrent weights are diagonal; supported: full matrices")
    for position in _FILE_INPUTS:
        source.input(position)
    return Imported(
        Lstm(options.flag("time_major"), options.real("cell_clip"), source.litert),
        inputs=_FILE_INPUTS,
    )


def _infer(layer: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, weights = inputs[X], inputs[INPUT_WEIGHTS[0]]
    assert x is not None and weights is not None
    return ((*x.shape[:2], weights.shape[0]),)


def _check(node: Node) -> str | None:
    return _check_types(node) or _check_shapes(node) or _check_quantization(node)


def _check_types(node: Node) -> str | None:
    x, y = node.input(X), node.output
    form = FORMS.get(x.dtype)
    weights = [node.input(i) for i in (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS)]
    biases = [node.input(i) for i in BIASES]
    if form is None or y.dtype is not x.dtype or {w.dtype for w in weights} != {form.weights}:
        known = "; ".join(f"{k.value}, {f.weights.value}" for k, f in FORMS.items())
        return f"values, weights are {x.dtype.value}, {weights[0].dtype.value}; supported: {known}"
    if {b.dtype for b in biases} != {form.bias}:
        return f"a bias is {biases[0].dtype.value}; supported: {form.bias.value}"
    if any(not t.is_constant for t in weights + biases):
        return "weights or biases are computed at run time; supported: constants"
    hidden, cell = node.input(HIDDEN), node.input(CELL)
    if {hidden.kind, cell.kind} != {TensorKind.PERSISTENT}:
        return "its state is not in variables; supported: variables"
    if (hidden.dtype, cell.dtype) != (x.dtype, form.cell):
        found = f"{hidden.dtype.value}, {cell.dtype.value}"
        return f"the state is {found}; supported: {x.dtype.value}, {form.cell.value}"
    return None


def _check_shapes(node: Node) -> str | None:
    size = walk(node, attributes(node, Lstm))
    wanted = {
        **dict.fromkeys(INPUT_WEIGHTS, (size.cells, size.inputs)),
        **dict.fromkeys(RECURRENT_WEIGHTS, (size.cells, size.cells)),
        **dict.fromkeys(BIASES, (size.cells,)),
    }
    for position, shape in wanted.items():
        if node.input(position).shape != shape:
            found = list(node.input(position).shape)
            return f"a weight or bias is {found}; supported: {list(shape)}"
    states = {node.input(i).elements for i in (HIDDEN, CELL)}
    if states != {size.batches * size.cells}:
        return f"states of {sorted(states)} values; supported: {size.batches * size.cells}"
    return None


def _check_quantization(node: Node) -> str | None:
    x, hidden, cell = node.input(X), node.input(HIDDEN), node.input(CELL)
    if x.dtype is DType.FLOAT32:
        return None
    weights = [node.input(i) for i in (*INPUT_WEIGHTS, *RECURRENT_WEIGHTS)]
    if any(t.quantization is None for t in (hidden, cell, *weights)):
        return "its weights or state have no scale; supported: with scales"
    if any(w.q.per_channel or w.q.zero_point != 0 for w in weights):
        return "its weights have several scales or a zero point; supported: one scale"
    power = math.log2(cell.q.scale)
    if abs(power - round(power)) >= 1e-3 or cell.q.zero_point != 0:
        return f"the cell state has scale {cell.q.scale:g}; supported: powers of two, zero point 0"
    lowest, highest = (-15, -9) if _is_series(node) else (-43, 1)
    if not lowest <= round(power) <= highest:
        return f"the cell state has scale {cell.q.scale:g}; supported: 2^{lowest} to 2^{highest}"
    if x.dtype is DType.INT16 and (x.q.zero_point != 0 or hidden.q.zero_point != 0):
        return "int16 with a zero point that is not 0; supported: 0"
    if x.dtype is DType.INT16:
        steps = max(x.q.scale, hidden.q.scale) * max(w.q.scale for w in weights)
        return wide_objection(steps / integer.GATE_SCALE)
    return None


def _is_series(node: Node) -> bool:
    return attributes(node, Lstm).by_series and node.input(X).dtype is DType.INT8


def _form(node: Node) -> Form:
    return SERIES if _is_series(node) else FORMS[node.input(X).dtype]


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    y, hidden, cell = _form(node).reference(node, values)
    return (
        y,
        hidden.reshape(node.input(HIDDEN).shape),
        cell.reshape(node.input(CELL).shape),
    )


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return _form(node).lower(node)


def _cost(node: Node) -> Cost:
    size = walk(node, attributes(node, Lstm))
    per_step = 4 * size.cells * (size.inputs + size.cells)
    return Cost(macs=size.batches * size.steps * per_step)


UNIDIRECTIONAL_SEQUENCE_LSTM = OpKind(
    type="UNIDIRECTIONAL_SEQUENCE_LSTM",
    attributes=Lstm,
    summary="LSTM over a sequence, batch or time first; hidden and cell state are variables.",
    supports=(
        "int8 with int8 weights and int16 cells",
        "int16 with int8 weights and int16 cells",
        "float32",
        "no peephole connections, projection, layer normalisation or coupled gates",
    ),
    tflite={"UNIDIRECTIONAL_SEQUENCE_LSTM": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(integer.LSTM_S8, series.LSTM_SERIES_S8, integer.LSTM_S16, real.LSTM_F32),
    cost=_cost,
    mutates=(HIDDEN, CELL),
)
