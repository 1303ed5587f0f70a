"""LOG_SOFTMAX: logarithms of the softmax along the last axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.boxes import vector_box
from nacre.ops.elementwise import (
    call_each,
    in_place,
    infer_same,
    plain_rule,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import (
    quantize_multiplier,
    requantize,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)
from nacre.ops.kind import Kernel, Lowered, LowerOptions, OpKind, Params, meaning, read
from nacre.ops.lookup import input_radius, shared_table
from nacre.ops.softmax import exponentials, input_multiplier, input_objection
from nacre.ops.transcendental import log

OUTPUT_SCALE, ZERO_POINT = 16 / 256, 127


@dataclass(frozen=True)
class LogSoftmax(Attributes):
    """y = x - log(sum exp(x)) over the last axis."""


@dataclass(frozen=True)
class LogSoftmaxParams(Params):
    c_type: ClassVar[str] = "nacre_log_softmax_params_t"
    depth: int = meaning("values whose exponentials are added")
    entries: int = meaning("exponentials in the table")
    multiplier: int = meaning("scales differences to Q5.26")
    shift: int = meaning("see multiplier")
    smallest: int = meaning("differences below are out of range")
    reverse_multiplier: int = meaning("scales Q5.26 to differences")
    reverse_shift: int = meaning("see reverse_multiplier")


LOG_SOFTMAX_S8 = Kernel("nacre_log_softmax_s8", LogSoftmaxParams)
LOG_SOFTMAX_F32 = Kernel("nacre_log_softmax_f32")


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    objection = refuse_types(node, [(k, k) for k in (DType.INT8, DType.FLOAT32)])
    if objection is not None:
        return objection
    if not x.shape or 0 in x.shape:
        return f"the input is {list(x.shape)}; supported: at least one dimension, none empty"
    if x.dtype is DType.FLOAT32:
        return None
    if y.q.scale != OUTPUT_SCALE or y.q.zero_point != ZERO_POINT:
        return (
            f"the output has scale {y.q.scale:g} and zero point {y.q.zero_point}; "
            f"supported: {OUTPUT_SCALE:g} and {ZERO_POINT}"
        )
    return input_objection(x, 1.0)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    rows = x.reshape(-1, x.shape[-1])
    if x.dtype == np.float32:
        below = rows - rows.max(axis=1, keepdims=True)
        result = below - np.log(np.exp(below).sum(axis=1, keepdims=True))
        return (result.astype(np.float32).reshape(x.shape),)
    return (_reference_int8(node.input(0), rows).reshape(x.shape),)


def _reference_int8(x: Tensor, rows: Array) -> Array:
    p = _params(x)
    table = exponentials(x, 1.0).astype(np.int64)
    wide = rows.astype(np.int64)
    below = wide - wide.max(axis=1, keepdims=True)
    powers = np.where(-below < p.entries, table[np.minimum(-below, p.entries - 1)], 0)
    total = rounding_divide_by_pot(powers, 12).sum(axis=1, keepdims=True)
    logarithm = log(total)
    limit = requantize(logarithm - (1 << 31), p.reverse_multiplier, p.reverse_shift)
    inside = below > np.maximum(p.smallest, limit)
    scaled = saturating_rounding_doubling_high_mul(
        np.where(inside, below, 0) << p.shift, p.multiplier
    )
    result = rounding_divide_by_pot(scaled - logarithm, 22) + ZERO_POINT
    return np.where(inside, np.clip(result, -128, 127), -128).astype(np.int8)


def _params(x: Tensor) -> LogSoftmaxParams:
    multiplier, shift = input_multiplier(x, 1.0)
    reverse_multiplier, reverse_shift = quantize_multiplier((1 << (31 - shift)) / multiplier)
    radius = input_radius(5, shift)
    return LogSoftmaxParams(
        depth=x.shape[-1], entries=min(255, radius) + 1, multiplier=multiplier, shift=shift,
        smallest=-radius - 1, reverse_multiplier=reverse_multiplier, reverse_shift=reverse_shift,
    )  # fmt: skip


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    if x.dtype is DType.FLOAT32:
        return Lowered((call_each(LOG_SOFTMAX_F32, x, y, x.shape[-1]),))
    table = shared_table("exp", exponentials(x, 1.0))
    return Lowered((call_each(LOG_SOFTMAX_S8, x, y, read(table), _params(x)),), (table,))


LOG_SOFTMAX = OpKind(
    type="LOG_SOFTMAX",
    attributes=LogSoftmax,
    summary="Logarithms of the softmax along the last axis, any rank.",
    supports=("int8", "float32"),
    tflite={"LOG_SOFTMAX": plain_rule(LogSoftmax(), 1)},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(LOG_SOFTMAX_S8, LOG_SOFTMAX_F32),
    in_place=in_place,
    rows=same_rows,
    box=vector_box,
)
