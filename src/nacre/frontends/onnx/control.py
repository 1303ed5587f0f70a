"""If, Loop, Scan: the nodes of the graphs inside them, chosen, selected or repeated.

A condition that is known picks its branch. For one that is computed both branches run and the
outputs are selected: no operator of ours has an effect or can fail, so running one more than
needed changes nothing. Loops are unrolled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from nacre.frontends.onnx.layout import reshaped
from nacre.frontends.onnx.records import FileGraph
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxSource, axis_of
from nacre.ir import DType, Tensor
from nacre.ops.concat import Concat
from nacre.ops.kind import Refuse
from nacre.ops.select import SelectV2
from nacre.ops.slice import Slice

# Rounds of a loop that are worth their code.
MOST_ROUNDS = 64

# None stands for an output of a node that was refused, which is already on the list.
Outputs: TypeAlias = Sequence[Tensor | None]


class Inliner(Protocol):
    """What the importer does for a graph inside a node."""

    def inline(
        self, graph: FileGraph, bound: Mapping[str, Tensor | None], emitter: Emitter
    ) -> Outputs:
        """The outputs of a graph whose inputs are `bound`, after what was emitted so far."""

    def attempt(self, graph: FileGraph, emitter: Emitter) -> Outputs | str:
        """The same, or why no runtime would run it with these shapes."""

    def note(self, text: str) -> None:
        """What the user should know."""


def _branch(source: OnnxSource, emit: Emitter, inliner: Inliner) -> Outputs:
    then, other = (source.node.graphs.get(b) for b in ("then_branch", "else_branch"))
    if then is None or other is None:
        raise Refuse("it has no branches")
    condition = source.input(0)
    if condition.elements != 1:
        raise Refuse(f"the condition is {list(condition.shape)}; supported: one value")
    if condition.is_constant:
        return inliner.inline(then if condition.constant.reshape(-1)[0] else other, {}, emit)
    return _either(source, emit, inliner, (then, other))


def _either(
    source: OnnxSource, emit: Emitter, inliner: Inliner, graphs: tuple[FileGraph, FileGraph]
) -> Outputs:
    """Both branches, and the outputs of the one that the condition picks."""
    sides = [inliner.attempt(graph, emit) for graph in graphs]
    works = [side for side in sides if not isinstance(side, str)]
    if not works:
        raise Impossible(f"no branch fits its inputs: {sides[0]}")
    if any(t is None for side in works for t in side):
        return [None] * len(source.node.outputs)
    results = []
    if any(len(side) != len(source.node.outputs) for side in works):
        found = " and ".join(str(len(side)) for side in works)
        raise Refuse(f"branches of {found} outputs; expected {len(source.node.outputs)}")
    for k, _ in enumerate(source.node.outputs):
        values = [_value(emit, side, works[0][k], k) for side in sides]
        results.append(_selected(emit, source.input(0), *values))
    for name, side in zip(("then", "else"), sides, strict=True):
        if isinstance(side, str):
            inliner.note(
                f"If {source.node.name!r}: its {name} branch does not fit these shapes ({side}); "
                "where the condition asks for it, the outputs are NaN"
            )
    return results


def _value(emit: Emitter, side: Outputs | str, like: Tensor | None, k: int) -> Tensor:
    """An output of a branch; of one that cannot run, what nobody takes for a result."""
    if not isinstance(side, str):
        found = side[k]
        assert found is not None
        return found
    assert like is not None
    if like.dtype is not DType.FLOAT32:
        raise Refuse(f"a branch does not fit its inputs: {side}")
    return emit.constant(np.array(np.nan, np.float32))


def _selected(emit: Emitter, condition: Tensor, then: Tensor, other: Tensor) -> Tensor:
    if then is other:
        return then
    same = then.dtype is other.dtype and (then.shape == other.shape or _is_nan(then, other))
    if not same:
        kinds = [f"{t.dtype.value}{list(t.shape)}" for t in (then, other)]
        raise Refuse(f"the branches make {kinds[0]} and {kinds[1]}; supported: the same")
    flag = reshaped(emit, condition)
    return emit.one(SelectV2(), (flag, then, other), then.dtype)


def _is_nan(*values: Tensor) -> bool:
    return any(v.is_constant and v.shape == () and np.isnan(v.constant) for v in values)


# --- loops ----------------------------------------------------------------------------------------


def _body(source: OnnxSource, carried: int, inputs: int, outputs: int) -> FileGraph:
    body = source.node.graphs.get("body")
    if body is None:
        raise Refuse("it has no body")
    if len(body.inputs) != inputs or len(body.outputs) < outputs or carried < 0:
        raise Refuse(f"a body of {len(body.inputs)} inputs; expected {inputs}")
    return body


def _loop(source: OnnxSource, emit: Emitter, inliner: Inliner) -> Outputs:
    """Rounds 0, 1, ... until the count is reached or the condition, known each time, is false."""
    carried = [source.optional(n) for n in range(2, len(source.inputs))]
    body = _body(source, len(carried), len(carried) + 2, len(carried) + 1)
    most, going = _trips(source), _known(source.optional(1))
    condition: Tensor | None = emit.constant(np.array(going))
    rows: list[list[Tensor]] = [[] for _ in body.outputs[1 + len(carried) :]]
    count = 0
    while going and (most is None or count < most):
        if count == MOST_ROUNDS:
            raise Refuse(f"more than {MOST_ROUNDS} rounds; supported: up to {MOST_ROUNDS}")
        values = [emit.constant(np.array(count, np.int64)), condition, *carried]
        names = [value.name for value in body.inputs]
        outputs = inliner.inline(body, dict(zip(names, values, strict=True)), emit)
        if any(t is None for t in outputs):
            return [None] * len(source.node.outputs)
        condition, *carried = outputs[: 1 + len(carried)]
        going = _known(condition)
        _append(rows, outputs[1 + len(carried) :])
        count += 1
    return [*carried, *(_stacked(emit, row, 0) for row in rows)]


def _trips(source: OnnxSource) -> int | None:
    if source.optional(0) is None:
        return None
    return int(source.constant(0, "the number of rounds").reshape(-1)[0])


def _known(condition: Tensor | None) -> bool:
    if condition is None:
        return True
    if not condition.is_constant:
        raise Refuse("the condition of the next round is computed; supported: a constant")
    return bool(condition.constant.reshape(-1)[0])


def _append(rows: list[list[Tensor]], outputs: Outputs) -> None:
    for row, output in zip(rows, outputs, strict=True):
        assert output is not None
        row.append(output)


def _scan(source: OnnxSource, emit: Emitter, inliner: Inliner) -> Outputs:
    """The body for each slice of the inputs that are scanned."""
    count = source.options.integer("num_scan_inputs")
    states = len(source.inputs) - count
    if source.opset < 9:
        raise Refuse(f"opset {source.opset}; supported: 9 and later")
    body = _body(source, states, len(source.inputs), states)
    carried: list[Tensor | None] = [source.input(n) for n in range(states)]
    scanned = [source.input(states + n) for n in range(count)]
    axes = _axes(source, "scan_input_axes", [len(t.shape) for t in scanned])
    lengths = {t.shape[axis] for t, axis in zip(scanned, axes, strict=True)}
    if len(lengths) != 1 or max(lengths) > MOST_ROUNDS:
        raise Refuse(f"scans of {sorted(lengths)}; supported: one, up to {MOST_ROUNDS}")
    rows: list[list[Tensor]] = [[] for _ in body.outputs[states:]]
    ways = source.options.integers("scan_input_directions") or (0,) * count
    for n in range(lengths.pop()):
        parts = [
            _part(emit, t, axis, t.shape[axis] - 1 - n if way else n)
            for t, axis, way in zip(scanned, axes, ways, strict=True)
        ]
        names = [value.name for value in body.inputs]
        bound = dict(zip(names, [*carried, *parts], strict=True))
        outputs = inliner.inline(body, bound, emit)
        if any(t is None for t in outputs):
            return [None] * len(source.node.outputs)
        carried = list(outputs[:states])
        _append(rows, outputs[states:])
    return [*carried, *_scans(source, emit, rows)]


def _axes(source: OnnxSource, name: str, ranks: Sequence[int]) -> list[int]:
    axes = source.options.integers(name) or (0,) * len(ranks)
    return [axis_of(a, rank) for a, rank in zip(axes, ranks, strict=True)]


def _scans(source: OnnxSource, emit: Emitter, rows: list[list[Tensor]]) -> Iterator[Tensor]:
    axes = _axes(source, "scan_output_axes", [len(row[0].shape) + 1 for row in rows])
    ways = source.options.integers("scan_output_directions") or (0,) * len(rows)
    for row, axis, way in zip(rows, axes, ways, strict=True):
        yield _stacked(emit, row[::-1] if way else row, axis)


def _part(emit: Emitter, x: Tensor, axis: int, index: int) -> Tensor:
    begin, size = [0] * len(x.shape), list(x.shape)
    begin[axis], size[axis] = index, 1
    ones = (1,) * len(size)
    taken = emit.one(Slice(tuple(begin), tuple(size), ones, tuple(size)), (x,))
    return reshaped(emit, taken, *x.shape[:axis], *x.shape[axis + 1 :])


def _stacked(emit: Emitter, row: list[Tensor], axis: int) -> Tensor:
    if not row:
        raise Refuse("a loop without rounds whose rounds are collected; supported: one or more")
    shape = row[0].shape
    if any(t.shape != shape for t in row):
        raise Refuse("rounds give tensors of several shapes; supported: one shape")
    parts = [reshaped(emit, t, *shape[:axis], 1, *shape[axis:]) for t in row]
    return emit.one(Concat(axis), parts)


@dataclass(frozen=True)
class ControlKind:
    """An operator with graphs inside, and what is supported of it in words."""

    rule: Callable[[OnnxSource, Emitter, Inliner], Outputs]
    supports: str


CONTROL: Mapping[str, ControlKind] = {
    "If": ControlKind(_branch, "a constant condition; a computed one selects: both branches run"),
    "Loop": ControlKind(_loop, f"up to {MOST_ROUNDS} rounds, their number being constant"),
    "Scan": ControlKind(_scan, f"up to {MOST_ROUNDS} rounds"),
}
