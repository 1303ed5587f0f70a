"""DIV: quotient, with broadcasting and a fused activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
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
    rounding_divide_by_pot,
    saturate,
    saturating_rounding_doubling_high_mul,
)
from nacre.ops.kind import (
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
)
from nacre.ops.transcendental import one_over_one_plus
from nacre.ops.window import tflite_activation


@dataclass(frozen=True)
class Div(Attributes):
    activation: str = "NONE"
    # The multiplier is a quotient of float32 numbers (LiteRT), not of float64.
    single: bool = False


@dataclass(frozen=True)
class DivParams(Params):
    c_type: ClassVar[str] = "nacre_div_params_t"
    first_offset: int = meaning("minus the zero point of the first input")
    second_offset: int = meaning("minus the zero point of the second input")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


QUANTIZED = {
    DType.INT8: Kernel("nacre_div_s8", DivParams),
    DType.UINT8: Kernel("nacre_div_u8", DivParams),
    DType.INT16: Kernel("nacre_div_s16", DivParams),
}
PLAIN = {
    DType.FLOAT32: Kernel("nacre_div_f32", FloatRange),
    DType.INT32: Kernel("nacre_div_s32", IntegerRange),
    DType.INT64: Kernel("nacre_div_s64"),
}
KERNELS = QUANTIZED | PLAIN
# A dividend of 16 bits leaves this much room before the quotient's shift changes direction.
MOST_SHIFT = 14


def _from_tflite(source: SourceNode) -> Imported:
    source.input(1)
    return Imported(Div(tflite_activation(source.options), source.litert), (0, 1))


def _check(node: Node) -> str | None:
    activation = attributes(node, Div).activation
    if node.output.dtype is DType.INT64 and activation != "NONE":
        return f"fused activation {activation} on int64; supported: NONE"
    objection = (
        refuse_types(node, [(k, k, k) for k in KERNELS])
        or refuse_scales(node)
        or refuse_zero_scales(node)
        or refuse_dimensions(node)
    )
    if objection is not None or node.output.dtype not in QUANTIZED:
        return objection
    if _multiplier(node)[1] > MOST_SHIFT:
        return f"the multiplier of its scales is 2^{_multiplier(node)[1]}; supported: up to 2^14"
    return None


def _multiplier(node: Node) -> tuple[int, int]:
    a, b, y = node.input(0).q.scale, node.input(1).q.scale, node.output.q.scale
    if attributes(node, Div).single:
        return quantize_multiplier(float(np.float32(a) / (np.float32(b) * np.float32(y))))
    return quantize_multiplier(a / (b * y))


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    kind, y = attributes(node, Div), node.output
    a, b = value(values, 0), value(values, 1)
    if y.dtype is DType.FLOAT32:
        with np.errstate(all="ignore"):
            return (ranged(a / b, kind.activation, y),)
    if y.dtype is DType.INT32:
        return (ranged(_towards_zero(a, b).astype(np.int32), kind.activation, y),)
    if y.dtype is DType.INT64:
        with np.errstate(all="ignore"):
            return (_towards_zero(a, b),)
    x = a.astype(np.int64) - node.input(0).q.zero_point
    z = b.astype(np.int64) - node.input(1).q.zero_point
    scaled = _fixed_quotient(x, z, *_multiplier(node)) + y.q.zero_point
    return (saturate(scaled, y.dtype, *activation_range(kind.activation, y)),)


def _towards_zero(a: Array, b: Array) -> Array:
    x, z = a.astype(np.int64), b.astype(np.int64)
    magnitude = np.abs(x) // np.maximum(np.abs(z), 1)
    return np.where(z == 0, 0, magnitude * np.sign(x) * np.sign(z))


def _fixed_quotient(a: Array, b: Array, multiplier: int, shift: int) -> Array:
    """a / b times the multiplier: a reciprocal to 31 bits, then two rounded products."""
    a, b = np.broadcast_arrays(np.where(b < 0, -a, a), np.maximum(np.abs(b), 1))
    digits = np.frexp(b.astype(np.float64))[1]
    reciprocal = one_over_one_plus((b << (32 - digits)) - (1 << 31))
    room = 31 - np.frexp(np.where(a < 0, ~a, a).astype(np.float64))[1]
    quotient = saturating_rounding_doubling_high_mul((a << room).astype(np.int32), reciprocal)
    right = digits - 1 + room - shift
    scaled = saturating_rounding_doubling_high_mul(quotient, multiplier)
    return np.where(right > 31, 0, rounding_divide_by_pot(scaled, np.minimum(right, 31)))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, a, b, y = attributes(node, Div), node.input(0), node.input(1), node.output
    if y.dtype in PLAIN:
        params = ranges(kind.activation, y)
    else:
        params = (
            DivParams(
                -a.q.zero_point, -b.q.zero_point, *_multiplier(node), y.q.zero_point,
                *activation_range(kind.activation, y),
            ),
        )  # fmt: skip
    return Lowered((call_broadcast(KERNELS[y.dtype], a, b, y, *params),))


DIV = OpKind(
    type="DIV",
    attributes=Div,
    summary="Quotient of two tensors; integers go towards zero, and x / 0 is 0.",
    supports=(
        "float32, int32 with a fused activation; int64",
        "int8, uint8, int16 with a fused activation",
        "broadcasting over up to 6 dimensions",
    ),
    tflite={"DIV": _from_tflite},
    infer=infer_broadcast,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=tuple(KERNELS.values()),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
