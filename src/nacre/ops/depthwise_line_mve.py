"""DEPTHWISE_CONV_2D on Helium: kernels of one column or one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic
from nacre.ops.convolution_calls import constant
from nacre.ops.depthwise_mve import FARTHEST, numbers, output_stage
from nacre.ops.fixedpoint import activation_range
from nacre.ops.kind import (
    Call,
    Estimate,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    Span,
    Variant,
    attributes,
    derived_id,
    meaning,
    read,
    write,
)

# Weights of a record; those that are moved on by up to three bytes must still fit.
TAPS, MOST_TAPS = 16, 13
# Outputs of a turn; room behind a line.
TURN, BEHIND = 8, 16
# Bytes of lines that are worth reading several channels at once.
MOST_LINES = 1024


@dataclass(frozen=True)
class DepthwiseLineParams(Params):
    c_type: ClassVar[str] = "nacre_depthwise_line_mve_params_t"
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    channels: int = meaning("channels")
    output_w: int = meaning("output columns")
    kernel_h: int = meaning("kernel rows")
    kernel_w: int = meaning("kernel columns")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    pad_value: int = meaning("what the padding holds: the input's zero point")
    group: int = meaning("channels that are read together")
    general: int = meaning("output stage, 0: saturated above -128, 1: any, 2: saturated")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


LINE = Kernel(
    "nacre_depthwise_line_s8_mve", DepthwiseLineParams,
    helpers=("nacre_plane_line_s8_mve", "nacre_spread_mve"), isa="mve",
)  # fmt: skip


def _objection(node: Node) -> str | None:
    conv, x, w, y = attributes(node, Sliding), node.input(0), node.input(1), node.output
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if 1 not in w.shape[1:3] or w.shape[1] * w.shape[2] > MOST_TAPS:
        return f"for kernels of one row or column and at most {MOST_TAPS} taps"
    if (conv.stride_h, conv.stride_w, conv.dilation_h, conv.dilation_w) != (1, 1, 1, 1):
        return "for stride 1 without dilation"
    if conv.once:
        return "for results that are rounded twice"
    if w.shape[3] != x.shape[3]:
        return "for as many output as input channels"
    widest = max(x.shape[2] * x.shape[3], y.shape[2] * y.shape[3])
    if TURN * widest > FARTHEST:
        return f"rows of {widest} bytes; at most {FARTHEST // TURN}"
    return None


def _lines(node: Node) -> tuple[int, int]:
    """Turns of a line, and lines."""
    height, width = node.output.shape[1:3]
    along, lines = (height, width) if node.input(1).shape[1] > 1 else (width, height)
    return -(-along // TURN), lines


def _plane(node: Node) -> int:
    turns, lines = _lines(node)
    return (TURN * turns + BEHIND) * lines


def _group(node: Node) -> int:
    most = min(node.output.shape[3], max(1, MOST_LINES // _plane(node)))
    return max(g for g in (1, 2, 4, 8) if g <= most)


def _estimate(node: Node) -> Estimate:
    turns, lines = _lines(node)
    channels, x = node.output.shape[3], node.input(0)
    spread = 5 * x.shape[1] * x.shape[2] // 8 + (12 * lines + 60) // _group(node)
    plane = lines * (turns * 34 + 12) + 40
    return Estimate(x.shape[0] * channels * (plane + spread) + 400, code_bytes=1700)


def _records(node: Node, general: bool) -> Array:
    """Per channel: 4 zeros, 16 weights, then its numbers."""
    channels, taps = node.output.shape[3], node.input(1).elements // node.output.shape[3]
    weights = np.zeros((channels, 4 + TAPS), np.int8)
    weights[:, 4 : 4 + taps] = node.input(1).constant.reshape(taps, channels).T
    return np.concatenate([weights, numbers(node, general).view(np.int8)], axis=1)


def _lower(node: Node) -> Lowered:
    x, w, y, conv = node.input(0), node.input(1), node.output, attributes(node, Sliding)
    general = output_stage(node, conv.activation)
    low, high = activation_range(conv.activation, y)
    records = constant(node, "weights", _records(node, general > 0), w)
    turns, lines = _lines(node)
    room = Scratch(derived_id(node, "scratch0"), _group(node) * _plane(node) + 4 * turns * lines)
    params = DepthwiseLineParams(
        input_h=x.shape[1], input_w=x.shape[2], channels=x.shape[3], output_w=y.shape[2],
        kernel_h=w.shape[1], kernel_w=w.shape[2], pad_top=conv.pad_top, pad_left=conv.pad_left,
        pad_value=x.q.zero_point, group=_group(node), general=general,
        output_offset=y.q.zero_point, activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip
    image, made = x.size // x.shape[0], y.size // y.shape[0]
    calls = [
        Call(
            LINE,
            (
                read(x, n * image), Pointer(records.id, DType.INT8, alignment=4),
                write(y, n * made), params, Span(0, y.shape[1]),
                Pointer(room.id, DType.INT8, const=False, alignment=4),
            ),
        )
        for n in range(x.shape[0])
    ]  # fmt: skip
    replaces = 0 if x.shape[0] == 1 and y.size <= x.size else None
    return Lowered(
        tuple(calls), (records,), (room,), in_place=(), row_wise=False, replaces=replaces,
        pitch=x.shape[3],
    )  # fmt: skip


VARIANTS = (Variant("depthwise_line_s8_mve", "mve", _objection, _estimate, _lower, (LINE,)),)
