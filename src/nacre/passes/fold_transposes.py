"""Fold a TRANSPOSE into the product that reads it: into the weights, or as an adjoint operand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nacre.ir import Graph, Operator, Tensor, TensorId
from nacre.ops.batch_matmul import BatchMatmul
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.reshape import RESHAPE, Reshape
from nacre.ops.transpose import Transpose
from nacre.passes.permute import Order, inverse
from nacre.passes.rewrite import fresh_id, rebuild


def fold_transposes(graph: Graph) -> Graph:
    producers = graph.producers()
    kept: list[Operator] = []
    for operator in graph.operators:
        if isinstance(operator.attributes, BatchMatmul):
            kept.append(_adjoint(operator, producers))
        elif isinstance(operator.attributes, FullyConnected):
            graph, made = _reordered(graph, operator, producers)
            kept += made
        else:
            kept.append(operator)
    return rebuild(graph, kept)


# --- adjoint operands -----------------------------------------------------------------------------


def _adjoint(operator: Operator, producers: dict[TensorId, Operator]) -> Operator:
    at = operator.attributes
    assert isinstance(at, BatchMatmul)
    x, z = (_untransposed(i, producers) for i in operator.inputs[:2])
    if x is not None:
        at = replace(at, adjoint_x=not at.adjoint_x)
    if z is not None:
        at = replace(at, adjoint_z=not at.adjoint_z)
    inputs = (x or operator.inputs[0], z or operator.inputs[1])
    return replace(operator, attributes=at, inputs=inputs)


def _untransposed(tensor: TensorId | None, producers: dict[TensorId, Operator]) -> TensorId | None:
    """What a TRANSPOSE of the last two dimensions alone reads."""
    producer = None if tensor is None else producers.get(tensor)
    if producer is None or not isinstance(producer.attributes, Transpose):
        return None
    order = producer.attributes.permutation
    rank = len(order)
    if rank < 2 or order != (*range(rank - 2), rank - 1, rank - 2):
        return None
    return producer.inputs[0]


# --- weights --------------------------------------------------------------------------------------


def folds_into_weights(
    graph: Graph, view: Operator, order: Order, readers: Mapping[TensorId, list[Operator]]
) -> bool:
    """Whether a TRANSPOSE before this view costs nothing: layers alone read all that it shows."""
    if not isinstance(view.attributes, Reshape) or view.outputs[0] in graph.outputs:
        return False
    image = graph.tensors[view.inputs[0] or ""]
    layers = readers[view.outputs[0]]
    return bool(layers) and all(_is_layer_of(graph, o, image, view, order) for o in layers)


def _is_layer_of(
    graph: Graph, layer: Operator, image: Tensor, view: Operator, order: Order
) -> bool:
    """A layer with constant float weights whose rows are whole images."""
    if not isinstance(layer.attributes, FullyConnected) or not image.shape or order[0] != 0:
        return False
    weights, flat = graph.tensors[layer.inputs[1] or ""], graph.tensors[view.outputs[0]]
    rows = (image.shape[0], image.elements // max(image.shape[0], 1))
    plain = weights.is_constant and weights.quantization is None
    return (
        plain and layer.inputs[0] == flat.id and (flat.shape, weights.shape[1]) == (rows, rows[1])
    )


def _reordered(
    graph: Graph, operator: Operator, producers: dict[TensorId, Operator]
) -> tuple[Graph, list[Operator]]:
    """A layer that reads all of a transposed image: the weights change their order instead."""
    view = producers.get(operator.inputs[0] or "")
    turn = None
    if view is not None and isinstance(view.attributes, Reshape):
        turn = producers.get(view.inputs[0] or "")
    if view is None or turn is None or not isinstance(turn.attributes, Transpose):
        return graph, [operator]
    order, weights = turn.attributes.permutation, graph.tensors[operator.inputs[1] or ""]
    moved, flat = graph.tensors[turn.outputs[0]], graph.tensors[view.outputs[0]]
    if not _is_layer_of(graph, operator, moved, view, order):
        return graph, [operator]
    columns = weights.constant.reshape(weights.shape[0], *moved.shape[1:])
    data = columns.transpose(0, *inverse(order)[1:]).reshape(weights.shape)
    return _with_weights(graph, operator, turn, flat, replace(weights, data=np.array(data)))


def _with_weights(
    graph: Graph, operator: Operator, turn: Operator, flat: Tensor, weights: Tensor
) -> tuple[Graph, list[Operator]]:
    turned = replace(
        weights, id=fresh_id(graph, f"{weights.id}.turned"),
        origins=(weights.id, *weights.origins),
    )  # fmt: skip
    rows = replace(flat, id=fresh_id(graph, f"{flat.id}.rows"))
    view = Operator(
        (f"reshape.{rows.id}",), RESHAPE.type, Reshape(flat.shape), turn.inputs, (rows.id,), rows.id
    )
    layer = replace(operator, inputs=(rows.id, turned.id, *operator.inputs[2:]))
    return rebuild(graph, graph.operators, [turned, rows]), [view, layer]
