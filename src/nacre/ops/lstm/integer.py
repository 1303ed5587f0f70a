"""The LSTM on quantized tensors: int8 or int16 values, int8 weights, int16 cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node, Tensor
from nacre.ops.elementwise import value
from nacre.ops.fixedpoint import quantize_multiplier, requantize, requantize_wide, saturate
from nacre.ops.kind import (
    Argument,
    Call,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    attributes,
    derived_id,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.lookup import shared_table
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
from nacre.ops.sigmoid import SIGMOID_TABLE, logistic_int16, scaled_int16, tanh_int16

# Gates are summed in Q3.12 and come out of their functions in Q0.15.
GATE_SCALE, OUTPUT_SCALE = 2.0**-12, 2.0**-15


@dataclass(frozen=True)
class LstmParams(Params):
    c_type: ClassVar[str] = "nacre_lstm_params_t"
    batches: int = meaning("independent sequences")
    steps: int = meaning("steps of a sequence")
    inputs: int = meaning("inputs of a step")
    cells: int = meaning("cells, outputs of a step")
    x_batch: int = meaning("input elements from one sequence to the next")
    x_step: int = meaning("input elements from one step to the next")
    y_batch: int = meaning("output elements from one sequence to the next")
    y_step: int = meaning("output elements from one step to the next")
    input_multiplier: tuple[int, ...] = meanings("scale of x times weights, per gate")
    input_shift: tuple[int, ...] = meanings("see input_multiplier")
    recurrent_multiplier: tuple[int, ...] = meanings("scale of h times weights, per gate")
    recurrent_shift: tuple[int, ...] = meanings("see recurrent_multiplier")
    keep_multiplier: int = meaning("scale of forget gate times cell")
    keep_shift: int = meaning("see keep_multiplier")
    add_multiplier: int = meaning("scale of input gate times cell gate")
    add_shift: int = meaning("see add_multiplier")
    cell_clip: int = meaning("limit of the cells, 0 for none")
    tanh_multiplier: int = meaning("cell * multiplier / 2^shift is in steps of 1 / 12288")
    tanh_shift: int = meaning("see tanh_multiplier")
    hidden_multiplier: int = meaning("scale of output gate times tanh")
    hidden_shift: int = meaning("see hidden_multiplier")
    hidden_offset: int = meaning("zero point of the output")


LSTM_S8 = Kernel("nacre_lstm_s8", LstmParams)
LSTM_S16 = Kernel("nacre_lstm_s16", LstmParams)


def params(node: Node) -> LstmParams:
    layer = attributes(node, Lstm)
    size = walk(node, layer)
    x, hidden, cell = node.input(X), node.input(HIDDEN), node.input(CELL)
    inputs = [_product(x, node.input(i)) for i in INPUT_WEIGHTS]
    recurrent = [_product(hidden, node.input(i)) for i in RECURRENT_WEIGHTS]
    scale = cell.q.scale
    keep = quantize_multiplier(OUTPUT_SCALE * scale / scale)
    add = quantize_multiplier(OUTPUT_SCALE * OUTPUT_SCALE / scale)
    out = quantize_multiplier(OUTPUT_SCALE * OUTPUT_SCALE / hidden.q.scale)
    clip = int(min(layer.cell_clip / scale, 32767.0))
    return LstmParams(
        size.batches, size.steps, size.inputs, size.cells,
        size.x_batch, size.x_step, size.y_batch, size.y_step,
        tuple(m for m, _ in inputs), tuple(s for _, s in inputs),
        tuple(m for m, _ in recurrent), tuple(s for _, s in recurrent),
        *keep, *add, clip, *_tanh_scaling(scale), *out, hidden.q.zero_point,
    )  # fmt: skip


def _product(x: Tensor, weights: Tensor) -> tuple[int, int]:
    """Multiplier and shift to the scale of the gates."""
    return quantize_multiplier(x.q.scale * weights.q.scale / GATE_SCALE)


def _tanh_scaling(scale: float) -> tuple[int, int]:
    """Multiplier and right shift from cells, whose scale is a power of two, to 1 / 12288."""
    excess = round(math.log2(scale)) + 12
    return (3 << excess, 0) if excess >= 0 else (3, -excess)


# --- reference --------------------------------------------------------------------------------


def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, Array, Array]:
    layer, p, kind = attributes(node, Lstm), params(node), node.input(X).dtype
    w = np.stack([value(values, i) for i in INPUT_WEIGHTS]).astype(np.int64)
    r = np.stack([value(values, i) for i in RECURRENT_WEIGHTS]).astype(np.int64)
    bias = np.stack([value(values, i) for i in BIASES]).astype(np.int64)
    x = by_step(value(values, X), layer).astype(np.int64) - node.input(X).q.zero_point
    hidden = value(values, HIDDEN).reshape(x.shape[1], -1)
    cell = value(values, CELL).reshape(x.shape[1], -1).astype(np.int64)
    outputs = []
    for step in x:
        centred = hidden.astype(np.int64) - p.hidden_offset
        gates = [_gate(step @ w[g].T + bias[g], centred @ r[g].T, g, p, kind) for g in range(GATES)]
        i, f, o = (logistic_int16(_in_table_steps(gates[g])).astype(np.int64) for g in (0, 1, 3))
        c = tanh_int16(_in_table_steps(gates[2])).astype(np.int64)
        cell = _updated(cell, i, f, c, p)
        squashed = tanh_int16(scaled_int16(cell, p.tanh_multiplier, p.tanh_shift))
        scaled = requantize(squashed.astype(np.int64) * o, p.hidden_multiplier, p.hidden_shift)
        hidden = saturate(scaled + p.hidden_offset, kind)
        outputs.append(hidden)
    return by_step(np.stack(outputs), layer), hidden, cell.astype(np.int16)


def _gate(inputs: Array, recurrent: Array, gate: int, p: LstmParams, kind: DType) -> Array:
    scale = requantize if kind is DType.INT8 else requantize_wide
    a = narrow(scale(inputs, p.input_multiplier[gate], p.input_shift[gate]))
    b = narrow(scale(recurrent, p.recurrent_multiplier[gate], p.recurrent_shift[gate]))
    return narrow(a + b)


def _updated(cell: Array, i: Array, f: Array, c: Array, p: LstmParams) -> Array:
    kept = narrow(requantize(f * cell, p.keep_multiplier, p.keep_shift))
    added = narrow(requantize(i * c, p.add_multiplier, p.add_shift))
    cell = narrow(kept + added)
    return cell if p.cell_clip == 0 else np.clip(cell, -p.cell_clip, p.cell_clip)


def _in_table_steps(gate: Array) -> Array:
    """Q3.12 in steps of 1 / 12288."""
    return gate * 3


def narrow(x: Array) -> Array:
    return saturate(x, DType.INT16).astype(np.int64)


# --- lowering ---------------------------------------------------------------------------------


def lower(node: Node) -> Lowered:
    packed_gates = constants(node)
    table = shared_table("sigmoid", SIGMOID_TABLE)
    p = params(node)
    scratch = Scratch(derived_id(node, "scratch0"), 2 * GATES * p.cells)
    gates = Pointer(scratch.id, DType.INT16, const=False)
    arguments: tuple[Argument, ...] = (
        read(node.input(X)), *(read(t) for t in packed_gates), read(table),
        write(node.input(HIDDEN)), write(node.input(CELL)), write(node.output), p, gates,
    )  # fmt: skip
    kernel = LSTM_S8 if node.input(X).dtype is DType.INT8 else LSTM_S16
    return Lowered((Call(kernel, arguments),), (*packed_gates, table), (scratch,))


def constants(node: Node) -> tuple[Tensor, ...]:
    """Weights and biases of the four gates; zero points are folded into the biases."""
    w, r = stacked(node, INPUT_WEIGHTS), stacked(node, RECURRENT_WEIGHTS)
    dtype = np.int32 if node.input(X).dtype is DType.INT8 else np.int64
    bias = stacked(node, BIASES).astype(np.int64)
    folded = bias - node.input(X).q.zero_point * w.astype(np.int64).sum(axis=1)
    recurrent = -node.input(HIDDEN).q.zero_point * r.astype(np.int64).sum(axis=1)
    return (
        packed(node, "input_weights", w, INPUT_WEIGHTS),
        packed(node, "recurrent_weights", r, RECURRENT_WEIGHTS),
        packed(node, "bias", folded.astype(dtype), BIASES),
        packed(node, "recurrent_bias", recurrent.astype(dtype), ()),
    )
