"""Schedule -> Problem: when each tensor is alive, and what must be packed where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ir import TensorId, TensorKind
from nacre.memory import MemoryType, TensorLifetime
from nacre.planner.problem import Buffer, Problem
from nacre.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Per tensor that owns bytes; views are merged into their owners."""

    schedule: Schedule
    tensors: Mapping[TensorId, TensorLifetime]


@dataclass(frozen=True)
class Alignment:
    """Slot alignment = max(arena_alignment, min_alignment, element type, kernel)."""

    minimum: int
    arenas: Mapping[MemoryType, int]

    def slot(self, memory: MemoryType, needed: int) -> int:
        return max(self.minimum, self.arenas.get(memory, 1), needed)


def lifetimes(schedule: Schedule, keep_inputs: bool) -> Lifetimes:
    """First and last step of each tensor. Inputs start before step 0, outputs outlive the last."""
    graph = schedule.placed.graph
    last = max(0, len(schedule.steps) - 1)
    found: dict[TensorId, TensorLifetime] = {}

    def touch(tensor: TensorId, step: int) -> None:
        owner = graph.storage(tensor)
        if owner in found:
            found[owner].add_op(step)
        else:
            found[owner] = TensorLifetime(owner, step, step)

    for tensor in graph.inputs:
        touch(tensor, 0)
        if keep_inputs:
            touch(tensor, last)
    for number, step in enumerate(schedule.steps):
        for tensor in (*step.reads, *step.writes, *step.scratch):
            touch(tensor, number)
    for tensor in graph.outputs:
        touch(tensor, last)
    return Lifetimes(schedule, found)


def problem(alive: Lifetimes, alignment: Alignment) -> Problem:
    """The scratch tensors as buffers, one arena per memory."""
    placed = alive.schedule.placed
    graph = placed.graph
    buffers = []
    for key, life in alive.tensors.items():
        tensor = graph.tensors[key]
        if tensor.kind is not TensorKind.SCRATCH:
            continue
        memory = placed.residences[key].memory
        needed = max(tensor.dtype.alignment, graph.alignments.get(key, 1))
        buffers.append(
            Buffer(
                key, max(1, tensor.size), life.start_op, life.end_op + 1,
                alignment.slot(memory, needed), memory,
            )  # fmt: skip
        )
    return Problem(tuple(buffers))
