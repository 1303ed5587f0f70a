"""The int8 LSTM as LiteRT computes it: logistic and tanh by series in 16 bits, not by a table.

Their values are int64 arrays that hold int16 numbers with m integer and 15 - m fraction bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.elementwise import value
from nacre.ops.fixedpoint import (
    quantize_multiplier,
    requantize,
    rounding_divide_by_pot,
    saturate,
)
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
from nacre.ops.lstm.integer import GATE_SCALE, OUTPUT_SCALE, constants, narrow
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
    walk,
)

ONE = 32767


@dataclass(frozen=True)
class LstmSeriesParams(Params):
    c_type: ClassVar[str] = "nacre_lstm_series_params_t"
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
    cell_bits: int = meaning("integer bits of the cells")
    cell_clip: int = meaning("limit of the cells, 0 for none")
    hidden_multiplier: int = meaning("scale of output gate times tanh")
    hidden_shift: int = meaning("see hidden_multiplier")
    hidden_offset: int = meaning("zero point of the output")


LSTM_SERIES_S8 = Kernel("nacre_lstm_series_s8", LstmSeriesParams)


def cell_bits(scale: float) -> int:
    """Integer bits of cells whose scale is a power of two."""
    return 15 + round(math.log2(scale))


def params(node: Node) -> LstmSeriesParams:
    """Scales are multiplied and divided in float32."""
    layer = attributes(node, Lstm)
    size = walk(node, layer)
    x, hidden, cell = node.input(X), node.input(HIDDEN), node.input(CELL)
    inputs = [_product(node.input(i).q.scale, x.q.scale) for i in INPUT_WEIGHTS]
    recurrent = [_product(node.input(i).q.scale, hidden.q.scale) for i in RECURRENT_WEIGHTS]
    unit = np.float32(OUTPUT_SCALE)
    out = quantize_multiplier(float(unit / np.float32(hidden.q.scale) * unit))
    clip = int(min(np.float32(layer.cell_clip) / np.float32(cell.q.scale), np.float32(ONE)))
    return LstmSeriesParams(
        size.batches, size.steps, size.inputs, size.cells,
        size.x_batch, size.x_step, size.y_batch, size.y_step,
        tuple(m for m, _ in inputs), tuple(s for _, s in inputs),
        tuple(m for m, _ in recurrent), tuple(s for _, s in recurrent),
        cell_bits(cell.q.scale), clip, *out, hidden.q.zero_point,
    )  # fmt: skip


def _product(a: float, b: float) -> tuple[int, int]:
    return quantize_multiplier(float(np.float32(a) * np.float32(b) / np.float32(GATE_SCALE)))


# --- reference --------------------------------------------------------------------------------


def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, Array, Array]:
    layer, p = attributes(node, Lstm), params(node)
    w = np.stack([value(values, i) for i in INPUT_WEIGHTS]).astype(np.int64)
    r = np.stack([value(values, i) for i in RECURRENT_WEIGHTS]).astype(np.int64)
    bias = np.stack([value(values, i) for i in BIASES]).astype(np.int64)
    x = by_step(value(values, X), layer).astype(np.int64) - node.input(X).q.zero_point
    hidden = value(values, HIDDEN).reshape(x.shape[1], -1)
    cell = value(values, CELL).reshape(x.shape[1], -1).astype(np.int64)
    outputs = []
    for step in x:
        centred = hidden.astype(np.int64) - p.hidden_offset
        gates = [_gate(step @ w[g].T + bias[g], centred @ r[g].T, g, p) for g in range(GATES)]
        cell = _updated(cell, gates, p)
        product = logistic(gates[3]) * tanh(cell, p.cell_bits)
        scaled = requantize(product, p.hidden_multiplier, p.hidden_shift)
        hidden = saturate(scaled + p.hidden_offset, DType.INT8)
        outputs.append(hidden)
    return by_step(np.stack(outputs), layer), hidden, cell.astype(np.int16)


def _gate(inputs: Array, recurrent: Array, gate: int, p: LstmSeriesParams) -> Array:
    first = narrow(requantize(inputs, p.input_multiplier[gate], p.input_shift[gate]))
    second = requantize(recurrent, p.recurrent_multiplier[gate], p.recurrent_shift[gate])
    return narrow(first + second)


def _updated(cell: Array, gates: list[Array], p: LstmSeriesParams) -> Array:
    kept = rounding_divide_by_pot(logistic(gates[1]) * cell, 15)
    added = rounding_divide_by_pot(logistic(gates[0]) * tanh(gates[2], 3), 15 + p.cell_bits)
    total = narrow(narrow(kept) + narrow(added))
    return total if p.cell_clip == 0 else np.clip(total, -p.cell_clip, p.cell_clip)


# --- lowering ---------------------------------------------------------------------------------


def lower(node: Node) -> Lowered:
    packed, p = constants(node), params(node)
    scratch = Scratch(derived_id(node, "scratch0"), 2 * GATES * p.cells)
    gates = Pointer(scratch.id, DType.INT16, const=False)
    arguments: tuple[Argument, ...] = (
        read(node.input(X)), *(read(t) for t in packed), write(node.input(HIDDEN)),
        write(node.input(CELL)), write(node.output), p, gates,
    )  # fmt: skip
    return Lowered((Call(LSTM_SERIES_S8, arguments),), packed, (scratch,))


# --- logistic and tanh --------------------------------------------------------------------------


def _constant(real: float, fraction_bits: int = 15) -> int:
    """A constant rounded to 32 bits first, then to 16, halves away from zero."""
    wide = math.floor(abs(real) * 2.0 ** (fraction_bits + 16) + 0.5)
    narrow = min((wide + (1 << 15)) >> 16, ONE)
    return narrow if real >= 0 else -narrow


# exp(-2^k) for the binary digits of the exponent from 2^-2 to 2^4.
_EXP_OF_DIGITS = tuple((k, _constant(math.exp(-(2.0**k)))) for k in range(-2, 5))
_EXP_MINUS_EIGHTH, _ONE_THIRD = _constant(math.exp(-1 / 8)), _constant(1 / 3)
_NEWTON_CONSTANT, _NEWTON_SLOPE = _constant(48 / 17, 13), _constant(-32 / 17, 13)


def _multiply(a: Array, b: Array | int) -> Array:
    product: Array = np.minimum((np.asarray(a, np.int64) * b + (1 << 14)) >> 15, ONE)
    return product


def _shift_left(a: Array, bits: int) -> Array:
    shifted: Array = np.clip(a << bits, -32768, ONE)
    return shifted


def _exp_of_negative(a: Array, integer_bits: int) -> Array:
    """exp(a) with 15 fraction bits for a <= 0."""
    fraction_bits = 15 - integer_bits
    quarter = 1 << (fraction_bits - 2)
    below = (a & (quarter - 1)) - quarter
    result = _exp_near_zero(_shift_left(below, integer_bits))
    remainder = below - a
    for power, factor in _EXP_OF_DIGITS:
        if power < integer_bits:
            has_digit = (remainder & (1 << (fraction_bits + power))) != 0
            result = np.where(has_digit, _multiply(result, factor), result)
    if integer_bits > 5:
        result = np.where(a < -(1 << (fraction_bits + 5)), 0, result)
    return np.where(a == 0, ONE, result)


def _exp_near_zero(a: Array) -> Array:
    x = a + (1 << 12)
    x2 = _multiply(x, x)
    x3 = _multiply(x2, x)
    x4 = _multiply(x2, x2)
    cubic = _multiply(rounding_divide_by_pot(x4, 2) + x3, _ONE_THIRD)
    tail = rounding_divide_by_pot(cubic + x2, 1)
    return _EXP_MINUS_EIGHTH + _multiply(x + tail, _EXP_MINUS_EIGHTH)


def _reciprocal_of_half_sum(a: Array) -> Array:
    """1 / ((1 + a) / 2) with 13 fraction bits."""
    half = (a + ONE + 1) // 2
    x = _NEWTON_CONSTANT + _multiply(half, _NEWTON_SLOPE)
    for _ in range(3):
        error = (1 << 13) - _multiply(half, x)
        x = x + _shift_left(_multiply(x, error), 2)
    return x


def logistic(a: Array) -> Array:
    """For a with 3 integer bits, in Q0.15."""
    positive = _shift_left(_reciprocal_of_half_sum(_exp_of_negative(-np.abs(a), 3)), 1)
    result = np.where(a > 0, positive, ONE - positive)
    return np.where(a == 0, 1 << 14, result)


def tanh(a: Array, integer_bits: int) -> Array:
    """In Q0.15."""
    # 2a with one more integer bit has the bits of a.
    x = _reciprocal_of_half_sum(_exp_of_negative(-np.abs(a), integer_bits + 1))
    magnitude = _shift_left(x - (1 << 13), 2)
    return np.where(a == 0, 0, np.where(a < 0, -magnitude, magnitude))
