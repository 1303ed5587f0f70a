"""Byte moves that most data-movement operators become: loops, runs and rows of bytes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from nacre.ir import DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Kernel,
    Params,
    Refuse,
    SourceNode,
    Span,
    meaning,
    meanings,
    read,
    write,
)

# Loops of the move kernels.
LOOPS = 6


@dataclass(frozen=True)
class MoveParams(Params):
    c_type: ClassVar[str] = "nacre_move_params_t"
    dims: tuple[int, ...] = meanings("counts of the loops, outermost first")
    input_strides: tuple[int, ...] = meanings("bytes from one piece to the next, input")
    output_strides: tuple[int, ...] = meanings("bytes from one piece to the next, output")
    run: int = meaning("bytes of one piece")


@dataclass(frozen=True)
class MoveRowsParams(Params):
    c_type: ClassVar[str] = "nacre_move_rows_params_t"
    first_row: int = meaning("input row of output row 0")
    row_step: int = meaning("input rows from one output row to the next")
    pieces: int = meaning("pieces per row")
    run: int = meaning("bytes of one piece")
    input_pitch: int = meaning("bytes from one piece to the next, input")
    output_pitch: int = meaning("bytes from one piece to the next, output")
    input_row: int = meaning("bytes of an input row")
    output_row: int = meaning("bytes of an output row")
    output_begin: int = meaning("first output row that is moved")
    output_end: int = meaning("end of the output rows that are moved")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


COPY_BYTES = Kernel("nacre_copy")
MOVE = Kernel("nacre_move", MoveParams)
MOVE_PIECES = {n: Kernel(f"nacre_move_{n}", MoveParams) for n in (1, 2, 4, 8)}
MOVE_ROWS = Kernel("nacre_move_rows", MoveRowsParams)
MOVE_KERNELS = (COPY_BYTES, MOVE, *MOVE_PIECES.values())


@dataclass(frozen=True)
class Loop:
    """`count` pieces; strides in bytes, zero to repeat, negative to go backwards."""

    count: int
    source: int
    target: int


@dataclass(frozen=True)
class Move:
    """Loops, outermost first, around runs of `run` bytes, from an offset of each tensor."""

    loops: tuple[Loop, ...]
    run: int
    source: int = 0
    target: int = 0


def strides(shape: Shape, element: int) -> tuple[int, ...]:
    """Bytes from one index to the next along each dimension."""
    found = []
    for size in reversed(shape):
        found.append(element)
        element *= size
    return tuple(reversed(found))


def move_calls(x: Tensor, y: Tensor, move: Move) -> tuple[Call, ...]:
    """Calls that move bytes of x to y; none when there is nothing to move."""
    if move.run == 0 or any(loop.count == 0 for loop in move.loops):
        return ()
    move = collapse(move)
    calls = []
    outer, inner = move.loops[:-LOOPS], move.loops[-LOOPS:]
    for index in product(*(range(loop.count) for loop in outer)):
        source = move.source + sum(i * o.source for i, o in zip(index, outer, strict=True))
        target = move.target + sum(i * o.target for i, o in zip(index, outer, strict=True))
        calls.append(_call(x, y, Move(inner, move.run, source, target)))
    return tuple(calls)


def collapse(move: Move) -> Move:
    """The same move with as few loops and as long runs as possible."""
    merged: list[Loop] = []
    for loop in (lp for lp in move.loops if lp.count != 1):
        if merged and _continues(merged[-1], loop):
            merged[-1] = Loop(merged[-1].count * loop.count, loop.source, loop.target)
        else:
            merged.append(loop)
    run = move.run
    while merged and merged[-1].source == merged[-1].target == run:
        run *= merged.pop().count
    return Move(_long_inner(merged), run, move.source, move.target)


def _continues(outer: Loop, inner: Loop) -> bool:
    return (outer.source, outer.target) == (inner.count * inner.source, inner.count * inner.target)


def _long_inner(loops: list[Loop]) -> tuple[Loop, ...]:
    """The innermost loop should not be a short one."""
    if len(loops) > 1 and loops[-1].count < min(8, loops[-2].count):
        loops[-2:] = reversed(loops[-2:])
    return tuple(loops)


def _call(x: Tensor, y: Tensor, move: Move) -> Call:
    pointers = read(x, move.source), write(y, move.target)
    if not move.loops:
        return Call(COPY_BYTES, (*pointers, move.run))
    loops = (Loop(1, 0, 0),) * (LOOPS - len(move.loops)) + move.loops
    params = MoveParams(
        dims=tuple(loop.count for loop in loops),
        input_strides=tuple(loop.source for loop in loops),
        output_strides=tuple(loop.target for loop in loops),
        run=move.run,
    )
    return Call(MOVE_PIECES.get(move.run, MOVE), (*pointers, params))


def copy_call(x: Tensor, y: Tensor) -> tuple[Call, ...]:
    """All bytes of x to y."""
    return move_calls(x, y, Move((), x.size))


# --- images: rank 4, one call per batch, rows may be tiled --------------------------------------


def image_calls(
    x: Tensor, y: Tensor, source: int, target: int, params: MoveRowsParams
) -> tuple[Call, ...]:
    """One row move per image, from an offset of each image of x to one of y."""
    return tuple(
        Call(
            MOVE_ROWS,
            (
                read(x, source + n * image_size(x)),
                write(y, target + n * image_size(y)),
                params,
                Span(0, y.shape[1]),
            ),
        )
        for n in range(y.shape[0])
    )


def image_size(tensor: Tensor) -> int:
    """Bytes of one image of a batch."""
    return tensor.size // tensor.shape[0]


def row_size(tensor: Tensor) -> int:
    """Bytes of one row of an image."""
    return image_size(tensor) // tensor.shape[1]


# --- checks ------------------------------------------------------------------------------------


def same_types(node: Node) -> str | None:
    """Data movement keeps the element type: input 0 and all outputs."""
    x = node.input(0)
    return _first_other(x.dtype, node.outputs, "the output")


def all_same_types(node: Node) -> str | None:
    """All inputs and all outputs are of one element type."""
    x = node.input(0)
    inputs = [t for t in node.inputs if t is not None]
    return _first_other(x.dtype, inputs, "another input") or same_types(node)


def _first_other(dtype: DType, tensors: Iterable[Tensor], what: str) -> str | None:
    for tensor in tensors:
        if tensor.dtype is not dtype:
            return (
                f"the input is {dtype.value} and {what} {tensor.dtype.value}; "
                "supported: the same type"
            )
    return None


def axis_of(axis: int, rank: int, what: str = "axis") -> int:
    """A dimension's number from 0, counted from the end when negative."""
    if not -rank <= axis < rank:
        raise Refuse(f"{what} is {axis} for {rank} dimensions")
    return axis % rank


def constant_integer(source: SourceNode, index: int, what: str) -> int:
    """The only element of a constant input."""
    values = source.constant(index, what).reshape(-1)
    if values.size != 1:
        raise Refuse(f"{what} has {values.size} elements; supported: 1")
    return int(values[0])


def stored_zero(tensor: Tensor) -> int:
    """What stands for zero in a tensor: its zero point."""
    if tensor.dtype.numpy.kind not in "iu":
        return 0
    point = 0 if tensor.quantization is None else tensor.quantization.zero_point
    if point:
        low, high = tensor.dtype.range
        if not low <= point <= high:
            raise Refuse(f"the zero point is {point}; supported: {low} to {high}")
    return point
