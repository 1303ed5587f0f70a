"""Models of one operator that moves data, for the tests of those operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tflite_builder import ModelBuilder

# Types that the oracles move in most operators, and their sizes in bytes: 1, 1, 2, 4, 8, 4.
TYPES = ("int8", "uint8", "int16", "int32", "int64", "float32")
_QUANTIZED = {"int8": -7, "uint8": 131, "int16": 0}


@dataclass(frozen=True)
class Value:
    """A tensor that is computed or given: shape, element type, quantization."""

    shape: tuple[int, ...]
    dtype: str
    scale: float = 0.25
    zero_point: int | None = None


def model(
    operator: str,
    inputs: Sequence[Value | np.ndarray],
    outputs: Sequence[Value],
    options: Mapping[str, object] | None = None,
    version: int = 1,
) -> bytes:
    """One operator; arrays among the inputs become constants."""
    b = ModelBuilder()
    names = []
    for number, value in enumerate(inputs):
        if isinstance(value, Value):
            names.append(b.input(f"in{number}", value.shape, value.dtype, *_quantization(value)))
        else:
            names.append(b.constant(f"constant{number}", value))
    made = [
        b.tensor(f"out{n}", value.shape, value.dtype, *_quantization(value))
        for n, value in enumerate(outputs)
    ]
    b.operator(operator, names, made, dict(options or {}), version=version)
    b.output(*made)
    return b.build()


def _quantization(value: Value) -> tuple[float, int] | tuple[()]:
    if value.dtype not in _QUANTIZED:
        return ()
    point = value.zero_point
    return value.scale, _QUANTIZED[value.dtype] if point is None else point


def content(shape: Sequence[int], dtype: str, seed: int = 0) -> np.ndarray:
    """Numbers over the whole range of the type."""
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(tuple(shape)).astype(np.float32)
    if dtype == "bool":
        return rng.integers(0, 2, tuple(shape)).astype(bool)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, tuple(shape), dtype, endpoint=True)


def ints(*values: int, dtype: str = "int32") -> np.ndarray:
    """A constant list of integers."""
    return np.array(values, dtype)
