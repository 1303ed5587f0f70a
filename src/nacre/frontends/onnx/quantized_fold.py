"""Quantized graphs: float operators between DEQUANTIZE and QUANTIZE become integer ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nacre.frontends.onnx.quantized_graph import (
    Draft,
    is_dequantize,
    is_quantize,
    objection,
    operator_of,
)
from nacre.frontends.onnx.quantized_rules import integer_form
from nacre.frontends.onnx.scales import codes_of, real_values
from nacre.ir import Array, Attributes, DType, Node, Operator, Tensor, TensorId
from nacre.ops import kind_of
from nacre.ops.activations import Elu, Gelu, HardSwish
from nacre.ops.add import Add, Sub
from nacre.ops.argmax import ArgMax, ArgMin
from nacre.ops.binary import Maximum, Minimum, Pow
from nacre.ops.compare import Greater, GreaterEqual, Less, LessEqual
from nacre.ops.div import Div
from nacre.ops.lookup_table import ENTRIES, LookupTable
from nacre.ops.mul import Mul
from nacre.ops.relu import LeakyRelu, Prelu, Relu, Relu0To1, Relu6, ReluN1To1
from nacre.ops.reshape import Reshape
from nacre.ops.select import SelectV2
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.squared_difference import SquaredDifference
from nacre.ops.unary import (
    Abs,
    Ceil,
    Cos,
    Erf,
    Exp,
    Floor,
    Log,
    Neg,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Square,
)

FLOAT32, INT8 = DType.FLOAT32, DType.INT8
# Functions of each value: of an 8-bit tensor, a table has all their results.
POINTWISE: tuple[type[Attributes], ...] = (
    Relu, Relu6, ReluN1To1, Relu0To1, LeakyRelu, Prelu, Logistic, Tanh, HardSwish, Elu, Gelu,
    Abs, Neg, Sign, Square, Sqrt, Rsqrt, Exp, Log, Sin, Cos, Erf, Floor, Ceil, Round,
    Add, Sub, Mul, Div, Maximum, Minimum, Pow, SquaredDifference,
    Greater, GreaterEqual, Less, LessEqual, SelectV2,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Curve:
    """A tensor that is a function of each value of an 8-bit one: all its 256 values."""

    root: Tensor
    values: Array
    # The operators that compute it.
    ids: tuple[str, ...] = ()


def fold_functions(draft: Draft) -> None:
    """Tables alone: before QUANTIZE moves into the middle of a chain of functions."""
    fold = _Fold(draft, {}, draft.readers())
    for operator in draft.operators:
        fold.take(operator)
    draft.operators = fold.made


def fold_operators(draft: Draft) -> None:
    fold = _Fold(draft, {o: op for op in draft.operators for o in op.outputs}, draft.readers())
    for operator in draft.operators:
        fold.take(operator)
    draft.operators = [o for o in fold.made if o.outputs[0] not in fold.gone]


@dataclass
class _Fold:
    """Accumulates operators; `inner` has the quantized form of dequantized tensors."""

    draft: Draft
    producers: Mapping[TensorId, Operator]
    readers: Mapping[TensorId, list[Operator]]
    inner: dict[TensorId, Tensor] = field(default_factory=dict)
    curves: dict[TensorId, Curve] = field(default_factory=dict)
    made: list[Operator] = field(default_factory=list)
    gone: set[TensorId] = field(default_factory=set)

    def take(self, operator: Operator) -> None:
        node = self.draft.node(operator)
        if is_quantize(operator, self.draft):
            self._quantize(node)
            return
        if is_dequantize(operator):
            self.inner[node.output.id] = node.input(0)
        if is_dequantize(operator) and node.input(0).dtype is INT8:
            self.curves[node.output.id] = _straight(node.input(0))
        elif isinstance(operator.attributes, POINTWISE):
            curve = _curve(node, self.curves)
            if curve is not None:
                self.curves[node.output.id] = curve
        self.made.append(_on_codes(node, self.inner))

    def _quantize(self, node: Node) -> None:
        x, y = node.input(0), node.output
        whole, curve = self.inner.get(x.id), self.curves.get(x.id)
        if whole is not None and (whole.dtype, whole.quantization) == (y.dtype, y.quantization):
            self.made.append(operator_of(Reshape(y.shape), (whole,), y, node.operator.ids))
        elif curve is not None and y.dtype is INT8:
            self._table(node, curve)
        elif not (self._rescaled(node, whole) or self._integer(node)):
            self.made.append(node.operator)

    def _table(self, node: Node, curve: Curve) -> None:
        y, own = node.output, node.operator.ids
        entries = codes_of(curve.values, y.q, *y.dtype.range)
        ids = (*curve.ids, *own) if self._alone(node.input(0)) else (*own, *curve.ids)
        table = LookupTable(tuple(int(e) for e in entries))
        self.made.append(operator_of(table, (curve.root,), y, tuple(dict.fromkeys(ids))))

    def _rescaled(self, node: Node, whole: Tensor | None) -> bool:
        """From one scale to another without real numbers between them."""
        if whole is None:
            return False
        direct = replace(node.operator, inputs=(whole.id,))
        if objection(Node(direct, (whole,), node.outputs)) is not None:
            return False
        self.made.append(direct)
        return True

    def _integer(self, node: Node) -> bool:
        """Replace what computes the input of a QUANTIZE; whether that worked."""
        x, y = node.input(0), node.output
        producer = self.producers.get(x.id)
        if producer is None or not self._alone(x) or len(producer.outputs) != 1:
            return False
        parts = integer_form(self.draft, self.draft.node(producer), self.inner, y)
        if parts is None:
            return False
        own = (*producer.ids, *node.operator.ids)
        main = next((p for p in parts if type(p.attributes) is type(producer.attributes)), parts[0])
        for part in parts:
            ids = own if part is main else (f"{part.y.id}/{len(self.made)}", *own)
            self.made.append(operator_of(part.attributes, part.inputs, part.y, ids))
        self.gone.add(x.id)
        return True

    def _alone(self, x: Tensor) -> bool:
        return len(self.readers.get(x.id, [])) == 1 and x.id not in self.draft.outputs


def _on_codes(node: Node, inner: Mapping[TensorId, Tensor]) -> Operator:
    """Comparisons within one tensor are the same on its codes."""
    x = (
        inner.get(node.input(0).id)
        if isinstance(node.operator.attributes, ArgMax | ArgMin)
        else None
    )
    if x is None:
        return node.operator
    direct = replace(node.operator, inputs=(x.id,))
    return direct if objection(Node(direct, (x,), node.outputs)) is None else node.operator


def _straight(x: Tensor) -> Curve:
    stored = np.arange(ENTRIES, dtype=np.uint8).view(x.dtype.numpy)
    return Curve(x, real_values(stored, x.q))


def _curve(node: Node, curves: Mapping[TensorId, Curve]) -> Curve | None:
    """The operator applied to all values at once."""
    found = [curves[t.id] for t in node.inputs if t is not None and t.id in curves]
    if not found or len({c.root.id for c in found}) > 1:
        return None
    root, shape = found[0].root, node.output.shape
    tensors: list[Tensor] = []
    values: list[Array] = []
    for tensor in node.inputs:
        if tensor is None or (tensor.id in curves and tensor.shape != shape):
            return None
        if tensor.id not in curves and not (tensor.is_constant and tensor.elements == 1):
            return None
        data = curves[tensor.id].values if tensor.id in curves else tensor.constant.reshape(1)
        tensors.append(replace(tensor, shape=data.shape))
        values.append(data)
    flat = Node(node.operator, tuple(tensors), (replace(node.output, shape=(ENTRIES,)),))
    with np.errstate(all="ignore"):
        (result,) = kind_of(node.operator).reference(flat, tuple(values))
    ids = tuple(dict.fromkeys((*node.operator.ids, *(i for c in found for i in c.ids))))
    return Curve(root, result, ids)
