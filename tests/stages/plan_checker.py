"""Walks a staged plan byte by byte: what an action reads is there, what the plan counts is moved.

It knows nothing of how plans are made. Every holding is an array that says of each of its bytes
which byte of its tensor it holds now; UNKNOWN is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from nacre.ir import TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.ops import kind_of
from nacre.ops.kind import Pointer, Span
from nacre.stages.offsets import model_ends
from nacre.stages.plan import BoxMove, Move, Run, StagePlan, Tiles, Traffic

UNKNOWN = -1


@dataclass
class Machine:
    """The holdings of a plan while it runs, and the bytes that have moved."""

    plan: StagePlan
    graph: LoweredGraph
    fast: str
    bytes: dict[str, np.ndarray] = field(default_factory=dict)
    loaded: int = 0
    spilled: int = 0
    weights: int = 0
    macs: int = 0
    tick: int = 0

    def run(self) -> Traffic:
        for key, held in self.plan.holdings.items():
            self.bytes[key] = np.full(held.size, UNKNOWN, np.int64)
        ends = model_ends(self.plan, self.graph)
        for key in ends.inputs.values():
            self.bytes[key][:] = np.arange(self.plan.holdings[key].size)
        for segment in self.plan.segments:
            for iteration in range(segment.iterations):
                for number, action in enumerate(segment.actions):
                    if segment.iterations > 1:
                        self._forget(number)
                    self._act(action, iteration, number if segment.iterations == 1 else 0)
            self.tick += segment.ticks
        for key in ends.outputs.values():
            assert (self.bytes[key] == np.arange(len(self.bytes[key]))).all(), f"{key}: incomplete"
            assert self.plan.holdings[key].upper >= self.tick
        return Traffic(self.loaded, self.spilled, self.weights, self.plan.traffic.macs)

    def _forget(self, number: int) -> None:
        """Outside its turn a holding may be anyone's."""
        for key, held in self.plan.holdings.items():
            if held.turn is not None and not held.turn[0] <= number < held.turn[1]:
                self.bytes[key][:] = UNKNOWN

    def _act(self, action: Move | Run | Tiles, iteration: int, place: int) -> None:
        now = self.tick + place
        if isinstance(action, Tiles):
            self._tiles(action, now)
            return
        begin, end = (action.ends[iteration - 1] if iteration else 0), action.ends[iteration]
        assert begin <= end
        if begin == end:
            return
        if isinstance(action, Move):
            self._move(action, begin, end, now)
        elif len(action.ends) == 1:
            self._whole(action, now)
        else:
            self._rows(action, begin, end, now)

    def _alive(self, key: str, now: int) -> None:
        held = self.plan.holdings[key]
        assert held.lower <= now < held.upper, f"{key} is used at {now}, alive {held}"

    def _row(self, key: str, row: int) -> np.ndarray:
        held = self.plan.holdings[key]
        start = row % held.rows * held.row_bytes
        return self.bytes[key][start : start + held.row_bytes]

    def _check_row(self, key: str, row: int) -> None:
        size = self.plan.holdings[key].row_bytes
        expected = np.arange(row * size, (row + 1) * size)
        assert (self._row(key, row) == expected).all(), f"{key}: row {row} is not there"

    def _write_row(self, key: str, row: int) -> None:
        size = self.plan.holdings[key].row_bytes
        self._row(key, row)[:] = np.arange(row * size, (row + 1) * size)

    def _move(self, move: Move, begin: int, end: int, now: int) -> None:
        for key in (move.source, move.destination):
            if key is not None:
                self._alive(key, now)
        held = self.plan.holdings[move.destination or move.source or ""]
        size = (end - begin) * held.row_bytes
        if move.tensor in self.graph.tensors and self._is_constant(move.tensor):
            self.weights += size
        elif move.destination is not None and held.memory == self.fast:
            self.loaded += size
        else:
            self.spilled += size
        for row in range(begin, end):
            if move.source is not None:
                self._check_row(move.source, row)
            if move.destination is not None:
                self._write_row(move.destination, row)

    def _is_constant(self, key: str) -> bool:
        return self.graph.tensors[key].kind is TensorKind.CONSTANT

    def _holding(self, run: Run, key: str) -> str | None:
        return run.holdings.get(key) or run.holdings.get(self.graph.storage(key))

    def _whole(self, run: Run, now: int) -> None:
        """All inputs are complete; the outputs are afterwards."""
        self._read_constants(run.step, run)
        for key in run.holdings.values():
            self._alive(key, now)
        for key in run.step.reads:
            held = self._holding(run, key)
            if held is not None:
                expected = np.arange(self.plan.holdings[held].size)
                assert (self.bytes[held] == expected).all(), f"{held} is not complete"
        for key in run.step.writes:
            held = self._holding(run, key)
            if held is not None:
                self.bytes[held][:] = np.arange(self.plan.holdings[held].size)

    def _rows(self, run: Run, begin: int, end: int, now: int) -> None:
        """The rows that the operator's rule asks for are there; so are, then, the output's."""
        self._read_constants(run.step, run)
        node, rule = run.step.node, kind_of(run.step.operator).rows
        assert rule is not None
        for key in run.holdings.values():
            self._alive(key, now)
        for tensor, span in zip(node.inputs, rule(node, Span(begin, end)), strict=True):
            if tensor is None or tensor.is_constant:
                continue
            held = self._holding(run, tensor.id)
            assert held is not None
            rows = range(tensor.shape[1]) if span is None else range(span.begin, span.end)
            for row in rows:
                self._check_row(held, row)
        for tensor in node.outputs:
            held = self._holding(run, tensor.id)
            assert held is not None
            for row in range(begin, end):
                self._write_row(held, row)

    def _read_constants(self, step: Step, run: Run | None) -> None:
        tensors = {**self.graph.tensors, **self.plan.tensors}
        pointers = {
            self.graph.storage(a.tensor)
            for call in step.calls
            for a in call.arguments
            if isinstance(a, Pointer)
        }
        for key in pointers:
            if tensors[key].kind is TensorKind.CONSTANT:
                staged = None if run is None else run.holdings.get(key)
                if staged is None:
                    self.weights += tensors[key].size
                else:
                    self._check_row(staged, 0)

    def _tiles(self, tiles: Tiles, now: int) -> None:
        for group in tiles.groups:
            for key in group.holdings.values():
                self._alive(key, now)
            for row in range(group.rows):
                for column in range(group.columns):
                    self._read_constants(group.step, None)
                    for box in group.loads:
                        self.loaded += self._box(box, row, column, now, store=False)
                    for box in group.stores:
                        self.spilled += self._box(box, row, column, now, store=True)

    def _box(self, box: BoxMove, row: int, column: int, now: int, store: bool) -> int:
        """Bytes that go to or come from slow memory."""
        self._alive(box.whole, now)
        start = box.offset + row * box.row_step + column * box.column_step
        places = (
            start
            + (
                np.arange(box.planes)[:, None, None] * box.plane_pitch
                + np.arange(box.lines)[None, :, None] * box.line_pitch
                + np.arange(box.line_bytes)[None, None, :]
            ).ravel()
        )
        whole = self.bytes[box.whole]
        assert places.min() >= 0 and places.max() < len(whole)
        assert len(places) <= self.plan.holdings[box.tile].size
        if store:
            whole[places] = places
        else:
            assert (whole[places] == places).all(), f"{box.whole}: a box is not there"
        return 0 if self.plan.holdings[box.whole].memory == self.fast else len(places)
