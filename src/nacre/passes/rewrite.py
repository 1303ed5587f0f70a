"""Small pieces that passes are made of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from nacre.ir import Graph, Operator, Tensor, TensorId


def rebuild(graph: Graph, operators: Iterable[Operator], tensors: Iterable[Tensor] = ()) -> Graph:
    """The graph with other operators and with some tensors replaced or added."""
    merged = dict(graph.tensors) | {t.id: t for t in tensors}
    return replace(graph, operators=tuple(operators), tensors=merged)


def rewire(operator: Operator, names: Mapping[TensorId, TensorId]) -> Operator:
    """The operator reading other tensors."""
    inputs = tuple(i if i is None else names.get(i, i) for i in operator.inputs)
    return operator if inputs == operator.inputs else replace(operator, inputs=inputs)


def standing_for(tensor: Tensor, gone: Tensor) -> Tensor:
    """The tensor, which rules may now also call by the ids of one that is gone."""
    return replace(tensor, origins=(*tensor.origins, gone.id, *gone.origins))


def fused(operator: Operator, part: Operator) -> Operator:
    """The operator, which now also answers to the ids of a part that it has taken in."""
    return replace(operator, ids=(*operator.ids, *part.ids))


def fresh_id(graph: Graph, wish: TensorId) -> TensorId:
    """The wish, or the first like it that no tensor has."""
    while wish in graph.tensors:
        wish += "'"
    return wish
