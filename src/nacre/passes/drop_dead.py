"""Remove operators that nothing depends on, and tensors that nobody names."""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Graph, Operator
from nacre.ops import kind_of


def drop_dead(graph: Graph) -> Graph:
    wanted = set(graph.outputs)
    kept: list[Operator] = []
    for operator in reversed(graph.operators):
        kind = kind_of(operator)
        if kind.effect or kind.mutates or wanted & set(operator.outputs):
            kept.append(operator)
            wanted |= {i for i in operator.inputs if i is not None}
    named = wanted | set(graph.inputs) | {o for op in kept for o in op.outputs}
    tensors = {key: t for key, t in graph.tensors.items() if key in named}
    return replace(graph, operators=tuple(reversed(kept)), tensors=tensors)
