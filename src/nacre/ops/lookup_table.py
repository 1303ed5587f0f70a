"""LOOKUP_TABLE: any function of one 8-bit value, as 256 results that a frontend computed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import in_place, infer_same, refuse_types, same_rows, value
from nacre.ops.kind import Lowered, LowerOptions, OpKind, attributes
from nacre.ops.table import TABLE_8, lower_table

ENTRIES = 256


@dataclass(frozen=True)
class LookupTable(Attributes):
    """`entries` are output values, in the order of the bytes that hold the inputs."""

    entries: tuple[int, ...]


def _check(node: Node) -> str | None:
    entries = attributes(node, LookupTable).entries
    if len(entries) != ENTRIES:
        return f"a table of {len(entries)} entries; supported: {ENTRIES}"
    return refuse_types(node, [(a, b) for a in _EIGHT_BITS for b in _EIGHT_BITS])


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (_looked_up(node, value(values, 0)),)


def _looked_up(node: Node, x: Array) -> Array:
    table = np.array(attributes(node, LookupTable).entries).astype(node.output.dtype.numpy)
    found: Array = table[np.ascontiguousarray(x).view(np.uint8)]
    return found.reshape(x.shape)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return lower_table(node, "function", lambda x: _looked_up(node, x))


_EIGHT_BITS = (DType.INT8, DType.UINT8)

LOOKUP_TABLE = OpKind(
    type="LOOKUP_TABLE",
    attributes=LookupTable,
    summary="A function of one value by a table of all its results.",
    supports=("int8, uint8",),
    tflite={},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(TABLE_8,),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
