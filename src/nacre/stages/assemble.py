"""StagePlan and offsets -> Program: every action with its addresses, every holding a slot."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from nacre.assemble import Names, Packed, Parts, bumped, complete, program_step, resolved
from nacre.ir import Tensor, TensorId, TensorKind
from nacre.lifetimes import Alignment
from nacre.lower import LoweredGraph, Step
from nacre.memory import BASE_ALIGNMENT, ArenaRole, ArenaUsage, MemoryType, TensorLifetime
from nacre.ops import kind_of
from nacre.ops.kind import Call, Pointer
from nacre.ops.rings import is_row_wise, ringed
from nacre.place import DEFAULT_RULE, Placed, Residence
from nacre.planner.problem import Solution
from nacre.program import (
    Caller,
    Place,
    Program,
    ProgramAction,
    ProgramBoxMove,
    ProgramCall,
    ProgramMove,
    ProgramRun,
    ProgramSegment,
    ProgramStep,
    ProgramTileGroup,
    ProgramTiles,
    Slot,
)
from nacre.schedule import MODEL, REORDERED
from nacre.stages.offsets import Ends, alignments, extended, holding_of, model_ends
from nacre.stages.plan import Action, BoxMove, Move, Run, Segment, StagePlan, TileGroup, Tiles

LOAD, SPILL = "LOAD", "SPILL"
# What the report names as the reason of a place.
BUDGET_RULE = "budget"


@dataclass(frozen=True, eq=False)
class _Staged:
    """What the actions are put together from."""

    plan: StagePlan
    placed: Placed
    ends: Ends
    # Every holding by its id; constants, variables and whole tensors by theirs.
    holdings: Mapping[str, Slot]
    slots: Mapping[TensorId, Slot]

    @property
    def graph(self) -> LoweredGraph:
        return self.placed.graph


def assemble_stages(
    placed: Placed, plan: StagePlan, alignment: Alignment, solution: Solution, names: Names
) -> Program:
    """The program of a staged plan. `placed` is that of the graph which the plan is for."""
    wide = _widened(replace(placed, notes=(*placed.notes, *_idle_rules(placed, plan))), plan)
    arenas = (*_scratch_arenas(wide, plan, alignment, solution), *bumped(wide, alignment))
    ends = model_ends(plan, wide.graph)
    holdings = _holding_slots(wide, plan, arenas)
    slots = _slots(wide, holdings, arenas, _homes(wide, plan, ends), _starts(plan)[-1])
    staged = _Staged(plan, wide, ends, holdings, slots)
    steps = tuple(_steps(staged))
    segments = tuple(_segments(staged))
    traffic = plan.traffic
    lives = {k: TensorLifetime(k, s.lower, s.upper - 1) for k, s in slots.items() if not s.view_of}
    parts = Parts(wide, arenas, slots, steps, segments, lives, _order(wide, plan), traffic)
    return complete(parts, solution, names)


def _idle_rules(placed: Placed, plan: StagePlan) -> Iterator[str]:
    """Rules that place scratch: with a budget the plan decides."""
    homes: dict[str, set[TensorId]] = {}
    for h in plan.holdings.values():
        home = placed.residences.get(h.tensor)
        ruled = home is not None and home.role is ArenaRole.scratch and home.rule != DEFAULT_RULE
        if home is not None and ruled and home.memory != h.memory:
            homes.setdefault(home.rule, set()).add(h.tensor)
    for rule, tensors in homes.items():
        yield f"{rule}: not followed for {len(tensors)} tensors: memory.budget places scratch"


def _order(placed: Placed, plan: StagePlan) -> str:
    """Whether the operators run in the order of the model."""
    actions = (a for segment in plan.segments for a in segment.actions)
    ran = [a.step.operator.id for a in actions if not isinstance(a, Move)]
    return MODEL if ran == [s.operator.id for s in placed.graph.steps] else REORDERED


def _widened(placed: Placed, plan: StagePlan) -> Placed:
    """Tensors that tiles add live where those that they were made from do."""
    graph = extended(placed.graph, plan)
    if graph is placed.graph:
        return placed
    cold = placed.target.cold.type
    residences = dict(placed.residences)
    for tensor in plan.tensors.values():
        origin = next((o for o in tensor.origins if o in residences), None)
        if tensor.kind is TensorKind.CONSTANT:
            home = Residence(ArenaRole.constant, cold, cold)
            residences[tensor.id] = home if origin is None else residences[origin]
        else:
            residences[tensor.id] = Residence(ArenaRole.scratch, cold, cold)
    return replace(placed, graph=graph, residences=residences)


# --- slots ----------------------------------------------------------------------------------------


def _scratch_arenas(
    placed: Placed, plan: StagePlan, alignment: Alignment, solution: Solution
) -> Iterator[Packed]:
    """One per memory that has holdings, in the target's order of speed."""
    asked = alignments(plan, placed.graph)
    for memory in (m.type for m in placed.target.memories):
        members = [h for h in plan.holdings.values() if h.memory == memory]
        if not members:
            continue
        needed = (alignment.slot(memory, asked[h.id]) for h in members)
        height = solution.heights[memory]
        yield Packed(
            ArenaUsage(
                memory, height, height, ArenaRole.scratch, memory, max(BASE_ALIGNMENT, *needed)
            ),
            {h.id: solution.offsets[h.id] for h in members},
        )


def _holding_slots(placed: Placed, plan: StagePlan, arenas: tuple[Packed, ...]) -> dict[str, Slot]:
    """Where each holding is, and the steps in which it is alive."""
    starts = _starts(plan)
    regions = {
        a.usage.memory: (n, a.offsets)
        for n, a in enumerate(arenas)
        if a.usage.role is ArenaRole.scratch
    }
    found = {}
    for h in plan.holdings.values():
        region, offsets = regions[h.memory]
        found[h.id] = Slot(
            tensor=placed.graph.tensors[h.tensor],
            region=region,
            offset=offsets[h.id],
            size=h.size,
            rule=BUDGET_RULE,
            lower=starts[h.lower] + (0 if h.turn is None else h.turn[0]),
            upper=starts[h.upper] if h.turn is None else starts[h.lower] + h.turn[1],
        )
    return found


def _starts(plan: StagePlan) -> list[int]:
    """The first step of each tick, and the number of steps behind the last."""
    starts: list[int] = []
    step = 0
    for segment in plan.segments:
        once = segment.iterations == 1
        starts += range(step, step + len(segment.actions)) if once else [step]
        step += len(segment.actions)
    return [*starts, step]


def _homes(placed: Placed, plan: StagePlan, ends: Ends) -> dict[TensorId, str]:
    """The holding that stands for each tensor: the caller's, or the first."""
    found: dict[TensorId, str] = {}
    for h in sorted(plan.holdings.values(), key=lambda h: (h.lower, h.id)):
        if placed.graph.tensors[h.tensor].kind is TensorKind.SCRATCH:
            found.setdefault(h.tensor, h.id)
    for key, holding in (*ends.inputs.items(), *ends.outputs.items()):
        found[placed.graph.storage(key)] = holding
    return found


def _slots(
    placed: Placed,
    holdings: Mapping[str, Slot],
    arenas: tuple[Packed, ...],
    homes: Mapping[TensorId, str],
    steps: int,
) -> dict[TensorId, Slot]:
    """By tensor: its home, constants, variables, views. Other holdings by their own ids."""
    fixed = {
        key: (n, offset)
        for n, a in enumerate(arenas)
        if a.usage.role is not ArenaRole.scratch
        for key, offset in a.offsets.items()
    }
    slots: dict[TensorId, Slot] = {}
    for tensor in placed.graph.tensors.values():
        owner = placed.graph.storage(tensor.id)
        if owner in homes:
            slots[tensor.id] = _view(holdings[homes[owner]], tensor, placed.graph)
        elif owner in fixed:
            region, offset = fixed[owner]
            rule = placed.residences[owner].rule
            whole = Slot(placed.graph.tensors[owner], region, offset, 0, rule, 0, steps)
            slots[tensor.id] = replace(_view(whole, tensor, placed.graph), size=tensor.size)
    homely = set(homes.values())
    for key, slot in holdings.items():
        if key not in homely:
            slots[_free_key(key, slots)] = slot
    return slots


def _view(slot: Slot, tensor: Tensor, graph: LoweredGraph) -> Slot:
    """The slot of a tensor's owner as the tensor's own."""
    if slot.tensor.id == tensor.id:
        return slot
    offset = slot.offset + graph.offset(tensor.id)
    size = min(slot.size, tensor.size)
    return replace(slot, tensor=tensor, offset=offset, size=size, view_of=slot.tensor.id)


def _free_key(key: str, taken: Mapping[str, Slot]) -> str:
    while key in taken:
        key += "'"
    return key


# --- actions --------------------------------------------------------------------------------------


def _steps(staged: _Staged) -> Iterator[ProgramStep]:
    number = 0
    for segment in staged.plan.segments:
        for action in segment.actions:
            yield _step(staged, segment, action, number)
            number += 1


def _step(staged: _Staged, segment: Segment, action: Action, number: int) -> ProgramStep:
    if isinstance(action, Move):
        return _move_step(staged, action, number)
    if isinstance(action, Run):
        step, places = _on_rings(staged, segment, action), _places(staged, action.holdings)
        assert segment.iterations == 1 or is_row_wise(
            kind_of(step.operator), step.node, step.calls
        ), f"{step.operator.type} cannot be done in bands"
        made = program_step(number, step, staged.placed, places)
        return made if segment.iterations == 1 else replace(made, backward=False)
    groups = action.groups
    calls = tuple(c for group in groups for c in _tile_calls(staged, group))
    bare = replace(action.step, calls=(), in_place=(), row_wise=False)
    made = program_step(number, bare, staged.placed, staged.slots)
    return replace(made, calls=calls, backward=False)


def _move_step(staged: _Staged, move: Move, number: int) -> ProgramStep:
    tensor = staged.graph.tensors[move.tensor]
    return ProgramStep(
        number=number,
        ids=(),
        type=_direction(staged, move),
        name=tensor.name,
        inputs=(tensor.id,),
        outputs=(tensor.id,),
        calls=(),
        macs=0,
        code=staged.placed.target.cold.type,
        attributes={},
    )


def _direction(staged: _Staged, move: Move) -> str:
    """Into a faster memory is a load, into a slower one a spill."""
    if move.source is None or move.destination is None:
        return LOAD if move.source is None else SPILL
    speed = [m.type for m in staged.placed.target.memories]
    source, destination = (_memory(staged, h) for h in (move.source, move.destination))
    return LOAD if speed.index(destination) <= speed.index(source) else SPILL


def _memory(staged: _Staged, holding: str) -> MemoryType:
    return staged.plan.holdings[holding].memory


def _on_rings(staged: _Staged, segment: Segment, run: Run) -> Step:
    """The step with the ring fields of its calls set."""
    if segment.iterations == 1:
        return run.step
    return replace(run.step, calls=tuple(_ringed(staged, run, c) for c in run.step.calls))


def _ringed(staged: _Staged, run: Run, call: Call) -> Call:
    rings = {}
    for key in {a.tensor for a in call.arguments if isinstance(a, Pointer)}:
        if key not in run.holdings and staged.graph.storage(key) not in run.holdings:
            continue
        holding = staged.plan.holdings[holding_of(run.holdings, staged.graph, key)]
        shape, size = staged.graph.tensors[key].shape, staged.graph.tensors[key].size
        if len(shape) > 1 and holding.row_bytes * shape[1] == size:
            rings[key] = holding.rows
    return ringed(call, rings)


def _places(staged: _Staged, holdings: Mapping[TensorId, str]) -> Mapping[TensorId, Slot]:
    """The slots that a run uses: its own holdings first."""
    own = {}
    for key, holding in holdings.items():
        own[key] = _view(staged.holdings[holding], staged.graph.tensors[key], staged.graph)
    for key, tensor in staged.graph.tensors.items():
        owner = staged.graph.storage(key)
        if key not in own and owner in own and owner != key:
            own[key] = _view(staged.holdings[holdings[owner]], tensor, staged.graph)
    return ChainMap(own, dict(staged.slots))


def _segments(staged: _Staged) -> Iterator[ProgramSegment]:
    number = 0
    for segment in staged.plan.segments:
        actions = []
        channel = 1
        for action in segment.actions:
            actions.append(_action(staged, action, number, channel))
            channel += isinstance(action, Move) and action.ahead
            number += 1
        yield ProgramSegment(segment.iterations, tuple(actions))


def _action(staged: _Staged, action: Action, number: int, channel: int) -> ProgramAction:
    if isinstance(action, Run):
        return ProgramRun(number, action.ends)
    if isinstance(action, Tiles):
        return ProgramTiles(number, tuple(_group(staged, g) for g in action.groups))
    return _move(staged, action, number, channel)


def _move(staged: _Staged, move: Move, number: int, channel: int) -> ProgramMove:
    ends = (move.source, move.destination)
    places = [_outside(staged, move) if h is None else _place(staged, h) for h in ends]
    size = staged.graph.tensors[move.tensor].size
    once = len(move.ends) == 1
    if once and all(isinstance(p, Place) and p.rows * p.row_bytes == size for p in places):
        whole = [Place(p.region, p.offset, 1, size) for p in places if isinstance(p, Place)]
        return ProgramMove(number, whole[0], whole[1], (1,))
    # A callback has nothing to wait for.
    apart = move.ahead and all(isinstance(p, Place) for p in places)
    load = _direction(staged, move) == LOAD
    return ProgramMove(
        number, places[0], places[1], move.ends, apart and load, apart and not load,
        channel if apart else 0,
    )  # fmt: skip


def _outside(staged: _Staged, move: Move) -> Place | Caller:
    """The place of a constant; the model input or output that a streamed tensor is."""
    if staged.graph.tensors[move.tensor].kind is TensorKind.CONSTANT:
        slot = staged.slots[move.tensor]
        return Place(slot.region, slot.offset, 1, slot.size)
    keys = staged.graph.inputs if move.source is None else staged.graph.outputs
    owners = [staged.graph.storage(key) for key in keys]
    return Caller(owners.index(staged.graph.storage(move.tensor)))


def _place(staged: _Staged, holding: str) -> Place:
    slot, planned = staged.holdings[holding], staged.plan.holdings[holding]
    return Place(slot.region, slot.offset, planned.rows, planned.row_bytes)


def _tile_calls(staged: _Staged, group: TileGroup) -> list[ProgramCall]:
    places = _places(staged, group.holdings)
    return [resolved(call, places) for call in group.step.calls]


def _group(staged: _Staged, group: TileGroup) -> ProgramTileGroup:
    return ProgramTileGroup(
        group.rows,
        group.columns,
        tuple(_box(staged, move) for move in group.loads),
        tuple(_tile_calls(staged, group)),
        tuple(_box(staged, move) for move in group.stores),
    )


def _box(staged: _Staged, move: BoxMove) -> ProgramBoxMove:
    whole, tile = staged.holdings[move.whole], staged.holdings[move.tile]
    move = _joined(move)
    return ProgramBoxMove(
        region=whole.region,
        offset=whole.offset + move.offset,
        tile_region=tile.region,
        tile=tile.offset,
        row_step=move.row_step,
        column_step=move.column_step,
        planes=move.planes,
        lines=move.lines,
        line_bytes=move.line_bytes,
        plane_pitch=move.plane_pitch,
        line_pitch=move.line_pitch,
    )


def _joined(move: BoxMove) -> BoxMove:
    """Lines that follow each other in the tensor too are one line, and so are planes."""
    if move.lines > 1 and move.line_pitch == move.line_bytes:
        size = move.lines * move.line_bytes
        move = replace(move, lines=1, line_bytes=size, line_pitch=size)
    if move.lines == 1 and move.planes > 1:
        move = replace(move, planes=1, lines=move.planes, line_pitch=move.plane_pitch)
        return _joined(move)
    return move
