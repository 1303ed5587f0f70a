"""Evaluate operators whose inputs are all constants."""

from __future__ import annotations

from nacre.frontends.fold import fold
from nacre.ir import Graph, Operator
from nacre.passes.rewrite import rebuild


def fold_constants(graph: Graph) -> Graph:
    kept: list[Operator] = []
    for operator in graph.operators:
        constants = fold(graph.node(operator))
        graph = rebuild(graph, graph.operators, constants)
        if not constants:
            kept.append(operator)
    return rebuild(graph, kept)
