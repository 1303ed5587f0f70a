"""DEPTHWISE_CONV_2D on Helium: 3x3, channel by channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic, multipliers
from nacre.ops.convolution_calls import constant
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
from nacre.ops.tile_mve import is_general

# What 16-bit distances between outputs, inputs and planes can be.
FARTHEST = (1 << 16) - 1
# Planes of few columns are filled for several channels at once.
GROUPS = ((16, 4), (32, 2))


@dataclass(frozen=True)
class DepthwiseMveParams(Params):
    c_type: ClassVar[str] = "nacre_depthwise_mve_params_t"
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    channels: int = meaning("channels")
    output_w: int = meaning("output columns")
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


@dataclass(frozen=True)
class _Form:
    """A kernel: its stride, patches of a turn, outputs of a patch in each direction."""

    kernel: Kernel
    stride: int
    turn: int
    wide: int


STRIDE_1 = _Form(
    Kernel(
        "nacre_depthwise_3x3_s8_mve", DepthwiseMveParams,
        ("nacre_plane_3x3_s8_mve", "nacre_spread_mve"), isa="mve",
    ),
    stride=1, turn=2, wide=2,
)  # fmt: skip
STRIDE_2 = _Form(
    Kernel(
        "nacre_depthwise_3x3_stride2_s8_mve", DepthwiseMveParams,
        ("nacre_plane_3x3_stride2_s8_mve", "nacre_spread_mve"), isa="mve",
    ),
    stride=2, turn=8, wide=1,
)  # fmt: skip


def _objection(node: Node, form: _Form) -> str | None:
    conv, x, w, y = attributes(node, Sliding), node.input(0), node.input(1), node.output
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if w.shape[1:3] != (3, 3) or (conv.dilation_h, conv.dilation_w) != (1, 1):
        return "for kernels of 3x3 without dilation"
    if (conv.stride_h, conv.stride_w) != (form.stride, form.stride):
        return f"for stride {form.stride}"
    if conv.once:
        return "for results that are rounded twice"
    if w.shape[3] != x.shape[3]:
        return "for as many output as input channels"
    widest = max(8 * x.shape[3], (y.shape[2] + 4) * y.shape[3])
    if widest > FARTHEST:
        return f"rows of {y.shape[2] * y.shape[3]} bytes; at most 65535"
    return None


def _turns(node: Node, form: _Form) -> tuple[int, int]:
    """Turns of a row and rows of patches, the longer way across."""
    height, width = node.output.shape[1:3]
    across, down = max(height, width), min(height, width)
    return -(-across // (form.turn * form.wide)), -(-down // form.wide)


def _group(node: Node) -> int:
    channels, across = node.output.shape[3], max(node.output.shape[1:3])
    wanted = next((group for columns, group in GROUPS if across <= columns), 1)
    return max(g for g in (1, 2, 4) if g <= min(wanted, channels))


def _estimate(node: Node, form: _Form) -> Estimate:
    turns, rows = _turns(node, form)
    channels, x = node.output.shape[3], node.input(0)
    spread = (5 * x.shape[1] * x.shape[2]) // 8 + 14 * min(x.shape[1:3]) // _group(node)
    turn = 29 if form.stride == 1 else 35
    plane = rows * (turns * turn + 16) + 80
    return Estimate(x.shape[0] * channels * (plane + spread) + 600, code_bytes=1800)


def _scratch_bytes(node: Node, form: _Form) -> int:
    """Planes of a group and a mask per turn, whichever way the planes lie."""
    height, width = node.output.shape[1:3]
    found = 0
    for across, down in ((height, width), (width, height)):
        turns, rows = -(-across // (form.turn * form.wide)), -(-down // form.wide)
        plane = 4 * (form.turn * turns + 1) * (rows + 1)
        found = max(found, _group(node) * plane + 4 * rows * turns)
    return found


def output_stage(node: Node, activation: str) -> int:
    """The output stage: 0 saturates above -128, 2 saturates, 1 clamps and may shift left."""
    y, shift = node.output, multipliers(node)[1]
    if not is_general(y, activation, shift):
        return 0
    saturates = activation_range(activation, y) == (-128, 127)
    return 2 if saturates and not bool((shift > 0).any()) else 1


def numbers(node: Node, general: bool) -> Array:
    """Per channel: bias, multiplier, right shift; left shift and tie for the general form."""
    multiplier, shift = multipliers(node)
    right = np.minimum(shift, 0)
    words = [node.input(2).constant, multiplier, right]
    if general:
        words += [np.maximum(shift, 0), right < 0]
    return np.stack(words, axis=1).astype("<i4")


def _records(node: Node, general: bool) -> Array:
    """Per channel: 9 weights, 3 zeros, then its numbers."""
    channels = node.output.shape[3]
    weights = np.zeros((channels, 12), np.int8)
    weights[:, :9] = node.input(1).constant.reshape(9, channels).T
    return np.concatenate([weights, numbers(node, general).view(np.int8)], axis=1)


def _lower(node: Node, form: _Form) -> Lowered:
    x, y, conv = node.input(0), node.output, attributes(node, Sliding)
    general = output_stage(node, conv.activation)
    low, high = activation_range(conv.activation, y)
    records = constant(node, "weights", _records(node, general > 0), node.input(1))
    room = Scratch(derived_id(node, "scratch0"), _scratch_bytes(node, form))
    params = DepthwiseMveParams(
        input_h=x.shape[1], input_w=x.shape[2], channels=x.shape[3], output_w=y.shape[2],
        pad_top=conv.pad_top, pad_left=conv.pad_left, pad_value=x.q.zero_point,
        group=_group(node), general=general, output_offset=y.q.zero_point,
        activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip
    image, made = x.size // x.shape[0], y.size // y.shape[0]
    calls = [
        Call(
            form.kernel,
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


def _variant(form: _Form) -> Variant:
    return Variant(
        form.kernel.name.removeprefix("nacre_"),
        "mve",
        lambda node: _objection(node, form),
        lambda node: _estimate(node, form),
        lambda node: _lower(node, form),
        (form.kernel,),
    )


VARIANTS = (_variant(STRIDE_1), _variant(STRIDE_2))
