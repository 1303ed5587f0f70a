"""Remove operators that change nothing; those that change the shape alone become views.

An operator stays, as a view, where its output is one of the graph's: outputs keep their names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from nacre.ir import Attributes, Graph, Node, Operator, Tensor, TensorId, TensorKind
from nacre.ops import kind_of
from nacre.ops.cast import Cast
from nacre.ops.concat import Concat, Pack
from nacre.ops.kind import attributes
from nacre.ops.pad import MirrorPad, Pad, PadV2
from nacre.ops.quantize import Quantize
from nacre.ops.relu import Clamped, Relu, Relu0To1, Relu6, ReluN1To1, limits
from nacre.ops.reshape import RESHAPE, ExpandDims, Reshape, Squeeze
from nacre.ops.resize import ResizeNearest
from nacre.ops.slice import Slice, StridedSlice
from nacre.ops.space import BatchToSpace, DepthToSpace, SpaceToBatch, SpaceToDepth
from nacre.ops.split import Split, SplitV, Unpack
from nacre.ops.tile import BroadcastTo, Tile
from nacre.ops.transpose import Reverse, Transpose
from nacre.passes.rewrite import rebuild, rewire, standing_for


def drop_identities(graph: Graph) -> Graph:
    kept: list[Operator] = []
    # Tensors that are gone -> the tensor with the same bytes and meaning.
    same: dict[TensorId, TensorId] = {}
    # View -> the tensor that it is a view of.
    views: dict[TensorId, TensorId] = {}
    for operator in graph.operators:
        node = graph.node(rewire(operator, same))
        if not _same_bytes(node):
            kept.append(node.operator)
            continue
        x, y = graph.tensors[views.get(node.input(0).id, node.input(0).id)], node.output
        if _same_meaning(x, y) and y.id not in graph.outputs:
            same[y.id] = x.id
            graph = rebuild(graph, graph.operators, [standing_for(x, y)])
            continue
        views[y.id] = x.id
        kept.append(_as_view(node.operator, x, y))
    return rebuild(graph, kept)


def _as_view(operator: Operator, x: Tensor, y: Tensor) -> Operator:
    if kind_of(operator).is_view:
        return replace(operator, inputs=(x.id,))
    return replace(operator, type=RESHAPE.type, attributes=Reshape(y.shape), inputs=(x.id,))


def _same_meaning(x: Tensor, y: Tensor) -> bool:
    return (x.shape, x.dtype) == (y.shape, y.dtype) and _same_quantization(x, y)


def _same_quantization(x: Tensor, y: Tensor) -> bool:
    return x.quantization == y.quantization


def _same_bytes(node: Node) -> bool:
    """The only output has the bytes of the first input, which nobody overwrites."""
    rule = _RULES.get(type(node.operator.attributes))
    if rule is None or len(node.outputs) != 1:
        return False
    x, y = node.input(0), node.output
    if x.kind is TensorKind.PERSISTENT or (x.dtype, x.elements) != (y.dtype, y.elements):
        return False
    return rule(node)


def _no_further_question(_: Node) -> bool:
    return True


def _shape_stays(node: Node) -> bool:
    return node.input(0).shape == node.output.shape


def _one_input(node: Node) -> bool:
    return len(node.inputs) == 1


def _quantization_stays(node: Node) -> bool:
    return len(node.inputs) == 1 and _same_quantization(node.input(0), node.output)


def _forwards(node: Node) -> bool:
    box = attributes(node, Slice)
    return all(s > 0 or n == 1 for s, n in zip(box.step, box.size, strict=True))


def _order_stays(node: Node) -> bool:
    shape = node.input(0).shape
    moved = [d for d in attributes(node, Transpose).permutation if shape[d] != 1]
    return moved == sorted(moved)


def _nothing_to_reverse(node: Node) -> bool:
    return all(node.input(0).shape[d] == 1 for d in attributes(node, Reverse).axes)


def _nothing_to_clamp(node: Node) -> bool:
    y = node.output
    if y.quantization is None or not _quantization_stays(node):
        return False
    return limits(attributes(node, Clamped), y) == y.dtype.range


# Operators that keep all bytes in place whenever the rule holds and no element comes or goes.
_RULES: Mapping[type[Attributes], Callable[[Node], bool]] = {
    **dict.fromkeys((Reshape, Squeeze, ExpandDims), _no_further_question),
    **dict.fromkeys((Pad, PadV2, MirrorPad, Tile, BroadcastTo), _no_further_question),
    **dict.fromkeys((Split, SplitV, Unpack), _no_further_question),
    **dict.fromkeys((SpaceToBatch, BatchToSpace), _shape_stays),
    **dict.fromkeys((SpaceToDepth, DepthToSpace), _shape_stays),
    **dict.fromkeys((Slice, StridedSlice), _forwards),
    **dict.fromkeys((Relu, Relu6, ReluN1To1, Relu0To1), _nothing_to_clamp),
    Transpose: _order_stays,
    Reverse: _nothing_to_reverse,
    Pack: _one_input,
    Concat: _quantization_stays,
    Quantize: _quantization_stays,
    Cast: _no_further_question,
    ResizeNearest: _shape_stays,
}
