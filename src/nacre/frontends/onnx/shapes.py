"""Shapes of the inputs: declared, or given by the user where the file leaves them open."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from nacre.errors import ConfigError, ModelError
from nacre.frontends.onnx.records import Dimension, FileValue
from nacre.frontends.onnx.tensors import MOST_ELEMENTS
from nacre.ir import Shape


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
        known |= _implied(value, given.shapes.get(value.name))
    open_dims: list[str] = []
    shapes: dict[str, Shape] = {}
    for value in values:
        shape = given.shapes.get(value.name) or _declared(value, known, open_dims)
        _check_size(value, shape)
        shapes[value.name] = shape
    if open_dims:
        raise ModelError(_open_text(values, open_dims))
    return shapes


def _check_given(values: tuple[FileValue, ...], given: InputShapes) -> None:
    names = [v.name for v in values]
    for name in given.shapes:
        if name not in names:
            raise ConfigError(f"--input-shape: no input is called {name!r}{_near(name, names)}")
    symbols = [d for v in values for d in v.dims or () if isinstance(d, str)]
    for name in given.dims:
        if name not in symbols:
            raise ConfigError(f"--dim: no dimension is called {name!r}{_near(name, symbols)}")


def _near(word: str, words: list[str]) -> str:
    near = difflib.get_close_matches(word, words, n=1, cutoff=0.4)
    known = ", ".join(dict.fromkeys(words)) or "none"
    return f"; closest: {near[0]!r}" if near else f"; known: {known}"


def _implied(value: FileValue, shape: Shape | None) -> dict[str, int]:
    """The symbolic dimensions that a given shape decides; it must agree with the declared ones."""
    if shape is None or value.dims is None:
        return {}
    agrees = len(shape) == len(value.dims) and all(
        not isinstance(d, int) or d == s for d, s in zip(value.dims, shape, strict=True)
    )
    if not agrees:
        raise ConfigError(
            f"--input-shape {value.name}:{_times(shape)}: the file says {dims_text(value.dims)}"
        )
    return {d: s for d, s in zip(value.dims, shape, strict=True) if isinstance(d, str)}


def _declared(value: FileValue, known: Mapping[str, int], open_dims: list[str]) -> Shape:
    if value.dims is None:
        open_dims.append(f"{value.name}: no shape at all")
        return ()
    shape = tuple(known.get(d, 0) if isinstance(d, str) else d or 0 for d in value.dims)
    for position, (size, dim) in enumerate(zip(shape, value.dims, strict=True)):
        if size == 0:
            named = f" is {dim!r}" if dim else " has no size and no name"
            open_dims.append(f"{value.name}: dimension {position}{named}")
    return shape


def _check_size(value: FileValue, shape: Shape) -> None:
    if math.prod(max(d, 1) for d in shape) > MOST_ELEMENTS:
        raise ModelError(
            f"input {value.name!r} is {list(shape)}; supported: up to {MOST_ELEMENTS} values"
        )


def _open_text(values: tuple[FileValue, ...], open_dims: list[str]) -> str:
    first = next(v for v in values if any(o.startswith(f"{v.name}: ") for o in open_dims))
    example = "x".join(str(d) if isinstance(d, int) else "1" for d in first.dims or (1,))
    lines = ["the file leaves dimensions open:", *(f"  {o}" for o in open_dims)]
    hint = f"Give them: --input-shape {first.name}:{example}"
    symbols = [d for d in first.dims or () if isinstance(d, str)]
    if symbols:
        hint += f" or --dim {symbols[0]}=1"
    return "\n".join([*lines, hint])


def dims_text(dims: tuple[Dimension, ...], between: str = "x") -> str:
    return between.join("?" if d is None else str(d) for d in dims)


def _times(shape: Shape) -> str:
    return "x".join(str(d) for d in shape)
