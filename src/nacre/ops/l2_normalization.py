"""L2_NORMALIZATION: vectors along the last axis divided by their length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.boxes import vector_box
from nacre.ops.elementwise import call_each, in_place, infer_same, refuse_types, same_rows, value
from nacre.ops.fixedpoint import requantize, saturate
from nacre.ops.kind import (
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    meaning,
)
from nacre.ops.transcendental import inverse_sqrt
from nacre.ops.window import tflite_activation

# Shorter float vectors are divided by this.
EPSILON = np.float32(1e-6)
OUTPUT_SCALE = 1 / 128
ZERO_POINTS = {DType.INT8: 0, DType.UINT8: 128}


@dataclass(frozen=True)
class L2Normalization(Attributes):
    """y = x / |x| over the last axis."""


@dataclass(frozen=True)
class L2NormalizationParams(Params):
    c_type: ClassVar[str] = "nacre_l2_normalization_params_t"
    depth: int = meaning("values of a vector")
    input_offset: int = meaning("minus the zero point of the input")


KERNELS = {
    DType.INT8: Kernel("nacre_l2_normalization_s8", L2NormalizationParams),
    DType.UINT8: Kernel("nacre_l2_normalization_u8", L2NormalizationParams),
    DType.FLOAT32: Kernel("nacre_l2_normalization_f32"),
}


def _from_tflite(source: SourceNode) -> Imported:
    activation = tflite_activation(source.options)
    if activation != "NONE":
        raise Refuse(f"fused activation {activation}; supported: NONE")
    return Imported(L2Normalization(), inputs=(0,))


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    objection = refuse_types(node, [(k, k) for k in KERNELS])
    if objection is not None:
        return objection
    if not x.shape or 0 in x.shape:
        return f"the input is {list(x.shape)}; supported: at least one dimension, none empty"
    if y.dtype not in ZERO_POINTS:
        return None
    if y.q.scale != OUTPUT_SCALE or y.q.zero_point != ZERO_POINTS[y.dtype]:
        return (
            f"the output has scale {y.q.scale:g} and zero point {y.q.zero_point}; "
            f"supported: {OUTPUT_SCALE:g} and {ZERO_POINTS[y.dtype]}"
        )
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    if x.dtype == np.float32:
        length = np.sqrt((x * x).sum(axis=-1, keepdims=True, dtype=np.float32))
        return ((x / np.maximum(length, EPSILON)).astype(np.float32),)
    centred = x.astype(np.int64) - node.input(0).q.zero_point
    multiplier, shift = inverse_sqrt((centred * centred).sum(axis=-1, keepdims=True))
    if node.output.dtype is DType.UINT8:
        scaled = requantize(128 * centred, multiplier, shift)
    else:
        scaled = requantize(centred, multiplier, shift + 7)
    return (saturate(scaled + ZERO_POINTS[node.output.dtype], node.output.dtype),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    depth = x.shape[-1]
    if x.dtype is DType.FLOAT32:
        return Lowered((call_each(KERNELS[x.dtype], x, y, depth),))
    params = L2NormalizationParams(depth=depth, input_offset=-x.q.zero_point)
    return Lowered((call_each(KERNELS[x.dtype], x, y, params),))


L2_NORMALIZATION = OpKind(
    type="L2_NORMALIZATION",
    attributes=L2Normalization,
    summary="Vectors along the last axis divided by their length, any rank.",
    supports=("int8", "uint8", "float32"),
    tflite={"L2_NORMALIZATION": _from_tflite},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=tuple(KERNELS.values()),
    in_place=in_place,
    rows=same_rows,
    box=vector_box,
)
