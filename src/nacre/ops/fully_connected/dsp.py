"""FULLY_CONNECTED on cores with the DSP extension: four outputs at a time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops import dsp
from nacre.ops.fixedpoint import activation_range
from nacre.ops.fully_connected.integer import FullyConnectedParams, fc_params, multipliers_of
from nacre.ops.fully_connected.layer import FullyConnected, batches, bias_as, constant
from nacre.ops.kind import Call, Estimate, Kernel, Lowered, Variant, attributes, read, write

FC_S8_DSP = Kernel("nacre_fully_connected_s8_dsp", FullyConnectedParams, isa="dsp")
FC_WIDE_S8_DSP = Kernel("nacre_fully_connected_wide_s8_dsp", FullyConnectedParams, isa="dsp")


def objection(node: Node) -> str | None:
    return _objection(node, wide=False)


def wide_objection(node: Node) -> str | None:
    return _objection(node, wide=True)


def lower(node: Node) -> Lowered:
    return _lower(node, wide=False)


def lower_wide(node: Node) -> Lowered:
    return _lower(node, wide=True)


def _objection(node: Node, wide: bool) -> str | None:
    layer, w, y = attributes(node, FullyConnected), node.input(1), node.output
    if {node.input(0).dtype, w.dtype, y.dtype} != {DType.INT8} or layer.real_scales:
        return "int8 with scales in fixed point alone"
    if not layer.offset_in_bias or w.q.zero_point != 0:
        return "an offset of input or weights is not in the bias"
    if w.shape[1] < 4:
        return "four inputs or more"
    return dsp.objection(_channels(node), wide)


def _lower(node: Node, wide: bool) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    scale = dsp.scales(_channels(node))
    packed = _pack(node, dsp.left_shifts(scale, wide), wide)
    stream = constant(node, "stream", w.name, packed, (w.id,))
    table = (
        np.pad(scale.table, ((0, -w.shape[0] % 4), (0, 0))) if w.q.per_channel else scale.table[:1]
    )
    requant = constant(node, "requant", f"{y.name} requantization", table)
    kernel = FC_WIDE_S8_DSP if wide else FC_S8_DSP
    call = Call(kernel, (read(x), read(stream), read(requant), write(y), fc_params(node)))
    return Lowered((call,), (stream, requant))


def _pack(node: Node, left: Array, wide: bool) -> Array:
    """int32 [fours of outputs, words]: biases, weights four inputs at a time."""
    rest = -len(left) % 4
    bias = np.pad(dsp.wrapped(_channels(node).bias << left), (0, rest)).reshape(-1, 4)
    weights = node.input(1).constant.astype(np.int64) << left[:, None]
    taps = dsp.fours(np.pad(weights, ((0, rest), (0, 0))))
    blocks = taps.reshape(len(bias), 4, -1, 4).swapaxes(1, 2)
    spelled = (dsp.wide_words if wide else dsp.words)(blocks)
    return np.concatenate([bias, spelled.reshape(len(bias), -1)], axis=1)


def _channels(node: Node) -> dsp.Channels:
    w, y = node.input(1), node.output
    multiplier, shift = (np.broadcast_to(a, w.shape[:1]) for a in multipliers_of(node))
    clamp = activation_range(attributes(node, FullyConnected).activation, y)
    bias = bias_as(node, DType.INT32).constant
    found = dsp.channels(bias, w.constant, (multiplier, shift), clamp, y)
    return replace(found, shared=not w.q.per_channel)


def _estimate(node: Node, wide: bool) -> Estimate:
    w = node.input(1)
    four = (13 if wide else 20) * -(-w.shape[1] // 4) + 100
    return Estimate(batches(node) * -(-w.shape[0] // 4) * four, 1000 if wide else 1250)


VARIANTS = (
    Variant(
        "fully_connected_s8_dsp", "dsp", objection, lambda node: _estimate(node, wide=False), lower,
        (FC_S8_DSP,),
    ),
    Variant(
        "fully_connected_wide_s8_dsp", "dsp", wide_objection,
        lambda node: _estimate(node, wide=True), lower_wide, (FC_WIDE_S8_DSP,), speed_only=True,
    ),
)  # fmt: skip
