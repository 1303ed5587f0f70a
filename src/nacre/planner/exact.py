"""Exact search for offsets below a height: the Python twin of csrc/solver/offsets.c.

A solution can be pushed down until every buffer lies at the least offset that the buffers below it
allow, so it is enough to place buffers in order of offset, each at that least offset. What is cut:
- holes: no buffer starts at or after the end that another open one could reach first;
- repeats: a buffer that was passed over waits until a neighbour lifts it;
- crowds: in some slice the live open buffers, one after the other and none below its least offset,
  pass the height;
- siblings: when no open buffer joins two spans of time, each is a task of its own, and when one
  fails, the choice that created it has failed.

Both twins visit the same nodes in the same order, so they return the same offsets and work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Protocol

import numpy as np

from nacre.planner.instance import Ints
from nacre.planner.model import Model

FAR = 1 << 62


class Status(IntEnum):
    """How a search ended; the numbers are those of nacre_solver_status_t."""

    FOUND = 0
    NONE = 1
    LIMIT = 2
    MEMORY = 3


class Stop(Protocol):
    """Set `value` to end a search from another thread."""

    value: int


@dataclass(frozen=True)
class Outcome:
    """`offsets` are in units of the model and mean something for FOUND alone."""

    status: Status
    offsets: tuple[int, ...]
    worked: int


@dataclass
class _Task:
    members: list[int]
    # Offset of the buffer placed last, and that buffer (-1: none): no further one goes below.
    level: int
    last: int
    # The frame that created the task (-1: none), and the task to do after it.
    parent: int
    after: _Task | None


@dataclass
class _Frame:
    task: _Task
    choices: list[int] = field(default_factory=list)
    tried: int = 0
    placed: int = -1
    undo: list[tuple[int, int]] = field(default_factory=list)


def search(model: Model, rank: Sequence[int], height: int, limit: int, stop: Stop) -> Outcome:
    """Look for offsets with offset + size <= height, within `limit` units of work."""
    state = _State(model, rank, height)
    task: _Task | None = _Task(list(range(model.count)), 0, -1, -1, None)
    while task is not None and task.members:
        if state.worked >= limit or stop.value:
            return Outcome(Status.LIMIT, (), state.worked)
        state.open_frame(task)
        advanced, task = state.advance()
        if not advanced:
            return Outcome(Status.NONE, (), state.worked)
    return Outcome(Status.FOUND, tuple(state.offset), state.worked)


class _State:
    def __init__(self, model: Model, rank: Sequence[int], height: int) -> None:
        self.model = model
        self.rank = rank
        self.height = height
        self.least = [max(pin, 0) for pin in model.pin]
        self.head = [0] * model.count
        self.open = [True] * model.count
        self.offset = [0] * model.count
        self.pinned = any(pin >= 0 for pin in model.pin)
        self.weights: list[Ints | int] = (
            [np.array(row) for row in model.weights] if model.weights else list(model.size)
        )
        # joins[t]: open buffers that are alive in both slice t - 1 and slice t.
        self.joins: Ints = np.zeros(model.slices + 1, dtype=np.int64)
        for i in range(model.count):
            self.joins[model.first[i] + 1 : model.last[i]] += 1
        self.frames: list[_Frame] = []
        self.worked = 0

    def open_frame(self, task: _Task) -> None:
        """A frame without choices is a task that cannot be done."""
        frame = _Frame(task)
        self.frames.append(frame)
        self.worked += len(task.members)
        if not self._find_heads(task):
            return
        end = self._first_end(task)
        skipped = {i for i in task.members if self._is_skipped(task, i)}
        if self._lift(skipped) and not self._is_crowded(task):
            free = (i for i in task.members if self.head[i] < end and i not in skipped)
            frame.choices = sorted(free, key=lambda i: (self.head[i], self.rank[i]))

    def _find_heads(self, task: _Task) -> bool:
        model, level = self.model, task.level
        for i in task.members:
            step = model.step[i]
            head = max(self.least[i], level if step == 1 else -(-level // step) * step)
            if head + model.size[i] > self.height or 0 <= model.pin[i] < head:
                return False
            self.head[i] = head
        return True

    def _first_end(self, task: _Task) -> int:
        ends = (
            self.head[i] + self.model.size[i]
            for i in task.members
            if not (self.pinned and self._meets_pin(i))
        )
        return min(ends, default=FAR)

    def _meets_pin(self, i: int) -> bool:
        model = self.model
        return model.pin[i] < 0 and any(
            self.open[j] and 0 <= model.pin[j] < self.head[i] + up for j, up, _ in model.edges[i]
        )

    def _is_skipped(self, task: _Task, i: int) -> bool:
        if task.last < 0 or self.model.pin[i] >= 0 or self.least[i] > task.level:
            return False
        return self.least[i] < task.level or (
            self.model.ordered and self.rank[i] < self.rank[task.last]
        )

    def _lift(self, skipped: set[int]) -> bool:
        lifted = {i: self._lifted(i) for i in skipped}
        for i, head in lifted.items():
            if head + self.model.size[i] > self.height:
                return False
            self.head[i] = max(self.head[i], head)
        return True

    def _lifted(self, i: int) -> int:
        head, is_open, step = self.head, self.open, self.model.step[i]
        best = min((head[j] + down for j, _, down in self.model.edges[i] if is_open[j]), default=FAR)
        return -(-best // step) * step

    def _is_crowded(self, task: _Task) -> bool:
        filled: Ints = np.zeros(self.model.slices, dtype=np.int64)
        first, last, weights = self.model.first, self.model.last, self.weights
        for i in sorted(task.members, key=self.head.__getitem__):
            part = filled[first[i] : last[i]]
            np.maximum(part, self.head[i], out=part)
            part += weights[i]
        return int(filled.max()) > self.height

    def advance(self) -> tuple[bool, _Task | None]:
        """Place the next choice there is; (False, None) when nothing is left to try."""
        while True:
            frame = self.frames[-1]
            if frame.tried < len(frame.choices):
                self._place(frame, frame.choices[frame.tried])
                frame.tried += 1
                return True, self._tasks_after(frame)
            if frame.task.parent < 0:
                return False, None
            while len(self.frames) > frame.task.parent + 1:
                self._take_back(self.frames.pop())
            self._take_back(self.frames[-1])

    def _place(self, frame: _Frame, i: int) -> None:
        model, at = self.model, self.least[i]
        frame.placed, self.offset[i], self.open[i] = i, at, False
        self.joins[model.first[i] + 1 : model.last[i]] -= 1
        for j, up, _ in model.edges[i]:
            if self.open[j] and self.least[j] < at + up:
                frame.undo.append((j, self.least[j]))
                step = model.step[j]
                self.least[j] = -(-(at + up) // step) * step

    def _take_back(self, frame: _Frame) -> None:
        for j, least in frame.undo:
            self.least[j] = least
        frame.undo.clear()
        if frame.placed >= 0:
            i = frame.placed
            self.joins[self.model.first[i] + 1 : self.model.last[i]] += 1
            self.open[i] = True
            frame.placed = -1

    def _tasks_after(self, frame: _Frame) -> _Task | None:
        """What is left of the frame's task, split where nothing joins; the smallest first."""
        after = frame.task.after
        groups = self._groups(frame)
        for members in sorted(groups, key=len, reverse=True):
            level = self.offset[frame.placed]
            after = _Task(members, level, frame.placed, len(self.frames) - 1, after)
        return after

    def _groups(self, frame: _Frame) -> list[list[int]]:
        """Later groups first, so that of two equally large ones the earlier is done first."""
        first, placed = self.model.first, frame.placed
        rest = [i for i in frame.task.members if i != placed]
        span = self.joins[first[placed] + 1 : self.model.last[placed]]
        if not rest or span.all():
            return [rest] if rest else []
        rest.sort(key=first.__getitem__)
        groups = [[rest[0]]]
        for before, i in zip(rest, rest[1:], strict=False):
            if first[i] > first[before] and not self.joins[first[i]]:
                groups.append([])
            groups[-1].append(i)
        return groups[::-1]
