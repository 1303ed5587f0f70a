"""The judge of every solution. It shares no code with the solvers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nacre.planner.problem import Buffer, Overlap, Problem, Solution


class PlanError(AssertionError):
    """A solution, or the problem itself, breaks a rule of `problem.py`."""


@dataclass(frozen=True)
class _Placed:
    buffer: Buffer
    offset: int

    @property
    def end(self) -> int:
        return self.offset + self.buffer.size

    def __str__(self) -> str:
        b = self.buffer
        return f"{b.id!r} (bytes {self.offset} to {self.end}, steps {b.lower} to {b.upper})"


def validate(problem: Problem, solution: Solution) -> None:
    """Raise `PlanError`, naming the buffers, unless the solution keeps every rule."""
    check_problem(problem)
    _check_ids(problem, solution)
    placed = [_Placed(b, solution.offsets[b.id]) for b in problem.buffers]
    for one in placed:
        _check_alone(one)
    memories: dict[str, list[_Placed]] = {}
    for one in placed:
        memories.setdefault(one.buffer.memory, []).append(one)
    _check_heights(problem, solution, memories)
    for members in memories.values():
        _check_pairs(members, problem.overlaps)


def check_problem(problem: Problem) -> None:
    """Raise `PlanError` for a problem that means nothing: these are our own mistakes."""
    counts = Counter(buffer.id for buffer in problem.buffers)
    if len(counts) != len(problem.buffers):
        twice = next(name for name, count in counts.items() if count > 1)
        raise PlanError(f"two buffers have the id {twice!r}")
    for b in problem.buffers:
        if b.size < 0 or b.lower >= b.upper or b.alignment < 1:
            raise PlanError(f"buffer {b.id!r} has a wrong size, lifetime or alignment: {b}")
    for overlap in problem.overlaps:
        for name in (overlap.first, overlap.second):
            if name not in counts:
                raise PlanError(f"an overlap names {name!r}, which is no buffer: {overlap}")
        if overlap.first == overlap.second:
            raise PlanError(f"an overlap names {overlap.first!r} twice")


def _check_ids(problem: Problem, solution: Solution) -> None:
    wanted = {buffer.id for buffer in problem.buffers}
    for name in sorted(wanted - solution.offsets.keys()):
        raise PlanError(f"buffer {name!r} has no offset")
    for name in sorted(solution.offsets.keys() - wanted):
        raise PlanError(f"the solution places {name!r}, which is no buffer of the problem")


def _check_alone(one: _Placed) -> None:
    buffer = one.buffer
    if one.offset < 0:
        raise PlanError(f"buffer {buffer.id!r} starts at {one.offset}, below zero")
    if one.offset % buffer.alignment:
        raise PlanError(
            f"buffer {buffer.id!r} starts at {one.offset}, not a multiple of {buffer.alignment}"
        )
    if buffer.offset is not None and buffer.offset != one.offset:
        raise PlanError(
            f"buffer {buffer.id!r} is pinned to {buffer.offset} but starts at {one.offset}"
        )


def _check_heights(
    problem: Problem, solution: Solution, memories: dict[str, list[_Placed]]
) -> None:
    if solution.heights.keys() != memories.keys():
        raise PlanError(
            f"heights are for {sorted(solution.heights)}, buffers live in {sorted(memories)}"
        )
    capacities = problem.capacities or {}
    for name, members in memories.items():
        top = max(members, key=lambda one: one.end)
        if solution.heights[name] != top.end:
            raise PlanError(
                f"memory {name!r} has height {solution.heights[name]}, but {top} ends it"
            )
        if name in capacities and top.end > capacities[name]:
            raise PlanError(f"memory {name!r} holds {capacities[name]} bytes, but has {top}")


def _check_pairs(members: Sequence[_Placed], overlaps: Iterable[Overlap]) -> None:
    allowed: dict[frozenset[str], list[Overlap]] = {}
    for overlap in overlaps:
        allowed.setdefault(frozenset((overlap.first, overlap.second)), []).append(overlap)
    for one, other in _sharing(members):
        rules = allowed.get(frozenset((one.buffer.id, other.buffer.id)), [])
        if any(_permits(rule, one, other) for rule in rules):
            continue
        why = f"; none of {rules} allows it" if rules else ""
        raise PlanError(f"buffers {one} and {other} clash{why}")


def _permits(rule: Overlap, one: _Placed, other: _Placed) -> bool:
    first, second = (one, other) if one.buffer.id == rule.first else (other, one)
    if rule.ahead is not None and first.offset - second.offset >= rule.ahead:
        return True
    return rule.behind is not None and second.end - first.end >= rule.behind


def _sharing(members: Sequence[_Placed]) -> Iterator[tuple[_Placed, _Placed]]:
    """Pairs that are alive together and have a byte in common.

    Sorted by first step, the partners of a buffer that begin no earlier than it does are the run
    that follows it, up to the first one that begins at or after its end.
    """
    byte_full = [one for one in members if one.buffer.size > 0]
    line = sorted(byte_full, key=lambda one: one.buffer.lower)
    lowers = _column(one.buffer.lower for one in line)
    runs = np.searchsorted(lowers, _column(one.buffer.upper for one in line), side="left")
    starts = _column(one.offset for one in line)
    ends = _column(one.end for one in line)
    for i, one in enumerate(line):
        run = slice(i + 1, int(runs[i]))
        for k in np.flatnonzero((starts[run] < one.end) & (ends[run] > one.offset)):
            yield one, line[i + 1 + int(k)]


def _column(values: Iterable[int]) -> npt.NDArray[np.int64]:
    return np.fromiter(values, dtype=np.int64)
