"""Fold factors and terms per channel into the float layer before them.

a (sum x w + b) + c = sum x (a w) + (a b + c): a batch normalisation after a convolution costs
nothing, and the bias that follows a product of matrices becomes its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Array, DType, Graph, Node, Operator, Shape, Tensor, TensorKind
from nacre.ops import kind_of
from nacre.ops.add import Add, Sub
from nacre.ops.conv2d import Conv2d
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.mul import Mul
from nacre.ops.transpose_conv import TransposeConv
from nacre.passes.rewrite import fresh_id, fused, rebuild

Layer = Conv2d | DepthwiseConv2d | TransposeConv | FullyConnected
# The dimension of the weights that counts output channels.
_CHANNELS: Mapping[type[Layer], int] = {
    Conv2d: 0,
    DepthwiseConv2d: 3,
    TransposeConv: 0,
    FullyConnected: 0,
}


@dataclass(frozen=True, eq=False)
class _Line:
    """y = x * factor + term with one value, or one per channel, of each."""

    factor: Array
    term: Array
    constant: Tensor


def fold_scales(graph: Graph) -> Graph:
    operators = {o.id: o for o in graph.operators}
    consumers = graph.consumers()
    producers = graph.producers()
    for operator in graph.operators:
        node = graph.node(operator)
        line = _line(node)
        if line is None:
            continue
        value = next(t for t in node.inputs if t is not None and t is not line.constant)
        layer = producers.get(value.id)
        if layer is None or consumers[value.id] != [operator] or value.id in graph.outputs:
            continue
        merged = _merged(graph, graph.node(layer), node, line)
        if merged is None:
            continue
        new, constants = merged
        del operators[operator.id]
        operators[layer.id] = new
        graph = rebuild(graph, graph.operators, constants)
        producers[operator.outputs[0]] = new
    return rebuild(graph, operators.values())


def _line(node: Node) -> _Line | None:
    """What an ADD, SUB or MUL with a constant does to its other operand."""
    attributes = node.operator.attributes
    if not isinstance(attributes, Add | Sub | Mul) or node.output.dtype is not DType.FLOAT32:
        return None
    constant = next((t for t in node.inputs if t is not None and t.is_constant), None)
    value = next((t for t in node.inputs if t is not None and not t.is_constant), None)
    if constant is None or value is None or value.shape != node.output.shape:
        return None
    if not _per_channel(constant.shape, value.shape):
        return None
    c, one = constant.constant.reshape(-1).astype(np.float64), np.ones(1)
    if isinstance(attributes, Mul):
        return _Line(c, np.zeros(1), constant)
    if isinstance(attributes, Sub):
        ahead = node.input(0) is constant
        return _Line(-one, c, constant) if ahead else _Line(one, -c, constant)
    return _Line(one, c, constant)


def _per_channel(constant: Shape, value: Shape) -> bool:
    size = int(np.prod(constant, dtype=np.int64))
    return size == 1 or (constant[-1:] == value[-1:] and size == value[-1])


def _merged(
    graph: Graph, layer: Node, node: Node, line: _Line
) -> tuple[Operator, tuple[Tensor, ...]] | None:
    """The layer with the line in it, writing the line's output; and its constants."""
    attributes, last = layer.operator.attributes, node.operator.attributes
    if not isinstance(attributes, Layer) or attributes.activation != "NONE":
        return None
    assert isinstance(last, Add | Sub | Mul)
    w, bias = layer.input(1), layer.optional(2)
    if w.dtype is not DType.FLOAT32 or not w.is_constant:
        return None
    weights = _weights(graph, w, line, _CHANNELS[type(attributes)])
    terms = _bias(graph, bias, line, layer)
    operator = replace(
        fused(layer.operator, node.operator),
        attributes=replace(attributes, activation=last.activation),
        inputs=(layer.operator.inputs[0], weights.id, terms.id),
        outputs=node.operator.outputs,
    )
    checked = Node(operator, (layer.inputs[0], weights, terms), node.outputs)
    return (operator, (weights, terms)) if kind_of(operator).check(checked) is None else None


def _weights(graph: Graph, w: Tensor, line: _Line, axis: int) -> Tensor:
    if (line.factor == 1).all():
        return w
    shape = tuple(-1 if d == axis else 1 for d in range(len(w.shape)))
    return _constant(graph, w, w.constant * line.factor.reshape(shape), line)


def _bias(graph: Graph, bias: Tensor | None, line: _Line, layer: Node) -> Tensor:
    channels = layer.output.shape[-1]
    before = np.zeros(channels) if bias is None else bias.constant.reshape(-1)
    values = np.broadcast_to(before * line.factor + line.term, (channels,))
    if bias is not None:
        return _constant(graph, bias, values, line)
    empty = Tensor(line.constant.id, line.constant.name, (channels,), DType.FLOAT32)
    return _constant(graph, empty, values, line)


def _constant(graph: Graph, tensor: Tensor, data: Array, line: _Line) -> Tensor:
    content = np.ascontiguousarray(data, np.float32)
    key = fresh_id(graph, f"{tensor.id}.folded")
    origins = dict.fromkeys((tensor.id, *tensor.origins, line.constant.id, *line.constant.origins))
    return replace(
        tensor, id=key, shape=content.shape, kind=TensorKind.CONSTANT, data=content,
        origins=tuple(origins),
    )  # fmt: skip
