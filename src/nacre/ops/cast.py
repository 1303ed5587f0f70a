"""CAST: change of the element type."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import each, in_place, infer_same, plain_rule, same_rows, value
from nacre.ops.kind import Call, Kernel, Lowered, LowerOptions, OpKind, Pointer
from nacre.ops.moves import COPY_BYTES

BOOL, FLOAT16, FLOAT32 = DType.BOOL, DType.FLOAT16, DType.FLOAT32
INT8, INT16, INT32, INT64 = DType.INT8, DType.INT16, DType.INT32, DType.INT64
UINT8, UINT32 = DType.UINT8, DType.UINT32
TYPES = (BOOL, INT8, UINT8, INT16, INT32, UINT32, INT64, FLOAT32)
SUFFIX = {
    BOOL: "bool", INT8: "s8", UINT8: "u8", INT16: "s16", INT32: "s32", UINT32: "u32",
    INT64: "s64", FLOAT16: "f16", FLOAT32: "f32",
}  # fmt: skip
# Types whose bytes mean the same to a kernel: as input unless signs extend, as output always.
SIGNED = {UINT8: INT8, UINT32: INT32, BOOL: INT8}


@dataclass(frozen=True)
class Cast(Attributes):
    """To the output's element type."""


def pair(x: DType, y: DType) -> tuple[DType, DType] | None:
    """The element types of the kernel that converts x to y; None where a copy does."""
    if x is y:
        return None
    if FLOAT32 in (x, y) or x is FLOAT16:
        return (UINT8 if x is BOOL else x), y
    if y is BOOL:
        return SIGNED.get(x, x), y
    if x.size == y.size:
        return None
    wider = y.size > x.size
    source = (UINT8 if x is BOOL else x) if wider else SIGNED.get(x, x)
    return source, SIGNED.get(y, y)


def _kernels() -> dict[tuple[DType, DType], Kernel]:
    pairs = [p for x in TYPES for y in TYPES if (p := pair(x, y)) is not None]
    pairs.append((FLOAT16, FLOAT32))
    return {p: Kernel(f"nacre_cast_{SUFFIX[p[0]]}_{SUFFIX[p[1]]}") for p in dict.fromkeys(pairs)}


KERNELS = _kernels()


def _check(node: Node) -> str | None:
    x, y = node.input(0).dtype, node.output.dtype
    if (x in TYPES and y in TYPES) or (x, y) == (FLOAT16, FLOAT32):
        return None
    names = ", ".join(t.value for t in TYPES)
    return f"{x.value} to {y.value}; supported: {names} among each other, float16 to float32"


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, y = value(values, 0), node.output.dtype
    if x.dtype == np.float32 and y not in (FLOAT32, BOOL):
        low, high = y.range
        whole = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0))
        # The largest int64 has no float64: what reaches it is put there by hand.
        inside = np.clip(whole, low, np.nextafter(float(high), 0) if y is INT64 else high)
        return (np.where(whole >= float(high), high, inside.astype(y.numpy)).astype(y.numpy),)
    return (x.astype(y.numpy),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    types = pair(x.dtype, y.dtype)
    if types is None:
        pointers = Pointer(x.id, x.dtype), Pointer(y.id, y.dtype, const=False)
        return Lowered((Call(COPY_BYTES, (*pointers, y.size)),))
    shape, rows = each(x, y)
    pointers = Pointer(x.id, types[0]), Pointer(y.id, types[1], const=False)
    return Lowered((Call(KERNELS[types], (*pointers, shape, rows)),))


def _in_place(node: Node) -> tuple[int, ...]:
    """A copy of bytes must not overlap its source."""
    return () if pair(node.input(0).dtype, node.output.dtype) is None else in_place(node)


CAST = OpKind(
    type="CAST",
    attributes=Cast,
    summary="Change of the element type; float32 to integers goes towards zero and saturates.",
    supports=(
        "bool, int8, uint8, int16, int32, uint32, int64, float32 among each other",
        "float16 to float32",
    ),
    tflite={"CAST": plain_rule(Cast(), 1)},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(*KERNELS.values(), COPY_BYTES),
    in_place=_in_place,
    rows=same_rows,
    box=element_box,
)
