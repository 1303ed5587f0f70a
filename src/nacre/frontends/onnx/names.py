"""Names of the file beside ids of our own: no two tensors may share one."""

from __future__ import annotations

from dataclasses import replace

from nacre.frontends.onnx.records import FileGraph
from nacre.ir import Graph, Operator, TensorId


def value_names(graph: FileGraph) -> frozenset[str]:
    """Every name that a graph, or one inside it, gives to a value."""
    names = set(graph.constants) | {v.name for v in graph.inputs}
    for node in graph.nodes:
        names.update(node.outputs)
        for inner in node.graphs.values():
            names |= value_names(inner)
    return frozenset(names)


def node_names(graph: FileGraph) -> frozenset[str]:
    """The names of its nodes, and of those in graphs inside them."""
    names = {node.name for node in graph.nodes}
    for inner in (g for node in graph.nodes for g in node.graphs.values()):
        names |= node_names(inner)
    return frozenset(names)


def apart(graph: Graph) -> Graph:
    """Tensors called like something that lowering makes, `op<ID>.<what>`, get another id."""
    operators = {o.id for o in graph.operators}
    clashing = [key for key in graph.tensors if _is_derived(key, operators)]
    if not clashing:
        return graph
    taken = set(graph.tensors)
    names: dict[TensorId, TensorId] = {}
    for key in clashing:
        names[key] = f"tensor.{key}"
        while names[key] in taken:
            names[key] += "'"
        taken.add(names[key])
    tensors = {names.get(k, k): replace(t, id=names.get(k, k)) for k, t in graph.tensors.items()}
    return replace(
        graph,
        tensors=tensors,
        operators=tuple(_renamed(o, names) for o in graph.operators),
        inputs=tuple(names.get(k, k) for k in graph.inputs),
        outputs=tuple(names.get(k, k) for k in graph.outputs),
    )


def _is_derived(key: TensorId, operators: set[str]) -> bool:
    if not key.startswith("op"):
        return False
    return any(key[2:end] in operators for end, c in enumerate(key) if c == ".")


def _renamed(operator: Operator, names: dict[TensorId, TensorId]) -> Operator:
    return replace(
        operator,
        inputs=tuple(i if i is None else names.get(i, i) for i in operator.inputs),
        outputs=tuple(names.get(o, o) for o in operator.outputs),
    )
