"""ADD, SUB: sum and difference, with broadcasting and a fused activation."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops import elementwise_dsp, elementwise_mve
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    FloatRange,
    IntegerRange,
    call_broadcast,
    in_place,
    infer_broadcast,
    ranged,
    ranges,
    refuse_dimensions,
    refuse_scales,
    refuse_types,
    refuse_zero_scales,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import (
    activation_range,
    quantize_multiplier,
    requantize,
    rounding_divide_by_pot,
    saturate,
)
from nacre.ops.kind import (
    Call,
    Imported,
    ImportRule,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
)
from nacre.ops.window import tflite_activation


@dataclass(frozen=True)
class Sum(Attributes):
    """a + sign * b."""

    sign: ClassVar[int]
    activation: str = "NONE"
    # int16 with scales that are powers of two: shift the inputs to the output's scale (LiteRT).
    shifts: bool = False


@dataclass(frozen=True)
class Add(Sum):
    sign: ClassVar[int] = 1


@dataclass(frozen=True)
class Sub(Sum):
    sign: ClassVar[int] = -1


@dataclass(frozen=True)
class AddParams(Params):
    """The input of larger scale comes first; its multiplier is one half."""

    c_type: ClassVar[str] = "nacre_add_params_t"
    first_offset: int = meaning("minus the zero point of the first input")
    first_unit: int = meaning("one step of the first input in the sum")
    second_offset: int = meaning("minus the zero point of the second input")
    second_multiplier: int = meaning("fraction of its multiplier")
    second_left: int = meaning("left shift before the product")
    second_shift: int = meaning("right shift that rounds a second time")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("its right shift")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class AddGeneralParams(Params):
    c_type: ClassVar[str] = "nacre_add_general_params_t"
    left_shift: int = meaning("bits of fraction in the sum")
    first_offset: int = meaning("minus the zero point of the first input")
    first_multiplier: int = meaning("fraction of its multiplier")
    first_shift: int = meaning("power of two of its multiplier")
    second_offset: int = meaning("minus the zero point of the second input")
    second_multiplier: int = meaning("fraction of its multiplier")
    second_shift: int = meaning("power of two of its multiplier")
    second_sign: int = meaning("1 for a sum, -1 for a difference")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class AddShiftParams(Params):
    c_type: ClassVar[str] = "nacre_add_pot_params_t"
    first_shift: int = meaning("right shift of the first input")
    second_shift: int = meaning("right shift of the second input")
    second_sign: int = meaning("1 for a sum, -1 for a difference")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


FAST = {
    DType.INT8: Kernel("nacre_add_s8", AddParams),
    DType.INT16: Kernel("nacre_add_s16", AddParams),
}
GENERAL = {
    DType.INT8: Kernel("nacre_add_general_s8", AddGeneralParams),
    DType.UINT8: Kernel("nacre_add_general_u8", AddGeneralParams),
    DType.INT16: Kernel("nacre_add_general_s16", AddGeneralParams),
}
SHIFTS = Kernel("nacre_add_pot_s16", AddShiftParams)
PLAIN: dict[type[Sum], dict[DType, Kernel]] = {
    Add: {
        DType.FLOAT32: Kernel("nacre_add_f32", FloatRange),
        DType.INT32: Kernel("nacre_add_s32", IntegerRange),
        DType.INT64: Kernel("nacre_add_s64"),
    },
    Sub: {
        DType.FLOAT32: Kernel("nacre_sub_f32", FloatRange),
        DType.INT32: Kernel("nacre_sub_s32", IntegerRange),
        DType.INT64: Kernel("nacre_sub_s64"),
    },
}
# Bits of fraction that the sum carries.
LEFT_SHIFT = {DType.INT8: 20, DType.UINT8: 20, DType.INT16: 15}
# The fast kernels take output shifts up to this.
MOST_OUTPUT_SHIFT = 22
HALF = (1 << 30, 0)

# A multiplier as (31-bit fraction, power of two).
Multiplier: TypeAlias = tuple[int, int]


def _from_tflite(kind: type[Sum]) -> ImportRule:
    def rule(source: SourceNode) -> Imported:
        tensors = (source.input(0), source.input(1), source.outputs[0])
        wanted = source.litert and source.options.flag("pot_scale_int16", True)
        shifts = wanted and tensors[0].dtype is DType.INT16 and _shifts(*tensors) is not None
        return Imported(kind(tflite_activation(source.options), shifts), (0, 1))

    return rule


def _shifts(a: Tensor, b: Tensor, y: Tensor) -> tuple[int, int] | None:
    """Right shifts of the inputs to the output's scale; None unless all are powers of two."""
    if any(t.quantization is None for t in (a, b, y)):
        return None
    fractions, powers = zip(*(math.frexp(t.q.scale) for t in (a, b, y)), strict=True)
    shifts = powers[2] - powers[0], powers[2] - powers[1]
    exact = all(f == 0.5 for f in fractions)
    return shifts if exact and min(shifts) == 0 and max(shifts) < 16 else None


def _check(node: Node) -> str | None:
    kinds = (*PLAIN[Add], *GENERAL)
    objection = (
        refuse_types(node, [(k, k, k) for k in kinds])
        or refuse_scales(node)
        or refuse_zero_scales(node)
        or refuse_dimensions(node)
    )
    activation = attributes(node, Sum).activation
    if objection is None and node.output.dtype is DType.INT64 and activation != "NONE":
        return f"fused activation {activation} on int64; supported: NONE"
    if objection is None and node.output.dtype in GENERAL:
        real = 2 * max(node.input(0).q.scale, node.input(1).q.scale) / node.output.q.scale
        if real >= 1 << LEFT_SHIFT[node.output.dtype]:
            return f"an input's scale is {real / 2:.3g} times the output's; supported: less"
    return objection


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    kind, y = attributes(node, Sum), node.output
    a, b = value(values, 0), value(values, 1)
    if y.dtype in PLAIN[Add]:
        total = a + b if kind.sign > 0 else a - b
        return (ranged(total, kind.activation, y),)
    low, high = activation_range(kind.activation, y)
    if kind.shifts:
        x, z = (rounding_divide_by_pot(v, s) for v, s in zip((a, b), shifts_of(node), strict=True))
        return (saturate(x + kind.sign * z, y.dtype, low, high),)
    left, (first, second, output) = LEFT_SHIFT[y.dtype], multipliers(node)
    x = requantize((a.astype(np.int64) - node.input(0).q.zero_point) << left, *first)
    z = requantize((b.astype(np.int64) - node.input(1).q.zero_point) << left, *second)
    scaled = requantize(x + kind.sign * z, *output) + y.q.zero_point
    return (saturate(scaled, y.dtype, low, high),)


def shifts_of(node: Node) -> tuple[int, int]:
    shifts = _shifts(node.input(0), node.input(1), node.output)
    assert shifts is not None
    return shifts


def multipliers(node: Node) -> tuple[Multiplier, Multiplier, Multiplier]:
    """Of the inputs to twice the larger input scale, and from there to the output."""
    a, b, y = node.input(0).q.scale, node.input(1).q.scale, node.output.q.scale
    twice = 2 * max(a, b)
    output = twice / ((1 << LEFT_SHIFT[node.output.dtype]) * y)
    return (
        quantize_multiplier(a / twice),
        quantize_multiplier(b / twice),
        quantize_multiplier(output),
    )


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, y = attributes(node, Sum), node.output
    if y.dtype in PLAIN[Add]:
        kernel, limits = PLAIN[type(kind)][y.dtype], ranges(kind.activation, y)
        call = call_broadcast(kernel, node.input(0), node.input(1), y, *limits)
    elif kind.shifts:
        params = AddShiftParams(*shifts_of(node), kind.sign, *activation_range(kind.activation, y))
        call = call_broadcast(SHIFTS, node.input(0), node.input(1), y, params)
    else:
        call = _fast_call(node, kind) or _general_call(node, kind)
    return Lowered((call,))


def _fast_call(node: Node, kind: Sum) -> Call | None:
    """The quick kernel: one input is exact, and a difference has that one second."""
    y = node.output
    first, second, (multiplier, output_shift) = multipliers(node)
    a, b, sign = node.input(0), node.input(1), 1
    if second == HALF:
        a, b, sign, first, second = b, a, kind.sign, second, first
    left = LEFT_SHIFT[y.dtype] + 1 + second[1]
    unsigned = y.dtype not in FAST or (kind.sign < 0 and sign > 0)
    offset = y.dtype is DType.INT16 and (a.q.zero_point, b.q.zero_point, y.q.zero_point) != (
        0,
        0,
        0,
    )
    if unsigned or offset or left < 0 or not 1 <= -output_shift <= MOST_OUTPUT_SHIFT:
        return None
    params = AddParams(
        -a.q.zero_point, sign << (LEFT_SHIFT[y.dtype] - 1),
        -b.q.zero_point, second[0], left, -second[1],
        multiplier, -output_shift, y.q.zero_point, *activation_range(kind.activation, y),
    )  # fmt: skip
    return call_broadcast(FAST[y.dtype], a, b, y, params)


def _general_call(node: Node, kind: Sum) -> Call:
    a, b, y = node.input(0), node.input(1), node.output
    first, second, output = multipliers(node)
    params = AddGeneralParams(
        LEFT_SHIFT[y.dtype], -a.q.zero_point, *first, -b.q.zero_point, *second, kind.sign,
        *output, y.q.zero_point, *activation_range(kind.activation, y),
    )  # fmt: skip
    return call_broadcast(GENERAL[y.dtype], a, b, y, params)


SUPPORTS = (
    "float32, int32 with a fused activation; int64",
    "int8, uint8, int16 of any scales with a fused activation",
    "broadcasting over up to 6 dimensions",
)

ADD = OpKind(
    type="ADD",
    attributes=Add,
    summary="Sum of two tensors.",
    supports=SUPPORTS,
    tflite={"ADD": _from_tflite(Add)},
    infer=infer_broadcast,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(*FAST.values(), *GENERAL.values(), SHIFTS, *PLAIN[Add].values()),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
    variants=(
        elementwise_mve.add_variant(_lower, FAST[DType.INT8]),
        elementwise_dsp.add_variant(_lower, FAST[DType.INT8]),
    ),
)
SUB = replace(
    ADD,
    type="SUB",
    attributes=Sub,
    summary="Difference of two tensors.",
    tflite={"SUB": _from_tflite(Sub)},
    kernels=(*FAST.values(), *GENERAL.values(), SHIFTS, *PLAIN[Sub].values()),
)
