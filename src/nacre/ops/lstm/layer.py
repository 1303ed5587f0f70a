"""What all forms of the LSTM share: attributes, positions of its inputs, packed weights.

Gates are in the order input, forget, cell, output, here and in the file format.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor, TensorKind
from nacre.ops.kind import derived_id

GATES = 4
# Positions among the node's inputs: x, then one of each gate's, then the state.
X = 0
INPUT_WEIGHTS = range(1, 5)
RECURRENT_WEIGHTS = range(5, 9)
BIASES = range(9, 13)
HIDDEN, CELL = 13, 14


@dataclass(frozen=True)
class Lstm(Attributes):
    """x is [time, batch, inputs] when time_major, else [batch, time, inputs]; so is y."""

    time_major: bool = False
    # Cells are kept within +-cell_clip; 0 for no limit.
    cell_clip: float = 0.0
    # int8 gates are computed by series, as in LiteRT; TFLite Micro looks them up.
    by_series: bool = False


@dataclass(frozen=True)
class Walk:
    """Sizes, and how many elements of x and y lie between batches and between steps."""

    batches: int
    steps: int
    inputs: int
    cells: int
    x_batch: int
    x_step: int
    y_batch: int
    y_step: int


def walk(node: Node, layer: Lstm) -> Walk:
    first, second, inputs = node.input(X).shape
    cells = node.output.shape[2]
    steps, batches = (first, second) if layer.time_major else (second, first)
    if layer.time_major:
        return Walk(batches, steps, inputs, cells, inputs, batches * inputs, cells, batches * cells)
    return Walk(batches, steps, inputs, cells, steps * inputs, inputs, steps * cells, cells)


def by_step(x: Array, layer: Lstm) -> Array:
    """As [time, batch, …]; its own inverse."""
    return x if layer.time_major else np.swapaxes(x, 0, 1)


def stacked(node: Node, positions: Sequence[int]) -> Array:
    """The constants of the four gates, one below the other."""
    return np.concatenate([node.input(i).constant for i in positions])


def packed(node: Node, what: str, data: Array, positions: Sequence[int]) -> Tensor:
    """A constant made from those of the four gates."""
    origins = tuple(node.input(i).id for i in positions if node.optional(i) is not None)
    return Tensor(
        derived_id(node, what), f"{node.output.name} {what}", data.shape, DType(data.dtype.name),
        TensorKind.CONSTANT, data=np.ascontiguousarray(data), origins=origins,
    )  # fmt: skip
