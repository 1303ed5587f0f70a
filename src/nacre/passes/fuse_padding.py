"""Fuse a PAD of rows and columns into the windows that read it.

Exact for convolutions when the padding holds what stands for zero: it adds nothing to a sum.
Exact for the largest of a window when it holds the smallest value that there is.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from nacre.ir import Attributes, DType, Graph, Node, Operator
from nacre.ops.convolution import Sliding
from nacre.ops.kind import attributes
from nacre.ops.pad import Pad
from nacre.ops.pool import MaxPool2d
from nacre.passes.rewrite import fused, rebuild, standing_for

# Convolutions whose padding adds zeros to the sums.
_CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
Window = TypeVar("Window", Sliding, MaxPool2d)


def fuse_padding(graph: Graph) -> Graph:
    operators = {o.id: o for o in graph.operators}
    for operator in graph.operators:
        node = graph.node(operator)
        if not _is_border(node) or node.output.id in graph.outputs:
            continue
        readers = [o for o in operators.values() if node.output.id in o.inputs]
        merged = [_merged(node, graph.node(reader)) for reader in readers]
        if not readers or any(m is None for m in merged):
            continue
        operators |= {m.id: m for m in merged if m is not None}
        del operators[operator.id]
        graph = rebuild(graph, operators.values(), [standing_for(node.input(0), node.output)])
    return graph


def _is_border(node: Node) -> bool:
    """Rows and columns alone are padded, and nothing else changes."""
    pad = node.operator.attributes
    if not isinstance(pad, Pad) or len(pad.before) != 4:
        return False
    outside = (pad.before[0], pad.after[0], pad.before[3], pad.after[3])
    return not any(outside) and node.input(0).quantization == node.output.quantization


def _merged(node: Node, reader: Node) -> Operator | None:
    """The reader with the padding in its own, reading what was padded; None if not exact."""
    if reader.operator.inputs.count(node.output.id) != 1 or reader.input(0) is not node.output:
        return None
    wider = _wider(attributes(node, Pad), node, reader.operator)
    if wider is None:
        return None
    inputs = (node.input(0).id, *reader.operator.inputs[1:])
    return replace(fused(reader.operator, node.operator), attributes=wider, inputs=inputs)


def _wider(pad: Pad, node: Node, reader: Operator) -> Attributes | None:
    """The window with more padding; None where that would not give the same numbers."""
    window = reader.attributes
    if isinstance(window, Sliding) and reader.type in _CONVOLUTIONS:
        exact = not window.offset_in_bias and _stands_for_zero(pad, node)
        return _with(pad, window) if exact else None
    if isinstance(window, MaxPool2d):
        pool = _with(pad, window)
        return pool if _is_smallest(pad, node) and _touches_inside(pool) else None
    return None


def _with(pad: Pad, window: Window) -> Window:
    return replace(
        window,
        pad_top=window.pad_top + pad.before[1],
        pad_left=window.pad_left + pad.before[2],
        pad_bottom=window.pad_bottom + pad.after[1],
        pad_right=window.pad_right + pad.after[2],
    )


def _stands_for_zero(pad: Pad, node: Node) -> bool:
    quantization = node.input(0).quantization
    return pad.value == (0 if quantization is None else quantization.zero_point)


def _is_smallest(pad: Pad, node: Node) -> bool:
    dtype = node.input(0).dtype
    return dtype in (DType.INT8, DType.UINT8, DType.INT16) and pad.value == dtype.range[0]


def _touches_inside(pool: MaxPool2d) -> bool:
    """Every window has a tap inside the input."""
    rows = max(pool.pad_top, pool.pad_bottom) < pool.kernel_h
    return rows and max(pool.pad_left, pool.pad_right) < pool.kernel_w
