"""GATHER_ELEMENTS, SCATTER_ELEMENTS: single elements picked or replaced along one dimension."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.elementwise import value
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    attributes,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.moves import strides

RANK = 6
# The numbers that the kernels know the reductions by.
REDUCTIONS = ("none", "add", "mul", "max", "min")


@dataclass(frozen=True)
class GatherElements(Attributes):
    """Inputs: data, indices of as many dimensions."""

    axis: int


@dataclass(frozen=True)
class ScatterElements(Attributes):
    """Inputs: data, indices, updates; the indices stretch to the shape of the updates."""

    axis: int
    reduction: str = "none"


@dataclass(frozen=True)
class ElementsParams(Params):
    c_type: ClassVar[str] = "nacre_elements_params_t"
    bytes: int = meaning("bytes of the data")
    item: int = meaning("bytes of an element")
    index_bytes: int = meaning("bytes of an index")
    axis_size: int = meaning("elements along the dimension of the indices")
    axis_stride: int = meaning("elements from one to the next along it")
    reduction: int = meaning("0 replaces, 1 adds, 2 multiplies, 3 and 4 take the larger, smaller")
    dims: tuple[int, ...] = meanings("places along each dimension")
    strides: tuple[int, ...] = meanings("elements of the data per place; 0 along the axis")
    index_strides: tuple[int, ...] = meanings("indices per place")


PICK = Kernel("nacre_gather_elements", ElementsParams)
REPLACE = Kernel("nacre_scatter_elements", ElementsParams)
REDUCE_F32 = Kernel("nacre_scatter_elements_f32", ElementsParams)


def _params(data: Tensor, indices: Tensor, places: Shape, axis: int, reduction: str) -> Params:
    steps = strides(data.shape, 1)
    apart = tuple(
        0 if n == 1 else s for n, s in zip(indices.shape, strides(indices.shape, 1), strict=True)
    )
    rest = (0,) * (RANK - len(data.shape))
    return ElementsParams(
        data.size, data.dtype.size, indices.dtype.size, data.shape[axis], steps[axis],
        REDUCTIONS.index(reduction),
        dims=(1,) * len(rest) + places,
        strides=rest + tuple(0 if d == axis else s for d, s in enumerate(steps)),
        index_strides=rest + apart,
    )  # fmt: skip


def _objection(data: Tensor, indices: Tensor, places: Shape, axis: int) -> str | None:
    if indices.dtype not in (DType.INT32, DType.INT64):
        return f"indices are {indices.dtype.value}; supported: int32, int64"
    if not 1 <= len(data.shape) == len(places) <= RANK:
        return f"places {list(places)} of {list(data.shape)}; supported: up to {RANK} dimensions"
    sides = zip(data.shape, places, range(RANK), strict=False)
    if any(k > n for n, k, d in sides if d != axis) or 0 in (*data.shape, *places):
        return f"places {list(places)} of {list(data.shape)}; supported: no more than there are"
    if data.dtype.size > 8:
        return f"elements are {data.dtype.value}; supported: up to 8 bytes"
    return None


def _numbers(indices: Array, size: int) -> Array:
    """Indices from the front, in range."""
    wide = indices.astype(np.int64)
    return np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1)


def _grid(indices: Array, axis: int) -> tuple[Array, ...]:
    grid = list(np.ogrid[tuple(slice(n) for n in indices.shape)])
    grid[axis] = indices
    return tuple(grid)


# --- GATHER_ELEMENTS ------------------------------------------------------------------------------


def _infer_gather(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[1] is not None
    return (inputs[1].shape,)


def _check_gather(node: Node) -> str | None:
    data, indices = node.input(0), node.input(1)
    return _objection(data, indices, indices.shape, attributes(node, GatherElements).axis)


def _reference_gather(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    data, axis = value(values, 0), attributes(node, GatherElements).axis
    return (data[_grid(_numbers(value(values, 1), data.shape[axis]), axis)],)


def _lower_gather(node: Node, options: LowerOptions) -> Lowered:
    data, indices = node.input(0), node.input(1)
    axis = attributes(node, GatherElements).axis
    params = _params(data, indices, indices.shape, axis, "none")
    return Lowered((Call(PICK, (read(data), read(indices), write(node.output), params)),))


GATHER_ELEMENTS = OpKind(
    type="GATHER_ELEMENTS",
    attributes=GatherElements,
    summary="Single elements, picked by indices along one dimension.",
    supports=("every element type; indices int32, int64, constant or computed",),
    tflite={},
    infer=_infer_gather,
    check=_check_gather,
    reference=_reference_gather,
    lower=_lower_gather,
    kernels=(PICK,),
)


# --- SCATTER_ELEMENTS -----------------------------------------------------------------------------


def _infer_scatter(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return (inputs[0].shape,)


def _check_scatter(node: Node) -> str | None:
    data, indices, updates = (node.input(i) for i in range(3))
    kind = attributes(node, ScatterElements)
    if updates.dtype is not data.dtype:
        return f"writes {updates.dtype.value} over {data.dtype.value}; supported: the same type"
    if kind.reduction not in REDUCTIONS:
        return f"reduction {kind.reduction!r}; supported: {', '.join(REDUCTIONS)}"
    if kind.reduction != "none" and data.dtype is not DType.FLOAT32:
        return f"reduction {kind.reduction!r} of {data.dtype.value}; supported: of float32"
    if len(indices.shape) != len(updates.shape) or any(
        n not in (1, k) for n, k in zip(indices.shape, updates.shape, strict=True)
    ):
        return f"indices {list(indices.shape)} for updates {list(updates.shape)}"
    return _objection(data, indices, updates.shape, kind.axis)


def _reference_scatter(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    data, updates = value(values, 0).copy(), value(values, 2)
    kind = attributes(node, ScatterElements)
    indices = np.broadcast_to(_numbers(value(values, 1), data.shape[kind.axis]), updates.shape)
    places = tuple(np.broadcast_to(g, updates.shape) for g in _grid(indices, kind.axis))
    if kind.reduction == "none":
        for place, update in zip(
            zip(*(p.flat for p in places), strict=True), updates.flat, strict=True
        ):
            data[place] = update
        return (data,)
    function = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}
    function[kind.reduction].at(data, places, updates)
    return (data,)


def _lower_scatter(node: Node, options: LowerOptions) -> Lowered:
    data, indices, updates = (node.input(i) for i in range(3))
    kind = attributes(node, ScatterElements)
    params = _params(data, indices, updates.shape, kind.axis, kind.reduction)
    kernel = REPLACE if kind.reduction == "none" else REDUCE_F32
    arguments = read(data), read(indices), read(updates), write(node.output), params
    return Lowered((Call(kernel, arguments),))


def _in_place(node: Node) -> tuple[int, ...]:
    return (0,)


SCATTER_ELEMENTS = OpKind(
    type="SCATTER_ELEMENTS",
    attributes=ScatterElements,
    summary="A tensor with single elements replaced, by indices along one dimension.",
    supports=(
        "every element type; indices int32, int64, constant or computed",
        "float32: sums, products, largest and smallest too",
    ),
    tflite={},
    infer=_infer_scatter,
    check=_check_scatter,
    reference=_reference_scatter,
    lower=_lower_scatter,
    kernels=(REPLACE, REDUCE_F32),
    in_place=_in_place,
)
