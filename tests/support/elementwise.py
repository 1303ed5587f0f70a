"""Models of one elementwise operator, and values for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from tflite_builder import ModelBuilder

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Spec:
    """A tensor of a model: an input, or a constant where `content` is given."""

    shape: Shape
    dtype: str
    scale: float | None = None
    zero_point: int = 0
    content: np.ndarray | None = None


def model(
    operator: str,
    inputs: Sequence[Spec],
    output: Spec,
    options: Mapping[str, int | float | bool] | None = None,
    version: int = 1,
) -> bytes:
    b = ModelBuilder()
    ids = []
    for n, spec in enumerate(inputs):
        if spec.content is None:
            ids.append(b.input(f"x{n}", spec.shape, spec.dtype, spec.scale, spec.zero_point))
        else:
            ids.append(b.constant(f"c{n}", spec.content, spec.scale, spec.zero_point))
    y = b.tensor("y", output.shape, output.dtype, output.scale, output.zero_point)
    b.operator(operator, ids, [y], options or {}, version=version)
    b.output(y)
    return b.build()


def values(rng: np.random.Generator, dtype: str, shape: Shape, spread: float = 4.0) -> np.ndarray:
    """Numbers over the whole range of the type; floats around zero."""
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        return (rng.standard_normal(shape) * spread).astype(dtype)
    info = np.iinfo(dtype)
    made = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    # The edges always take part.
    if made.size > 2:
        made.flat[0], made.flat[made.size // 2] = info.min, info.max
    return made


def samples(
    rng: np.random.Generator, inputs: Sequence[Spec], count: int = 2
) -> list[list[np.ndarray]]:
    return [
        [values(rng, s.dtype, s.shape) for s in inputs if s.content is None] for _ in range(count)
    ]


def zero_points(dtype: str) -> st.SearchStrategy[int]:
    """Any, the edges more often than others; int16 is symmetric."""
    if dtype == "int16":
        return st.just(0)
    low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    return st.one_of(st.sampled_from((low, 0, high)), st.integers(low, high))


def scales(low: float = 1e-3, high: float = 1.0) -> st.SearchStrategy[float]:
    exponents = st.floats(float(np.log(low)), float(np.log(high)))
    return exponents.map(lambda e: float(np.float32(np.exp(e))))


@st.composite
def broadcast_shapes(draw, dimensions: int = 4, side: int = 5) -> tuple[Shape, Shape, Shape]:
    """Two shapes that stretch to the third: equal, one repeated, ranks that differ."""
    out = draw(st.lists(st.integers(1, side), min_size=1, max_size=dimensions).map(tuple))
    first, second = list(out), list(out)
    for axis in range(len(out)):
        repeated = draw(st.sampled_from((None, None, None, first, second)))
        if repeated is not None:
            repeated[axis] = 1
    cut = draw(st.integers(0, len(out)))
    ones = next((n for n, d in enumerate(second) if d != 1), len(second))
    second = second[min(cut, ones) :]
    pair = (tuple(first), tuple(second))
    pair = pair[::-1] if draw(st.booleans()) else pair
    return (*pair, tuple(int(d) for d in np.broadcast_shapes(*pair)))
