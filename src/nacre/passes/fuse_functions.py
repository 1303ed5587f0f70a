"""Replace chains of float operators that make a known function of one tensor by that function.

Exporters write GELU and hard swish out, in many ways. Instead of listing the ways, the chain
between two tensors is evaluated on a row of numbers: it is the function where it has its values.
Only operators of one value and scalars take part, so nothing can differ between those numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from nacre.ir import Array, Attributes, DType, Graph, Node, Operator, Tensor, TensorId
from nacre.ops import kind_of
from nacre.ops.activations import GELU, HARD_SWISH, Gelu, HardSwish
from nacre.ops.add import Add, Sub
from nacre.ops.binary import Maximum, Minimum, Pow
from nacre.ops.div import Div
from nacre.ops.kind import OpKind
from nacre.ops.mul import Mul
from nacre.ops.relu import Relu, Relu0To1, Relu6
from nacre.ops.sigmoid import Tanh
from nacre.ops.unary import Erf, Square
from nacre.passes.rewrite import rebuild

_PIECES: tuple[type[Attributes], ...] = (
    Add, Sub, Mul, Div, Pow, Maximum, Minimum, Relu, Relu6, Relu0To1, Tanh, Erf, Square,
)  # fmt: skip
# The operator that gives a function away -> what it may be.
_FUNCTIONS: Mapping[type[Attributes], tuple[OpKind, Attributes]] = {
    Erf: (GELU, Gelu(False)),
    Tanh: (GELU, Gelu(True)),
    Relu6: (HARD_SWISH, HardSwish()),
    Relu0To1: (HARD_SWISH, HardSwish()),
}
# Operators of a chain, and how far from the telling one it reaches.
_MOST = 12
_REACH = 7
_POINTS = np.concatenate([np.linspace(-9, 9, 289), [-0.0, 1e-4, -1e-4, 30, -30]]).astype(np.float32)
_CLOSE = 2e-6


def fuse_functions(graph: Graph) -> Graph:
    for operator in graph.operators:
        if type(operator.attributes) in _FUNCTIONS:
            graph = _fused(graph, operator) or graph
    return graph


def _fused(graph: Graph, telling: Operator) -> Graph | None:
    """The graph with the function around an operator, if there is one."""
    producers, consumers = graph.producers(), graph.consumers()
    kind, attributes = _FUNCTIONS[type(telling.attributes)]
    starts = list(_above(graph, telling, producers))
    for end in _below(telling, consumers):
        for start in starts:
            chain = _chain(graph, start, end, producers)
            if chain is None or telling.outputs[0] not in {o.outputs[0] for o in chain}:
                continue
            if not _hidden(graph, chain, end, consumers):
                continue
            if _is_function(graph, chain, start, kind, attributes):
                return _replaced(graph, chain, start, end, kind, attributes)
    return None


def _above(
    graph: Graph, operator: Operator, producers: Mapping[TensorId, Operator]
) -> Iterator[TensorId]:
    """Tensors that the operator is computed from, the nearest first."""
    level, seen = [operator], set[TensorId]()
    for _ in range(_REACH):
        found = [i for o in level for i in o.inputs if i and not graph.tensors[i].is_constant]
        fresh = [i for i in dict.fromkeys(found) if i not in seen]
        yield from fresh
        seen.update(fresh)
        level = [producers[i] for i in fresh if i in producers]
        level = [o for o in level if type(o.attributes) in _PIECES]


def _below(operator: Operator, consumers: Mapping[TensorId, list[Operator]]) -> list[Operator]:
    """Operators that are computed from it, the farthest first."""
    found, level = list[Operator](), [operator]
    for _ in range(_REACH):
        level = [c for o in level for c in consumers[o.outputs[0]]]
        level = [o for o in level if type(o.attributes) in _PIECES and o not in found]
        found += level
    return found[::-1]


def _chain(
    graph: Graph, start: TensorId, end: Operator, producers: Mapping[TensorId, Operator]
) -> list[Operator] | None:
    """The operators between, in order; None where another tensor comes in."""
    todo, chain = [end], dict[TensorId, Operator]()
    while todo:
        operator = todo.pop()
        if not _is_piece(graph, operator, start) or len(chain) > _MOST:
            return None
        chain[operator.outputs[0]] = operator
        for key in operator.inputs:
            if key is None or key == start or key in chain or graph.tensors[key].is_constant:
                continue
            if key not in producers:
                return None
            todo.append(producers[key])
    return [o for o in graph.operators if o.outputs[0] in chain]


def _is_piece(graph: Graph, operator: Operator, start: TensorId) -> bool:
    """An operator of one value of its output's shape, and of scalars."""
    node, shape = graph.node(operator), graph.tensors[start].shape
    if type(operator.attributes) not in _PIECES or node.output.shape != shape:
        return False
    return all(
        t is not None
        and t.dtype is DType.FLOAT32
        and (t.elements == 1 if t.is_constant else t.shape == shape)
        for t in (*node.inputs, *node.outputs)
    )


def _hidden(
    graph: Graph, chain: list[Operator], end: Operator, consumers: Mapping[TensorId, list[Operator]]
) -> bool:
    """Nobody else reads what is computed on the way."""
    inner = [o.outputs[0] for o in chain if o is not end]
    return not any(
        key in graph.outputs or any(c not in chain for c in consumers[key]) for key in inner
    )


def _is_function(
    graph: Graph, chain: list[Operator], start: TensorId, kind: OpKind, attributes: Attributes
) -> bool:
    values: dict[TensorId, Array] = {start: _POINTS}
    for operator in chain:
        node = graph.node(operator)
        inputs = tuple(_value(t, values) for t in node.inputs)
        with np.errstate(all="ignore"):
            (values[operator.outputs[0]],) = kind_of(operator).reference(node, inputs)
    ours = values[chain[-1].outputs[0]]
    made = Operator(("",), kind.type, attributes, (start,), (chain[-1].outputs[0],))
    tensor = graph.tensors[start]
    (theirs,) = kind.reference(Node(made, (tensor,), (tensor,)), (_POINTS,))
    limit = _CLOSE * np.maximum(np.abs(_POINTS), 1)
    return bool((np.abs(ours - theirs) <= limit).all())


def _value(tensor: Tensor | None, values: Mapping[TensorId, Array]) -> Array:
    assert tensor is not None
    return tensor.constant.reshape(-1) if tensor.is_constant else values[tensor.id]


def _replaced(
    graph: Graph, chain: list[Operator], start: TensorId, end: Operator, kind: OpKind,
    attributes: Attributes,
) -> Graph:  # fmt: skip
    """The function answers to the ids of all that it replaces."""
    ids = tuple(dict.fromkeys(i for o in (end, *chain) for i in o.ids))
    function = replace(end, ids=ids, type=kind.type, attributes=attributes, inputs=(start,))
    gone = {o.id for o in chain if o is not end}
    kept = [function if o.id == end.id else o for o in graph.operators if o.id not in gone]
    return rebuild(graph, kept)
