"""Kernel calls on rings of rows: which pointer a ring field belongs to, and calls by window.

A tensor of which only `ring` rows are kept has row r at r % ring. Kernels that take a window of
rows say in their parameters how many rows each of their tensors keeps:

    input_ring, first_ring    the first pointer that is only read
    second_ring               the second one
    ring                      a list: all of them in order
    output_ring               the first pointer that is written
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace

from nacre.ir import Node, TensorId
from nacre.ops.kind import Argument, Call, OpKind, Params, Pointer, Span, Variant

_READ = {"input_ring": 0, "first_ring": 0, "second_ring": 1}
_WRITTEN = "output_ring"
_LIST = "ring"


def ringed(call: Call, rings: Mapping[TensorId, int]) -> Call:
    """The same call on tensors of which as many rows are kept as `rings` says.

    Tensors that `rings` does not name stay as they are.
    """
    pointers = [a for a in call.arguments if isinstance(a, Pointer)]
    return replace(call, arguments=tuple(_ringed(a, pointers, rings) for a in call.arguments))


def windowed(call: Call, rows: Span) -> Call:
    """The same call for other output rows."""
    arguments = tuple(rows if isinstance(a, Span) else a for a in call.arguments)
    return replace(call, arguments=arguments)


def is_row_wise(kind: OpKind, node: Node, calls: Iterable[Call]) -> bool:
    """Whether windows of output rows can be computed one after another, on rings.

    All calls of one image then take the window, and all outputs have the same number of rows.
    """
    return kind.rows is not None and _takes_windows(node, calls)


def _takes_windows(node: Node, calls: Iterable[Call]) -> bool:
    shapes = [y.shape for y in node.outputs]
    if any(len(s) != 4 or s[0] != 1 for s in shapes):
        return False
    whole = Span(0, shapes[0][1])
    if whole.end == 0 or any(s[1] != whole.end for s in shapes):
        return False
    windows = [[a for a in call.arguments if isinstance(a, Span)] for call in calls]
    return bool(windows) and all(w == [whole] for w in windows)


def goes_by_rows(node: Node, variant: Variant) -> bool:
    """Whether another way to run an operator takes windows of rows, on rings, too."""
    lowered = variant.lower(node)
    return lowered.row_wise and _takes_windows(node, lowered.calls)


def _ringed(argument: Argument, pointers: list[Pointer], rings: Mapping[TensorId, int]) -> Argument:
    if not isinstance(argument, Params):
        return argument
    changes: dict[str, int | tuple[int, ...]] = {}
    read = [rings.get(p.tensor) for p in pointers if p.const]
    written = [rings.get(p.tensor) for p in pointers if not p.const]
    for field in fields(argument):
        if field.name == _LIST:
            kept: tuple[int, ...] = getattr(argument, field.name)
            changes[field.name] = tuple(
                old if new is None else new for old, new in zip(kept, read, strict=True)
            )
            continue
        new = written[0] if field.name == _WRITTEN else None
        if field.name in _READ:
            new = read[_READ[field.name]]
        if new is not None:
            changes[field.name] = new
    return replace(argument, **changes)
