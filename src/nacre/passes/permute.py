"""Operators that do the same in another order of dimensions, and what changes of them then.

Of a tensor x in the model's order and x' in the other, x is x' transposed by `order`: dimension d
of x is dimension order[d] of x'.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from nacre.ir import Attributes, Node
from nacre.ops.activations import Elu, Gelu, HardSwish
from nacre.ops.add import Add, Sub
from nacre.ops.argmax import ArgMax, ArgMin
from nacre.ops.binary import FloorDiv, FloorMod, LogicalAnd, LogicalOr, Maximum, Minimum, Pow
from nacre.ops.cast import Cast
from nacre.ops.compare import Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual
from nacre.ops.concat import Concat
from nacre.ops.cumsum import CumSum
from nacre.ops.div import Div
from nacre.ops.gather import Gather
from nacre.ops.lookup_table import LookupTable
from nacre.ops.mul import Mul
from nacre.ops.pad import MirrorPad, Pad, PadV2
from nacre.ops.quantize import Dequantize, Quantize
from nacre.ops.reduce import (
    Mean,
    Reduce,
    ReduceAll,
    ReduceAny,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Sum,
)
from nacre.ops.relu import LeakyRelu, Prelu, Relu, Relu0To1, Relu6, ReluN1To1
from nacre.ops.reshape import Reshape
from nacre.ops.select import SelectV2
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.slice import Slice, StridedSlice
from nacre.ops.split import Split, SplitV
from nacre.ops.squared_difference import SquaredDifference
from nacre.ops.tile import BroadcastTo, Tile
from nacre.ops.transpose import Reverse
from nacre.ops.unary import (
    Abs,
    Ceil,
    Cos,
    Erf,
    Exp,
    Floor,
    Log,
    LogicalNot,
    Neg,
    Round,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Square,
)

Order: TypeAlias = tuple[int, ...]
Rule: TypeAlias = Callable[[Node, Order], Attributes | None]


def permuted(node: Node, order: Order) -> Attributes | None:
    """The attributes in the other order; None where the operator cannot change it."""
    rule = RULES.get(type(node.operator.attributes))
    if rule is None or any(len(t.shape) != len(order) for t in node.outputs):
        return None
    inputs = [node.inputs[i] for i in moved_inputs(node)]
    fits = all(t is not None and (t.elements == 1 or len(t.shape) == len(order)) for t in inputs)
    return rule(node, order) if fits else None


def moved_inputs(node: Node) -> tuple[int, ...]:
    """Positions of the inputs that follow the output's order; the others are indices."""
    return (0,) if isinstance(node.operator.attributes, Gather) else tuple(range(len(node.inputs)))


def inverse(order: Order) -> Order:
    return tuple(order.index(d) for d in range(len(order)))


def _same(node: Node, _: Order) -> Attributes | None:
    per_channel = any(
        t is not None and t.quantization is not None and t.quantization.per_channel
        for t in (*node.inputs, *node.outputs)
    )
    return None if per_channel else node.operator.attributes


def _axis(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, Concat | Split | CumSum)
    return replace(at, axis=order[at.axis])


def _arg(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, ArgMax | ArgMin)
    return replace(at, axis=order[at.axis]) if at.keep_dims else None


def _gather(node: Node, order: Order) -> Attributes | None:
    at, indices = node.operator.attributes, node.input(1)
    assert isinstance(at, Gather)
    plain = at.batch_dims == 0 and len(indices.shape) == 1
    return replace(at, axis=order[at.axis]) if plain else None


def _axes(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    if isinstance(at, Reverse):
        return Reverse(tuple(sorted(order[a] for a in at.axes)))
    assert isinstance(at, Reduce)
    return replace(at, axes=tuple(sorted(order[a] for a in at.axes))) if at.keep_dims else None


def _borders(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, Pad | MirrorPad)
    return replace(at, before=_listed(at.before, order), after=_listed(at.after, order))


def _box(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, Slice)
    if at.shape != at.size:
        return None
    size = _listed(at.size, order)
    return replace(
        at, begin=_listed(at.begin, order), size=size, step=_listed(at.step, order), shape=size
    )


def _tile(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, Tile)
    return Tile(_listed(at.multiples, order))


def _broadcast(node: Node, order: Order) -> Attributes | None:
    at = node.operator.attributes
    assert isinstance(at, BroadcastTo)
    return BroadcastTo(_listed(at.shape, order))


def _renamed(node: Node, order: Order) -> Attributes | None:
    """A RESHAPE to the same shape."""
    shape = node.output.shape
    return Reshape(_listed(shape, order)) if node.input(0).shape == shape else None


def _listed(values: tuple[int, ...], order: Order) -> tuple[int, ...]:
    """One value per dimension, in the other order."""
    return tuple(values[d] for d in inverse(order))


ELEMENTWISE: tuple[type[Attributes], ...] = (
    Add, Sub, Mul, Div, Minimum, Maximum, FloorDiv, FloorMod, Pow, LogicalAnd, LogicalOr,
    SquaredDifference, Equal, NotEqual, Greater, GreaterEqual, Less, LessEqual, SelectV2, Prelu,
    Relu, Relu6, ReluN1To1, Relu0To1, LeakyRelu, Logistic, Tanh, HardSwish, Elu, Gelu,
    Abs, Neg, Sign, Square, Sqrt, Rsqrt, Exp, Log, Sin, Cos, Erf, Floor, Ceil, Round, LogicalNot,
    Cast, Quantize, Dequantize, LookupTable,
)  # fmt: skip

RULES: Mapping[type[Attributes], Rule] = {
    **dict.fromkeys(ELEMENTWISE, _same),
    **dict.fromkeys((Concat, Split, SplitV, CumSum), _axis),
    **dict.fromkeys((ArgMax, ArgMin), _arg),
    **dict.fromkeys(
        (Reverse, Mean, Sum, ReduceMax, ReduceMin, ReduceProd, ReduceAny, ReduceAll), _axes
    ),
    **dict.fromkeys((Pad, PadV2, MirrorPad), _borders),
    **dict.fromkeys((Slice, StridedSlice), _box),
    Gather: _gather,
    Reshape: _renamed,
    Tile: _tile,
    BroadcastTo: _broadcast,
}
