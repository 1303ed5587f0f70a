"""Staged -> what there is to say about it: stages with their bytes, peaks, and a trace."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass, replace
from functools import cache

from nacre.ir import TensorId, TensorKind
from nacre.lower import Step
from nacre.ops.kind import Pointer
from nacre.stages.budget import Staged
from nacre.stages.offsets import planned_steps
from nacre.stages.plan import Action, BoxMove, Move, Run, Segment, Tiles

WHOLE, CASCADE, TILES = "whole", "cascade", "tiles"


@dataclass(frozen=True)
class Stage:
    """Steps that run one after another whole, take turns on rows, or one step by tiles."""

    kind: str
    # Ids and types of its operators, in order.
    operators: tuple[tuple[str, str], ...]
    # Iterations of a cascade, tiles, or 1.
    bands: int
    # Highest byte of fast memory in use, and bytes moved.
    fast_bytes: int
    loaded: int = 0
    spilled: int = 0
    # Constants read, those of them that are copied to fast memory first, and those that the model
    # does not have: multipliers that rescale sums, lookup tables.
    constants: int = 0
    staged: int = 0
    tables: int = 0


@dataclass(frozen=True, eq=False)
class _Acted:
    """An action with its ticks and its segment."""

    segment: Segment
    action: Action
    tick: int


def stages(staged: Staged) -> tuple[Stage, ...]:
    """The stages of a plan in order; constants that are staged count where they are used."""
    found: list[Stage] = []
    waiting = Stage(WHOLE, (), 1, 0)
    for part in _parts(staged):
        stage = _stage(staged, part)
        if stage.operators:
            found.append(_joined(waiting, stage))
            waiting = Stage(WHOLE, (), 1, 0)
        else:
            waiting = _joined(waiting, stage)
    if found:
        found[-1] = _joined(found[-1], replace(waiting, kind=found[-1].kind))
    return tuple(found)


def _joined(before: Stage, stage: Stage) -> Stage:
    return Stage(
        stage.kind, before.operators + stage.operators, max(before.bands, stage.bands),
        max(before.fast_bytes, stage.fast_bytes), before.loaded + stage.loaded,
        before.spilled + stage.spilled, before.constants + stage.constants,
        before.staged + stage.staged, before.tables + stage.tables,
    )  # fmt: skip


def _parts(staged: Staged) -> Iterator[list[_Acted]]:
    """Actions that make a stage: a cascade, tiles, a line of whole steps, or moves alone."""
    part: list[_Acted] = []
    for acted in _actions(staged.plan.segments):
        apart = isinstance(acted.action, Tiles) or _stages_constant(staged, acted.action)
        if part and (apart or part[-1].segment is not acted.segment):
            yield part
            part = []
        part.append(acted)
        if apart:
            yield part
            part = []
    if part:
        yield part


def _actions(segments: tuple[Segment, ...]) -> Iterator[_Acted]:
    tick = 0
    for segment in segments:
        for number, action in enumerate(segment.actions):
            yield _Acted(segment, action, tick + (number if segment.iterations == 1 else 0))
        tick += segment.ticks


def _stages_constant(staged: Staged, action: Action) -> bool:
    tensors = staged.graph.tensors
    return (
        isinstance(action, Move)
        and action.tensor in tensors
        and tensors[action.tensor].kind is TensorKind.CONSTANT
    )


def _stage(staged: Staged, part: list[_Acted]) -> Stage:
    ticks = {acted.tick for acted in part}
    steps = [a.action.step for a in part if not isinstance(a.action, Move)]
    bands = part[0].segment.iterations
    kind = CASCADE if bands > 1 else WHOLE
    if isinstance(part[0].action, Tiles):
        kind, bands = TILES, sum(g.rows * g.columns for g in part[0].action.groups)
    stage = Stage(kind, tuple(_named(s) for s in steps), bands, _peak(staged, ticks))
    for acted in part:
        stage = _counted(staged, stage, acted.action)
    return stage


def _named(step: Step) -> tuple[str, str]:
    return step.operator.id, step.operator.type


def _peak(staged: Staged, ticks: set[int]) -> int:
    fast, offsets = staged.memories.fast, staged.solution.offsets
    alive = (
        h
        for h in staged.plan.holdings.values()
        if h.memory == fast and any(h.lower <= t < h.upper for t in ticks)
    )
    return max((offsets[h.id] + h.size for h in alive), default=0)


def _counted(staged: Staged, stage: Stage, action: Action) -> Stage:
    if isinstance(action, Move):
        size = action.ends[-1] * _row_bytes(staged, action)
        if _stages_constant(staged, action):
            tables = size if action.tensor in _tables(staged) else 0
            return replace(
                stage,
                constants=stage.constants + size,
                staged=stage.staged + size,
                tables=stage.tables + tables,
            )
        if _is_load(staged, action):
            return replace(stage, loaded=stage.loaded + size)
        return replace(stage, spilled=stage.spilled + size)
    if isinstance(action, Run):
        return _with_constants(staged, stage, action.step, turns(action.ends), action.holdings)
    return _counted_tiles(staged, stage, action)


def _counted_tiles(staged: Staged, stage: Stage, tiles: Tiles) -> Stage:
    for group in tiles.groups:
        count = group.rows * group.columns
        loaded = sum(_size(b) for b in group.loads if not _in_fast(staged, b.whole))
        spilled = sum(_size(b) for b in group.stores if not _in_fast(staged, b.whole))
        stage = replace(
            stage,
            loaded=stage.loaded + count * loaded,
            spilled=stage.spilled + count * spilled,
        )
        stage = _with_constants(staged, stage, group.step, count, ())
    return stage


def _size(box: BoxMove) -> int:
    return box.planes * box.lines * box.line_bytes


def _in_fast(staged: Staged, holding: str) -> bool:
    return staged.plan.holdings[holding].memory == staged.memories.fast


def _is_load(staged: Staged, move: Move) -> bool:
    return move.destination is not None and _in_fast(staged, move.destination)


def _row_bytes(staged: Staged, move: Move) -> int:
    key = move.destination if move.source is None else move.source
    assert key is not None
    return staged.plan.holdings[key].row_bytes


def turns(ends: tuple[int, ...]) -> int:
    """In how many iterations any row is done."""
    return sum(b > a for a, b in zip((0, *ends), ends, strict=False))


def _with_constants(
    staged: Staged, stage: Stage, step: Step, times: int, held: Container[str]
) -> Stage:
    """Constants that a step reads where they are stored, so many times."""
    tables = _tables(staged)
    sizes = {key: size for key, size in _constants(staged, step).items() if key not in held}
    return replace(
        stage,
        constants=stage.constants + times * sum(sizes.values()),
        tables=stage.tables + times * sum(sizes[key] for key in sizes if key in tables),
    )


def _constants(staged: Staged, step: Step) -> dict[TensorId, int]:
    graph, extra = staged.graph, staged.plan.tensors
    pointers = (a for call in step.calls for a in call.arguments if isinstance(a, Pointer))
    keys = {graph.storage(p.tensor) for p in pointers}
    found = [extra[key] if key in extra else graph.tensors[key] for key in keys]
    return {t.id: t.size for t in found if t.kind is TensorKind.CONSTANT}


@cache
def _tables(staged: Staged) -> frozenset[TensorId]:
    """Constants that are made from no tensor of the model."""
    steps = (*staged.graph.steps, *planned_steps(staged.plan))
    own = {t.id for step in steps for t in step.node.inputs if t is not None}
    tensors = {**staged.graph.tensors, **staged.plan.tensors}
    made = (t for t in tensors.values() if t.kind is TensorKind.CONSTANT)
    return frozenset(t.id for t in made if t.id not in own and not set(t.origins) & own)
