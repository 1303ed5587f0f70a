"""LSTM, GRU, RNN: recurrent layers over whole sequences of floats, as ONNX files have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from nacre.ir import Node
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
from nacre.ops.recurrent.layer import (
    ACTIVATIONS,
    BIAS,
    CELL,
    F32,
    HIDDEN,
    PEEPHOLES,
    Activation,
    GruSequence,
    LstmSequence,
    R,
    Recurrent,
    RnnSequence,
    Sizes,
    W,
    X,
    check,
    infer,
    layer_of,
    sizes,
)
from nacre.ops.recurrent.reference import reference


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


KERNELS: Mapping[type[Recurrent], Kernel] = {
    LstmSequence: Kernel("nacre_lstm_sequence_f32", RecurrentParams),
    GruSequence: Kernel("nacre_gru_sequence_f32", RecurrentParams),
    RnnSequence: Kernel("nacre_rnn_sequence_f32", RecurrentParams),
}
_BYTES = 4


def _lower(node: Node, options: LowerOptions) -> Lowered:
    layer = layer_of(node)
    s = sizes(layer, node.input(X), node.input(R))
    scratch = Scratch(derived_id(node, "scratch0"), _BYTES * layer.sums * s.cells)
    calls = tuple(_call(node, s, *part, scratch) for part in _parts(layer, s))
    return Lowered(calls, (), (scratch,))


def _parts(layer: Recurrent, s: Sizes) -> Iterator[tuple[int, int, int, int]]:
    """Direction, first sequence, sequences and steps of each call."""
    for d in range(s.directions):
        if not layer.lengths:
            yield d, 0, s.batches, s.steps
        for b, length in enumerate(layer.lengths):
            yield d, b, 1, length


def _call(node: Node, s: Sizes, d: int, b: int, batches: int, steps: int, scratch: Scratch) -> Call:
    layer = layer_of(node)
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
            Pointer(scratch.id, F32, const=False),
        ),
    )  # fmt: skip


def _peepholes(node: Node, d: int, s: Sizes) -> list[Pointer]:
    """The LSTM's argument; without peepholes the bias stands there and is not read."""
    if not isinstance(layer_of(node), LstmSequence):
        return []
    found = node.optional(PEEPHOLES)
    return [read(node.input(BIAS)) if found is None else read(found, _BYTES * d * 3 * s.cells)]


def _params(node: Node, s: Sizes, d: int, batches: int, steps: int) -> RecurrentParams:
    layer = layer_of(node)
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
    layer = layer_of(node)
    s = sizes(layer, node.input(X), node.input(R))
    steps = sum(layer.lengths) if layer.lengths else s.steps * s.batches
    return Cost(steps * s.directions * layer.gates * s.cells * (s.inputs + s.cells))


def _row(kind: type[Recurrent], type: str, summary: str) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=("float32, one or two directions, any of ONNX's activations",),
        tflite={},
        infer=infer,
        check=check,
        reference=reference,
        lower=_lower,
        kernels=(KERNELS[kind],),
        cost=_cost,
    )


LSTM_SEQUENCE = _row(LstmSequence, "LSTM", "Long short-term memory over a sequence.")
GRU_SEQUENCE = _row(GruSequence, "GRU", "Gated recurrent units over a sequence.")
RNN_SEQUENCE = _row(RnnSequence, "RNN", "Plain recurrent layer over a sequence.")
