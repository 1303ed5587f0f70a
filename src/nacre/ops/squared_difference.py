"""SQUARED_DIFFERENCE: square of the difference of two tensors, with broadcasting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    call_broadcast,
    in_place,
    infer_broadcast,
    plain_rule,
    refuse_dimensions,
    refuse_scales,
    refuse_types,
    refuse_zero_scales,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import Kernel, Lowered, LowerOptions, OpKind, Params, meaning


@dataclass(frozen=True)
class SquaredDifference(Attributes):
    """(a - b)^2."""


@dataclass(frozen=True)
class SquaredDifferenceParams(Params):
    c_type: ClassVar[str] = "nacre_squared_difference_params_t"
    left_shift: int = meaning("bits of fraction in the difference")
    first_offset: int = meaning("minus the zero point of the first input")
    first_multiplier: int = meaning("fraction of its multiplier")
    first_shift: int = meaning("power of two of its multiplier")
    second_offset: int = meaning("minus the zero point of the second input")
    second_multiplier: int = meaning("fraction of its multiplier")
    second_shift: int = meaning("power of two of its multiplier")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    output_offset: int = meaning("zero point of the output")
    low: int = meaning("lower clamp")
    high: int = meaning("upper clamp")


QUANTIZED = {
    DType.INT8: Kernel("nacre_squared_difference_s8", SquaredDifferenceParams),
    DType.INT16: Kernel("nacre_squared_difference_s16", SquaredDifferenceParams),
}
PLAIN = {
    DType.FLOAT32: Kernel("nacre_squared_difference_f32"),
    DType.INT32: Kernel("nacre_squared_difference_s32"),
}
# Bits of fraction that the difference carries; its square must fit 32 bits.
LEFT_SHIFT = {DType.INT8: 7, DType.INT16: 0}


def _check(node: Node) -> str | None:
    return (
        refuse_types(node, [(t, t, t) for t in (*PLAIN, *QUANTIZED)])
        or refuse_scales(node)
        or refuse_zero_scales(node)
        or refuse_dimensions(node)
    )


def _multipliers(node: Node) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
    """Of the inputs to twice the larger input scale, and of the square to the output."""
    a, b, y = node.input(0).q.scale, node.input(1).q.scale, node.output.q.scale
    twice = 2 * max(a, b)
    output = twice * twice / ((1 << (2 * LEFT_SHIFT[node.output.dtype])) * y)
    return (
        quantize_multiplier(a / twice),
        quantize_multiplier(b / twice),
        quantize_multiplier(output),
    )


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    a, b, y = value(values, 0), value(values, 1), node.output
    if y.dtype in PLAIN:
        return (np.square(a - b),)
    left, (first, second, output) = LEFT_SHIFT[y.dtype], _multipliers(node)
    x = requantize((a.astype(np.int64) - node.input(0).q.zero_point) << left, *first)
    z = requantize((b.astype(np.int64) - node.input(1).q.zero_point) << left, *second)
    square = np.square(x - z).astype(np.int32)
    return (saturate(requantize(square, *output) + y.q.zero_point, y.dtype),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    a, b, y = node.input(0), node.input(1), node.output
    if y.dtype in PLAIN:
        return Lowered((call_broadcast(PLAIN[y.dtype], a, b, y),))
    first, second, output = _multipliers(node)
    params = SquaredDifferenceParams(
        LEFT_SHIFT[y.dtype], -a.q.zero_point, *first, -b.q.zero_point, *second,
        *output, y.q.zero_point, *y.dtype.range,
    )  # fmt: skip
    return Lowered((call_broadcast(QUANTIZED[y.dtype], a, b, y, params),))


SQUARED_DIFFERENCE = OpKind(
    type="SQUARED_DIFFERENCE",
    attributes=SquaredDifference,
    summary="Square of the difference of two tensors.",
    supports=("float32, int32", "int8, int16 of any scales", "broadcasting over 6 dimensions"),
    tflite={"SQUARED_DIFFERENCE": plain_rule(SquaredDifference(), 2)},
    infer=infer_broadcast,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(*PLAIN.values(), *QUANTIZED.values()),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
