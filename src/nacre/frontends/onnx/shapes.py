"""Shapes of the inputs: declared, or given by the user where the file leaves them open."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from nacre.errors import ConfigError, ModelError
from nacre.frontends.onnx.records import Dimension, FileValue
from nacre.frontends.onnx.tensors import MOST_ELEMENTS, MOST_RANK, shape_text
from nacre.ir import Shape
from nacre.text import one_line, quoted

# An input, and what is said of one of its dimensions that nobody knows.
OpenDim: TypeAlias = tuple[FileValue, str]


@dataclass(frozen=True)
class InputShapes:
    """What the user says: whole shapes by input, sizes by the name of a symbolic dimension."""

    shapes: Mapping[str, Shape] = field(default_factory=dict)
    dims: Mapping[str, int] = field(default_factory=dict)


def resolve_shapes(values: tuple[FileValue, ...], given: InputShapes) -> dict[str, Shape]:
    """The shape of every input; what remains unknown is listed and refused."""
    _check_given(values, given)
    known = dict(given.dims)
    for value in values:
        _imply(known, value, given.shapes.get(value.name))
    open_dims: list[OpenDim] = []
    shapes: dict[str, Shape] = {}
    for value in values:
        shape = given.shapes.get(value.name)
        if shape is None:
            shape = _declared(value, known, open_dims)
        _check_size(value, shape)
        shapes[value.name] = shape
    if open_dims:
        raise ModelError(_open_text(open_dims, known))
    return shapes


def _check_given(values: tuple[FileValue, ...], given: InputShapes) -> None:
    names = [v.name for v in values]
    for name in given.shapes:
        if name not in names:
            raise ConfigError(
                f"--input-shape: no input is called {quoted(name)}{_near(name, names)}"
            )
    symbols = [d for v in values for d in v.dims or () if isinstance(d, str)]
    for name in given.dims:
        if name not in symbols:
            raise ConfigError(f"--dim: no dimension is called {quoted(name)}{_near(name, symbols)}")


def _near(word: str, words: list[str]) -> str:
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.4)
    known = ", ".join(dict.fromkeys(words)) or "none"
    return f"; closest: {quoted(near[0])}" if near else f"; known: {one_line(known)}"


def _imply(known: dict[str, int], value: FileValue, shape: Shape | None) -> None:
    """Add the symbolic dimensions that a given shape decides; it must agree with what is known."""
    if shape is None or value.dims is None:
        return
    said = f"--input-shape {one_line(value.name)}:{_times(shape)}"
    agrees = len(shape) == len(value.dims) and all(
        not _is_size(d) or d == s for d, s in zip(value.dims, shape, strict=True)
    )
    if not agrees:
        raise ConfigError(f"{said}: the file says {dims_text(value.dims)}")
    for dim, size in zip(value.dims, shape, strict=True):
        if isinstance(dim, str) and known.setdefault(dim, size) != size:
            raise ConfigError(f"{said}: the dimension {quoted(dim)} is {known[dim]} elsewhere")


def _is_size(dim: Dimension) -> bool:
    return isinstance(dim, int) and dim > 0


def _declared(value: FileValue, known: Mapping[str, int], open_dims: list[OpenDim]) -> Shape:
    if value.dims is None:
        open_dims.append((value, "no shape at all"))
        return ()
    shape = tuple(known.get(d, 0) if isinstance(d, str) else max(d or 0, 0) for d in value.dims)
    for position, (size, dim) in enumerate(zip(shape, value.dims, strict=True)):
        if size == 0:
            open_dims.append((value, f"dimension {position}{_open(dim)}"))
    return shape


def _open(dim: Dimension) -> str:
    if dim is None or dim == "":
        return " has no size and no name"
    return f" is {quoted(dim) if isinstance(dim, str) else dim}"


def _check_size(value: FileValue, shape: Shape) -> None:
    if len(shape) > MOST_RANK:
        found = f"input {quoted(value.name)} has {len(shape)} dimensions"
        raise ModelError(f"{found}; supported: up to {MOST_RANK}")
    if math.prod(max(d, 1) for d in shape) > MOST_ELEMENTS:
        raise ModelError(
            f"input {quoted(value.name)} is {shape_text(shape)}; "
            f"supported: up to {MOST_ELEMENTS} values"
        )


def _open_text(open_dims: list[OpenDim], known: Mapping[str, int]) -> str:
    first = open_dims[0][0]
    example = _times(tuple(max(d, 1) for d in _declared(first, known, []) or (1,)))
    lines = ["the file leaves dimensions open:"]
    lines += [f"  {one_line(value.name)}: {text}" for value, text in open_dims]
    hint = f"Give them: --input-shape {one_line(first.name)}:{one_line(example)}"
    symbols = [
        d for d in first.dims or () if isinstance(d, str) and d.isidentifier() and d not in known
    ]
    if symbols:
        hint += f" or --dim {one_line(symbols[0])}=1"
    return "\n".join([*lines, hint])


def dims_text(dims: tuple[Dimension, ...], between: str = "x") -> str:
    return one_line(between.join("?" if d is None else str(d) for d in dims))


def _times(shape: Shape) -> str:
    return "x".join(str(d) for d in shape)
