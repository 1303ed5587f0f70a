"""Which output may be written over which input of its step, and how far.

A row-wise kernel writes output row r only after it has read what earlier rows need, and while it
writes row r it may still read what row r and later rows need. With row sizes in bytes, rows walked
first to last:

    input  |····|row first(r)|····        first(r): first input row that row r or a later one needs
    output |row 0|···|row r|              must end before it

    offset(input) - offset(output) >= max over r of (r + 1) * output_row - first(r) * input_row

Walked last to first, with last(r) the end of the rows that row r or an earlier one needs:

    offset(output) - offset(input) >= max over r of last(r) * input_row - r * output_row
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nacre.ir import Node, Tensor
from nacre.lower import Step
from nacre.ops import kind_of
from nacre.ops.kind import Span

# Of outputs with more rows than this, rows are not looked at one by one.
MOST_ROWS = 1 << 15


@dataclass(frozen=True)
class Sharing:
    """`input` may share bytes with the output: see planner.problem.Overlap for the distances."""

    input: str
    output: str
    ahead: int
    behind: int | None


def sharings(step: Step) -> tuple[Sharing, ...]:
    """The inputs that the output of a step may be written over."""
    node = step.node
    if len(node.outputs) != 1:
        return ()
    places: dict[str, list[int]] = {}
    for index, tensor in enumerate(node.inputs):
        if tensor is not None:
            places.setdefault(tensor.id, []).append(index)
    found = [s for s in (_sharing(step, indices) for indices in places.values()) if s is not None]
    if len(found) > 1:
        # One walk serves all inputs: first row to last.
        return tuple(replace(s, behind=None) for s in found)
    return tuple(found)


def _sharing(step: Step, indices: list[int]) -> Sharing | None:
    """How the output may lie over a tensor that is the input at `indices`: it must suit all."""
    node = step.node
    x = node.input(indices[0])
    if set(indices) <= set(step.in_place):
        return Sharing(x.id, node.output.id, 0, None)
    if x.data is not None or not is_row_wise(step):
        return None
    found = [_row_distances(node, index, x) for index in indices]
    distances = [d for d in found if d is not None]
    if len(distances) < len(found):
        return None
    ahead, behind = (max(side) for side in zip(*distances, strict=True))
    return Sharing(x.id, node.output.id, ahead, None if step.forward else behind)


def is_row_wise(step: Step) -> bool:
    """One call of a kernel that takes a window of rows."""
    if not step.row_wise or kind_of(step.operator).rows is None or len(step.calls) != 1:
        return False
    return sum(isinstance(a, Span) for a in step.calls[0].arguments) == 1


def _row_distances(node: Node, index: int, x: Tensor) -> tuple[int, int] | None:
    """Ahead and behind, for the input at `index` alone."""
    rows = kind_of(node.operator).rows
    y = node.output
    assert rows is not None
    if len(x.shape) < 2 or len(y.shape) < 2 or x.shape[0] != 1 or y.shape[0] != 1:
        return None
    if y.shape[1] > MOST_ROWS:
        return None
    needs = [rows(node, Span(r, r + 1))[index] for r in range(y.shape[1])]
    if not needs or x.shape[1] == 0 or any(n is None for n in needs):
        return None
    spans = [n for n in needs if n is not None]
    input_row, output_row = x.size // x.shape[1], y.size // y.shape[1]
    first, ahead = x.shape[1], -y.size - x.size
    for r in range(len(spans) - 1, -1, -1):
        first = min(first, spans[r].begin if spans[r].end > spans[r].begin else first)
        ahead = max(ahead, (r + 1) * output_row - first * input_row)
    last, distance = 0, -y.size - x.size
    for r, span in enumerate(spans):
        last = max(last, span.end)
        distance = max(distance, last * input_row - r * output_row)
    return ahead, distance + y.size - x.size
