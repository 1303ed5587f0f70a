"""The invariants of a Graph. A broken one is our bug, so this asserts."""

from __future__ import annotations

from nacre.ir import Graph, Node, TensorKind
from nacre.ops import kind_of


def verify(graph: Graph) -> Graph:
    """Check a graph after a frontend or a pass, and hand it on."""
    defined = {t.id for t in graph.tensors.values() if t.kind is not TensorKind.SCRATCH}
    defined |= set(graph.inputs)
    for node in graph.nodes():
        _verify_node(node, defined)
        defined |= {t.id for t in node.outputs}
    missing = [o for o in graph.outputs if o not in defined]
    assert not missing, f"graph outputs {missing} are never computed"
    for key, tensor in graph.tensors.items():
        assert key == tensor.id, f"tensor {tensor.id} is filed as {key}"
        assert not tensor.is_constant or tensor.constant.shape == tensor.shape, key
    return graph


def _verify_node(node: Node, defined: set[str]) -> None:
    label = f"op {node.id} {node.operator.type}"
    kind = kind_of(node.operator)
    for tensor in node.inputs:
        assert tensor is None or tensor.id in defined, f"{label} reads undefined {tensor}"
    for tensor in node.outputs:
        assert tensor.kind is TensorKind.SCRATCH, f"{label} writes a {tensor.kind.value}"
        assert tensor.id not in defined, f"{label} writes tensor {tensor.id} a second time"
    shapes = kind.infer(node.operator.attributes, node.inputs)
    assert shapes == tuple(t.shape for t in node.outputs), f"{label} infers {shapes}"
    objection = kind.check(node)
    assert objection is None, f"{label}: {objection}"
