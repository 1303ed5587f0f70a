"""ONE_HOT: indices as vectors that are on at one place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.fill import value_words
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
    attributes,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.moves import axis_of


@dataclass(frozen=True)
class OneHot(Attributes):
    """`depth` values along a new dimension `axis`: `on` at the index, else `off`."""

    axis: int = 0
    depth: int = 1
    on: float = 1
    off: float = 0


@dataclass(frozen=True)
class OneHotParams(Params):
    c_type: ClassVar[str] = "nacre_one_hot_params_t"
    outer: int = meaning("indices before the axis")
    depth: int = meaning("length of the axis")
    inner: int = meaning("indices after the axis")
    element: int = meaning("bytes of an element")
    on: tuple[int, ...] = meanings("bits of the value that is on, low word first")
    off: tuple[int, ...] = meanings("bits of the value that is off, low word first")
    index_bytes: int = meaning("bytes of an index")


ONE_HOT_VECTORS = Kernel("nacre_one_hot", OneHotParams)


def _from_tflite(source: SourceNode) -> Imported:
    depth, on, off = (
        source.constant(i, what).reshape(-1)
        for i, what in ((1, "the depth"), (2, "the on value"), (3, "the off value"))
    )
    if not depth.size == on.size == off.size == 1 or depth[0] < 0:
        raise Refuse(
            f"depth {depth.tolist()}, values {on.tolist()}, {off.tolist()}; supported: one"
        )
    kinds = {source.input(2).dtype, source.input(3).dtype, source.outputs[0].dtype}
    if len(kinds) != 1:
        names = ", ".join(sorted(k.value for k in kinds))
        raise Refuse(f"values and output are {names}; supported: the same type")
    rank = len(source.input(0).shape) + 1
    axis = axis_of(source.options.integer("axis"), rank)
    return Imported(OneHot(axis, int(depth[0]), on[0].item(), off[0].item()), inputs=(0,))


def _infer(hot: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (indices,) = inputs
    assert isinstance(hot, OneHot) and indices is not None
    return ((*indices.shape[: hot.axis], hot.depth, *indices.shape[hot.axis :]),)


def _check(node: Node) -> str | None:
    dtype = node.input(0).dtype
    if dtype not in (DType.INT32, DType.INT64):
        return f"indices are {dtype.value}; supported: int32, int64"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    hot, (indices,) = attributes(node, OneHot), values
    assert indices is not None
    places = np.arange(hot.depth).reshape(-1, *(1,) * (indices.ndim - hot.axis))
    found = np.expand_dims(indices, hot.axis) == places
    dtype = node.output.dtype.numpy
    return (np.where(found, np.array(hot.on, dtype), np.array(hot.off, dtype)),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    hot, indices, y = attributes(node, OneHot), node.input(0), node.output
    params = OneHotParams(
        outer=math.prod(indices.shape[: hot.axis]),
        depth=hot.depth,
        inner=math.prod(indices.shape[hot.axis :]),
        element=y.dtype.size,
        on=value_words(hot.on, y.dtype),
        off=value_words(hot.off, y.dtype),
        index_bytes=indices.dtype.size,
    )
    return Lowered((Call(ONE_HOT_VECTORS, (read(indices), write(y), params)),))


ONE_HOT = OpKind(
    type="ONE_HOT",
    attributes=OneHot,
    summary="Indices as vectors that are on at one place.",
    supports=("values of every element type; indices int32, int64; constant depth and values",),
    tflite={"ONE_HOT": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(ONE_HOT_VECTORS,),
)
