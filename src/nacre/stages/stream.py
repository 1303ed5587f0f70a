"""Inputs and outputs that the application streams by rows: they have no home in any memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import MappingProxyType

from nacre.errors import ConfigError, PlacementError
from nacre.ir import TensorId
from nacre.lower import LoweredGraph
from nacre.stages.offsets import model_ends
from nacre.stages.plan import Action, Move, Run, StagePlan, Tiles
from nacre.text import short

ALL = "*"


def named_ends(
    graph: LoweredGraph, ends: tuple[TensorId, ...], words: tuple[str, ...], key: str
) -> tuple[TensorId, ...]:
    """The inputs or outputs that a configuration names by id or name; `*` is all of them."""
    known = {word: t for t in ends for word in (graph.tensors[t].name, t)}
    for word in words:
        if word != ALL and word not in known:
            names = ", ".join(f'{t} "{short(graph.tensors[t].name)}"' for t in ends)
            raise ConfigError(f"{key}: {word!r} is none of {names}; * is all of them")
    chosen = set(ends) if ALL in words else {known[word] for word in words}
    return tuple(t for t in ends if t in chosen)


def streamed(
    plan: StagePlan,
    graph: LoweredGraph,
    inputs: tuple[TensorId, ...],
    outputs: tuple[TensorId, ...],
) -> StagePlan:
    """The plan without homes for these inputs and outputs: their moves go to the caller."""
    ends = model_ends(plan, graph)
    for key in inputs:
        plan = _without(plan, graph, key, ends.inputs[key], "input")
    for key in outputs:
        plan = _without(plan, graph, key, ends.outputs[key], "output")
    return plan


def _without(
    plan: StagePlan, graph: LoweredGraph, key: TensorId, home: str, what: str
) -> StagePlan:
    uses = [a for a in _actions(plan) if home in _touched(a)]
    moves = [a for a in uses if isinstance(a, Move)]
    if len(uses) != 1 or len(moves) != 1:
        name = f'{what} {key} "{short(graph.tensors[key].name)}"'
        raise PlacementError(
            f"{name} cannot be streamed: the plan uses it {len(uses)} times, and rows of the "
            "caller come and go once.\n  would work: a memory for it, or another budget"
        )
    is_input = what == "input"
    assert home == (moves[0].source if is_input else moves[0].destination)
    new = replace(moves[0], source=None) if is_input else replace(moves[0], destination=None)
    segments = tuple(
        replace(s, actions=tuple(new if a is moves[0] else a for a in s.actions))
        for s in plan.segments
    )
    kept = {k: h for k, h in plan.holdings.items() if k != home}
    return replace(plan, segments=segments, holdings=MappingProxyType(kept))


def _actions(plan: StagePlan) -> Iterator[Action]:
    return (action for segment in plan.segments for action in segment.actions)


def _touched(action: Action) -> set[str]:
    """The holdings that an action reads or writes."""
    if isinstance(action, Move):
        return {h for h in (action.source, action.destination) if h is not None}
    if isinstance(action, Run):
        return set(action.holdings.values())
    assert isinstance(action, Tiles)
    boxes = [box for group in action.groups for box in (*group.loads, *group.stores)]
    held = {h for group in action.groups for h in group.holdings.values()}
    return held | {h for box in boxes for h in (box.whole, box.tile)}
