"""The LSTM on float tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.elementwise import value
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    attributes,
    derived_id,
    meaning,
    read,
    real_meaning,
    write,
)
from nacre.ops.lstm.layer import (
    BIASES,
    CELL,
    GATES,
    HIDDEN,
    INPUT_WEIGHTS,
    RECURRENT_WEIGHTS,
    Lstm,
    X,
    by_step,
    packed,
    stacked,
    walk,
)


@dataclass(frozen=True)
class LstmFloatParams(Params):
    c_type: ClassVar[str] = "nacre_lstm_float_params_t"
    batches: int = meaning("independent sequences")
    steps: int = meaning("steps of a sequence")
    inputs: int = meaning("inputs of a step")
    cells: int = meaning("cells, outputs of a step")
    x_batch: int = meaning("input elements from one sequence to the next")
    x_step: int = meaning("input elements from one step to the next")
    y_batch: int = meaning("output elements from one sequence to the next")
    y_step: int = meaning("output elements from one step to the next")
    cell_clip: float = real_meaning("limit of the cells, 0 for none")


LSTM_F32 = Kernel("nacre_lstm_f32", LstmFloatParams)


def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, Array, Array]:
    layer = attributes(node, Lstm)
    w = np.concatenate([value(values, i) for i in INPUT_WEIGHTS])
    r = np.concatenate([value(values, i) for i in RECURRENT_WEIGHTS])
    bias = np.concatenate([value(values, i) for i in BIASES])
    x = by_step(value(values, X), layer)
    hidden = value(values, HIDDEN).reshape(x.shape[1], -1)
    cell = value(values, CELL).reshape(x.shape[1], -1)
    outputs = []
    for step in x:
        i, f, g, o = np.split(step @ w.T + bias + hidden @ r.T, GATES, axis=1)
        cell = _logistic(f) * cell + _logistic(i) * np.tanh(g)
        if layer.cell_clip > 0:
            cell = np.clip(cell, -layer.cell_clip, layer.cell_clip)
        hidden = (_logistic(o) * np.tanh(cell)).astype(np.float32)
        outputs.append(hidden)
    y = by_step(np.stack(outputs), layer)
    return y, hidden, cell.astype(np.float32)


def _logistic(x: Array) -> Array:
    with np.errstate(over="ignore"):
        result: Array = 1 / (1 + np.exp(-x))
    return result


def lower(node: Node) -> Lowered:
    layer = attributes(node, Lstm)
    size = walk(node, layer)
    w = packed(node, "input_weights", stacked(node, INPUT_WEIGHTS), INPUT_WEIGHTS)
    r = packed(node, "recurrent_weights", stacked(node, RECURRENT_WEIGHTS), RECURRENT_WEIGHTS)
    bias = packed(node, "bias", stacked(node, BIASES), BIASES)
    scratch = Scratch(derived_id(node, "scratch0"), 4 * GATES * size.cells)
    params = LstmFloatParams(
        size.batches, size.steps, size.inputs, size.cells,
        size.x_batch, size.x_step, size.y_batch, size.y_step, layer.cell_clip,
    )  # fmt: skip
    gates = Pointer(scratch.id, DType.FLOAT32, const=False)
    arguments = (
        read(node.input(X)), read(w), read(r), read(bias), write(node.input(HIDDEN)),
        write(node.input(CELL)), write(node.output), params, gates,
    )  # fmt: skip
    return Lowered((Call(LSTM_F32, arguments),), (w, r, bias), (scratch,))
