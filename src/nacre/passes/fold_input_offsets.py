"""Fold the input's zero point into the bias: sum (x - z) w + b = sum x w + (b - z sum w).

Exact in integers. Padding then holds the zero point itself, which contributes nothing.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Graph, Operator, Tensor
from nacre.ops import kind_of
from nacre.passes.rewrite import rebuild


def fold_input_offsets(graph: Graph) -> Graph:
    operators: list[Operator] = []
    biases: list[Tensor] = []
    for node in graph.nodes():
        fold = kind_of(node.operator).fold_offset
        folded = None if fold is None else fold(node)
        if folded is None:
            operators.append(node.operator)
            continue
        attributes, bias = folded
        biases.append(bias)
        inputs = (*node.operator.inputs[:2], bias.id)
        operators.append(replace(node.operator, attributes=attributes, inputs=inputs))
    return rebuild(graph, operators, biases)
