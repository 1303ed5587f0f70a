"""Evaluates a graph with the numpy references of its operators: slow, exact, needs no oracle."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, Graph, Tensor, TensorId, TensorKind
from nacre.ops import kind_of


def run_reference(graph: Graph, inputs: list[Array], state: dict[TensorId, Array]) -> list[Array]:
    """One invocation; `state` carries the variables from call to call (start with {})."""
    values: dict[TensorId, Array] = dict(zip(graph.inputs, inputs, strict=True))

    def value(tensor: Tensor) -> Array:
        if tensor.kind is TensorKind.CONSTANT:
            return tensor.constant
        if tensor.kind is TensorKind.PERSISTENT:
            return state.setdefault(tensor.id, _first_value(tensor))
        return values[tensor.id]

    for node in graph.nodes():
        kind = kind_of(node.operator)
        arrays = tuple(None if t is None else value(t) for t in node.inputs)
        results = kind.reference(node, arrays)
        values.update({t.id: r for t, r in zip(node.outputs, results, strict=False)})
        changed = results[len(node.outputs) :]
        for index, result in zip(kind.mutates, changed, strict=True):
            state[node.input(index).id] = result
    return [value(graph.tensors[key]) for key in graph.outputs]


def _first_value(variable: Tensor) -> Array:
    if variable.data is not None:
        return variable.data
    return np.zeros(variable.shape, variable.dtype.numpy)
