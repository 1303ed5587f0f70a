"""DYNAMIC_UPDATE_SLICE: a small tensor written over a box of a large one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.moves import same_types, strides

RANK = 6


@dataclass(frozen=True)
class UpdateSlice(Attributes):
    """Inputs: the large tensor, the small one, where the box begins (kept inside)."""


@dataclass(frozen=True)
class UpdateSliceParams(Params):
    c_type: ClassVar[str] = "nacre_update_slice_params_t"
    bytes: int = meaning("size of the tensor")
    rank: int = meaning("dimensions")
    limits: tuple[int, ...] = meanings("largest start along each dimension")
    strides: tuple[int, ...] = meanings("bytes per step of each dimension")
    counts: tuple[int, ...] = meanings("pieces along each dimension")
    run: int = meaning("bytes of a piece")
    index_bytes: int = meaning("bytes of a start")


UPDATE_SLICE = Kernel("nacre_update_slice", UpdateSliceParams)


def _from_tflite(source: SourceNode) -> Imported:
    x, update, start = (source.input(i) for i in range(3))
    rank = len(x.shape)
    if rank > RANK or len(update.shape) != rank or start.elements != rank:
        raise Refuse(
            f"{start.elements} starts for {list(update.shape)} in {list(x.shape)}; "
            f"supported: the same number of dimensions, up to {RANK}"
        )
    if any(u > n for u, n in zip(update.shape, x.shape, strict=True)):
        raise Refuse(f"writes {list(update.shape)} over {list(x.shape)}; supported: a smaller one")
    return Imported(UpdateSlice(), inputs=(0, 1, 2))


def _infer(update: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert x is not None
    return (x.shape,)


def _check(node: Node) -> str | None:
    x, update, start = node.input(0), node.input(1), node.input(2)
    if update.dtype is not x.dtype:
        return f"writes {update.dtype.value} over {x.dtype.value}; supported: the same type"
    if update.elements == 0:
        return f"writes {list(update.shape)}, which is nothing; supported: 1 value or more"
    if start.dtype not in (DType.INT32, DType.INT64):
        return f"starts are {start.dtype.value}; supported: int32, int64"
    return same_types(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, update, start = values
    assert x is not None and update is not None and start is not None
    limits = np.array(x.shape, np.int64) - update.shape
    begin = np.clip(start.reshape(-1).astype(np.int64), 0, limits)
    y = x.copy()
    y[tuple(slice(b, b + n) for b, n in zip(begin, update.shape, strict=True))] = update
    return (y,)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    pointers = (*(read(node.input(i)) for i in range(3)), write(node.output))
    return Lowered((Call(UPDATE_SLICE, (*pointers, _params(node))),))


def _params(node: Node) -> UpdateSliceParams:
    x, update, start = node.input(0), node.input(1), node.input(2)
    rank = len(x.shape)
    loops = _loops(update.shape, x.shape)
    rest = (0,) * (RANK - rank)
    return UpdateSliceParams(
        bytes=x.size,
        rank=rank,
        limits=tuple(n - u for n, u in zip(x.shape, update.shape, strict=True)) + rest,
        strides=strides(x.shape, x.dtype.size) + rest,
        counts=update.shape[:loops] + (1,) * (RANK - loops),
        run=math.prod(update.shape[loops:]) * x.dtype.size,
        index_bytes=start.dtype.size,
    )


def _loops(update: Shape, x: Shape) -> int:
    """How many dimensions are outside a contiguous run of the update."""
    axis = len(x)
    while axis > 0 and update[axis - 1] == x[axis - 1]:
        axis -= 1
    return max(0, axis - 1)


def _in_place(node: Node) -> tuple[int, ...]:
    return (0,)


DYNAMIC_UPDATE_SLICE = OpKind(
    type="DYNAMIC_UPDATE_SLICE",
    attributes=UpdateSlice,
    summary="A tensor with a box of it replaced; where is computed at run time.",
    supports=(
        f"every element type; up to {RANK} dimensions; starts int32, int64",
        "a start that leaves the tensor is moved back inside",
    ),
    tflite={"DYNAMIC_UPDATE_SLICE": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(UPDATE_SLICE,),
    in_place=_in_place,
)
