"""FULLY_CONNECTED on Helium: eight outputs at a time."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.fully_connected.integer import FullyConnectedParams, fc_params, multipliers_of
from nacre.ops.fully_connected.layer import FullyConnected, batches, bias_as, constant
from nacre.ops.kind import (
    Call,
    Estimate,
    Kernel,
    Lowered,
    Pointer,
    Variant,
    attributes,
    read,
    write,
)

FC_S8_MVE = Kernel(
    "nacre_fully_connected_s8_mve", FullyConnectedParams, helpers=("nacre_rows_s8_mve",), isa="mve"
)
# Outputs of a block, elements of a step, outputs whose scales lie together.
BLOCK, STEP, GROUP = 8, 16, 4


def objection(node: Node) -> str | None:
    layer, w = attributes(node, FullyConnected), node.input(1)
    if {node.input(0).dtype, w.dtype, node.output.dtype} != {DType.INT8} or layer.real_scales:
        return "int8 with scales in fixed point alone"
    if layer.once:
        return "for results that are rounded twice"
    if not layer.offset_in_bias or w.q.zero_point != 0:
        return "an offset of input or weights is not in the bias"
    return None


def estimate(node: Node) -> Estimate:
    outputs, inputs = node.input(1).shape
    block = 18 * -(-inputs // STEP) + 50
    return Estimate(batches(node) * (60 + -(-outputs // BLOCK) * block), code_bytes=1250)


def lower(node: Node) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    packed = stream_of(w.constant, bias_as(node, DType.INT32).constant)
    stream = constant(node, "stream", w.name, packed, (w.id,))
    scales = requant_of(*multipliers_of(node))
    requant = constant(node, "requant", f"{y.name} requantization", scales)
    weights = Pointer(stream.id, stream.dtype, alignment=4)
    call = Call(FC_S8_MVE, (read(x), weights, read(requant), write(y), fc_params(node)))
    return Lowered((call,), (stream, requant))


def stream_of(weights: Array, biases: Array) -> Array:
    """[blocks][8 biases, then steps of 8 x 16 weights, the last step first] in bytes."""
    outputs, inputs = weights.shape
    blocks, steps = -(-outputs // BLOCK), -(-inputs // STEP)
    w = np.zeros((blocks * BLOCK, steps * STEP), np.int8)
    w[:outputs, :inputs] = weights
    bias = np.zeros(blocks * BLOCK, "<i4")
    bias[:outputs] = biases
    parts = np.roll(w.reshape(blocks, BLOCK, steps, STEP).transpose(0, 2, 1, 3), 1, axis=1)
    starts = bias.view(np.int8).reshape(blocks, -1)
    return np.concatenate([starts, parts.reshape(blocks, -1)], axis=1)


def requant_of(multiplier: Array, shift: Array) -> Array:
    """Left shifts, multipliers and right shifts of four outputs at a time, or of all."""
    if len(multiplier) == 1:
        multiplier, shift = multiplier.repeat(GROUP), shift.repeat(GROUP)
    rest = -len(multiplier) % GROUP
    m, s = np.pad(multiplier, (0, rest)), np.pad(shift, (0, rest))
    rows = [v.reshape(-1, GROUP) for v in (np.maximum(s, 0), m, np.minimum(s, 0))]
    return np.concatenate(rows, axis=1).astype(np.int32)


VARIANTS = (Variant("fully_connected_s8_mve", "mve", objection, estimate, lower, (FC_S8_MVE,)),)
