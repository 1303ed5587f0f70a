"""MUL: product, with broadcasting and a fused activation."""

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
    same_rows,
    value,
)
from nacre.ops.elementwise_dsp import mul_variant
from nacre.ops.fixedpoint import (
    activation_range,
    quantize_multiplier,
    requantize,
    saturate,
    single_multiplier,
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
from nacre.ops.window import tflite_activation


@dataclass(frozen=True)
class Mul(Attributes):
    activation: str = "NONE"
    # Products are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False


@dataclass(frozen=True)
class MulParams(Params):
    c_type: ClassVar[str] = "nacre_mul_params_t"
    first_offset: int = meaning("minus the zero point of the first input")
    second_offset: int = meaning("minus the zero point of the second input")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


QUANTIZED = {
    DType.INT8: Kernel("nacre_mul_s8", MulParams),
    DType.UINT8: Kernel("nacre_mul_u8", MulParams),
    DType.INT16: Kernel("nacre_mul_s16", MulParams),
}
PLAIN = {
    DType.FLOAT32: Kernel("nacre_mul_f32", FloatRange),
    DType.INT32: Kernel("nacre_mul_s32", IntegerRange),
    DType.INT64: Kernel("nacre_mul_s64"),
}
KERNELS = QUANTIZED | PLAIN


def _from_tflite(source: SourceNode) -> Imported:
    source.input(1)
    return Imported(Mul(tflite_activation(source.options)), (0, 1))


def _check(node: Node) -> str | None:
    activation = attributes(node, Mul).activation
    if node.output.dtype is DType.INT64 and activation != "NONE":
        return f"fused activation {activation} on int64; supported: NONE"
    return (
        refuse_types(node, [(k, k, k) for k in KERNELS])
        or refuse_scales(node)
        or refuse_dimensions(node)
    )


def product_multiplier(node: Node) -> tuple[int, int]:
    a, b, y = node.input(0).q.scale, node.input(1).q.scale, node.output.q.scale
    fixed = single_multiplier if attributes(node, Mul).once else quantize_multiplier
    return fixed(a * b / y)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    kind, y = attributes(node, Mul), node.output
    a, b = value(values, 0), value(values, 1)
    if y.dtype in PLAIN:
        return (ranged(a * b, kind.activation, y),)
    x = a.astype(np.int64) - node.input(0).q.zero_point
    z = b.astype(np.int64) - node.input(1).q.zero_point
    scaled = requantize((x * z).astype(np.int32), *product_multiplier(node)) + y.q.zero_point
    return (saturate(scaled, y.dtype, *activation_range(kind.activation, y)),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, a, b, y = attributes(node, Mul), node.input(0), node.input(1), node.output
    if y.dtype in PLAIN:
        params = ranges(kind.activation, y)
    else:
        params = (
            MulParams(
                -a.q.zero_point, -b.q.zero_point, *product_multiplier(node), y.q.zero_point,
                *activation_range(kind.activation, y),
            ),
        )  # fmt: skip
    return Lowered((call_broadcast(KERNELS[y.dtype], a, b, y, *params),))


MUL = OpKind(
    type="MUL",
    attributes=Mul,
    summary="Product of two tensors.",
    supports=(
        "float32, int32 with a fused activation; int64",
        "int8, uint8, int16 of any scales with a fused activation",
        "broadcasting over up to 6 dimensions",
    ),
    tflite={"MUL": _from_tflite},
    infer=infer_broadcast,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=tuple(KERNELS.values()),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
    variants=(mul_variant(_lower, QUANTIZED[DType.INT8], product_multiplier),),
)
