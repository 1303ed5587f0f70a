"""GATHER, GATHER_ND, EMBEDDING_LOOKUP: slices picked by indices."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
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
    derived_id,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.moves import axis_of, same_types, strides

INDEX_TYPES = (DType.INT16, DType.INT32, DType.INT64)
# Coordinates of GATHER_ND.
DEPTH = 6


@dataclass(frozen=True)
class Gather(Attributes):
    """Slices along `axis`; the first `batch_dims` dimensions of input and indices go together."""

    axis: int = 0
    batch_dims: int = 0


@dataclass(frozen=True)
class GatherNd(Attributes):
    """The last dimension of the indices holds coordinates of the first dimensions."""


@dataclass(frozen=True)
class EmbeddingLookup(Attributes):
    """Rows of a table; those of an int8 table may come out as floats."""


@dataclass(frozen=True)
class GatherParams(Params):
    c_type: ClassVar[str] = "nacre_gather_params_t"
    batches: int = meaning("independent parts of input and indices")
    outer: int = meaning("slices before the axis")
    size: int = meaning("length of the axis")
    count: int = meaning("indices per part")
    run: int = meaning("bytes of a slice")
    index_bytes: int = meaning("bytes of an index")


@dataclass(frozen=True)
class GatherNdParams(Params):
    c_type: ClassVar[str] = "nacre_gather_nd_params_t"
    count: int = meaning("slices")
    depth: int = meaning("coordinates of a slice")
    dims: tuple[int, ...] = meanings("limits of the coordinates")
    strides: tuple[int, ...] = meanings("bytes per step of a coordinate")
    run: int = meaning("bytes of a slice")
    index_bytes: int = meaning("bytes of an index")


@dataclass(frozen=True)
class EmbeddingParams(Params):
    c_type: ClassVar[str] = "nacre_embedding_params_t"
    rows: int = meaning("rows of the table")
    columns: int = meaning("values of a row")
    count: int = meaning("indices")
    scale_step: int = meaning("1: a scale per row, 0: one scale")
    index_bytes: int = meaning("bytes of an index")


GATHER_SLICES = Kernel("nacre_gather", GatherParams)
GATHER_ND_SLICES = Kernel("nacre_gather_nd", GatherNdParams)
EMBEDDING_S8 = Kernel("nacre_embedding_s8", EmbeddingParams)


def index_objection(indices: Tensor, limits: Shape) -> str | None:
    """What is wrong with indices: their type, or a constant one that is out of range.

    `limits` go with the last dimension of the indices, or are one for all.
    """
    if indices.dtype not in INDEX_TYPES:
        return f"indices are {indices.dtype.value}; supported: int16, int32, int64"
    if 0 in limits and indices.elements:
        return "picks from a dimension of 0 elements; supported: 1 or more"
    if not indices.is_constant:
        return None
    values = indices.constant.reshape(indices.shape or (1,))
    wrong = (values < 0) | (values >= np.array(limits))
    if wrong.any():
        return f"index {int(values[wrong][0])} for dimensions of {list(limits)}"
    return None


# --- GATHER -------------------------------------------------------------------------------------


def _gather(source: SourceNode) -> Imported:
    x, indices = source.input(0), source.input(1)
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    batch = source.options.integer("batch_dims")
    batch = batch + len(indices.shape) if batch < 0 else batch
    if not 0 <= batch <= min(axis, len(indices.shape)):
        raise Refuse(f"batch_dims is {batch} with axis {axis}; supported: up to the axis")
    if x.shape[:batch] != indices.shape[:batch]:
        raise Refuse(f"{batch} common dimensions of {list(x.shape)} and {list(indices.shape)}")
    return Imported(Gather(axis, batch), inputs=(0, 1))


def _infer(gather: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, indices = inputs
    assert isinstance(gather, Gather) and x is not None and indices is not None
    picked = indices.shape[gather.batch_dims :]
    return ((*x.shape[: gather.axis], *picked, *x.shape[gather.axis + 1 :]),)


def _check(node: Node) -> str | None:
    size = node.input(0).shape[attributes(node, Gather).axis]
    return index_objection(node.input(1), (size,)) or same_types(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, indices = values
    assert x is not None and indices is not None
    p = _params(node)
    parts = x.reshape(p.batches, p.outer, p.size, -1)
    picks = np.clip(indices.reshape(p.batches, p.count).astype(np.int64), 0, p.size - 1)
    found = [part.take(pick, 1) for part, pick in zip(parts, picks, strict=True)]
    return (np.array(found, x.dtype).reshape(node.output.shape),)


def _params(node: Node) -> GatherParams:
    gather, x, indices = attributes(node, Gather), node.input(0), node.input(1)
    return GatherParams(
        batches=math.prod(x.shape[: gather.batch_dims]),
        outer=math.prod(x.shape[gather.batch_dims : gather.axis]),
        size=x.shape[gather.axis],
        count=math.prod(indices.shape[gather.batch_dims :]),
        run=math.prod(x.shape[gather.axis + 1 :]) * x.dtype.size,
        index_bytes=indices.dtype.size,
    )


def _lower(node: Node, options: LowerOptions) -> Lowered:
    pointers = read(node.input(0)), read(node.input(1)), write(node.output)
    return Lowered((Call(GATHER_SLICES, (*pointers, _params(node))),))


GATHER = OpKind(
    type="GATHER",
    attributes=Gather,
    summary="Slices along a dimension, picked by indices; batch dimensions.",
    supports=(
        "every element type; indices int16, int32, int64, constant or computed",
        "a computed index that is out of range counts as the nearest that is not",
    ),
    tflite={"GATHER": _gather},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(GATHER_SLICES,),
)


# --- GATHER_ND ----------------------------------------------------------------------------------


def _gather_nd(source: SourceNode) -> Imported:
    x, indices = source.input(0), source.input(1)
    if not indices.shape:
        raise Refuse("indices are a scalar; supported: 1 dimension or more")
    depth = indices.shape[-1]
    if depth > min(len(x.shape), DEPTH):
        raise Refuse(f"{depth} coordinates for {len(x.shape)} dimensions; supported: up to {DEPTH}")
    return Imported(GatherNd(), inputs=(0, 1))


def _infer_nd(gather: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, indices = inputs
    assert x is not None and indices is not None
    return ((*indices.shape[:-1], *x.shape[indices.shape[-1] :]),)


def _check_nd(node: Node) -> str | None:
    x, indices = node.input(0), node.input(1)
    return index_objection(indices, x.shape[: indices.shape[-1]]) or same_types(node)


def _reference_nd(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, indices = values
    assert x is not None and indices is not None
    limits = np.array(x.shape[: indices.shape[-1]], np.int64)
    places = np.clip(indices.astype(np.int64), 0, limits - 1)
    return (x[tuple(np.moveaxis(places, -1, 0))].reshape(node.output.shape),)


def _lower_nd(node: Node, options: LowerOptions) -> Lowered:
    x, indices, y = node.input(0), node.input(1), node.output
    depth = indices.shape[-1]
    rest = (0,) * (DEPTH - depth)
    params = GatherNdParams(
        count=math.prod(indices.shape[:-1]),
        depth=depth,
        dims=x.shape[:depth] + rest,
        strides=strides(x.shape, x.dtype.size)[:depth] + rest,
        run=math.prod(x.shape[depth:]) * x.dtype.size,
        index_bytes=indices.dtype.size,
    )
    return Lowered((Call(GATHER_ND_SLICES, (read(x), read(indices), write(y), params)),))


GATHER_ND = OpKind(
    type="GATHER_ND",
    attributes=GatherNd,
    summary="Slices picked by coordinates.",
    supports=(
        "every element type; indices int16, int32, int64, constant or computed",
        f"up to {DEPTH} coordinates; one that is out of range counts as the nearest that is not",
    ),
    tflite={"GATHER_ND": _gather_nd},
    infer=_infer_nd,
    check=_check_nd,
    reference=_reference_nd,
    lower=_lower_nd,
    kernels=(GATHER_ND_SLICES,),
)


# --- EMBEDDING_LOOKUP ---------------------------------------------------------------------------


def _embedding(source: SourceNode) -> Imported:
    ids, table = source.input(0), source.input(1)
    if len(ids.shape) != 1 or not table.shape:
        raise Refuse(
            f"indices {list(ids.shape)}, table {list(table.shape)}; supported: 1, 1 or more"
        )
    return Imported(EmbeddingLookup(), inputs=(0, 1))


def _infer_embedding(look: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    ids, table = inputs
    assert ids is not None and table is not None
    return ((ids.shape[0], *table.shape[1:]),)


def _check_embedding(node: Node) -> str | None:
    table, y = node.input(1), node.output
    objection = index_objection(node.input(0), table.shape[:1])
    if objection is not None or table.dtype is y.dtype:
        return objection
    if (table.dtype, y.dtype) != (DType.INT8, DType.FLOAT32) or table.quantization is None:
        kinds = f"{table.dtype.value} and the output {y.dtype.value}"
        return f"the table is {kinds}; supported: the same, or quantized int8 and float32"
    if set(table.q.zero_points) != {0} or (table.q.per_channel and table.q.axis):
        return "the table has a zero point or scales per column; supported: scales per row"
    return None


def _reference_embedding(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    ids, table = values
    assert ids is not None and table is not None
    rows = np.clip(ids.astype(np.int64), 0, table.shape[0] - 1)
    picked = table[rows]
    if node.input(1).dtype is node.output.dtype:
        return (picked,)
    scales = np.broadcast_to(_scales(node.input(1)), table.shape[:1])[rows]
    return (picked.astype(np.float32) * scales.reshape(-1, *(1,) * (picked.ndim - 1)),)


def _scales(table: Tensor) -> Array:
    return np.array(table.q.scales, np.float32)


def _lower_embedding(node: Node, options: LowerOptions) -> Lowered:
    ids, table, y = node.input(0), node.input(1), node.output
    rows, columns = table.shape[0], math.prod(table.shape[1:])
    count, index_bytes = ids.shape[0], ids.dtype.size
    if table.dtype is y.dtype:
        run = columns * table.dtype.size
        picks = GatherParams(1, 1, rows, count, run, index_bytes)
        return Lowered((Call(GATHER_SLICES, (read(table), read(ids), write(y), picks)),))
    data = _scales(table)
    scales = Tensor(
        derived_id(node, "scales"), f"{y.name} scales", data.shape, DType.FLOAT32,
        TensorKind.CONSTANT, data=data,
    )  # fmt: skip
    params = EmbeddingParams(rows, columns, count, int(data.size > 1), index_bytes)
    arguments = read(ids), read(table), read(scales), write(y), params
    return Lowered((Call(EMBEDDING_S8, arguments),), (scales,))


EMBEDDING_LOOKUP = OpKind(
    type="EMBEDDING_LOOKUP",
    attributes=EmbeddingLookup,
    summary="Rows of a table, picked by indices.",
    supports=(
        "tables of every element type",
        "int8 tables with one scale, or one per row, and a float32 output",
    ),
    tflite={"EMBEDDING_LOOKUP": _embedding},
    infer=_infer_embedding,
    check=_check_embedding,
    reference=_reference_embedding,
    lower=_lower_embedding,
    kernels=(GATHER_SLICES, EMBEDDING_S8),
)
