"""StagePlan -> Problem: every holding is a buffer, alive over its ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from nacre.ir import TensorId, TensorKind
from nacre.lifetimes import Alignment
from nacre.lower import LoweredGraph, Step
from nacre.ops.kind import Pointer
from nacre.overlap import sharings
from nacre.planner.problem import Buffer, Overlap, Problem
from nacre.stages.plan import Holding, Move, Run, Segment, StagePlan, Tiles


@dataclass(frozen=True)
class Ends:
    """The holdings that the caller writes and reads: of inputs, of outputs; none where streamed."""

    inputs: Mapping[TensorId, str]
    outputs: Mapping[TensorId, str]


def stage_problem(
    plan: StagePlan, graph: LoweredGraph, alignment: Alignment, overlap: bool, keep_inputs: bool
) -> Problem:
    """The holdings as buffers, one arena per memory; `overlap` lets outputs share bytes.

    Time is counted in actions: a segment that repeats has one tick, but as many steps of time.
    """
    needed = alignments(plan, extended(graph, plan))
    times = _times(plan.segments)
    buffers = tuple(
        Buffer(
            id=h.id,
            size=max(1, h.size),
            lower=_begin(h, times),
            upper=_end(h, times),
            alignment=alignment.slot(h.memory, needed[h.id]),
            memory=h.memory,
        )
        for h in plan.holdings.values()
    )
    return Problem(buffers, tuple(_overlaps(plan, graph, keep_inputs)) if overlap else ())


def _times(segments: tuple[Segment, ...]) -> list[int]:
    """When each tick begins, and last when all is over."""
    times = [0]
    for segment in segments:
        once = segment.iterations == 1
        steps = [1] * len(segment.actions) if once else [max(1, len(segment.actions))]
        for step in steps:
            times.append(times[-1] + step)
    return times


def _begin(held: Holding, times: list[int]) -> int:
    begin = times[min(held.lower, len(times) - 1)]
    return begin if held.turn is None else begin + held.turn[0]


def _end(held: Holding, times: list[int]) -> int:
    if held.turn is not None:
        return times[held.lower] + held.turn[1]
    # What is held past the end is held for a moment more.
    last = len(times) - 1
    return times[min(held.upper, last)] + max(0, held.upper - last)


def alignments(plan: StagePlan, graph: LoweredGraph) -> dict[str, int]:
    """What the tensors of each holding ask for: steps may take turns on one for their scratch."""
    found = {h.id: graph.alignment(h.tensor) for h in plan.holdings.values()}
    for action in (a for segment in plan.segments for a in segment.actions):
        users = action.groups if isinstance(action, Tiles) else (action,)
        for user in users:
            for key, held in () if isinstance(user, Move) else user.holdings.items():
                found[held] = max(found[held], graph.alignment(key))
    return found


def extended(graph: LoweredGraph, plan: StagePlan) -> LoweredGraph:
    """The graph with the tensors that tiles add, and without the constants that they replace."""
    if not plan.tensors:
        return graph
    steps = tuple(planned_steps(plan))
    pointers = [a for s in steps for c in s.calls for a in c.arguments if isinstance(a, Pointer)]
    alignments = dict(graph.alignments)
    for p in pointers:
        needed = max(p.alignment, p.dtype.alignment)
        alignments[p.tensor] = max(needed, alignments.get(p.tensor, 1))
    pointed = {graph.storage(p.tensor) for p in pointers}
    kept = {
        key: tensor
        for key, tensor in graph.tensors.items()
        if tensor.kind is not TensorKind.CONSTANT or key in pointed or key.endswith(".first")
    }
    return replace(
        graph,
        tensors=MappingProxyType(kept | dict(plan.tensors)),
        alignments=MappingProxyType(alignments),
    )


def planned_steps(plan: StagePlan) -> Iterator[Step]:
    """The steps that run: of tiles, those on boxes."""
    for action in (a for segment in plan.segments for a in segment.actions):
        if isinstance(action, Run):
            yield action.step
        elif isinstance(action, Tiles):
            yield from (group.step for group in action.groups)


def model_ends(plan: StagePlan, graph: LoweredGraph) -> Ends:
    """Inputs live in the holding that no move fills, outputs in the one that is written last."""
    filled = {move.destination for move in _moves(plan)}
    streamed = {move.tensor for move in _moves(plan) if move.source is None}
    inputs = {}
    for key in graph.inputs:
        owner = graph.storage(key)
        own = [h for h in plan.holdings.values() if h.tensor == owner and h.id not in filled]
        if own and owner not in streamed:
            inputs[key] = min(own, key=lambda h: (h.lower, h.id)).id
    # Rows that steps work on are copies where there is a home besides.
    worked = {key for action in _runs(plan) for key in action.holdings.values()}
    written = dict(_writes(plan, graph))
    written |= {owner: key for owner, key in _writes(plan, graph) if key not in worked}
    gone = {move.tensor for move in _moves(plan) if move.destination is None}
    outputs = {}
    for key in graph.outputs:
        owner = graph.storage(key)
        if owner not in gone:
            outputs[key] = written.get(owner) or _only(plan, owner)
    return Ends(inputs, outputs)


def _only(plan: StagePlan, owner: TensorId) -> str:
    """An output that nothing writes is a view of an input."""
    return min((h for h in plan.holdings.values() if h.tensor == owner), key=lambda h: h.lower).id


def _runs(plan: StagePlan) -> Iterator[Run]:
    return (a for s in plan.segments for a in s.actions if isinstance(a, Run))


def _moves(plan: StagePlan) -> Iterator[Move]:
    return (a for s in plan.segments for a in s.actions if isinstance(a, Move))


def _writes(plan: StagePlan, graph: LoweredGraph) -> Iterator[tuple[TensorId, str]]:
    """Tensor and holding of everything that is written, in order."""
    for action in (a for segment in plan.segments for a in segment.actions):
        if isinstance(action, Move):
            if action.destination is not None:
                yield action.tensor, action.destination
        elif isinstance(action, Run):
            yield from (_written(action, graph, t) for t in action.step.node.operator.outputs)
        else:
            stores = (store for group in action.groups for store in group.stores)
            yield from ((store.tensor, store.whole) for store in stores)


def _written(run: Run, graph: LoweredGraph, tensor: TensorId) -> tuple[TensorId, str]:
    return graph.storage(tensor), holding_of(run.holdings, graph, tensor)


def holding_of(holdings: Mapping[TensorId, str], graph: LoweredGraph, tensor: TensorId) -> str:
    """The holding that a run uses for a tensor or for the owner of its bytes."""
    return holdings.get(tensor) or holdings[graph.storage(tensor)]


def _overlaps(plan: StagePlan, graph: LoweredGraph, keep_inputs: bool) -> Iterator[Overlap]:
    """Pairs of whole holdings whose lives meet in one step: the input dies where the output is
    born. Segments that repeat have none."""
    ends = model_ends(plan, graph)
    kept = set(ends.outputs.values()) | (set(ends.inputs.values()) if keep_inputs else set())
    for tick, run in single_runs(plan.segments):
        for sharing in sharings(run.step):
            if not {sharing.input, graph.storage(sharing.input)} & set(run.holdings):
                continue  # a variable
            first = plan.holdings[holding_of(run.holdings, graph, sharing.input)]
            second = plan.holdings[holding_of(run.holdings, graph, sharing.output)]
            whole = _fills(graph, sharing.input, first) and _fills(graph, sharing.output, second)
            alone = sum(graph.storage(t) == first.tensor for t in run.step.reads) == 1
            if whole and alone and first.id not in kept and _meet_in(first, second, tick):
                yield Overlap(first.id, second.id, sharing.ahead, sharing.behind)


def single_runs(segments: tuple[Segment, ...]) -> Iterator[tuple[int, Run]]:
    """The runs of segments that do not repeat, with their ticks."""
    tick = 0
    for segment in segments:
        for number, action in enumerate(segment.actions):
            if segment.iterations == 1 and isinstance(action, Run):
                yield tick + number, action
        tick += segment.ticks


def _meet_in(first: Holding, second: Holding, tick: int) -> bool:
    return (
        first.id != second.id
        and first.memory == second.memory
        and first.upper - 1 == tick == second.lower
    )


def _fills(graph: LoweredGraph, tensor: TensorId, holding: Holding) -> bool:
    """All bytes of the holding are the tensor's."""
    return graph.tensors[tensor].size == graph.tensors[holding.tensor].size == holding.size
