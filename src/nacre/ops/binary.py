"""MINIMUM, MAXIMUM, FLOOR_DIV, FLOOR_MOD, POW, LOGICAL_AND, LOGICAL_OR: no scales involved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    call_broadcast,
    in_place,
    infer_broadcast,
    plain_rule,
    refuse_dimensions,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.kind import Kernel, Lowered, LowerOptions, OpKind

BOOL, FLOAT32 = DType.BOOL, DType.FLOAT32
INT8, UINT8, INT16, INT32, INT64 = (
    DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64,
)  # fmt: skip
SUFFIX = {
    BOOL: "bool", FLOAT32: "f32", INT8: "s8", UINT8: "u8", INT16: "s16", INT32: "s32", INT64: "s64",
}  # fmt: skip


@dataclass(frozen=True)
class Minimum(Attributes):
    """The smaller value."""


@dataclass(frozen=True)
class Maximum(Attributes):
    """The larger value."""


@dataclass(frozen=True)
class FloorDiv(Attributes):
    """The quotient, rounded down."""


@dataclass(frozen=True)
class FloorMod(Attributes):
    """The remainder, with the sign of the divisor."""


@dataclass(frozen=True)
class Pow(Attributes):
    """The first to the power of the second."""


@dataclass(frozen=True)
class LogicalAnd(Attributes):
    """Both."""


@dataclass(frozen=True)
class LogicalOr(Attributes):
    """Either."""


def kernels(name: str, types: tuple[DType, ...]) -> dict[DType, Kernel]:
    """One kernel per element type, named after it."""
    return {t: Kernel(f"nacre_{name}_{SUFFIX[t]}") for t in types}


def _row(
    kind: Attributes,
    type: str,
    summary: str,
    types: tuple[DType, ...],
    function: Callable[[Array, Array], Array],
) -> OpKind:
    """An operator whose inputs and output have one type and, where quantized, one scale."""
    table = kernels(type.lower(), types)

    def check(node: Node) -> str | None:
        return refuse_types(node, [(t, t, t) for t in types]) or refuse_dimensions(node)

    def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
        with np.errstate(all="ignore"):
            result = function(value(values, 0), value(values, 1))
        return (result.astype(node.output.dtype.numpy),)

    def lower(node: Node, options: LowerOptions) -> Lowered:
        kernel = table[node.output.dtype]
        return Lowered((call_broadcast(kernel, node.input(0), node.input(1), node.output),))

    return OpKind(
        type=type,
        attributes=kind.__class__,
        summary=summary,
        supports=(", ".join(t.value for t in types), "broadcasting over up to 6 dimensions"),
        tflite={type: plain_rule(kind, 2)},
        infer=infer_broadcast,
        check=check,
        reference=reference,
        lower=lower,
        kernels=tuple(table.values()),
        in_place=in_place,
        rows=same_rows,
        box=element_box,
    )


def _floor_div(a: Array, b: Array) -> Array:
    if a.dtype == np.float32:
        return np.floor(a / b)
    return np.where(b == 0, 0, a // np.where(b == 0, 1, b))


def _floor_mod(a: Array, b: Array) -> Array:
    if a.dtype == np.float32:
        rest = np.fmod(a, b)
        return np.where((rest != 0) & ((rest < 0) != (b < 0)), rest + b, rest)
    return np.where(b == 0, 0, a % np.where(b == 0, 1, b))


def _power(a: Array, b: Array) -> Array:
    if a.dtype == np.float32:
        return np.power(a, b)
    parity = 1 - 2 * (b.astype(np.int64) & 1)
    inverse = np.where(a == 1, 1, np.where(a == -1, parity, 0))
    return np.where(b < 0, inverse, a ** np.maximum(b, 0))


NUMBERS = (FLOAT32, INT8, UINT8, INT16, INT32, INT64)

MINIMUM = _row(
    Minimum(), "MINIMUM", "The smaller of two values.", NUMBERS, lambda a, b: np.where(a < b, a, b)
)
MAXIMUM = _row(
    Maximum(), "MAXIMUM", "The larger of two values.", NUMBERS, lambda a, b: np.where(a > b, a, b)
)
FLOOR_DIV = _row(
    FloorDiv(), "FLOOR_DIV", "Quotient, rounded down.", (FLOAT32, INT8, INT16, INT32), _floor_div
)
FLOOR_MOD = _row(
    FloorMod(),
    "FLOOR_MOD",
    "Remainder with the sign of the divisor.",
    (FLOAT32, INT8, INT16, INT32, INT64),
    _floor_mod,
)
POW = _row(Pow(), "POW", "The first value to the power of the second.", (FLOAT32, INT32), _power)
LOGICAL_AND = _row(
    LogicalAnd(), "LOGICAL_AND", "Both of two truth values.", (BOOL,), np.logical_and
)
LOGICAL_OR = _row(LogicalOr(), "LOGICAL_OR", "Either of two truth values.", (BOOL,), np.logical_or)
