"""The graph as a diagram: one row per step from top to bottom, branches in columns beside it.

A column belongs to one branch at a time: from a node down to the one that goes on from it. An
edge runs down a column that is free for it; one that would cross a box takes a wire, a thin
track to the right of all columns. Nothing here depends on pixels.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from nacre.ir import TensorId, TensorKind
from nacre.program import Program
from nacre.residency import Json

# Beyond so many columns a branch takes any that is free, and wires lead to it.
MAX_COLUMNS = 6
# A node keeps its column for readers at most so many rows below; wires lead to others.
REACH = 12


@dataclass(frozen=True)
class Node:
    """A box; its row is its position in the list. `key` is a tensor's id or a step's number."""

    kind: str  # input, step, output
    key: TensorId | int


@dataclass(frozen=True)
class Edge:
    """A tensor on its way from one row to a lower one."""

    tensor: TensorId
    upper: int
    lower: int


@dataclass(frozen=True)
class Track:
    """Where an edge runs down: a column, or a wire when `wire` is true."""

    number: int
    wire: bool


@dataclass(frozen=True)
class Layout:
    """A column per node and a track per edge, in the order of the lists."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    columns: tuple[int, ...]
    tracks: tuple[Track, ...]


def graph_facts(program: Program) -> dict[str, Json]:
    """The layout as JSON: nodes [kind, key, column], edges [tensor, from, to, track, wire]."""
    placed = layout(*diagram(program))
    return {
        "nodes": [
            [n.kind, n.key, column] for n, column in zip(placed.nodes, placed.columns, strict=True)
        ],
        "edges": [
            [e.tensor, e.upper, e.lower, t.number, int(t.wire)]
            for e, t in zip(placed.edges, placed.tracks, strict=True)
        ],
    }


def diagram(program: Program) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """Boxes in execution order: an input before its first reader, an output behind its maker."""
    nodes: list[Node] = []
    edges: list[Edge] = []
    row: dict[TensorId, int] = {}
    for node, reads, writes in _boxes(program):
        edges += [Edge(t, row[t], len(nodes)) for t in reads if t in row]
        row |= dict.fromkeys(writes, len(nodes))
        nodes.append(node)
    return tuple(nodes), tuple(edges)


def layout(nodes: tuple[Node, ...], edges: tuple[Edge, ...]) -> Layout:
    """Columns for the nodes, then wires for the edges that found no column."""
    columns = _Columns()
    incoming: list[list[int]] = [[] for _ in nodes]
    last_use = [-1] * len(nodes)
    for number, edge in enumerate(edges):
        incoming[edge.lower].append(number)
        if edge.lower - edge.upper <= REACH:
            last_use[edge.upper] = max(last_use[edge.upper], edge.lower)
    tracks: dict[int, Track] = {}
    for row in range(len(nodes)):
        tracks |= columns.put(row, [(n, edges[n]) for n in incoming[row]], last_use[row])
    tracks |= _wires([(n, e) for n, e in enumerate(edges) if n not in tracks])
    return Layout(
        nodes, edges, tuple(columns.of), tuple(tracks[number] for number in range(len(edges)))
    )


# --- nodes and edges ------------------------------------------------------------------------------


def _boxes(program: Program) -> Iterator[tuple[Node, list[TensorId], list[TensorId]]]:
    """Each box with the tensors that it reads and writes, views followed to what was written."""
    made = {t for s in program.steps for t in s.outputs} | set(program.inputs)
    waiting = dict.fromkeys(program.inputs)
    ends: dict[TensorId | None, list[TensorId]] = {}
    for key in program.outputs:
        ends.setdefault(_origin(program, made, key), []).append(key)
    for step in program.steps:
        reads = _origins(program, made, step.inputs)
        for key in [t for t in reads if t in waiting]:
            del waiting[key]
            yield Node("input", key), [], [key]
            yield from _output_boxes(ends, key)
        yield Node("step", step.number), reads, list(step.outputs)
        for key in step.outputs:
            yield from _output_boxes(ends, key)
    for key in waiting:
        yield Node("input", key), [], [key]
        yield from _output_boxes(ends, key)
    for key in [t for origin in list(ends) for t in ends.pop(origin)]:
        yield Node("output", key), [], []


def _output_boxes(
    ends: dict[TensorId | None, list[TensorId]], origin: TensorId
) -> Iterator[tuple[Node, list[TensorId], list[TensorId]]]:
    for key in ends.pop(origin, ()):
        yield Node("output", key), [origin], []


def _origins(program: Program, made: set[TensorId], keys: Iterable[TensorId]) -> list[TensorId]:
    found = (_origin(program, made, key) for key in keys)
    return list(dict.fromkeys(t for t in found if t is not None))


def _origin(program: Program, made: set[TensorId], key: TensorId) -> TensorId | None:
    """The tensor that a step or the caller wrote; none for constants and variables."""
    slot = program.slots.get(key)
    if slot is None or slot.tensor.kind is not TensorKind.SCRATCH:
        return None
    if key in made:
        return key
    return slot.view_of if slot.view_of in made else None


# --- columns and wires ----------------------------------------------------------------------------


@dataclass
class _Columns:
    """Who holds each column while rows are filled from top to bottom: an accumulator."""

    of: list[int] = field(default_factory=list)
    # Per column: the row of the node that holds it, or None, and the row from which it is free.
    holder: list[int | None] = field(default_factory=list)
    free_from: list[int] = field(default_factory=list)
    # Per node: the last row within reach that reads it.
    until: list[int] = field(default_factory=list)

    def put(self, row: int, incoming: list[tuple[int, Edge]], last_use: int) -> dict[int, Track]:
        """Choose the column of a row's node; the tracks of those edges that run in a column."""
        held = [e.upper for _, e in incoming if self.holder[self.of[e.upper]] == e.upper]
        # What ends here leaves the column to those that go on from the same node.
        heirs = [upper for upper in held if last_use >= 0 or self.until[upper] <= row]
        column = min((self.of[upper] for upper in heirs), default=None)
        if column is None:
            column = self._free(min((e.upper for _, e in incoming), default=row))
        tracks = {
            number: Track(track, wire=False)
            for number, edge in incoming
            if (track := self._track(edge, row, column, held)) is not None
        }
        self.of.append(column)
        self.until.append(last_use)
        self._hand_over(row, column)
        return tracks

    def _free(self, upper: int) -> int:
        """A column that is free since the row of the reader's maker, else any, else a new one."""
        free = [n for n, holder in enumerate(self.holder) if holder is None]
        good = [n for n in free if self.free_from[n] <= upper + 1]
        if good or (free and len(self.holder) >= MAX_COLUMNS):
            return (good or free)[0]
        self.holder.append(None)
        self.free_from.append(0)
        return len(self.holder) - 1

    def _track(self, edge: Edge, row: int, column: int, held: list[int]) -> int | None:
        if edge.upper in held or edge.upper == row - 1:
            return self.of[edge.upper]
        if self.holder[column] is None and self.free_from[column] <= edge.upper + 1:
            return column
        return None

    def _hand_over(self, row: int, column: int) -> None:
        self.holder[column] = row
        for number, holder in enumerate(self.holder):
            if holder is not None and self.until[holder] <= row:
                self.holder[number] = None
                self.free_from[number] = row + 1


def _wires(edges: list[tuple[int, Edge]]) -> dict[int, Track]:
    """Edges of one tensor share a wire; wires that overlap in rows lie side by side."""
    spans: dict[tuple[TensorId, int], int] = {}
    for _, edge in edges:
        key = (edge.tensor, edge.upper)
        spans[key] = max(spans.get(key, 0), edge.lower)
    busy_until: list[int] = []
    wire: dict[tuple[TensorId, int], int] = {}
    for key, end in sorted(spans.items(), key=lambda item: (item[0][1], item[1], item[0])):
        free = [n for n, until in enumerate(busy_until) if until <= key[1]]
        wire[key] = free[0] if free else len(busy_until)
        busy_until[wire[key] :] = [end, *busy_until[wire[key] + 1 :]]
    return {n: Track(wire[e.tensor, e.upper], wire=True) for n, e in edges}
