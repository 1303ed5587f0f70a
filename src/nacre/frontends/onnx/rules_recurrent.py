"""LSTM, GRU, RNN."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nacre.frontends.onnx.source import Emitter, Impossible, OnnxKind, OnnxSource
from nacre.ir import Shape, Tensor
from nacre.ops.add import Add
from nacre.ops.concat import Concat
from nacre.ops.kind import Refuse
from nacre.ops.recurrent.layer import (
    ACTIVATIONS,
    Activation,
    GruSequence,
    LstmSequence,
    Recurrent,
    RnnSequence,
)
from nacre.ops.slice import Slice

_DIRECTIONS: Mapping[str, tuple[bool, ...]] = {
    "forward": (False,),
    "reverse": (True,),
    "bidirectional": (False, True),
}
# Alpha and beta of the activations that have them, where the file gives none.
_NUMBERS: Mapping[str, tuple[float, ...]] = {
    "Affine": (1.0, 0.0),
    "LeakyRelu": (0.01,),
    "ThresholdedRelu": (1.0,),
    "ScaledTanh": (1.0, 1.0),
    "HardSigmoid": (0.2, 0.5),
    "Elu": (1.0,),
}


@dataclass(frozen=True, eq=False)
class _Layer:
    """What the three kinds have in common, as the node says it."""

    reverse: tuple[bool, ...]
    activations: tuple[tuple[Activation, ...], ...]
    clip: float
    whole: bool
    batch_first: bool
    lengths: tuple[int, ...]


def _layer(source: OnnxSource, usual: Sequence[str]) -> _Layer:
    options, x = source.options, source.input(0)
    if len(x.shape) != 3:
        raise Impossible(f"the input is {list(x.shape)}; supported: 3 dimensions")
    direction = options.text("direction").lower() or "forward"
    if direction not in _DIRECTIONS:
        raise Refuse(f"direction is {direction!r}; supported: {', '.join(_DIRECTIONS)}")
    reverse = _DIRECTIONS[direction]
    batch_first = bool(options.integer("layout"))
    return _Layer(
        reverse, tuple(_activations(source, usual, len(reverse))),
        options.real("clip") or math.inf, source.wants(0), batch_first,
        _lengths(source, x.shape[1 if batch_first else 0]),
    )  # fmt: skip


def _lengths(source: OnnxSource, steps: int) -> tuple[int, ...]:
    """The steps of each sequence, () where they are all of them."""
    if source.optional(4) is None:
        return ()
    values = tuple(int(v) for v in source.constant(4, "sequence_lens").reshape(-1))
    if min(values) < 1 or max(values) > steps:
        raise Refuse(f"sequence_lens are {list(values)}; supported: 1 to {steps}")
    return () if set(values) == {steps} else values


def _activations(
    source: OnnxSource, usual: Sequence[str], directions: int
) -> Iterator[tuple[Activation, ...]]:
    """The activations of each direction; alphas and betas go to those that have some."""
    known = {name.lower(): name for name in ACTIVATIONS}
    named = source.node.texts.get("activations") or tuple(usual) * directions
    if len(named) != len(usual) * directions:
        raise Refuse(f"{len(named)} activations; supported: {len(usual) * directions}")
    given = [iter(source.options.reals(f"activation_{what}")) for what in ("alpha", "beta")]
    found = []
    for name in named:
        if name.lower() not in known:
            raise Refuse(f"activation {name!r}; supported: {', '.join(ACTIVATIONS)}")
        word = known[name.lower()]
        numbers = [
            next(values, number)
            for values, number in zip(given, _NUMBERS.get(word, ()), strict=False)
        ]
        found.append(Activation(word, *numbers))
    for d in range(directions):
        yield tuple(found[d * len(usual) : (d + 1) * len(usual)])


def _bias(source: OnnxSource, emit: Emitter, gates: int, apart: int) -> Tensor:
    """Both biases of a gate in one, but for the last `apart` gates."""
    directions, rows = source.input(2).shape[:2]
    cells = rows // gates
    bias = source.optional(3)
    if bias is None:
        return emit.constant(np.zeros((directions, rows + apart * cells), np.float32))
    if bias.shape != (directions, 2 * rows):
        raise Refuse(f"the bias is {list(bias.shape)}; expected {[directions, 2 * rows]}")
    joined = (gates - apart) * cells
    parts = [_columns(emit, bias, begin, joined) for begin in (0, rows)]
    total = emit.one(Add(), parts)
    if not apart:
        return total
    rest = [_columns(emit, bias, begin + joined, rows - joined) for begin in (0, rows)]
    return emit.one(Concat(1), (total, *rest))


def _columns(emit: Emitter, x: Tensor, begin: int, count: int) -> Tensor:
    size = (x.shape[0], count)
    return emit.one(Slice((0, begin), size, (1, 1), size), (x,))


def _state(source: OnnxSource, emit: Emitter, index: int, layer: _Layer) -> Tensor:
    """The first state; zeros where the file has none."""
    given = source.optional(index)
    if given is not None:
        return given
    steps_or_batches, cells = source.input(0).shape[:2], source.input(2).shape[2]
    batches, directions = steps_or_batches[0 if layer.batch_first else 1], len(layer.reverse)
    shape: Shape = (directions, batches, cells)
    if layer.batch_first:
        shape = (batches, directions, cells)
    return emit.constant(np.zeros(shape, np.float32))


def _weights(source: OnnxSource, gates: int) -> tuple[Tensor, Tensor]:
    w, r = source.input(1), source.input(2)
    cells = source.options.integer("hidden_size") or r.shape[-1]
    if len(w.shape) != 3 or len(r.shape) != 3 or r.shape[1:] != (gates * cells, cells):
        raise Refuse(f"weights {list(w.shape)} and {list(r.shape)} for {cells} hidden values")
    return w, r


def _outputs(emit: Emitter, kind: Recurrent, inputs: Sequence[Tensor | None]) -> tuple[Tensor, ...]:
    made = emit.several(kind, inputs)
    # Y comes first even where nobody reads it: then another output stands for it.
    return made if kind.whole else (made[0], *made)


def _lstm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    layer, (w, r) = _layer(source, ("Sigmoid", "Tanh", "Tanh")), _weights(source, 4)
    kind = LstmSequence(*_fields(layer), coupled=bool(source.options.integer("input_forget")))
    inputs = (
        source.input(0), w, r, _bias(source, emit, 4, 0), _state(source, emit, 5, layer),
        _state(source, emit, 6, layer), source.optional(7),
    )  # fmt: skip
    return _outputs(emit, kind, inputs)


def _gru(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    layer, (w, r) = _layer(source, ("Sigmoid", "Tanh")), _weights(source, 3)
    before = bool(source.options.integer("linear_before_reset"))
    kind = GruSequence(*_fields(layer), linear_before_reset=before)
    bias, state = _bias(source, emit, 3, 1), _state(source, emit, 5, layer)
    return _outputs(emit, kind, (source.input(0), w, r, bias, state))


def _rnn(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    layer, (w, r) = _layer(source, ("Tanh",)), _weights(source, 1)
    bias, state = _bias(source, emit, 1, 0), _state(source, emit, 5, layer)
    inputs = (source.input(0), w, r, bias, state)
    return _outputs(emit, RnnSequence(*_fields(layer)), inputs)


def _fields(
    layer: _Layer,
) -> tuple[
    tuple[bool, ...], tuple[tuple[Activation, ...], ...], float, bool, bool, tuple[int, ...]
]:
    """The fields of `Recurrent` in order."""
    return (
        layer.reverse, layer.activations, layer.clip, layer.whole, layer.batch_first, layer.lengths,
    )  # fmt: skip


_ALL = (
    "float32; all directions, layouts and activations; states as inputs; "
    "sequence_lens must be constant"
)
RECURRENT: Mapping[str, OnnxKind] = {
    "LSTM": OnnxKind(_lstm, _ALL),
    "GRU": OnnxKind(_gru, _ALL),
    "RNN": OnnxKind(_rnn, _ALL),
}
