"""EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL: truth values of comparisons."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    broadcast,
    infer_broadcast,
    plain_rule,
    refuse_dimensions,
    refuse_scales,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    attributes,
    meaning,
    write,
)

LESS_BIT, EQUAL_BIT, GREATER_BIT, UNORDERED_BIT = 1, 2, 4, 8
BOOL, FLOAT32 = DType.BOOL, DType.FLOAT32
INT8, UINT8, INT16, INT32, INT64 = (
    DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64,
)  # fmt: skip
# Fraction bits of quantized values when they are compared.
LEFT_SHIFT = 8


@dataclass(frozen=True)
class Compare(Attributes):
    """Whether the relation of two values is one of some."""

    relations: ClassVar[int]
    function: ClassVar[Callable[[Array, Array], Array]]


@dataclass(frozen=True)
class Equal(Compare):
    relations: ClassVar[int] = EQUAL_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.equal


@dataclass(frozen=True)
class NotEqual(Compare):
    relations: ClassVar[int] = LESS_BIT | GREATER_BIT | UNORDERED_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.not_equal


@dataclass(frozen=True)
class Greater(Compare):
    relations: ClassVar[int] = GREATER_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.greater


@dataclass(frozen=True)
class GreaterEqual(Compare):
    relations: ClassVar[int] = GREATER_BIT | EQUAL_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.greater_equal


@dataclass(frozen=True)
class Less(Compare):
    relations: ClassVar[int] = LESS_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.less


@dataclass(frozen=True)
class LessEqual(Compare):
    relations: ClassVar[int] = LESS_BIT | EQUAL_BIT
    function: ClassVar[Callable[[Array, Array], Array]] = np.less_equal


@dataclass(frozen=True)
class CompareParams(Params):
    c_type: ClassVar[str] = "nacre_compare_params_t"
    first_offset: int = meaning("minus the zero point of the first input")
    first_multiplier: int = meaning("fraction of its scale")
    first_shift: int = meaning("power of two of its scale")
    second_offset: int = meaning("minus the zero point of the second input")
    second_multiplier: int = meaning("fraction of its scale")
    second_shift: int = meaning("power of two of its scale")


PLAIN = {
    FLOAT32: Kernel("nacre_compare_f32"),
    INT8: Kernel("nacre_compare_s8"),
    UINT8: Kernel("nacre_compare_u8"),
    INT16: Kernel("nacre_compare_s16"),
    INT32: Kernel("nacre_compare_s32"),
    INT64: Kernel("nacre_compare_s64"),
}
SCALED = {
    INT8: Kernel("nacre_compare_scaled_s8", CompareParams),
    UINT8: Kernel("nacre_compare_scaled_u8", CompareParams),
    INT16: Kernel("nacre_compare_scaled_s16", CompareParams),
}


def _check(node: Node) -> str | None:
    known = (*PLAIN, BOOL) if isinstance(node.operator.attributes, (Equal, NotEqual)) else PLAIN
    objection = refuse_types(node, [(t, t, BOOL) for t in known]) or refuse_dimensions(node)
    a, b = node.input(0), node.input(1)
    if objection is None and _is_scaled(node):
        objection = refuse_scales(node)
    if objection is None and a.dtype is INT16 and a.quantization != b.quantization:
        return "int16 inputs of different scales; supported: one scale"
    return objection


def _is_scaled(node: Node) -> bool:
    """Quantized values are rescaled first; LiteRT does so for int16 only to ask for equality."""
    a, b = node.input(0), node.input(1)
    if a.dtype is INT16 and not isinstance(node.operator.attributes, (Equal, NotEqual)):
        return False
    return a.dtype in SCALED and a.quantization is not None and b.quantization is not None


def _scaled(x: Array, tensor: Tensor) -> Array:
    shifted = (x.astype(np.int64) - tensor.q.zero_point) << LEFT_SHIFT
    return requantize(shifted, *quantize_multiplier(tensor.q.scale))


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    a, b = value(values, 0), value(values, 1)
    if _is_scaled(node):
        a, b = _scaled(a, node.input(0)), _scaled(b, node.input(1))
    function = attributes(node, Compare).__class__.function
    return (np.asarray(function(a, b), np.bool_),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    a, b, y = node.input(0), node.input(1), node.output
    dtype = UINT8 if a.dtype is BOOL else a.dtype
    shape, rows = broadcast(a.shape, b.shape, y.shape)
    head = (Pointer(a.id, dtype), Pointer(b.id, dtype), write(y), shape)
    tail = (attributes(node, Compare).relations, rows)
    if not _is_scaled(node):
        return Lowered((Call(PLAIN[dtype], (*head, *tail)),))
    first, second = (quantize_multiplier(t.q.scale) for t in (a, b))
    params = CompareParams(-a.q.zero_point, *first, -b.q.zero_point, *second)
    return Lowered((Call(SCALED[dtype], (*head, params, *tail)),))


def _row(kind: type[Compare], type: str, summary: str) -> OpKind:
    more = ", bool" if kind in (Equal, NotEqual) else ""
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=(
            f"float32, int32, int64{more}",
            "int8, uint8 of any scales, int16 of one scale",
            "broadcasting over up to 6 dimensions",
        ),
        tflite={type: plain_rule(kind(), 2)},
        infer=infer_broadcast,
        check=_check,
        reference=_reference,
        lower=_lower,
        kernels=(*PLAIN.values(), *SCALED.values()),
        rows=same_rows,
        box=element_box,
    )


EQUAL = _row(Equal, "EQUAL", "Whether two values are equal.")
NOT_EQUAL = _row(NotEqual, "NOT_EQUAL", "Whether two values differ.")
GREATER = _row(Greater, "GREATER", "Whether the first value is larger.")
GREATER_EQUAL = _row(GreaterEqual, "GREATER_EQUAL", "Whether the first value is larger or equal.")
LESS = _row(Less, "LESS", "Whether the first value is smaller.")
LESS_EQUAL = _row(LessEqual, "LESS_EQUAL", "Whether the first value is smaller or equal.")
