"""Recurrent layers in numpy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Node
from nacre.ops.elementwise import value
from nacre.ops.recurrent.layer import (
    BIAS,
    CELL,
    HIDDEN,
    PEEPHOLES,
    Activation,
    GruSequence,
    LstmSequence,
    R,
    Recurrent,
    RnnSequence,
    W,
    X,
    layer_of,
    sizes,
)

_FUNCTIONS: Mapping[str, Callable[[Array, Activation], Array]] = {
    "Sigmoid": lambda x, _: 1 / (1 + np.exp(-x)),
    "Tanh": lambda x, _: np.tanh(x),
    "Relu": lambda x, _: np.maximum(x, 0),
    "Affine": lambda x, f: f.alpha * x + f.beta,
    "LeakyRelu": lambda x, f: np.where(x >= 0, x, f.alpha * x),
    "ThresholdedRelu": lambda x, f: np.where(x > f.alpha, x, 0),
    "ScaledTanh": lambda x, f: f.alpha * np.tanh(f.beta * x),
    "HardSigmoid": lambda x, f: np.clip(f.alpha * x + f.beta, 0, 1),
    "Elu": lambda x, f: np.where(x >= 0, x, f.alpha * np.expm1(np.minimum(x, 0))),
    "Softsign": lambda x, _: x / (1 + np.abs(x)),
    "Softplus": lambda x, _: np.logaddexp(0, x),
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
            return function(np.clip(x, -limit, limit), activation)

    return clipped


def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    layer = layer_of(node)
    s = sizes(layer, node.input(X), node.input(R))
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
