"""Exact search for offsets below a height: the Python twin of csrc/solver/offsets.c.

A solution can be pushed down until no single buffer can go lower; only such solutions are looked
for. Take the open buffer with the lowest possible offset: no open neighbour fits below it. So
either it lies exactly there, with all its open neighbours above it, or it is passed over: then one
of those neighbours must come below it and start before the place where it would have ended, or else
it could be pushed down. The two cases exclude each other, so nothing is visited twice. What is cut:
- innocent decisions: every bound carries the set of placements ("frames") that force it; when a
  task fails, the search returns to the last placement that is to blame, past those that are not;
- a buffer that waits for a neighbour to come below it, but none can any more;
- crowds: in some slice the live open buffers, one after the other and none below its lowest
  possible offset, pass the height;
- siblings: when no open buffer joins two spans of time, each is a task of its own, and when one
  fails, the decision that created it has failed, whatever became of the others.

Both twins make the same decisions in the same order, so they return the same offsets and work.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import NamedTuple, Protocol

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
    """Open buffers that are joined in time, to be placed without regard to any other."""

    members: list[int]
    # The frame that created the task (-1: none), and the task to do after it.
    parent: int
    after: _Task | None


class _Known(NamedTuple):
    """What is known of an open buffer. Sets of frames are integers: bit k is frame k."""

    # Least offset that the placed neighbours allow, and the frames that force it.
    least: int
    cause: int = 0
    # Where it was passed over (-1: it was not), in which frame, and the frames that forbid it.
    waiting: int = -1
    wait_frame: int = -1
    wait_set: int = 0


@dataclass
class _Frame:
    """The decision made for a task: what was placed, after others were passed over."""

    task: _Task
    placed: int = -1
    passed: list[tuple[int, _Known]] = field(default_factory=list)
    raised: list[tuple[int, _Known]] = field(default_factory=list)


def search(model: Model, rank: Sequence[int], height: int, limit: int, stop: Stop) -> Outcome:
    """Look for offsets with offset + size <= height, within `limit` units of work."""
    state = _State(model, rank, height)
    task: _Task | None = _Task(list(range(model.count)), -1, None)
    while task is not None and task.members:
        if state.worked >= limit or stop.value:
            return Outcome(Status.LIMIT, (), state.worked)
        state.frames.append(_Frame(task))
        advanced, task = state.advance()
        if not advanced:
            return Outcome(Status.NONE, (), state.worked)
    return Outcome(Status.FOUND, tuple(state.offset), state.worked)


class _State:
    def __init__(self, model: Model, rank: Sequence[int], height: int) -> None:
        self.model = model
        self.rank = rank
        self.height = height
        self.known = [_Known(max(pin, 0)) for pin in model.pin]
        self.head = [0] * model.count
        self.open = [True] * model.count
        self.frame_of = [-1] * model.count
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
        # The frames to blame for the failure of the last task.
        self.conflict = 0
        self.worked = 0

    def advance(self) -> tuple[bool, _Task | None]:
        """Decide in the top frame, or in one below; (False, None) when nothing is left to try."""
        while True:
            frame = self.frames[-1]
            chosen = self._choose(frame.task)
            if chosen >= 0:
                self._place(frame, chosen)
                return True, self._tasks_after(frame)
            if not self._back_up():
                return False, None

    def _choose(self, task: _Task) -> int:
        """The buffer to decide on, or -1 when the task cannot be done."""
        self.worked += len(task.members)
        if not self._find_heads(task):
            return -1
        task.members.sort(key=self.head.__getitem__)
        if self._is_crowded(task):
            return -1
        free = (i for i in task.members if self.known[i].waiting < 0)
        return min(free, key=lambda i: (self.head[i], self.rank[i]), default=-1)

    def _find_heads(self, task: _Task) -> bool:
        """Bounds on the members' offsets; False when one of them passes the height or its pin."""
        known, head, members = self.known, self.head, task.members
        for i in members:
            head[i] = known[i].least
        if any(self._is_too_high(i) for i in members):
            return False
        pin, pinned = self.model.pin, self.pinned
        bound = [i for i in members if pin[i] < 0 and (pinned or known[i].waiting >= 0)]
        moved = bool(bound)
        while moved:
            moved = False
            for i in bound:
                raised = self._raised(i)
                if raised > head[i]:
                    head[i], moved = raised, True
                    if self._is_too_high(i):
                        return False
        return True

    def _is_too_high(self, i: int) -> bool:
        head = self.head[i]
        if head + self.model.size[i] <= self.height and not 0 <= self.model.pin[i] < head:
            return False
        self.conflict = self._why([i])
        return True

    def _raised(self, i: int) -> int:
        head = self.head[i]
        if self.known[i].waiting >= 0:
            head = max(head, self._lifted(i))
        return max(head, self._past_pins(i)) if self.pinned and head < FAR else head

    def _lifted(self, i: int) -> int:
        """For a waiting buffer: above one of those that may still come below it."""
        head, is_open, passed = self.head, self.open, self.known[i].waiting
        best = min(
            (
                head[j] + down
                for j, up, down in self.model.edges[i]
                if is_open[j] and head[j] < passed + up
            ),
            default=FAR,
        )
        return _aligned(best, self.model.step[i])

    def _past_pins(self, i: int) -> int:
        head, pin = self.head[i], self.model.pin
        for j, up, down in self.model.edges[i]:
            if self.open[j] and 0 <= pin[j] < head + up and pin[j] + down > head:
                head = _aligned(pin[j] + down, self.model.step[i])
        return head

    def _is_crowded(self, task: _Task) -> bool:
        filled: Ints = np.zeros(self.model.slices, dtype=np.int64)
        first, last, weights, head = self.model.first, self.model.last, self.weights, self.head
        for i in task.members:
            part = filled[first[i] : last[i]]
            np.maximum(part, head[i], out=part)
            part += weights[i]
        fullest = int(filled.argmax())
        if filled[fullest] <= self.height:
            return False
        self.conflict = self._why(self._crowd(task, fullest))
        return True

    def _crowd(self, task: _Task, t: int) -> list[int]:
        """Members that are live in slice t, from the last gap below the top on."""
        model, top, gap = self.model, 0, 0
        live = [i for i in task.members if model.first[i] <= t < model.last[i]]
        for i in live:
            if self.head[i] > top:
                top = gap = self.head[i]
            top += model.weights[i][t - model.first[i]] if model.weights else model.size[i]
        return [i for i in live if self.head[i] >= max(gap, 1)]

    def _why(self, buffers: list[int]) -> int:
        """The frames that force the heads of these buffers.

        A waiting buffer is above the lowest of its neighbours: each is blamed, for where it lies if
        it was placed before, else for how low it could go.
        """
        frames, reached, queue = 0, set(buffers), list(buffers)
        for i in queue:
            known = self.known[i]
            frames |= known.cause
            if known.waiting < 0:
                continue
            frames |= known.wait_set
            for j, _, _ in self.model.edges[i]:
                if not self.open[j]:
                    before = self.frame_of[j] < known.wait_frame
                    frames |= 1 << self.frame_of[j] if before else self.known[j].cause
                elif j not in reached:
                    reached.add(j)
                    queue.append(j)
        return frames

    def _place(self, frame: _Frame, i: int) -> None:
        model, at = self.model, self.head[i]
        frame.placed, self.offset[i], self.open[i] = i, at, False
        self.frame_of[i] = len(self.frames) - 1
        self.joins[model.first[i] + 1 : model.last[i]] -= 1
        for j, up, down in model.edges[i]:
            if not self.open[j]:
                continue
            known = self.known[j]
            above = _aligned(at + up, model.step[j])
            if above > known.least:
                cause = self._why_not_below(j, down, at) | 1 << self.frame_of[i]
                frame.raised.append((j, known))
                self.known[j] = known = known._replace(least=above, cause=cause)
            if known.waiting >= 0 and at < known.waiting + down:
                # It waits for a neighbour to come below it no more, for one has.
                frame.raised.append((j, known))
                self.known[j] = known._replace(waiting=-1)

    def _why_not_below(self, j: int, gap: int, at: int) -> int:
        """Why j is above what was placed at `at`: by its size, by what raised it, or by waiting."""
        if gap > at or self.head[j] + gap <= at:
            # The latter: with gap 0 it could start there too, so its being above is the decision.
            return 0
        known = self.known[j]
        return known.cause if known.least + gap > at else known.cause | self._why([j])

    def _back_up(self) -> bool:
        """Close frames down to one whose placement is to blame and can be changed."""
        while True:
            parent = self.frames[-1].task.parent
            if parent < 0:
                return False
            while len(self.frames) > parent + 1:
                frame = self.frames.pop()
                self._take_back(frame)
                self._undo(frame.passed)
            frame = self.frames[parent]
            i = frame.placed
            self._take_back(frame)
            blamed = self.conflict >> parent & 1
            self.conflict &= ~(1 << parent)
            if blamed and self.model.pin[i] < 0:
                known = self.known[i]
                frame.passed.append((i, known))
                self.known[i] = known._replace(
                    waiting=self.offset[i],
                    wait_frame=parent,
                    wait_set=self.conflict | known.cause,
                )
                return True

    def _take_back(self, frame: _Frame) -> None:
        self._undo(frame.raised)
        if frame.placed >= 0:
            i = frame.placed
            self.joins[self.model.first[i] + 1 : self.model.last[i]] += 1
            self.open[i] = True
            frame.placed = -1

    def _undo(self, changes: list[tuple[int, _Known]]) -> None:
        for i, known in reversed(changes):
            self.known[i] = known
        changes.clear()

    def _tasks_after(self, frame: _Frame) -> _Task | None:
        """What is left of the frame's task, split where nothing joins; the smallest first."""
        after = frame.task.after
        for members in sorted(self._groups(frame), key=len, reverse=True):
            after = _Task(members, len(self.frames) - 1, after)
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
        for before, i in pairwise(rest):
            if first[i] > first[before] and not self.joins[first[i]]:
                groups.append([])
            groups[-1].append(i)
        return groups[::-1]


def _aligned(offset: int, step: int) -> int:
    return offset if step == 1 else -(-offset // step) * step
