"""Recurrent layers: what they are, their shapes and what is refused of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from nacre.ir import Attributes, DType, Node, Shape, Tensor

F32 = DType.FLOAT32

# Positions of the inputs; the last two are the LSTM's alone.
X, W, R, BIAS, HIDDEN, CELL, PEEPHOLES = range(7)

# The numbers that the kernels know the activations by.
ACTIVATIONS = (
    "Sigmoid", "Tanh", "Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
    "HardSigmoid", "Elu", "Softsign", "Softplus",
)  # fmt: skip


@dataclass(frozen=True)
class Activation:
    """A function of a sum, with its numbers."""

    name: str
    alpha: float = 0.0
    beta: float = 0.0


@dataclass(frozen=True)
class Recurrent(Attributes):
    """Inputs: x, weights of the inputs, weights of the state, bias, first state.

    x is [steps, batches, inputs] or with `batch_first` [batches, steps, inputs]. Weights and bias
    have a dimension for the directions in front. Outputs: with `whole` the states of every step,
    [steps, directions, batches, cells] or [batches, steps, directions, cells]; the last states,
    [directions, batches, cells] or [batches, directions, cells].
    """

    gates: ClassVar[int]
    sums: ClassVar[int]  # rows of bias, and of scratch
    # True for a direction that runs from the last step to the first.
    reverse: tuple[bool, ...]
    # One list per direction.
    activations: tuple[tuple[Activation, ...], ...]
    clip: float = math.inf
    whole: bool = True
    batch_first: bool = False
    # Steps of each sequence where they are fewer than x has; () for all of them.
    lengths: tuple[int, ...] = ()


@dataclass(frozen=True)
class LstmSequence(Recurrent):
    """Two inputs more: the first cells and peephole weights or nothing; one more output: cells."""

    gates: ClassVar[int] = 4
    sums: ClassVar[int] = 4
    # The forget gate is one minus the input gate.
    coupled: bool = False


@dataclass(frozen=True)
class GruSequence(Recurrent):
    gates: ClassVar[int] = 3
    sums: ClassVar[int] = 4
    linear_before_reset: bool = False


@dataclass(frozen=True)
class RnnSequence(Recurrent):
    gates: ClassVar[int] = 1
    sums: ClassVar[int] = 1


@dataclass(frozen=True)
class Sizes:
    steps: int
    batches: int
    inputs: int
    cells: int
    directions: int


def sizes(layer: Recurrent, x: Tensor, r: Tensor) -> Sizes:
    steps, batches = x.shape[:2]
    if layer.batch_first:
        steps, batches = batches, steps
    return Sizes(steps, batches, x.shape[2], r.shape[2], len(layer.reverse))


def infer(layer: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, r = inputs[X], inputs[R]
    assert isinstance(layer, Recurrent) and x is not None and r is not None
    s = sizes(layer, x, r)
    whole: Shape = (s.steps, s.directions, s.batches, s.cells)
    last: Shape = (s.directions, s.batches, s.cells)
    if layer.batch_first:
        whole = (s.batches, s.steps, s.directions, s.cells)
        last = (s.batches, s.directions, s.cells)
    states = (last, last) if isinstance(layer, LstmSequence) else (last,)
    return (whole, *states) if layer.whole else states


def layer_of(node: Node) -> Recurrent:
    layer = node.operator.attributes
    assert isinstance(layer, Recurrent)
    return layer


def check(node: Node) -> str | None:
    layer = layer_of(node)
    other = [t.dtype.value for t in (*node.inputs, *node.outputs) if t and t.dtype is not F32]
    if other:
        return f"a tensor is {other[0]}; supported: float32"
    s = sizes(layer, node.input(X), node.input(R))
    state = infer(layer, node.inputs)[-1]
    wanted: dict[int, Shape] = {
        W: (s.directions, layer.gates * s.cells, s.inputs),
        R: (s.directions, layer.gates * s.cells, s.cells),
        BIAS: (s.directions, layer.sums * s.cells),
        HIDDEN: state,
        CELL: state,
        PEEPHOLES: (s.directions, 3 * s.cells),
    }
    for index, shape in wanted.items():
        tensor = node.optional(index)
        if tensor is not None and tensor.shape != shape:
            return f"input {index} is {list(tensor.shape)}; expected {list(shape)}"
    if layer.lengths and (len(layer.lengths) != s.batches or max(layer.lengths) > s.steps):
        return f"sequence lengths {list(layer.lengths)} for {s.batches} of {s.steps} steps"
    return None
