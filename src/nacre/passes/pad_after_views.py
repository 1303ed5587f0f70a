"""Pad what a convolution reads, not what is reshaped for it: PAD, view becomes view, PAD.

One-dimensional convolutions come as PAD, EXPAND_DIMS, CONV_2D. The two in front change places
where the view only adds or leaves out dimensions of one element; then the PAD can be fused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nacre.ir import Graph, Operator, Shape, TensorId
from nacre.ops.pad import Pad
from nacre.ops.reshape import Reshape
from nacre.passes.rewrite import rebuild

_READERS = ("CONV_2D", "DEPTHWISE_CONV_2D")


def pad_after_views(graph: Graph) -> Graph:
    readers = graph.consumers()
    for pad in graph.operators:
        view = _view_after(graph, pad, readers)
        if view is not None:
            graph = _swapped(graph, pad, view)
    return graph


def _view_after(
    graph: Graph, pad: Operator, readers: Mapping[TensorId, list[Operator]]
) -> Operator | None:
    """The view that alone reads the PAD, if convolutions alone read the view."""
    if not isinstance(pad.attributes, Pad) or pad.outputs[0] in graph.outputs:
        return None
    after = readers[pad.outputs[0]]
    if len(after) != 1 or not isinstance(after[0].attributes, Reshape):
        return None
    return after[0] if all(o.type in _READERS for o in readers[after[0].outputs[0]]) else None


def _swapped(graph: Graph, pad: Operator, view: Operator) -> Graph:
    middle, target = graph.tensors[pad.outputs[0]], graph.tensors[view.outputs[0]]
    assert isinstance(pad.attributes, Pad) and isinstance(view.attributes, Reshape)
    border = _moved(pad.attributes, middle.shape, target.shape)
    if border is None or middle.quantization != target.quantization:
        return graph
    sides = zip(target.shape, border.before, border.after, strict=True)
    inner = tuple(n - before - after for n, before, after in sides)
    first = replace(
        view, attributes=replace(view.attributes, shape=inner), inputs=pad.inputs,
        outputs=pad.outputs,
    )  # fmt: skip
    second = replace(pad, attributes=border, inputs=pad.outputs, outputs=view.outputs)
    places = {pad.id: first, view.id: second}
    operators = [places.get(o.id, o) for o in graph.operators]
    return rebuild(graph, operators, [replace(middle, shape=inner)])


def _moved(pad: Pad, shape: Shape, other: Shape) -> Pad | None:
    """The border of the same elements in the other shape; None where dimensions were merged."""
    ours, theirs = ([d for d, n in enumerate(s) if n != 1] for s in (shape, other))
    before, after = [0] * len(other), [0] * len(other)
    if [shape[d] for d in ours] != [other[d] for d in theirs]:
        return None
    for d, e in zip(ours, theirs, strict=True):
        before[e], after[e] = pad.before[d], pad.after[d]
    if (sum(before), sum(after)) != (sum(pad.before), sum(pad.after)):
        return None
    return replace(pad, before=tuple(before), after=tuple(after))
