"""Let operators read a variable itself where nobody assigns to it while its value is needed.

A READ_VARIABLE copies, because an assignment may come before its value is used. Where all uses
come before the next assignment, the copy is a waste of time and of memory.
"""

from __future__ import annotations

from nacre.ir import Graph, Operator, TensorId
from nacre.ops import kind_of
from nacre.ops.variables import ReadVariable
from nacre.passes.rewrite import rebuild, rewire


def read_in_place(graph: Graph) -> Graph:
    names: dict[TensorId, TensorId] = {}
    kept: list[Operator] = []
    for position, operator in enumerate(graph.operators):
        if _is_copy_for_nothing(graph, operator, graph.operators[position + 1 :]):
            names[operator.outputs[0]] = operator.inputs[0] or ""
        else:
            kept.append(rewire(operator, names))
    return rebuild(graph, kept)


def _is_copy_for_nothing(graph: Graph, read: Operator, later: tuple[Operator, ...]) -> bool:
    if not isinstance(read.attributes, ReadVariable) or read.outputs[0] in graph.outputs:
        return False
    uses = [n for n, o in enumerate(later) if read.outputs[0] in o.inputs]
    writes = [n for n, o in enumerate(later) if read.inputs[0] in _written(o)]
    views = any(kind_of(later[n]).is_view for n in uses)
    return not views and max(uses, default=0) < min(writes, default=len(later))


def _written(operator: Operator) -> set[TensorId | None]:
    return {operator.inputs[i] for i in kind_of(operator).mutates}
