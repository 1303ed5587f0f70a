"""Unpacks sparse constants, after the schema's definition of SparsityParameters.

A tensor of rank n with k blocked dimensions is stored as one of rank n + k: dimension d < n counts
blocks (or elements, when it is not blocked), dimension n + j the elements inside the blocks of
dimension block_map[j]. Levels are these dimensions in `traversal_order`. A dense level has all
of its coordinates below each parent; a CSR level has, below parent p, the coordinates
indices[segments[p] : segments[p + 1]]. The values are the leaves in order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nacre.errors import ModelError
from nacre.frontends.tflite import schema
from nacre.frontends.tflite.flatbuffer import Table
from nacre.ir import Array, Shape

_MAX_RANK = 8
_DENSE, _SPARSE_CSR = 0, 1
# numpy types of the SparseIndexVector union by its type; 0 is NONE.
_INDEX_DTYPES = {1: "i4", 2: "u2", 3: "u1"}


@dataclass(frozen=True, eq=False)
class Level:
    """One dimension in the order of storage: dense, or with the coordinates that it stores.

    A step along it moves `stride` elements in the dense tensor.
    """

    size: int
    stride: int
    segments: Array | None
    indices: Array | None


def densify(sparsity: Table, values: Array, shape: Shape) -> Array:
    """The dense content of a tensor whose stored `values` are laid out as `sparsity` says."""
    block_map = sparsity.integers("block_map", limit=_MAX_RANK)
    _check_block_map(sparsity, block_map, shape)
    levels = _read_levels(sparsity, shape, block_map)
    sparsity.file.bytes_expanded.spend(math.prod(shape) * values.itemsize)
    positions = _leaf_positions(sparsity, levels, values.size)
    if positions.size != values.size:
        raise ModelError(
            f"{sparsity.label} describes {positions.size} values, "
            f"expected the {values.size} of the buffer"
        )
    dense = np.zeros(math.prod(shape), values.dtype)
    dense[positions] = values
    return dense.reshape(shape)


def _check_block_map(sparsity: Table, block_map: tuple[int, ...], shape: Shape) -> None:
    if len(set(block_map)) < len(block_map) or any(d not in range(len(shape)) for d in block_map):
        raise ModelError(
            f"{sparsity.label}: block_map is {list(block_map)}, "
            f"expected different dimensions below {len(shape)}"
        )


def _read_levels(sparsity: Table, shape: Shape, block_map: tuple[int, ...]) -> tuple[Level, ...]:
    order = sparsity.integers("traversal_order", limit=2 * _MAX_RANK)
    metadata = sparsity.tables("dim_metadata", schema.DIMENSION, f"{sparsity.label}: dim_metadata")
    rank = len(shape) + len(block_map)
    if rank == 0 or sorted(order) != list(range(rank)) or len(metadata) != rank:
        raise ModelError(
            f"{sparsity.label} has the traversal order {list(order)} and {len(metadata)} "
            f"dimensions, expected an order of {rank} dimensions, at least one"
        )
    blocks = _block_sizes(order, tuple(metadata), shape, block_map)
    sizes = [size // blocks.get(d, 1) for d, size in enumerate(shape)]
    sizes += [blocks[d] for d in block_map]
    inner = [math.prod(shape[d + 1 :]) for d in range(len(shape))]
    strides = [stride * blocks.get(d, 1) for d, stride in enumerate(inner)]
    strides += [inner[d] for d in block_map]
    return tuple(
        _read_level(table, sizes[d], strides[d]) for d, table in zip(order, metadata, strict=True)
    )


def _block_sizes(
    order: tuple[int, ...],
    metadata: tuple[Table, ...],
    shape: Shape,
    block_map: tuple[int, ...],
) -> dict[int, int]:
    """Elements per block of each blocked dimension."""
    blocks = {}
    for j, d in enumerate(block_map):
        table = metadata[order.index(len(shape) + j)]
        block = table.integer("dense_size", "i")
        if table.integer("format", "b") != _DENSE or block < 1 or shape[d] % block:
            raise ModelError(
                f"{table.label} makes blocks of {block} in dimension {d} of {list(shape)}, "
                "expected a dense dimension that divides it"
            )
        blocks[d] = block
    return blocks


def _read_level(table: Table, size: int, stride: int) -> Level:
    layout = table.integer("format", "b")
    if layout == _DENSE:
        dense_size = table.integer("dense_size", "i")
        if dense_size != size:
            raise ModelError(f"{table.label}: dense_size is {dense_size}, expected {size}")
        return Level(size, stride, None, None)
    if layout != _SPARSE_CSR:
        raise ModelError(f"{table.label}: format is {layout}, expected 0 (dense) or 1 (CSR)")
    segments = _index_vector(table, "array_segments")
    indices = _index_vector(table, "array_indices")
    _check_csr(table, segments, indices, size)
    return Level(size, stride, segments, indices)


def _index_vector(table: Table, name: str) -> Array:
    kind = table.integer(f"{name}_type", "B")
    vector = table.table(name, schema.INDEX_VECTOR)
    if kind not in _INDEX_DTYPES or vector is None:
        raise ModelError(f"{table.label}: {name} has the type {kind}, expected 1, 2 or 3")
    view = vector.array("values", _INDEX_DTYPES[kind])
    table.file.bytes_read.spend(view.nbytes)
    return view.astype(np.int64)


def _check_csr(table: Table, segments: Array, indices: Array, size: int) -> None:
    ordered = segments.size > 0 and segments[0] == 0 and bool(np.all(np.diff(segments) >= 0))
    if not ordered or segments[-1] != indices.size:
        raise ModelError(
            f"{table.label}: array_segments do not rise from 0 to the number of indices, "
            f"expected {indices.size} at their end"
        )
    if indices.size and not 0 <= indices.min() <= indices.max() < size:
        raise ModelError(
            f"{table.label}: array_indices go from {indices.min()} to {indices.max()}, "
            f"expected inside [0, {size})"
        )


def _leaf_positions(sparsity: Table, levels: tuple[Level, ...], leaves: int) -> Array:
    """Where each stored value lies in the dense tensor, in elements."""
    positions = np.zeros(1, np.int64)
    # A level has as many nodes as the next CSR level has segments, or as there are values.
    most = max([leaves, *(level.segments.size for level in levels if level.segments is not None)])
    for level in levels:
        parents, own = _children(sparsity, level, positions.size, most)
        positions = positions[parents] + own * level.stride
        sparsity.file.bytes_expanded.spend(positions.nbytes)
    return positions


def _children(sparsity: Table, level: Level, nodes: int, most: int) -> tuple[Array, Array]:
    """Of all nodes of a level: which parent they have, and their coordinate."""
    if level.segments is None or level.indices is None:
        if nodes * level.size > most:
            raise ModelError(
                f"{sparsity.label} describes {nodes * level.size} values, "
                f"expected at most {most} from what is stored"
            )
        # Without parents there are no children, however large the dimension claims to be.
        size = level.size if nodes else 0
        return np.repeat(np.arange(nodes), size), np.tile(np.arange(size), nodes)
    if level.segments.size != nodes + 1:
        raise ModelError(
            f"{sparsity.label} has {level.segments.size} segments in a dimension of size "
            f"{level.size}, expected {nodes + 1}"
        )
    return np.repeat(np.arange(nodes), np.diff(level.segments)), level.indices
