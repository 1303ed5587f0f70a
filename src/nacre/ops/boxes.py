"""Cutting an operator into boxes: what the rules of all operators share.

A box of an output is computed by a small operator of the same kind on boxes of the inputs.
Constants are cut at once; tensors keep their quantization.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from nacre.ir import Attributes, Node, Quantization, Shape, Tensor, TensorKind
from nacre.ops.kind import Box, Boxed, Part, Span

# An input of the whole operator by position, and the box of it that the small one reads.
Cut: TypeAlias = tuple[int, Box]


def whole(shape: Shape) -> Box:
    return tuple(Span(0, size) for size in shape)


def box_shape(box: Box) -> Shape:
    return tuple(span.size for span in box)


def is_whole(span: Span, size: int) -> bool:
    return span == Span(0, size)


def boxed(
    node: Node,
    box: Box,
    cuts: Sequence[Cut | None],
    attributes: Attributes | None = None,
    output: int = 0,
) -> Boxed:
    """The operator with these attributes (default: the node's) on cuts of the node's inputs."""
    attributes = node.operator.attributes if attributes is None else attributes
    sources = [None if cut is None else (node.input(cut[0]), cut[1]) for cut in cuts]
    id = f"{node.id}.{_key(attributes, sources, node.outputs[output], box)}"
    inputs = [None if s is None else _input(id, n, s) for n, s in enumerate(sources)]
    inputs = _shared(sources, inputs)
    y = _piece(f"{id}.output", node.outputs[output], box)
    operator = replace(
        node.operator,
        ids=(id, *node.operator.ids),
        attributes=attributes,
        inputs=tuple(None if t is None else t.id for t in inputs),
        outputs=(y.id,),
    )
    parts = tuple(None if s is None or s[0].is_constant else Part(s[0].id, s[1]) for s in sources)
    return Boxed(Node(operator, tuple(inputs), (y,)), parts)


Source: TypeAlias = tuple[Tensor, Box]


def _key(attributes: Attributes, sources: Sequence[Source | None], y: Tensor, box: Box) -> str:
    """Short text that is the same for equal operators on equal boxes only."""
    constants = [None if s is None or not s[0].is_constant else s[1] for s in sources]
    shapes = [None if s is None else (s[0].id, box_shape(s[1])) for s in sources]
    same = [sources.index(s) for s in sources]
    facts = repr((y.id, attributes, shapes, constants, same, box_shape(box)))
    return hashlib.sha256(facts.encode()).hexdigest()[:10]


def _input(id: str, position: int, source: Source) -> Tensor:
    if source[0].is_constant:
        return cut_constant(*source)
    return _piece(f"{id}.input{position}", *source)


def _shared(
    sources: Sequence[Source | None], inputs: Sequence[Tensor | None]
) -> list[Tensor | None]:
    """Inputs that are the same box of the same tensor are one."""
    first: dict[tuple[str, Box], Tensor | None] = {}
    return [
        tensor if s is None else first.setdefault((s[0].id, s[1]), tensor)
        for s, tensor in zip(sources, inputs, strict=True)
    ]


def _piece(id: str, tensor: Tensor, box: Box) -> Tensor:
    return replace(
        tensor, id=id, shape=box_shape(box), kind=TensorKind.SCRATCH, data=None,
        quantization=_cut_quantization(tensor, box), origins=(tensor.id, *tensor.origins),
    )  # fmt: skip


def cut_constant(tensor: Tensor, box: Box) -> Tensor:
    """A box of a constant; its id says which."""
    if box == whole(tensor.shape):
        return tensor
    cut = [
        f"{axis}_{s.begin}_{s.end}"
        for axis, (s, size) in enumerate(zip(box, tensor.shape, strict=True))
        if not is_whole(s, size)
    ]
    content = tensor.constant[tuple(slice(s.begin, s.end) for s in box)]
    return replace(
        tensor, id=".".join((tensor.id, *cut)), shape=box_shape(box),
        data=np.ascontiguousarray(content), quantization=_cut_quantization(tensor, box),
        origins=(tensor.id, *tensor.origins),
    )  # fmt: skip


def _cut_quantization(tensor: Tensor, box: Box) -> Quantization | None:
    q = tensor.quantization
    if q is None or not q.per_channel or q.axis >= len(box):
        return q
    span = box[q.axis]
    points = q.zero_points if len(q.zero_points) == 1 else q.zero_points[span.begin : span.end]
    return replace(q, scales=q.scales[span.begin : span.end], zero_points=points)


def reshaped(found: Boxed, input: Shape, output: Shape) -> Boxed:
    """The same where the small operator sees its only input and its output under other shapes."""
    x, y = found.node.input(0), found.node.output
    tensors = replace(x, shape=input), replace(y, shape=output)
    return replace(found, node=Node(found.node.operator, tensors[:1], tensors[1:]))


def bias_cut(node: Node, channels: Span) -> Cut | None:
    """The bias, input 2, of some output channels; it may have leading dimensions of size 1."""
    bias = node.optional(2)
    return None if bias is None else (2, (*whole(bias.shape[:-1]), channels))


# --- rules that many operators share --------------------------------------------------------------


def stretched(shape: Shape, box: Box) -> Box:
    """The box of an input that broadcasts to the output: what repeats is read whole."""
    own = box[len(box) - len(shape) :]
    return tuple(Span(0, 1) if size == 1 else span for size, span in zip(shape, own, strict=True))


def element_box(node: Node, output: int, box: Box) -> Boxed | None:
    """Output elements depend on the input elements at their place; inputs may broadcast."""
    cuts = [
        None if x is None else (position, stretched(x.shape, box))
        for position, x in enumerate(node.inputs)
    ]
    return boxed(node, box, cuts)


def vector_box(node: Node, output: int, box: Box) -> Boxed | None:
    """The same, but vectors along the last dimension stay whole."""
    if not is_whole(box[-1], node.output.shape[-1]):
        return None
    return element_box(node, output, box)
