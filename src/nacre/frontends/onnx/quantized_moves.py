"""Quantized graphs: int8 for uint8, DEQUANTIZE as late and QUANTIZE as early as they can be.

Picking, joining and clamping values are the same before and after rounding, so both can move past
the operators that do no more. Every step here keeps all results, bit for bit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nacre.frontends.onnx.quantized_graph import (
    NARROW,
    Draft,
    flipped,
    is_dequantize,
    is_flip,
    is_quantize,
    objection,
    operator_of,
)
from nacre.frontends.onnx.scales import JOINS, PICKS, codes_of
from nacre.ir import Attributes, DType, Node, Operator, Quantization, Tensor, TensorId, TensorKind
from nacre.ops.binary import Maximum, Minimum
from nacre.ops.pad import Pad, PadV2
from nacre.ops.quantize import Dequantize, Quantize
from nacre.ops.relu import Clamped, Relu, Relu0To1, Relu6, ReluN1To1
from nacre.ops.reshape import Reshape
from nacre.ops.select import SelectV2

FLOAT32, INT8, UINT8 = DType.FLOAT32, DType.INT8, DType.UINT8
CLAMPS: tuple[type[Attributes], ...] = (Relu, Relu6, ReluN1To1, Relu0To1)
PADS: tuple[type[Attributes], ...] = (Pad, PadV2)
# Monotone functions of all their inputs.
ORDERED: tuple[type[Attributes], ...] = (Maximum, Minimum)


# --- scales ---------------------------------------------------------------------------------------


def adopt_scales(draft: Draft) -> None:
    """Tensors that come without scales have those under which everybody reads them."""
    readers = draft.readers()
    same: dict[TensorId, TensorId] = {}
    kept: list[Operator] = []
    for operator in draft.operators:
        inputs = tuple(i if i is None else same.get(i, i) for i in operator.inputs)
        node = draft.node(replace(operator, inputs=inputs))
        if not _labels(node) or not all(_labels(draft.node(o)) for o in readers[node.input(0).id]):
            kept.append(node.operator)
            continue
        x, y = node.input(0), node.output
        if x.quantization is None:
            draft.keep(replace(x, quantization=y.quantization))
        if y.id in draft.outputs or draft.tensors[x.id].quantization != y.quantization:
            kept.append(node.operator)
        else:
            same[y.id] = x.id
    draft.operators = kept


def _labels(node: Node) -> bool:
    """A RESHAPE that gives a tensor scales and nothing else."""
    plain = isinstance(node.operator.attributes, Reshape) and node.output.quantization is not None
    return plain and node.input(0).shape == node.output.shape and node.input(0).dtype in NARROW


# --- uint8 ----------------------------------------------------------------------------------------


def sign_bytes(draft: Draft) -> None:
    """QUANTIZE and DEQUANTIZE work on int8; where the file has uint8 the highest bit changes."""
    made: list[Operator] = []
    for operator in draft.operators:
        node = draft.node(operator)
        if is_dequantize(operator) and node.input(0).dtype is UINT8:
            inner = draft.keep(_signed(draft, node.input(0)))
            made.append(operator_of(Quantize(), (node.input(0),), inner))
            made.append(replace(operator, inputs=(inner.id,)))
        elif is_quantize(operator, draft) and node.output.dtype is UINT8:
            inner = draft.keep(_signed(draft, node.output))
            made.append(replace(operator, outputs=(inner.id,)))
            made.append(operator_of(Quantize(), (inner,), node.output))
        else:
            made.append(operator)
    draft.operators = made


def _signed(draft: Draft, tensor: Tensor) -> Tensor:
    return draft.beside(tensor, INT8, flipped(tensor.q, INT8))


# --- DEQUANTIZE down ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Wrapped:
    """A tensor that is another one changed by an operator with these attributes."""

    inner: Tensor
    change: Attributes


@dataclass
class _Late:
    """Accumulates operators; `wrapped` has the tensors that need no computing where they are."""

    draft: Draft
    readers: Mapping[TensorId, list[Operator]]
    wrapped: dict[TensorId, _Wrapped] = field(default_factory=dict)
    # Tensors that are gone, and what they are the same as.
    same: dict[TensorId, TensorId] = field(default_factory=dict)
    made: list[Operator] = field(default_factory=list)

    def take(self, operator: Operator) -> None:
        inputs = tuple(i if i is None else self.same.get(i, i) for i in operator.inputs)
        operator = replace(operator, inputs=inputs)
        node = self.draft.node(operator)
        if is_dequantize(operator) or is_flip(node):
            self._wrap(node)
            return
        lifted = None if self._bends(node) else _lifted(self.draft, node, self.wrapped)
        if lifted is None:
            self.made.append(operator)
            return
        self.made.append(lifted.operator)
        change = self.wrapped[_data_inputs(node)[0].id].change
        for inner, outer in zip(lifted.outputs, node.outputs, strict=True):
            self.draft.keep(inner)
            self.wrapped[outer.id] = _Wrapped(inner, change)
            self.made.append(operator_of(change, (inner,), outer))

    def _bends(self, node: Node) -> bool:
        """A clamp of a tensor that others read too: they may be one function together."""
        clamps = isinstance(node.operator.attributes, CLAMPS)
        return clamps and len(self.readers.get(node.input(0).id, [])) > 1

    def _wrap(self, node: Node) -> None:
        """A change that undoes another one is none."""
        x, y = node.input(0), node.output
        before = self.wrapped.get(x.id)
        undone = before is not None and is_flip(node) and _alike(before.inner, y)
        if before is not None and undone and y.id not in self.draft.outputs:
            self.same[y.id] = before.inner.id
            return
        self.wrapped[y.id] = _Wrapped(x, node.operator.attributes)
        self.made.append(node.operator)


def dequantize_late(draft: Draft) -> None:
    late = _Late(draft, draft.readers())
    for operator in draft.operators:
        late.take(operator)
    draft.operators = late.made


def _alike(a: Tensor, b: Tensor) -> bool:
    return (a.dtype, a.shape, a.quantization) == (b.dtype, b.shape, b.quantization)


def _lifted(draft: Draft, node: Node, wrapped: Mapping[TensorId, _Wrapped]) -> Node | None:
    """The operator on the tensors inside, or None where that is not the same."""
    data = _data_inputs(node)
    inside = [wrapped.get(t.id) for t in data]
    if not data or any(w is None for w in inside):
        return None
    found = [w for w in inside if w is not None]
    first = found[0].inner
    if any(
        w.change != found[0].change or w.inner.quantization != first.quantization for w in found
    ):
        return None
    attributes = _inside(node, first, isinstance(found[0].change, Dequantize))
    if attributes is None:
        return None
    swaps = {t.id: w.inner for t, w in zip(data, found, strict=True)}
    inputs = tuple(t if t is None else swaps.get(t.id, t) for t in node.inputs)
    outputs = tuple(draft.beside(t, first.dtype, first.quantization) for t in node.outputs)
    operator = replace(
        node.operator, attributes=attributes, outputs=tuple(t.id for t in outputs),
        inputs=tuple(None if t is None else t.id for t in inputs),
    )  # fmt: skip
    candidate = Node(operator, inputs, outputs)
    return candidate if objection(candidate) is None else None


def _data_inputs(node: Node) -> tuple[Tensor, ...]:
    """The inputs whose values come out again; nothing for operators that compute."""
    attributes = node.operator.attributes
    tensors = tuple(t for t in node.inputs if t is not None)
    if isinstance(attributes, (*JOINS, *ORDERED)):
        return tensors
    if isinstance(attributes, SelectV2):
        return tensors[1:]
    return tensors[:1] if isinstance(attributes, (*PICKS, *PADS, *CLAMPS)) else ()


def _inside(node: Node, x: Tensor, dequantized: bool) -> Attributes | None:
    """The attributes on the stored values of x."""
    attributes = node.operator.attributes
    if isinstance(attributes, Pad):
        return _inside_pad(attributes, x, dequantized)
    if isinstance(attributes, CLAMPS):
        assert isinstance(attributes, Clamped)
        limits = [v for v in (attributes.lower, attributes.upper) if np.isfinite(v)]
        fits = dequantized and all(_on_grid(v, x.q) for v in limits)
        return attributes if fits else None
    if isinstance(attributes, ORDERED):
        return attributes if dequantized else None
    return attributes


def _inside_pad(pad: Pad, x: Tensor, dequantized: bool) -> Attributes | None:
    value = pad.value / x.q.scale + x.q.zero_point if dequantized else pad.value - 128
    low, high = x.dtype.range
    if not low <= round(value) <= high or abs(value - round(value)) > 1e-4:
        return None
    return replace(pad, value=round(value))


def _on_grid(value: float, q: Quantization) -> bool:
    return abs(value / q.scale - round(value / q.scale)) < 1e-6


# --- QUANTIZE up ----------------------------------------------------------------------------------


def quantize_early(draft: Draft) -> None:
    while _raise_quantizers(draft):
        pass


def _raise_quantizers(draft: Draft) -> bool:
    """One round over all operators; True when something moved."""
    readers = draft.readers()
    made: list[Operator] = []
    moved: set[str] = set()
    for operator in draft.operators:
        if operator.id in moved:
            continue
        swap = _raised(draft, operator, readers)
        if swap is None:
            made.append(operator)
            continue
        parts, taken = swap
        made += parts
        moved |= taken
    draft.operators = made
    return bool(moved)


def _raised(
    draft: Draft, operator: Operator, readers: Mapping[TensorId, list[Operator]]
) -> tuple[list[Operator], set[str]] | None:
    """The operator on quantized inputs, where all that read its output quantize it alike."""
    node = draft.node(operator)
    data = _data_inputs(node)
    if not data or len(node.outputs) != 1 or node.output.dtype is not FLOAT32:
        return None
    quantizers = readers.get(node.output.id, [])
    targets = [draft.tensors[o.outputs[0]] for o in quantizers]
    if not _one_target(draft, node, quantizers, targets):
        return None
    first = targets[0]
    attributes = _outside(node, first)
    if attributes is None:
        return None
    parts, swaps = _quantized_inputs(draft, data, first)
    inputs = tuple(t if t is None else swaps.get(t.id, t) for t in node.inputs)
    merged = replace(
        operator, ids=(*operator.ids, *(i for o in quantizers for i in o.ids)), outputs=(first.id,),
        attributes=attributes, inputs=tuple(None if t is None else t.id for t in inputs),
    )  # fmt: skip
    if objection(Node(merged, inputs, (first,))) is not None:
        return None
    for key in swaps:
        draft.keep(swaps[key])
    copies = [operator_of(Reshape(t.shape), (first,), t) for t in targets[1:]]
    return [*parts, merged, *copies], {o.id for o in quantizers}


def _one_target(
    draft: Draft, node: Node, quantizers: list[Operator], targets: list[Tensor]
) -> bool:
    if not quantizers or node.output.id in draft.outputs:
        return False
    alike = all(is_quantize(o, draft) for o in quantizers) and all(
        _alike(targets[0], t) for t in targets
    )
    return alike and targets[0].dtype in NARROW


def _outside(node: Node, y: Tensor) -> Attributes | None:
    attributes = node.operator.attributes
    return _inside_pad(attributes, y, True) if isinstance(attributes, Pad) else attributes


def _quantized_inputs(
    draft: Draft, data: tuple[Tensor, ...], y: Tensor
) -> tuple[list[Operator], dict[TensorId, Tensor]]:
    """A QUANTIZE for each input; constants are quantized now."""
    parts: list[Operator] = []
    swaps: dict[TensorId, Tensor] = {}
    for tensor in data:
        if tensor.id in swaps:
            continue
        inner = draft.beside(tensor, y.dtype, y.quantization)
        if tensor.is_constant:
            codes = codes_of(tensor.constant, y.q, *y.dtype.range).astype(y.dtype.numpy)
            inner = replace(inner, kind=TensorKind.CONSTANT, data=codes)
        else:
            parts.append(operator_of(Quantize(to_even=True), (tensor,), inner))
        swaps[tensor.id] = inner
    return parts, swaps


# --- the borders ----------------------------------------------------------------------------------


def merge_twins(draft: Draft) -> None:
    """One QUANTIZE or DEQUANTIZE of a tensor instead of several alike."""
    first: dict[tuple[TensorId | None, Attributes, DType, Quantization | None], TensorId] = {}
    same: dict[TensorId, TensorId] = {}
    kept: list[Operator] = []
    for operator in draft.operators:
        inputs = tuple(i if i is None else same.get(i, i) for i in operator.inputs)
        operator = replace(operator, inputs=inputs)
        if isinstance(operator.attributes, Quantize | Dequantize):
            y = draft.tensors[operator.outputs[0]]
            key = (operator.inputs[0], operator.attributes, y.dtype, y.quantization)
            if key in first and y.id not in draft.outputs:
                same[y.id] = first[key]
                continue
            first.setdefault(key, y.id)
        kept.append(operator)
    draft.operators = kept


def unsign_borders(draft: Draft) -> None:
    """Where bytes change their sign next to real numbers, QUANTIZE and DEQUANTIZE do both."""
    readers = draft.readers()
    made: dict[TensorId, Operator] = {}
    for operator in draft.operators:
        source = made.get(operator.inputs[0]) if operator.inputs and operator.inputs[0] else None
        if (
            source is not None
            and _alone(draft, source, readers)
            and _merges(draft, source, operator)
        ):
            del made[source.outputs[0]]
            operator = replace(
                operator, ids=(*operator.ids, *source.ids), inputs=source.inputs,
                attributes=_real_side(source, operator, draft).attributes,
            )  # fmt: skip
        made[operator.outputs[0]] = operator
    draft.operators = list(made.values())


def _alone(draft: Draft, source: Operator, readers: Mapping[TensorId, list[Operator]]) -> bool:
    key = source.outputs[0]
    return len(readers.get(key, [])) == 1 and key not in draft.outputs


def _merges(draft: Draft, source: Operator, operator: Operator) -> bool:
    before, after = draft.node(source), draft.node(operator)
    leaves = is_quantize(source, draft) and is_flip(after)
    return leaves or (is_flip(before) and is_dequantize(operator))


def _real_side(source: Operator, operator: Operator, draft: Draft) -> Operator:
    return source if is_quantize(source, draft) else operator
