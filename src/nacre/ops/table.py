"""8-bit functions of one value as tables of 256 entries, applied row by row."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from nacre.ir import Array, DType, Node, Tensor
from nacre.ops.elementwise import each
from nacre.ops.kind import Call, Kernel, Lowered, Pointer
from nacre.ops.lookup import shared_table

TABLE_8 = Kernel("nacre_table_8")
# A table of 256 bytes is worth its place from this many elements on.
ENOUGH_ELEMENTS = 512


def table_pays(x: Tensor, y: Tensor) -> bool:
    return x.dtype.size == y.dtype.size == 1 and x.elements >= ENOUGH_ELEMENTS


def table_of(x: Tensor, function: Callable[[Array], Array]) -> Array:
    """`function` of every value of x's type, in the order of the bytes that hold them."""
    return function(np.arange(256, dtype=np.uint8).view(x.dtype.numpy))


def lower_table(node: Node, name: str, function: Callable[[Array], Array]) -> Lowered:
    """One call that maps input 0 to the output by a table of `function`."""
    x, y = node.input(0), node.output
    table = shared_table(name, table_of(x, function))
    shape, rows = each(x, y)
    arguments = (
        Pointer(x.id, DType.UINT8),
        Pointer(y.id, DType.UINT8, const=False),
        shape,
        Pointer(table.id, DType.UINT8),
        rows,
    )
    return Lowered((Call(TABLE_8, arguments),), (table,))
