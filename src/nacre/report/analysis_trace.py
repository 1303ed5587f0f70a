"""`analyze --trace`: every load, spill, ring advance and step with offsets and rows, in order."""

from __future__ import annotations

from collections.abc import Iterator

from nacre.ir import TensorKind
from nacre.residency import Json
from nacre.stages.budget import Staged
from nacre.stages.plan import BoxMove, Holding, Move, Run, Segment, Tiles

CALLER = "caller"


def trace(staged: Staged) -> Iterator[dict[str, Json]]:
    """One event after another: `event` says what, the rest where and which rows."""
    for number, segment in enumerate(staged.plan.segments):
        yield {"event": "segment", "segment": number, "iterations": segment.iterations}
        for iteration in range(segment.iterations):
            yield from _iteration(staged, segment, iteration)


def trace_text(staged: Staged) -> str:
    return "\n".join(_line(event) for event in trace(staged))


def _iteration(staged: Staged, segment: Segment, iteration: int) -> Iterator[dict[str, Json]]:
    for action in segment.actions:
        if isinstance(action, Tiles):
            yield from _tiles(staged, action)
            continue
        begin, end = _rows(action.ends, iteration)
        if begin == end:
            continue
        if isinstance(action, Move):
            yield _move(staged, action, begin, end, iteration)
        else:
            yield _step(staged, action, begin, end, iteration)
            yield from _advances(staged, action, begin, end, iteration)


def _rows(ends: tuple[int, ...], iteration: int) -> tuple[int, int]:
    return (ends[iteration - 1] if iteration else 0), ends[iteration]


def _place(staged: Staged, key: str | None) -> Json:
    if key is None:
        return {"memory": CALLER}
    held = staged.plan.holdings[key]
    return {"memory": held.memory.lower(), "offset": staged.solution.offsets[key]}


def _move(staged: Staged, move: Move, begin: int, end: int, iteration: int) -> dict[str, Json]:
    key = move.destination if move.source is None else move.source
    assert key is not None
    held, tensor = staged.plan.holdings[key], staged.graph.tensors[move.tensor]
    source: Json = _place(staged, move.source)
    event = "spill"
    if move.destination is not None and _in_fast(staged, move.destination):
        event = "load"
    if tensor.kind is TensorKind.CONSTANT:
        event, source = "stage", {"memory": "constants"}
    return {
        "event": event, "iteration": iteration, "tensor": move.tensor, "rows": [begin, end],
        "bytes": (end - begin) * held.row_bytes, "from": source,
        "to": _place(staged, move.destination),
    }  # fmt: skip


def _in_fast(staged: Staged, key: str) -> bool:
    return staged.plan.holdings[key].memory == staged.memories.fast


def _step(staged: Staged, run: Run, begin: int, end: int, iteration: int) -> dict[str, Json]:
    uses: dict[str, Json] = {key: _place(staged, held) for key, held in run.holdings.items()}
    return {
        "event": "step", "iteration": iteration, "operator": run.step.operator.id,
        "type": run.step.operator.type, "rows": [begin, end], "tensors": uses,
    }  # fmt: skip


def _advances(
    staged: Staged, run: Run, begin: int, end: int, iteration: int
) -> Iterator[dict[str, Json]]:
    """Rings that a step has gone on in: fewer rows are kept than the tensor has."""
    for key in run.step.node.operator.outputs:
        held = _holding(staged, run, key)
        tensor = staged.graph.tensors[held.tensor]
        if len(tensor.shape) == 4 and held.rows < tensor.shape[1]:
            yield {
                "event": "advance", "iteration": iteration, "tensor": held.tensor,
                "rows": [max(0, end - held.rows), end], "ring": held.rows,
                "slots": [begin % held.rows, (end - 1) % held.rows],
            }  # fmt: skip


def _holding(staged: Staged, run: Run, key: str) -> Holding:
    found = run.holdings.get(key) or run.holdings[staged.graph.storage(key)]
    return staged.plan.holdings[found]


def _tiles(staged: Staged, tiles: Tiles) -> Iterator[dict[str, Json]]:
    for number, group in enumerate(tiles.groups):
        for event, boxes in (("load box", group.loads), ("step", ()), ("spill box", group.stores)):
            if event == "step":
                yield {
                    "event": "tiles", "operator": tiles.step.operator.id,
                    "type": tiles.step.operator.type, "group": number,
                    "tiles": [group.rows, group.columns],
                }  # fmt: skip
            for box in boxes:
                yield _box(staged, box, event, group.rows * group.columns)


def _box(staged: Staged, box: BoxMove, event: str, count: int) -> dict[str, Json]:
    return {
        "event": event, "tensor": box.tensor, "times": count,
        "bytes": box.planes * box.lines * box.line_bytes,
        "whole": _place(staged, box.whole), "tile": _place(staged, box.tile),
        "offset": box.offset, "steps": [box.row_step, box.column_step],
        "lines": [box.planes, box.lines, box.line_bytes],
    }  # fmt: skip


def _line(event: dict[str, Json]) -> str:
    """An event in words: `load   i3  x  rows [9,13)  3 584 B  sram+0 -> dtcm+1024`."""
    if event["event"] == "segment":
        return f"segment {event['segment']}: {event['iterations']} iterations"
    words = [f"  {event['event']!s:<9}"]
    words += [f"i{event['iteration']}"] if "iteration" in event else []
    words += [f"{event[key]}" for key in ("operator", "type", "tensor") if key in event]
    words += [f"{key} {_short(event[key])}" for key in _SHOWN if key in event]
    return "  ".join(words)


_SHOWN = (
    "rows", "ring", "slots", "tiles", "times", "bytes", "from", "to", "whole", "tile", "offset",
    "steps", "lines", "tensors",
)  # fmt: skip


def _short(value: Json) -> str:
    if isinstance(value, dict) and "memory" in value:
        return f"{value['memory']}+{value['offset']}" if "offset" in value else f"{value['memory']}"
    if isinstance(value, dict):
        return " ".join(f"{key}@{_short(place)}" for key, place in value.items())
    if isinstance(value, list):
        return "[" + ",".join(str(v) for v in value) + "]"
    return str(value)
