"""One operator cut into boxes: pieces of each axis of the output, and groups of equal tiles.

    axis of 10 in pieces of 3:   |0 1 2|3 4 5|6 7 8|9|
    runs of equal pieces:         first  middle (2)  last

Pieces at a border see padding, so they have operators of their own; the ones between are equal and
become one group. A piece whose constants differ from its neighbour's is a run of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

from nacre.ir import Node, Shape, Tensor, TensorId, TensorKind
from nacre.lower import Step, lower_node
from nacre.ops import kind_of
from nacre.ops.boxes import whole
from nacre.ops.kind import Box, Boxed, LowerOptions, Pointer, Span


@dataclass(frozen=True)
class Lines:
    """A box inside a tensor as lines of bytes; see plan.BoxMove for the fields."""

    offset: int
    planes: int
    lines: int
    line_bytes: int
    plane_pitch: int
    line_pitch: int

    @property
    def size(self) -> int:
        return self.planes * self.lines * self.line_bytes


@dataclass(frozen=True)
class Piece:
    """A box of one tensor of the graph, and the tensor of the tile that it is copied to or from."""

    tensor: TensorId
    tile: TensorId
    lines: Lines
    # Bytes from a tile to the next, along the rows and the columns of the group.
    row_step: int
    column_step: int


@dataclass(frozen=True, eq=False)
class Group:
    """`rows` x `columns` tiles of one small step."""

    step: Step
    # Its boxes, constants and scratch.
    tensors: tuple[Tensor, ...]
    rows: int
    columns: int
    loads: tuple[Piece, ...]
    store: Piece

    @property
    def count(self) -> int:
        return self.rows * self.columns

    @property
    def constant_bytes(self) -> int:
        pointers = (a for c in self.step.calls for a in c.arguments if isinstance(a, Pointer))
        named = {t.id: t for t in self.tensors if t.kind is TensorKind.CONSTANT}
        return sum(named[key].size for key in {p.tensor for p in pointers} & named.keys())


@dataclass(frozen=True)
class Run:
    """Pieces [begin, begin + count) of an axis that are equal."""

    begin: int
    count: int


def span_of(piece: int, extent: int, size: int) -> Span:
    return Span(piece * extent, min(size, (piece + 1) * extent))


def cut(node: Node, box: Box) -> Boxed | None:
    """The operator on a box of its only output."""
    rule = kind_of(node.operator).box
    return None if rule is None or len(node.outputs) != 1 else rule(node, 0, box)


def cut_axis(node: Node, axis: int, span: Span) -> Boxed | None:
    """The operator on a slab of its output."""
    box = list(whole(node.output.shape))
    box[axis] = span
    return cut(node, tuple(box))


def runs(node: Node, axis: int, extent: int) -> list[Run]:
    """The runs of equal pieces of an axis, in order."""
    size = node.output.shape[axis]
    count = -(-size // extent)
    if count < 4:
        return [Run(n, 1) for n in range(count)]
    middle = count // 2
    ids = [_id(node, axis, extent, n) for n in (middle - 1, middle)]
    if ids[0] != ids[1]:
        return [Run(n, 1) for n in range(count)]
    first, last = 0, count
    while _id(node, axis, extent, first) != ids[0]:
        first += 1
    while _id(node, axis, extent, last - 1) != ids[0]:
        last -= 1
    before = [Run(n, 1) for n in range(first)]
    return [*before, Run(first, last - first), *(Run(n, 1) for n in range(last, count))]


def _id(node: Node, axis: int, extent: int, piece: int) -> str | None:
    found = cut_axis(node, axis, span_of(piece, extent, node.output.shape[axis]))
    return None if found is None else found.node.id


def groups(node: Node, extents: Sequence[int]) -> tuple[Group, ...] | None:
    """All tiles of an operator, or None when its boxes are not as regular as groups must be."""
    shape = node.output.shape
    counts = [-(-size // extent) for size, extent in zip(shape, extents, strict=True)]
    ranked = sorted(range(len(shape)), key=lambda axis: (-counts[axis], axis))
    grid = tuple(sorted(a for a in ranked[:2] if counts[a] > 1))
    runs_of = [
        runs(node, axis, extents[axis]) if axis in grid else [Run(n, 1) for n in range(count)]
        for axis, count in enumerate(counts)
    ]
    found = []
    for chosen in product(*runs_of):
        group = _group(node, extents, chosen, grid)
        if group is None:
            return None
        found.append(group)
    return tuple(found)


def _group(
    node: Node, extents: Sequence[int], chosen: Sequence[Run], grid: Sequence[int]
) -> Group | None:
    """The tiles of one run per axis."""
    first = _tile(node, extents, [run.begin for run in chosen])
    if first is None:
        return None
    steps: list[list[int]] = []
    for axis in grid:
        more = _steps(node, extents, chosen, axis, first)
        if more is None:
            return None
        steps.append(more)
    steps += [[0] * len(first.pieces)] * (2 - len(grid))
    pieces = [
        replace(piece, row_step=row, column_step=column)
        for piece, row, column in zip(first.pieces, steps[0], steps[1], strict=True)
    ]
    counts = [chosen[axis].count for axis in grid] + [1] * (2 - len(grid))
    step, made = lower_node(first.boxed.node, LowerOptions())
    own = [t for t in (*first.boxed.node.inputs, *first.boxed.node.outputs) if t is not None]
    tensors = tuple({t.id: t for t in (*own, *made)}.values())
    return Group(step, tensors, counts[0], counts[1], tuple(pieces[:-1]), pieces[-1])


@dataclass(frozen=True, eq=False)
class _Tile:
    """One tile: the operator, and its pieces, the output's last."""

    boxed: Boxed
    pieces: tuple[Piece, ...]


def _tile(node: Node, extents: Sequence[int], at: Sequence[int]) -> _Tile | None:
    shape = node.output.shape
    box = tuple(span_of(n, e, size) for n, e, size in zip(at, extents, shape, strict=True))
    boxed = cut(node, box)
    if boxed is None:
        return None
    tensors = {t.id: t for t in node.inputs if t is not None}
    pieces: dict[TensorId, Piece | None] = {}
    for part, tensor in zip(boxed.parts, boxed.node.inputs, strict=True):
        if part is not None and tensor is not None:
            pieces[tensor.id] = _piece(tensors[part.tensor], part.box, tensor)
    y = boxed.node.output
    found = [*pieces.values(), _piece(node.output, box, y)]
    kept = tuple(piece for piece in found if piece is not None)
    return _Tile(boxed, kept) if len(kept) == len(found) else None


def _piece(tensor: Tensor, box: Box, tile: Tensor) -> Piece | None:
    """The box as lines; None for what is no box of the tensor: all of it may lie in padding."""
    if any(not 0 <= s.begin < s.end <= n for s, n in zip(box, tensor.shape, strict=True)):
        return None
    lines = lines_of(tensor.shape, tensor.dtype.size, box)
    return None if lines is None else Piece(tensor.id, tile.id, lines, 0, 0)


def _steps(
    node: Node, extents: Sequence[int], chosen: Sequence[Run], axis: int, first: _Tile
) -> list[int] | None:
    """Bytes from tile to tile along an axis; None when they are not the same all the way."""
    run = chosen[axis]
    if run.count == 1:
        return [0] * len(first.pieces)
    at = [r.begin for r in chosen]
    offsets = []
    for place in (1, run.count - 1):
        at[axis] = run.begin + place
        tile = _tile(node, extents, at)
        if tile is None or tile.boxed.node.id != first.boxed.node.id:
            return None
        pairs = zip(first.pieces, tile.pieces, strict=True)
        offsets.append([b.lines.offset - a.lines.offset for a, b in pairs])
    steady = all(b == a * (run.count - 1) for a, b in zip(*offsets, strict=True))
    return offsets[0] if steady else None


def lines_of(shape: Shape, item: int, box: Box) -> Lines | None:
    """The bytes of a box: a run of bytes in at most two nested loops, or None."""
    strides = [item * prod(shape[axis + 1 :]) for axis in range(len(shape))]
    offset = sum(span.begin * stride for span, stride in zip(box, strides, strict=True))
    run, axis = item, len(shape) - 1
    while axis >= 0 and box[axis] == Span(0, shape[axis]):
        run, axis = run * shape[axis], axis - 1
    if axis >= 0:
        run, axis = run * box[axis].size, axis - 1
    loops = [(box[a].size, strides[a]) for a in range(axis + 1) if box[a].size > 1]
    if len(loops) == 2 and loops[0][1] == loops[1][0] * loops[1][1]:
        loops = [(loops[0][0] * loops[1][0], loops[1][1])]
    if len(loops) > 2:
        return None
    (planes, plane), (lines, line) = [(1, 0)] * (2 - len(loops)) + loops
    return Lines(offset, planes, lines, run, plane, line)
