"""SELECT, SELECT_V2: one of two values by a condition, with broadcasting."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import boxed, element_box
from nacre.ops.elementwise import (
    in_place,
    infer_broadcast,
    plain_rule,
    refuse_dimensions,
    same_rows,
    value,
    walk_over,
)
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    SourceNode,
    Span,
    attributes,
    meaning,
    meanings,
)


@dataclass(frozen=True)
class Select(Attributes):
    """The second input where the first is true, else the third."""

    # The condition has one value per slice along the first dimension.
    slices: bool = False


@dataclass(frozen=True)
class SelectV2(Select):
    """The same for any shapes that broadcast."""


@dataclass(frozen=True)
class SelectParams(Params):
    c_type: ClassVar[str] = "nacre_select_params_t"
    dims: tuple[int, ...] = meanings("loops inside a row")
    run: int = meaning("elements of the innermost loop")
    output_row: int = meaning("elements of an output row")
    output_ring: int = meaning("output rows kept")
    strides: tuple[int, ...] = meanings("steps per loop: condition, then, else")
    steps: tuple[int, ...] = meanings("steps in the innermost loop")
    row: tuple[int, ...] = meanings("elements of the inputs' rows")
    ring: tuple[int, ...] = meanings("their rows kept")


# By element size: the bytes of a value do not matter.
KERNELS = {
    DType.UINT8: Kernel("nacre_select_8", SelectParams),
    DType.INT16: Kernel("nacre_select_16", SelectParams),
    DType.INT32: Kernel("nacre_select_32", SelectParams),
    DType.INT64: Kernel("nacre_select_64", SelectParams),
}
BY_SIZE = {t.size: t for t in KERNELS}


def _from_tflite(source: SourceNode) -> Imported:
    condition, x = source.input(0), source.input(1)
    slices = len(condition.shape) == 1 and len(x.shape) > 1
    return Imported(Select(slices), (0, 1, 2))


def _condition_shape(kind: Select, condition: Tensor, rank: int) -> Shape:
    return condition.shape + (1,) * (rank - 1) if kind.slices else condition.shape


def _infer(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    condition, x, z = inputs
    assert isinstance(kind, Select) and condition is not None and x is not None
    shape = _condition_shape(kind, condition, len(x.shape))
    return infer_broadcast(kind, (replace(condition, shape=shape), x, z))


def _check(node: Node) -> str | None:
    condition, x, z, y = node.input(0), node.input(1), node.input(2), node.output
    if condition.dtype is not DType.BOOL:
        return f"the condition is {condition.dtype.value}; supported: bool"
    if not x.dtype is z.dtype is y.dtype or x.dtype.size not in BY_SIZE:
        names = ", ".join(t.dtype.value for t in (x, z, y))
        return f"values and output are {names}; supported: one type of 8, 16, 32 or 64 bits"
    return refuse_dimensions(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    condition, x, z = value(values, 0), value(values, 1), value(values, 2)
    kind = attributes(node, Select)
    shape = _condition_shape(kind, node.input(0), x.ndim)
    return (np.where(condition.reshape(shape).astype(np.bool_), x, z),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, y = attributes(node, Select), node.output
    condition, x, z = node.input(0), node.input(1), node.input(2)
    shape = _condition_shape(kind, condition, len(x.shape))
    walk = walk_over((shape, x.shape, z.shape), y.shape)
    params = SelectParams(
        walk.dims, walk.run, walk.row, max(1, walk.rows),
        tuple(s for i in walk.inputs for s in i.strides),
        tuple(i.step for i in walk.inputs),
        tuple(i.row for i in walk.inputs),
        tuple(i.ring for i in walk.inputs),
    )  # fmt: skip
    dtype = BY_SIZE[y.dtype.size]
    pointers = (
        Pointer(condition.id, DType.UINT8),
        Pointer(x.id, dtype),
        Pointer(z.id, dtype),
        Pointer(y.id, dtype, const=False),
    )
    return Lowered((Call(KERNELS[dtype], (*pointers, params, Span(0, walk.rows))),))


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    if not attributes(node, Select).slices:
        return element_box(node, output, box)
    return boxed(node, box, [(0, box[:1]), (1, box), (2, box)])


SELECT = OpKind(
    type="SELECT",
    attributes=Select,
    summary="One of two values by a condition of the same shape, or one per slice.",
    supports=("values of any type of 8, 16, 32 or 64 bits that share a scale",),
    tflite={"SELECT": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=tuple(KERNELS.values()),
    in_place=in_place,
    rows=same_rows,
    box=_box,
)
SELECT_V2 = replace(
    SELECT,
    type="SELECT_V2",
    attributes=SelectV2,
    summary="One of two values by a condition.",
    supports=(*SELECT.supports, "broadcasting over up to 6 dimensions"),
    tflite={"SELECT_V2": plain_rule(SelectV2(), 3)},
)
