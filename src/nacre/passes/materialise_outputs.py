"""Give every output of the graph bytes that a step has written.

An output that is an input, a constant or a variable, or that is listed twice, becomes a copy;
one that is a view of such a tensor becomes a view of a copy.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Graph, Operator, Tensor, TensorId, TensorKind
from nacre.ops import kind_of
from nacre.ops.reshape import COPY, Copy
from nacre.passes.rewrite import rebuild


def materialise_outputs(graph: Graph) -> Graph:
    return _copy_outputs(_copy_below_views(graph))


def _copy_below_views(graph: Graph) -> Graph:
    """Views that are outputs read a copy of what no step writes."""
    views = _output_views(graph)
    operators: list[Operator] = []
    copies: list[Tensor] = []
    for operator in graph.operators:
        source = operator.inputs[0] if operator.id in views else None
        if source is not None and not _is_written(graph, source):
            copies.append(_copy_of(graph.tensors[source], f"{operator.outputs[0]}.source"))
            operators.append(_copy(source, copies[-1]))
            operator = replace(operator, inputs=(copies[-1].id,))
        operators.append(operator)
    return rebuild(graph, operators, copies)


def _output_views(graph: Graph) -> set[str]:
    """The ids of views from which an output of the graph is reached through views alone."""
    reached, found = set(graph.outputs), set()
    for operator in reversed(graph.operators):
        if kind_of(operator).is_view and operator.outputs[0] in reached:
            found.add(operator.id)
            reached |= {i for i in operator.inputs if i is not None}
    return found


def _copy_outputs(graph: Graph) -> Graph:
    """Outputs that no step writes, or that came before in the list, are copied at the end."""
    outputs: list[TensorId] = []
    copies: list[Operator] = []
    tensors: list[Tensor] = []
    for key in graph.outputs:
        if _is_written(graph, key) and key not in outputs:
            outputs.append(key)
            continue
        tensors.append(_copy_of(graph.tensors[key], f"{key}.output{len(outputs)}"))
        copies.append(_copy(key, tensors[-1]))
        outputs.append(tensors[-1].id)
    graph = rebuild(graph, (*graph.operators, *copies), tensors)
    return replace(graph, outputs=tuple(outputs))


def _is_written(graph: Graph, key: TensorId) -> bool:
    return key not in graph.inputs and graph.tensors[key].kind is TensorKind.SCRATCH


def _copy_of(tensor: Tensor, key: TensorId) -> Tensor:
    return replace(
        tensor, id=key, kind=TensorKind.SCRATCH, data=None, origins=(tensor.id, *tensor.origins)
    )


def _copy(source: TensorId, target: Tensor) -> Operator:
    return Operator((f"copy.{target.id}",), COPY.type, Copy(), (source,), (target.id,), target.name)
