"""Constant folding of one node: frontends need it for shapes, a pass for the rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nacre.ir import Array, Node, Tensor, TensorKind
from nacre.ops import kind_of

# Results beyond this many elements stay computed at run time.
FOLD_LIMIT = 1 << 22


def fold(node: Node) -> tuple[Tensor, ...]:
    """The node's outputs as constants, or nothing when it cannot be evaluated now.

    Outputs without elements are known whatever the inputs are.
    """
    kind = kind_of(node.operator)
    if kind.effect or kind.mutates:
        return ()
    if all(t.elements == 0 for t in node.outputs):
        return tuple(as_constant(t, np.empty(t.shape, t.dtype.numpy)) for t in node.outputs)
    known = all(t is None or t.is_constant for t in node.inputs)
    small = sum(t.elements for t in node.outputs) <= FOLD_LIMIT
    if not small or not (known or kind.shape_only):
        return ()
    values = kind.reference(node, tuple(None if t is None else t.data for t in node.inputs))
    return tuple(as_constant(t, v) for t, v in zip(node.outputs, values, strict=True))


def as_constant(tensor: Tensor, value: Array) -> Tensor:
    """The tensor with a known content."""
    data = np.ascontiguousarray(value, tensor.dtype.numpy).reshape(tensor.shape)
    return replace(tensor, kind=TensorKind.CONSTANT, data=data)
