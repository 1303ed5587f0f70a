"""RESHAPE, SQUEEZE, EXPAND_DIMS: the same bytes under another shape; COPY: the same bytes again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import element_box
from nacre.ops.kind import (
    Imported,
    ImportRule,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    Span,
    attributes,
)
from nacre.ops.moves import (
    COPY_BYTES,
    MOVE_ROWS,
    MoveRowsParams,
    axis_of,
    constant_integer,
    copy_call,
    image_calls,
    row_size,
    same_types,
)


@dataclass(frozen=True)
class Reshape(Attributes):
    """The output's shape."""

    shape: Shape = ()


@dataclass(frozen=True)
class Squeeze(Reshape):
    """Dimensions of one element left out."""


@dataclass(frozen=True)
class ExpandDims(Reshape):
    """A dimension of one element added."""


@dataclass(frozen=True)
class Densify(Reshape):
    """A sparse constant as the dense one that the importer has already made of it."""


@dataclass(frozen=True)
class Copy(Attributes):
    """The input's bytes in a tensor of their own; passes put it where a view would not do."""


# --- import -------------------------------------------------------------------------------------


def _reshape(source: SourceNode) -> Imported:
    x = source.input(0)
    return Imported(Reshape(_resolve(_wanted(source), x)), inputs=(0,))


def _wanted(source: SourceNode) -> Shape:
    """The shape that the file asks for: input 1, else the option, else the output's own."""
    shape = source.optional(1)
    if shape is not None and shape.is_constant:
        return tuple(int(d) for d in source.constant(1, "the shape").reshape(-1))
    if shape is not None:
        return source.outputs[0].shape
    return source.options.integers("new_shape")


def _resolve(wanted: Shape, x: Tensor) -> Shape:
    """The shape with its -1 worked out; [0] is how old files write a scalar."""
    if wanted == (0,) and x.elements == 1:
        return ()
    known = math.prod(d for d in wanted if d != -1)
    if wanted.count(-1) == 1 and known > 0 and x.elements % known == 0:
        wanted = tuple(x.elements // known if d == -1 else d for d in wanted)
    if any(d < 0 for d in wanted) or math.prod(wanted) != x.elements:
        raise Refuse(f"shape {list(wanted)} for an input of {list(x.shape)}")
    return wanted


def _squeeze(source: SourceNode) -> Imported:
    shape = source.input(0).shape
    rank = len(shape)
    dims = {axis_of(d, rank, "squeeze_dims") for d in source.options.integers("squeeze_dims")}
    wrong = [d for d in sorted(dims) if shape[d] != 1]
    if wrong:
        raise Refuse(f"squeeze_dims has dimension {wrong[0]} of {shape[wrong[0]]}; supported: 1")
    dims = dims or {d for d in range(rank) if shape[d] == 1}
    return Imported(Squeeze(tuple(n for d, n in enumerate(shape) if d not in dims)), inputs=(0,))


def _expand_dims(source: SourceNode) -> Imported:
    shape = source.input(0).shape
    at = axis_of(constant_integer(source, 1, "the axis"), len(shape) + 1)
    return Imported(ExpandDims((*shape[:at], 1, *shape[at:])), inputs=(0,))


def _densify(source: SourceNode) -> Imported:
    source.constant(0, "the sparse tensor")
    return Imported(Densify(source.input(0).shape), inputs=(0,))


# --- the rest -----------------------------------------------------------------------------------


def _infer(view: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(view, Reshape)
    return (view.shape,)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (x.reshape(attributes(node, Reshape).shape),)


def _no_calls(node: Node, options: LowerOptions) -> Lowered:
    return Lowered(())


def _view(kind: type[Reshape], type: str, summary: str, tflite: Mapping[str, ImportRule]) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=("every element type; costs nothing at run time",),
        tflite=tflite,
        infer=_infer,
        check=same_types,
        reference=_reference,
        lower=_no_calls,
        kernels=(),
        is_view=True,
    )


RESHAPE = _view(
    Reshape,
    "RESHAPE",
    "The same elements under another shape; one dimension may be -1.",
    {"RESHAPE": _reshape},
)
SQUEEZE = _view(Squeeze, "SQUEEZE", "Dimensions of one element left out.", {"SQUEEZE": _squeeze})
EXPAND_DIMS = _view(
    ExpandDims, "EXPAND_DIMS", "A dimension of one element added.", {"EXPAND_DIMS": _expand_dims}
)
DENSIFY = _view(
    Densify, "DENSIFY", "A sparse constant made dense at compile time.", {"DENSIFY": _densify}
)


def _infer_copy(copy: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert x is not None
    return (x.shape,)


def _reference_copy(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (x.copy(),)


def _lower_copy(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    if not _is_image(x, y):
        return Lowered(copy_call(x, y))
    row, rows = row_size(y), y.shape[1]
    params = MoveRowsParams(
        first_row=0, row_step=1, pieces=1, run=row, input_pitch=row, output_pitch=row,
        input_row=row, output_row=row, output_begin=0, output_end=rows,
        input_ring=rows, output_ring=rows,
    )  # fmt: skip
    return Lowered(image_calls(x, y, 0, 0, params))


def _is_image(x: Tensor, y: Tensor) -> bool:
    return x.shape == y.shape and len(y.shape) == 4 and y.shape[0] == 1 and min(y.shape) > 0


def _copy_rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    return (out if _is_image(node.input(0), node.output) else None,)


COPY = OpKind(
    type="COPY",
    attributes=Copy,
    summary="A copy that nacre adds itself, where an output must have bytes of its own.",
    supports=("every element type",),
    tflite={},
    infer=_infer_copy,
    check=same_types,
    reference=_reference_copy,
    lower=_lower_copy,
    kernels=(COPY_BYTES, MOVE_ROWS),
    rows=_copy_rows,
    box=element_box,
)
