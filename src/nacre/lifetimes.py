"""Schedule -> Problem: when each tensor is alive, and what must be packed where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ir import TensorId, TensorKind
from nacre.lower import LoweredGraph
from nacre.memory import MemoryType, TensorLifetime
from nacre.overlap import sharings
from nacre.planner.problem import Buffer, Overlap, Problem
from nacre.schedule import Schedule


@dataclass(frozen=True, eq=False)
class Lifetimes:
    """Per tensor that owns bytes; views are merged into their owners."""

    schedule: Schedule
    tensors: Mapping[TensorId, TensorLifetime]
    # Owners whose bytes outlive the last step: nothing may be written over them.
    kept: frozenset[TensorId]


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
    kept = graph.outputs + (graph.inputs if keep_inputs else ())
    return Lifetimes(schedule, found, frozenset(graph.storage(t) for t in kept))


def problem(alive: Lifetimes, alignment: Alignment, overlap: bool) -> Problem:
    """The scratch tensors as buffers, one arena per memory; `overlap` lets outputs share bytes."""
    placed = alive.schedule.placed
    graph = placed.graph
    buffers = []
    for key, life in alive.tensors.items():
        tensor = graph.tensors[key]
        if tensor.kind is not TensorKind.SCRATCH:
            continue
        memory = placed.residences[key].memory
        buffers.append(
            Buffer(
                id=key,
                size=max(1, tensor.size),
                lower=life.start_op,
                upper=life.end_op + 1,
                alignment=alignment.slot(memory, graph.alignment(key)),
                memory=memory,
            )
        )
    return Problem(tuple(buffers), _overlaps(alive) if overlap else ())


def _overlaps(alive: Lifetimes) -> tuple[Overlap, ...]:
    """Pairs whose lives meet in one step alone: the input dies where the output is born."""
    graph = alive.schedule.placed.graph
    found = []
    for number, step in enumerate(alive.schedule.steps):
        for sharing in sharings(step):
            first, second = graph.storage(sharing.input), graph.storage(sharing.output)
            # Of bytes that die here, only those that the step reads matter.
            ahead = sharing.ahead - graph.offset(sharing.input)
            behind = sharing.behind if _whole(graph, sharing.input) else None
            # A second input in the same bytes has needs of its own.
            alone = sum(graph.storage(t) == first for t in step.reads) == 1
            whole = _whole(graph, sharing.output)
            if whole and alone and _meet_in(alive, first, second, number):
                found.append(Overlap(first, second, ahead, behind))
    return tuple(found)


def _meet_in(alive: Lifetimes, first: TensorId, second: TensorId, step: int) -> bool:
    residences, tensors = alive.schedule.placed.residences, alive.schedule.placed.graph.tensors
    kinds = {tensors[first].kind, tensors[second].kind}
    return (
        first != second
        and first not in alive.kept
        and kinds == {TensorKind.SCRATCH}
        and residences[first].memory == residences[second].memory
        and alive.tensors[first].end_op == step == alive.tensors[second].start_op
    )


def _whole(graph: LoweredGraph, tensor: TensorId) -> bool:
    return graph.tensors[tensor].size == graph.tensors[graph.storage(tensor)].size
