"""Fuse a stand-alone RELU, RELU6 or RELU_N1_TO_1 into the operator that computes its input.

Exact: both tensors have one quantization, so clamping once is clamping twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nacre.ir import Attributes, Graph, Node, Operator, Tensor
from nacre.ops import kind_of
from nacre.ops.add import Sum
from nacre.ops.convolution import Sliding
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.mul import Mul
from nacre.ops.pool import Pool2d
from nacre.ops.relu import Relu, Relu6, ReluN1To1
from nacre.ops.transpose_conv import TransposeConv
from nacre.passes.rewrite import fused, rebuild, standing_for

_NAMES: Mapping[type[Attributes], str] = {
    Relu: "RELU",
    Relu6: "RELU6",
    ReluN1To1: "RELU_N1_TO_1",
}


def fuse_activations(graph: Graph) -> Graph:
    operators: dict[str, Operator] = {o.id: o for o in graph.operators}
    producers, consumers = graph.producers(), graph.consumers()
    outputs: list[Tensor] = []
    for clamp in graph.operators:
        value = clamp.inputs[0] if type(clamp.attributes) in _NAMES else None
        producer = None if value is None else producers.get(value)
        if value is None or producer is None or len(producer.outputs) != 1:
            continue
        alone = consumers[value] == [clamp] and value not in graph.outputs
        merged = _merged(graph.node(producer), graph.node(clamp)) if alone else None
        if merged is not None:
            operators[producer.id] = merged
            del operators[clamp.id]
            outputs.append(standing_for(graph.tensors[clamp.outputs[0]], graph.tensors[value]))
    return rebuild(graph, operators.values(), outputs)


def _merged(node: Node, clamp: Node) -> Operator | None:
    """The producer with the activation in it, writing the clamp's output; None if not exact."""
    old, attributes = node.output, node.operator.attributes
    if not isinstance(attributes, Sliding | TransposeConv | FullyConnected | Sum | Mul | Pool2d):
        return None
    same = (old.dtype, old.quantization) == (clamp.output.dtype, clamp.output.quantization)
    if attributes.activation != "NONE" or not same:
        return None
    name = _NAMES[type(clamp.operator.attributes)]
    operator = replace(
        fused(node.operator, clamp.operator),
        attributes=replace(attributes, activation=name),
        outputs=clamp.operator.outputs,
    )
    objection = kind_of(operator).check(Node(operator, node.inputs, clamp.outputs))
    return operator if objection is None else None
