"""LSTM, GRU, RNN: recurrent layers over whole sequences of floats, as ONNX files have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.elementwise import value
from nacre.ops.kind import (
    Call,
    Cost,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Scratch,
    derived_id,
    meaning,
    meanings,
    read,
    real_meaning,
    real_meanings,
    write,
)

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
class RecurrentParams(Params):
    c_type: ClassVar[str] = "nacre_recurrent_params_t"
    batches: int = meaning("independent sequences")
    steps: int = meaning("steps that are computed")
    total: int = meaning("steps of the output")
    inputs: int = meaning("inputs of a step")
    cells: int = meaning("outputs of a step")
    x_batch: int = meaning("input elements from one sequence to the next")
    x_step: int = meaning("input elements from one step to the next")
    y_batch: int = meaning("output elements from one sequence to the next")
    y_step: int = meaning("output elements from one step to the next")
    state_batch: int = meaning("elements of the state from one sequence to the next")
    reverse: int = meaning("1: from the last step to the first")
    whole: int = meaning("1: the output has every step")
    coupled: int = meaning("LSTM, 1: forget what is let in")
    peepholes: int = meaning("LSTM, 1: the gates see the cells")
    linear_before_reset: int = meaning("GRU, 1: reset after the product")
    activation: tuple[int, ...] = meanings("which functions")
    alpha: tuple[float, ...] = real_meanings("their first numbers")
    beta: tuple[float, ...] = real_meanings("their second numbers")
    clip: float = real_meaning("limit of the sums")


@dataclass(frozen=True)
class _Sizes:
    steps: int
    batches: int
    inputs: int
    cells: int
    directions: int


def _sizes(layer: Recurrent, x: Tensor, r: Tensor) -> _Sizes:
    steps, batches = x.shape[:2]
    if layer.batch_first:
        steps, batches = batches, steps
    return _Sizes(steps, batches, x.shape[2], r.shape[2], len(layer.reverse))


def _infer(layer: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, r = inputs[X], inputs[R]
    assert isinstance(layer, Recurrent) and x is not None and r is not None
    s = _sizes(layer, x, r)
    whole: Shape = (s.steps, s.directions, s.batches, s.cells)
    last: Shape = (s.directions, s.batches, s.cells)
    if layer.batch_first:
        whole = (s.batches, s.steps, s.directions, s.cells)
        last = (s.batches, s.directions, s.cells)
    states = (last, last) if isinstance(layer, LstmSequence) else (last,)
    return (whole, *states) if layer.whole else states


def _layer(node: Node) -> Recurrent:
    layer = node.operator.attributes
    assert isinstance(layer, Recurrent)
    return layer


def _check(node: Node) -> str | None:
    layer = _layer(node)
    other = [t.dtype.value for t in (*node.inputs, *node.outputs) if t and t.dtype is not _F32]
    if other:
        return f"a tensor is {other[0]}; supported: float32"
    s = _sizes(layer, node.input(X), node.input(R))
    state = _infer(layer, node.inputs)[-1]
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


_F32 = DType.FLOAT32


# --- reference ------------------------------------------------------------------------------------


def _leaky(x: Array, a: float) -> Array:
    return np.where(x >= 0, x, a * x)


_FUNCTIONS: Mapping[str, Callable[[Array, float, float], Array]] = {
    "Sigmoid": lambda x, a, b: 1 / (1 + np.exp(-x)),
    "Tanh": lambda x, a, b: np.tanh(x),
    "Relu": lambda x, a, b: np.maximum(x, 0),
    "Affine": lambda x, a, b: a * x + b,
    "LeakyRelu": lambda x, a, b: _leaky(x, a),
    "ThresholdedRelu": lambda x, a, b: np.where(x > a, x, 0),
    "ScaledTanh": lambda x, a, b: a * np.tanh(b * x),
    "HardSigmoid": lambda x, a, b: np.clip(a * x + b, 0, 1),
    "Elu": lambda x, a, b: np.where(x >= 0, x, a * np.expm1(np.minimum(x, 0))),
    "Softsign": lambda x, a, b: x / (1 + np.abs(x)),
    "Softplus": lambda x, a, b: np.logaddexp(0, x),
}


@dataclass(frozen=True, eq=False)
class _Direction:
    """One direction of a layer: its weights, and its activations as functions."""

    layer: Recurrent
    w: Array
    r: Array
    bias: Array
    peepholes: Array
    functions: tuple[Callable[[Array], Array], ...]


def _function(activation: Activation, clip: float, position: int) -> Callable[[Array], Array]:
    """Sums are clamped before it; the third activation is that of the cells, which are not."""
    function, limit = _FUNCTIONS[activation.name], clip if position < 2 else math.inf

    def clipped(x: Array) -> Array:
        with np.errstate(all="ignore"):
            return function(np.clip(x, -limit, limit), activation.alpha, activation.beta)

    return clipped


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    layer = _layer(node)
    s = _sizes(layer, node.input(X), node.input(R))
    x = value(values, X).swapaxes(0, 1) if layer.batch_first else value(values, X)
    y = np.zeros((s.steps, s.directions, s.batches, s.cells), np.float32)
    hidden, cells = _first(layer, values, HIDDEN), _first(layer, values, CELL)
    for d, backward in enumerate(layer.reverse):
        peepholes = values[PEEPHOLES] if len(values) > PEEPHOLES else None
        direction = _Direction(
            layer, value(values, W)[d], value(values, R)[d], value(values, BIAS)[d],
            np.zeros(3 * s.cells, np.float32) if peepholes is None else peepholes[d],
            tuple(_function(a, layer.clip, n) for n, a in enumerate(layer.activations[d])),
        )  # fmt: skip
        for b, length in enumerate(layer.lengths or (s.steps,) * s.batches):
            h, c = hidden[d, b], cells[d, b]
            for t in reversed(range(length)) if backward else range(length):
                h, c = _STEPS[type(layer)](direction, x[t, b], h, c)
                y[t, d, b] = h
            hidden[d, b], cells[d, b] = h, c
    states = [hidden, cells] if isinstance(layer, LstmSequence) else [hidden]
    if layer.batch_first:
        y, states = y.transpose(2, 0, 1, 3), [v.swapaxes(0, 1) for v in states]
    return tuple(np.ascontiguousarray(v) for v in ([y] if layer.whole else []) + states)


def _first(layer: Recurrent, values: tuple[Array | None, ...], index: int) -> Array:
    """The first state, [directions, batches, cells]; where there is no cell, the hidden one."""
    state = value(values, index if index < len(values) else HIDDEN)
    return (state.swapaxes(0, 1) if layer.batch_first else state).copy()


def _lstm_step(d: _Direction, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    assert isinstance(d.layer, LstmSequence)
    f, g, k = d.functions
    i, o, forget, fresh = np.split(d.w @ x + d.r @ h + d.bias, 4)
    see_i, see_o, see_f = np.split(d.peepholes, 3)
    let_in = f(i + see_i * c)
    keep = 1 - let_in if d.layer.coupled else f(forget + see_f * c)
    c = keep * c + let_in * g(fresh)
    return f(o + see_o * c) * k(c), c


def _gru_step(d: _Direction, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    assert isinstance(d.layer, GruSequence)
    f, g = d.functions
    n = len(h)
    z, r, fresh = np.split(d.w @ x + d.bias[: 3 * n], 3)
    z, r = f(z + d.r[:n] @ h), f(r + d.r[n : 2 * n] @ h)
    if d.layer.linear_before_reset:
        fresh = fresh + r * (d.r[2 * n :] @ h + d.bias[3 * n :])
    else:
        fresh = fresh + d.r[2 * n :] @ (r * h) + d.bias[3 * n :]
    return (1 - z) * g(fresh) + z * h, c


def _rnn_step(d: _Direction, x: Array, h: Array, c: Array) -> tuple[Array, Array]:
    return d.functions[0](d.w @ x + d.r @ h + d.bias), c


_STEPS: Mapping[
    type[Recurrent], Callable[[_Direction, Array, Array, Array], tuple[Array, Array]]
] = {LstmSequence: _lstm_step, GruSequence: _gru_step, RnnSequence: _rnn_step}


# --- lowering -------------------------------------------------------------------------------------

KERNELS: Mapping[type[Recurrent], Kernel] = {
    LstmSequence: Kernel("nacre_lstm_sequence_f32", RecurrentParams),
    GruSequence: Kernel("nacre_gru_sequence_f32", RecurrentParams),
    RnnSequence: Kernel("nacre_rnn_sequence_f32", RecurrentParams),
}
_BYTES = 4


def _lower(node: Node, options: LowerOptions) -> Lowered:
    layer = _layer(node)
    s = _sizes(layer, node.input(X), node.input(R))
    scratch = Scratch(derived_id(node, "scratch0"), _BYTES * layer.sums * s.cells)
    calls = tuple(_call(node, s, *part, scratch) for part in _parts(layer, s))
    return Lowered(calls, (), (scratch,))


def _parts(layer: Recurrent, s: _Sizes) -> Iterator[tuple[int, int, int, int]]:
    """Direction, first sequence, sequences and steps of each call."""
    for d in range(s.directions):
        if not layer.lengths:
            yield d, 0, s.batches, s.steps
        for b, length in enumerate(layer.lengths):
            yield d, b, 1, length


def _call(
    node: Node, s: _Sizes, d: int, b: int, batches: int, steps: int, scratch: Scratch
) -> Call:
    layer = _layer(node)
    params = _params(node, s, d, batches, steps)
    state = (d * s.cells if layer.batch_first else d * s.batches * s.cells) + b * params.state_batch
    at_y = (d * s.cells if layer.batch_first else d * s.batches * s.cells) + b * params.y_batch
    rows = layer.gates * s.cells
    outputs = [write(t, _BYTES * state) for t in node.outputs[layer.whole :]]
    y = write(node.outputs[0], _BYTES * at_y) if layer.whole else outputs[0]
    weights = [
        read(node.input(index), _BYTES * d * rows * width)
        for index, width in ((W, s.inputs), (R, s.cells))
    ]
    bias = read(node.input(BIAS), _BYTES * d * layer.sums * s.cells)
    first = [read(node.input(i), _BYTES * state) for i in (HIDDEN, CELL) if node.optional(i)]
    return Call(
        KERNELS[type(layer)],
        (
            read(node.input(X), _BYTES * b * params.x_batch), *weights, bias,
            *_peepholes(node, d, s), *first, *outputs, y, params,
            Pointer(scratch.id, _F32, const=False),
        ),
    )  # fmt: skip


def _peepholes(node: Node, d: int, s: _Sizes) -> list[Pointer]:
    """The LSTM's argument; without peepholes the bias stands there and is not read."""
    if not isinstance(_layer(node), LstmSequence):
        return []
    found = node.optional(PEEPHOLES)
    return [read(node.input(BIAS)) if found is None else read(found, _BYTES * d * 3 * s.cells)]


def _params(node: Node, s: _Sizes, d: int, batches: int, steps: int) -> RecurrentParams:
    layer = _layer(node)
    used = layer.activations[d]
    functions = used + (Activation(ACTIVATIONS[0]),) * (3 - len(used))
    own, across = s.directions * s.cells, s.batches * s.cells
    return RecurrentParams(
        batches, steps, s.steps, s.inputs, s.cells,
        x_batch=s.inputs * (s.steps if layer.batch_first else 1),
        x_step=s.inputs * (1 if layer.batch_first else s.batches),
        y_batch=own * s.steps if layer.batch_first else s.cells,
        y_step=own if layer.batch_first else across * s.directions,
        state_batch=own if layer.batch_first else s.cells,
        reverse=int(layer.reverse[d]),
        whole=int(layer.whole),
        coupled=int(isinstance(layer, LstmSequence) and layer.coupled),
        peepholes=int(node.optional(PEEPHOLES) is not None),
        linear_before_reset=int(isinstance(layer, GruSequence) and layer.linear_before_reset),
        activation=tuple(ACTIVATIONS.index(f.name) for f in functions),
        alpha=tuple(f.alpha for f in functions),
        beta=tuple(f.beta for f in functions),
        clip=layer.clip,
    )  # fmt: skip


def _cost(node: Node) -> Cost:
    layer = _layer(node)
    s = _sizes(layer, node.input(X), node.input(R))
    steps = sum(layer.lengths) if layer.lengths else s.steps * s.batches
    return Cost(steps * s.directions * layer.gates * s.cells * (s.inputs + s.cells))


def _row(kind: type[Recurrent], type: str, summary: str) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=("float32, one or two directions, any of ONNX's activations",),
        tflite={},
        infer=_infer,
        check=_check,
        reference=_reference,
        lower=_lower,
        kernels=(KERNELS[kind],),
        cost=_cost,
    )


LSTM_SEQUENCE = _row(LstmSequence, "LSTM", "Long short-term memory over a sequence.")
GRU_SEQUENCE = _row(GruSequence, "GRU", "Gated recurrent units over a sequence.")
RNN_SEQUENCE = _row(RnnSequence, "RNN", "Plain recurrent layer over a sequence.")
