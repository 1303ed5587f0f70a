"""Compute on images, not on what was made of them: image, view, function becomes image, function,
view.

One-dimensional convolutions are two-dimensional ones between views. Functions of each value that
come between them can run on the image, where they fuse with the convolution or run row by row.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Graph, Node, Operator, Shape, Tensor, TensorId
from nacre.ops import kind_of
from nacre.ops.reshape import RESHAPE, Reshape
from nacre.passes.permute import ELEMENTWISE
from nacre.passes.rewrite import fresh_id, rebuild


def sink_views(graph: Graph) -> Graph:
    # View -> the image that it shows.
    images: dict[TensorId, TensorId] = {}
    kept: list[Operator] = []
    for operator in graph.operators:
        node = graph.node(operator)
        if _shows_an_image(node):
            images[node.output.id] = node.input(0).id
        sunk = _sunk(graph, node, images)
        if sunk is None:
            kept.append(operator)
            continue
        graph, made = sunk
        kept += made
        images[node.output.id] = made[0].outputs[0]
    return rebuild(graph, kept)


def _shows_an_image(node: Node) -> bool:
    """A view that leaves out dimensions of one element of an image."""
    if not isinstance(node.operator.attributes, Reshape) or len(node.input(0).shape) != 4:
        return False
    image, shown = node.input(0).shape, node.output.shape
    return len(shown) == 3 and (image[0], image[1], image[3]) == shown


def _sunk(
    graph: Graph, node: Node, images: dict[TensorId, TensorId]
) -> tuple[Graph, list[Operator]] | None:
    if not isinstance(node.operator.attributes, ELEMENTWISE) or node.output.id in graph.outputs:
        return None
    if len(node.output.shape) != 3 or not any(
        t is not None and t.id in images for t in node.inputs
    ):
        return None
    inputs: list[Tensor] = []
    for tensor in node.inputs:
        found = None if tensor is None else _as_image(graph, tensor, images)
        if found is None:
            return None
        inputs.append(found)
    rows, columns, channels = node.output.shape
    image: Shape = (rows, columns, 1, channels)
    output = replace(node.output, id=fresh_id(graph, f"{node.output.id}.image"), shape=image)
    first = replace(node.operator, inputs=tuple(t.id for t in inputs), outputs=(output.id,))
    if kind_of(first).check(Node(first, tuple(inputs), (output,))) is not None:
        return None
    view = Operator(
        (f"reshape.{node.output.id}",), RESHAPE.type, Reshape(node.output.shape), (output.id,),
        (node.output.id,), node.output.name,
    )  # fmt: skip
    return rebuild(graph, graph.operators, [output, *inputs]), [first, view]


def _as_image(graph: Graph, tensor: Tensor, images: dict[TensorId, TensorId]) -> Tensor | None:
    """The tensor in the image's shape: its image, a constant, or a single value as it is."""
    if tensor.id in images:
        return graph.tensors[images[tensor.id]]
    if tensor.elements == 1 and len(tensor.shape) < 3:
        return tensor
    if not tensor.is_constant or len(tensor.shape) != 3:
        return None
    rows, columns, channels = tensor.shape
    shape = (rows, columns, 1, channels)
    key = fresh_id(graph, f"{tensor.id}.image")
    data = tensor.constant.reshape(shape)
    return replace(tensor, id=key, shape=shape, data=data, origins=(tensor.id, *tensor.origins))
