"""What elementwise operators share: broadcasting, windows of rows, the walk of their kernels."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import mul
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.fixedpoint import ACTIVATION_BOUNDS
from nacre.ops.kind import (
    Argument,
    Call,
    Imported,
    ImportRule,
    Kernel,
    Params,
    Refuse,
    SourceNode,
    Span,
    meaning,
    meanings,
    read,
    real_meaning,
    write,
)

FLOAT32 = DType.FLOAT32
# Types whose values stand for others.
QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16)
# Loops between a row and its innermost run.
OUTER = 4
MOST_DIMENSIONS = OUTER + 2


@dataclass(frozen=True)
class Each(Params):
    """The walk of a kernel with one input."""

    c_type: ClassVar[str] = "nacre_each_t"
    row: int = meaning("elements of a row")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


@dataclass(frozen=True)
class Broadcast(Params):
    """The walk of a kernel with two inputs; first and second are its pointers in that order."""

    c_type: ClassVar[str] = "nacre_broadcast_t"
    dims: tuple[int, ...] = meanings("loops inside a row")
    run: int = meaning("elements of the innermost loop")
    output_row: int = meaning("elements of an output row")
    output_ring: int = meaning("output rows kept")
    first_strides: tuple[int, ...] = meanings("steps of the first input per loop")
    first_step: int = meaning("its step in the innermost loop: 0 repeats one value")
    first_row: int = meaning("elements of its rows")
    first_ring: int = meaning("its rows kept: 1 repeats one row")
    second_strides: tuple[int, ...] = meanings("steps of the second input per loop")
    second_step: int = meaning("its step in the innermost loop: 0 repeats one value")
    second_row: int = meaning("elements of its rows")
    second_ring: int = meaning("its rows kept: 1 repeats one row")


@dataclass(frozen=True)
class FloatRange(Params):
    """Clamp limits of a float32 result."""

    c_type: ClassVar[str] = "nacre_range_f32_t"
    activation_min: float = real_meaning("lower clamp")
    activation_max: float = real_meaning("upper clamp")


@dataclass(frozen=True)
class IntegerRange(Params):
    """Clamp limits of an integer result."""

    c_type: ClassVar[str] = "nacre_range_s32_t"
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


# --- shapes -------------------------------------------------------------------------------------


def infer_same(attributes: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    """The output has the first input's shape."""
    assert inputs[0] is not None
    return (inputs[0].shape,)


def infer_broadcast(attributes: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    """The output has the shape that all inputs stretch to."""
    shapes = [t.shape for t in inputs if t is not None]
    try:
        return (tuple(int(d) for d in np.broadcast_shapes(*shapes)),)
    except ValueError:
        names = " and ".join(str(list(s)) for s in shapes)
        raise Refuse(f"inputs {names} do not broadcast; a dimension must be equal or 1") from None


def is_spatial(shape: Shape) -> bool:
    """The tensor is an image whose rows can be computed one after another."""
    return len(shape) == 4 and shape[0] == 1


def each(x: Tensor, y: Tensor) -> tuple[Each, Span]:
    """The walk over tensors of one shape, and all rows of it."""
    rows = y.shape[1] if is_spatial(y.shape) and x.shape == y.shape else 1
    return Each(y.elements // max(1, rows), rows, rows), Span(0, rows)


def broadcast(first: Shape, second: Shape, out: Shape) -> tuple[Broadcast, Span]:
    """The walk over an output and two inputs that stretch to it, and all rows of it."""
    walk = walk_over((first, second), out)
    a, b = walk.inputs
    shape = Broadcast(
        walk.dims, walk.run, walk.row, max(1, walk.rows),
        a.strides, a.step, a.row, a.ring, b.strides, b.step, b.row, b.ring,
    )  # fmt: skip
    return shape, Span(0, walk.rows)


@dataclass(frozen=True)
class InputWalk:
    """How one input moves along with the output."""

    strides: tuple[int, ...]
    step: int
    row: int
    ring: int


@dataclass(frozen=True)
class Walk:
    """The loops over an output: rows, then `dims`, then runs."""

    rows: int
    dims: tuple[int, ...]
    run: int
    row: int
    inputs: tuple[InputWalk, ...]


# A loop: its size, and the size of each input along it, equal or 1.
Loop: TypeAlias = tuple[int, Shape]


def walk_over(shapes: tuple[Shape, ...], out: Shape) -> Walk:
    """Loops over the output with neighbouring dimensions merged where all inputs allow it."""
    full = [(1,) * (len(out) - len(s)) + s for s in shapes]
    split = 2 if is_spatial(out) else 0
    loops = _merge([(size, tuple(f[d] for f in full)) for d, size in enumerate(out) if d >= split])
    rows: Loop = (out[1], tuple(f[1] for f in full)) if split else (1, (1,) * len(full))
    if not split and len(loops) > 1:
        rows, loops = loops[0], loops[1:]
    if not loops:
        loops = [(1, (1,) * len(full))]
    sizes = [size for size, _ in loops]
    missing = OUTER + 1 - len(loops)
    inputs = []
    for n, shape in enumerate(shapes):
        *strides, step = _strides([(size, inside[n]) for size, inside in loops])
        ring = max(1, rows[1][n])
        inputs.append(
            InputWalk((0,) * missing + tuple(strides), step, math.prod(shape) // ring, ring)
        )
    outer = (1,) * missing + tuple(sizes[:-1])
    return Walk(rows[0], outer, sizes[-1], math.prod(sizes), tuple(inputs))


def _merge(dims: list[Loop]) -> list[Loop]:
    """Join neighbouring dimensions that each input either walks or repeats as a whole."""
    merged: list[Loop] = []
    for size, inputs in dims:
        if size == 1:
            continue
        if merged and _walked(*merged[-1]) == _walked(size, inputs):
            outer, before = merged.pop()
            merged.append((outer * size, tuple(map(mul, before, inputs))))
        else:
            merged.append((size, inputs))
    return merged


def _walked(size: int, inputs: Shape) -> tuple[bool, ...]:
    return tuple(i == size for i in inputs)


def _strides(loops: list[tuple[int, int]]) -> list[int]:
    """Elements that an input advances per step of each loop; 0 where it repeats."""
    strides: list[int] = []
    inside = 1
    for size, own in reversed(loops):
        strides.append(inside if own == size else 0)
        inside *= own
    return strides[::-1]


# --- rules that all elementwise operators share ---------------------------------------------------


def plain_rule(kind: Attributes, inputs: int) -> ImportRule:
    """An operator without options whose inputs all stay inputs."""

    def rule(source: SourceNode) -> Imported:
        for position in range(inputs):
            source.input(position)
        return Imported(kind, tuple(range(inputs)))

    return rule


def in_place(node: Node) -> tuple[int, ...]:
    """Inputs of the output's shape that hold elements of its kind, unless they are constants."""
    y = node.output
    return tuple(
        position
        for position, x in enumerate(node.inputs)
        if x is not None and not x.is_constant and x.shape == y.shape and _alike(x.dtype, y.dtype)
    )


def _alike(a: DType, b: DType) -> bool:
    """Of one size, and C lets a pointer to one read the other."""
    return a is b or (a.size == b.size and FLOAT32 not in (a, b))


def same_rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    """Output row r needs row r of every input that has as many rows, and all of the others."""
    y = node.output.shape
    return tuple(
        out
        if x is not None and is_spatial(y) and is_spatial(x.shape) and x.shape[1] == y[1]
        else None
        for x in node.inputs
    )


def refuse_dimensions(node: Node) -> str | None:
    """The sentence that refuses a broadcast with more dimensions than the kernels have loops."""
    rank = len(node.output.shape)
    shapes = {t.shape for t in node.inputs if t is not None}
    if rank <= MOST_DIMENSIONS or shapes == {node.output.shape}:
        return None
    return f"it broadcasts over {rank} dimensions; supported: {MOST_DIMENSIONS}"


def refuse_types(node: Node, known: Iterable[tuple[DType, ...]]) -> str | None:
    """The sentence that refuses element types (of the inputs, then of the output)."""
    known = list(known)
    found = (*(t.dtype for t in node.inputs if t is not None), node.output.dtype)
    if found in known:
        return None
    return f"its types are {_names(found)}; supported: {', or '.join(_names(k) for k in known)}"


def refuse_scales(node: Node) -> str | None:
    """The sentence that refuses narrow integers without a scale, or with one per channel."""
    for name, tensor in _named(node):
        found = 0 if tensor.quantization is None else len(tensor.q.scales)
        if tensor.dtype in QUANTIZED and found != 1:
            return f"{name} is {tensor.dtype.value} with {found or 'no'} scales; supported: one"
    return None


def refuse_zero_scales(node: Node) -> str | None:
    """The sentence that refuses constants of scale 0 where multipliers divide by scales."""
    for name, tensor in _named(node):
        if tensor.dtype in QUANTIZED and tensor.q.scale == 0:
            return f"{name} has the scale 0; supported: above 0"
    return None


def _named(node: Node) -> list[tuple[str, Tensor]]:
    inputs = [(f"input {i}", t) for i, t in enumerate(node.inputs) if t is not None]
    return [*inputs, ("the output", node.output)]


def _names(types: tuple[DType, ...]) -> str:
    inputs = " and ".join(dict.fromkeys(t.value for t in types[:-1]))
    return inputs if types[-1].value == inputs else f"{inputs} to {types[-1].value}"


def value(values: tuple[Array | None, ...], position: int) -> Array:
    """The content of a required input."""
    found = values[position]
    assert found is not None
    return found


def call_each(kernel: Kernel, x: Tensor, y: Tensor, *arguments: Argument) -> Call:
    """kernel(input, output, shape, further arguments, rows)."""
    shape, rows = each(x, y)
    return Call(kernel, (read(x), write(y), shape, *arguments, rows))


def call_broadcast(
    kernel: Kernel, first: Tensor, second: Tensor, y: Tensor, *arguments: Argument
) -> Call:
    """kernel(first, second, output, shape, further arguments, rows)."""
    shape, rows = broadcast(first.shape, second.shape, y.shape)
    return Call(kernel, (read(first), read(second), write(y), shape, *arguments, rows))


def integer_range(activation: str) -> tuple[int, int]:
    """Clamp limits of a fused activation on integers that stand for themselves."""
    low, high = DType.INT32.range
    lower, upper = ACTIVATION_BOUNDS[activation]
    return low if lower is None else int(lower), high if upper is None else int(upper)


def real_range(activation: str) -> tuple[float, float]:
    """The same for floats; infinities pass where there is no limit."""
    lower, upper = ACTIVATION_BOUNDS[activation]
    return -math.inf if lower is None else lower, math.inf if upper is None else upper


def ranges(activation: str, y: Tensor) -> tuple[Params, ...]:
    """The limits of a fused activation as a kernel argument, where the output's type has one."""
    if y.dtype is FLOAT32:
        return (FloatRange(*real_range(activation)),)
    if y.dtype is DType.INT32:
        return (IntegerRange(*integer_range(activation)),)
    return ()


def ranged(result: Array, activation: str, y: Tensor) -> Array:
    """Apply a fused activation to a result that is not quantized."""
    if y.dtype is FLOAT32:
        low, high = real_range(activation)
        return np.clip(result, np.float32(low), np.float32(high))
    if y.dtype is DType.INT32:
        return np.clip(result, *integer_range(activation))
    return result
