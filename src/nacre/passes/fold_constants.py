"""Evaluate operators whose inputs are all constants."""

from __future__ import annotations

from dataclasses import replace

from nacre.frontends.fold import fold
from nacre.ir import Graph, Operator, Tensor, TensorId
from nacre.passes.rewrite import rebuild


def fold_constants(graph: Graph) -> Graph:
    kept: list[Operator] = []
    known: dict[TensorId, Tensor] = {}
    for operator in graph.operators:
        node = graph.node(operator)
        inputs = tuple(None if t is None else known.get(t.id, t) for t in node.inputs)
        constants = fold(replace(node, inputs=inputs))
        known |= {t.id: t for t in constants}
        if not constants:
            kept.append(operator)
    return rebuild(graph, kept, known.values())
