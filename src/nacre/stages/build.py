"""Way -> StagePlan: segments with their actions, holdings with their lifetimes, bytes moved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from nacre.ir import Tensor, TensorId
from nacre.memory import MemoryType
from nacre.stages.boxes import Group, Piece
from nacre.stages.cascade import Cascade, schedule
from nacre.stages.network import Network, Task
from nacre.stages.plan import (
    Action,
    BoxMove,
    Holding,
    Move,
    Run,
    Segment,
    StagePlan,
    TileGroup,
    Tiles,
    Traffic,
)
from nacre.stages.search import Leg, State, Way
from nacre.stages.tiling import Tiling, roles


@dataclass(frozen=True)
class Memories:
    """Where strips are worked on, and where they wait; None: there is no such memory."""

    fast: MemoryType
    slow: MemoryType | None


# Home of what the caller hands over or takes by rows, until the plan is without such homes.
CALLER = MemoryType("CALLER")


def build(
    net: Network,
    way: Way,
    memories: Memories,
    keep_inputs: bool = False,
    streams: frozenset[int] = frozenset(),
) -> StagePlan:
    """The plan that follows a way; strips that the caller streams have homes in no real memory."""
    builder = _Builder(net, memories, keep_inputs, streams)
    for leg in way.legs:
        builder.leave(leg.before)
        if leg.option is not None:
            builder.cascade(leg, *way.frontiers.cascade(leg.option))
        elif leg.tiling is not None:
            builder.tiles(leg, leg.tiling)
        else:
            builder.whole(leg)
    builder.finish(way.legs[-1].after if way.legs else ())
    return builder.plan()


@dataclass
class _Builder:
    """Actions in order, and the holdings that they touch: an accumulator."""

    net: Network
    memories: Memories
    keep_inputs: bool
    streams: frozenset[int]
    tick: int = 0
    actions: list[Action] = field(default_factory=list)
    segments: list[Segment] = field(default_factory=list)
    holdings: dict[str, Holding] = field(default_factory=dict)
    # Strip -> its holding in fast memory now, and its home in slow memory.
    here: dict[int, str] = field(default_factory=dict)
    homes: dict[int, str] = field(default_factory=dict)
    traffic: Traffic = field(default_factory=Traffic)
    # What tiles add to the graph's tensors.
    tensors: dict[TensorId, Tensor] = field(default_factory=dict)
    extra_macs: int = 0

    def __post_init__(self) -> None:
        for n, strip in enumerate(self.net.strips):
            if strip.is_input and self._may_wait(n):
                self._home(n)
            elif strip.is_input:
                self.here[n] = self._hold(n, self.memories.fast, strip.rows)

    # --- legs -------------------------------------------------------------------------------------

    def leave(self, state: State) -> None:
        """Forget the copies in fast memory that the next leg does not begin with."""
        kept = {n for n, _ in state}
        self.here = {n: key for n, key in self.here.items() if n in kept}

    def whole(self, leg: Leg) -> None:
        task = self.net.tasks[leg.first]
        for n in task.reads:
            if n not in self.here and n in self.homes:
                self._load_whole(n)
        for n in task.writes:
            if n not in self.here:
                self.here[n] = self._hold(n, self.memories.fast, self.net.strips[n].rows)
        run = self._run(task, (1,), self._scratch((task,)))
        self._act(run, run.holdings.values())
        self._count(task, 1)
        for n in leg.spilled:
            self._spill_whole(n)

    def cascade(self, leg: Leg, cascade: Cascade, busy: tuple[int, ...]) -> None:
        """Tasks by rows; constants of those in `busy` are copied to fast memory before."""
        plan = schedule(self.net, cascade.pace, leg.first)
        staged = self._stage(busy)
        self._close()
        tasks = self.net.tasks[leg.first : leg.last + 1]
        kept = {n for n, _ in leg.after}
        actions: list[Action] = []
        for n in plan.loads:
            if n not in self.here:
                self.here[n] = self._hold(n, self.memories.fast, plan.rings[n])
                actions.append(self._move(n, self.homes[n], self.here[n], plan.loads[n]))
        scratch = self._scratch(tasks)
        for position, task in enumerate(tasks, leg.first):
            ends = plan.tasks[position]
            for n in task.writes:
                rows = self.net.strips[n].rows if n in kept else plan.rings[n]
                self.here[n] = self._hold(n, self.memories.fast, rows)
            run = self._run(task, ends, scratch, staged)
            actions.append(run)
            self._touch(set(run.holdings.values()))
            self._count(task, _turns(ends), staged)
            actions += [self._spill(n, ends) for n in task.writes if n in leg.spilled]
        self._pass(plan.passing, actions)
        self.actions = actions
        self._close(plan.iterations)
        self.tick += 1

    def _pass(self, passing: dict[int, tuple[int, int]], actions: list[Action]) -> None:
        """Say which actions use strips whose rows do not outlive an iteration."""
        places = {id(a.step): n for n, a in enumerate(actions) if isinstance(a, Run)}
        for strip, (first, last) in passing.items():
            begin, end = (places[id(self.net.tasks[t].step)] for t in (first, last))
            key = self.here[strip]
            self.holdings[key] = replace(self.holdings[key], turn=(begin, end + 1))

    def tiles(self, leg: Leg, tiling: Tiling) -> None:
        """One task by boxes; inputs that are in fast memory are cut there."""
        task = self.net.tasks[leg.first]
        (made,) = task.writes
        here = {n: self.here.get(n) or self.homes[n] for n in task.reads}
        if made in leg.spilled:
            here[made] = self._home(made)
        else:
            here[made] = self.here[made] = self._hold(
                made, self.memories.fast, self.net.strips[made].rows
            )
        wholes = {self.net.strips[n].tensor: key for n, key in here.items()}
        direct = {self.net.strips[n].tensor for n in tiling.wholes if n in self.here}
        turns = self._turns_of(tiling, direct)
        groups = tuple(self._group(group, wholes, turns, direct) for group in tiling.groups)
        self._act(Tiles(task.step, groups), {*wholes.values(), *turns.values()})
        self._count_tiles(task, tiling)

    def _may_wait(self, n: int) -> bool:
        return self.memories.slow is not None or n in self.streams

    def _home(self, n: int) -> str:
        memory = CALLER if n in self.streams else self.memories.slow
        assert memory is not None
        self.homes[n] = self._hold(n, memory, self.net.strips[n].rows)
        return self.homes[n]

    def _turns_of(self, tiling: Tiling, direct: set[TensorId]) -> dict[str, str]:
        """What the tiles take turns on -> its holding, as large as the largest."""
        largest: dict[str, Tensor] = {}
        for group in tiling.groups:
            own = {t.id: t for t in group.tensors}
            self.tensors |= own
            read = {p.tile for p in group.loads if self.net.graph.storage(p.tensor) in direct}
            for key, role in roles(group).items():
                if key in read:
                    continue
                if role not in largest or own[key].size > largest[role].size:
                    largest[role] = own[key]
        fast = self.memories.fast
        return {role: self._add(t.id, fast, 1, t.size) for role, t in largest.items()}

    def _group(
        self,
        group: Group,
        wholes: dict[TensorId, str],
        turns: dict[str, str],
        direct: set[TensorId],
    ) -> TileGroup:
        """Tiles; inputs in `direct` are read where they are."""
        owners = {piece.tile: self.net.graph.storage(piece.tensor) for piece in group.loads}
        held = {
            key: wholes[owners[key]] if owners.get(key) in direct else turns[role]
            for key, role in roles(group).items()
        }
        moved = (piece for piece in group.loads if owners[piece.tile] not in direct)
        loads = tuple(self._box_move(piece, wholes, held) for piece in moved)
        store = self._box_move(group.store, wholes, held)
        return TileGroup(
            group.step, MappingProxyType(held), group.rows, group.columns, loads, (store,)
        )

    def _box_move(
        self, piece: Piece, wholes: dict[TensorId, str], held: dict[TensorId, str]
    ) -> BoxMove:
        graph, lines = self.net.graph, piece.lines
        owner = graph.storage(piece.tensor)
        return BoxMove(
            owner, wholes[owner], held[piece.tile], lines.offset + graph.offset(piece.tensor),
            piece.row_step, piece.column_step, lines.planes, lines.lines, lines.line_bytes,
            lines.plane_pitch, lines.line_pitch,
        )  # fmt: skip

    def _count_tiles(self, task: Task, tiling: Tiling) -> None:
        (made,) = task.writes
        loaded = sum(size for n, size in tiling.loaded.items() if n not in self.here)
        spilled = 0 if made in self.here else self.net.strips[made].size
        macs = sum(group.count * group.step.macs for group in tiling.groups)
        self.extra_macs += max(0, macs - task.step.macs)
        self.traffic = replace(
            self.traffic,
            loaded=self.traffic.loaded + loaded,
            spilled=self.traffic.spilled + spilled,
            weights=self.traffic.weights + tiling.constants,
        )

    def finish(self, state: State) -> None:
        """Outputs go home; what must outlive the last tick does."""
        for n, both in state:
            if not both and self.net.strips[n].is_output and self._may_wait(n):
                self._spill_whole(n)
        self._close()
        last = max(0, self.tick - 1)
        for n, strip in enumerate(self.net.strips):
            home = self.homes.get(n) or self.here.get(n)
            kept = strip.is_output or (strip.is_input and self.keep_inputs)
            if kept and home is not None:
                self._touch({home}, last)

    def plan(self) -> StagePlan:
        macs = sum(task.step.macs for task in self.net.tasks)
        traffic = replace(self.traffic, macs=macs, extra_macs=self.extra_macs)
        return StagePlan(
            tuple(self.segments),
            MappingProxyType(self.holdings),
            traffic,
            MappingProxyType(self.tensors),
        )

    # --- actions ----------------------------------------------------------------------------------

    def _act(self, action: Action, touched: Iterable[str]) -> None:
        """An action of the segment that runs once."""
        self.actions.append(action)
        self._touch(set(touched))
        self.tick += 1

    def _close(self, iterations: int = 1) -> None:
        if self.actions:
            self.segments.append(Segment(iterations, tuple(self.actions)))
        self.actions = []

    def _run(
        self,
        task: Task,
        ends: tuple[int, ...],
        scratch: dict[TensorId, str],
        staged: dict[TensorId, str] | None = None,
    ) -> Run:
        strips = self.net.strips
        used = {strips[n].tensor: self.here[n] for n in self._used_by(task)}
        used |= {key: scratch[key] for key in task.step.scratch}
        used |= {key: held for key, held in (staged or {}).items() if key in task.constants}
        return Run(task.step, MappingProxyType(used), ends)

    def _used_by(self, task: Task) -> tuple[int, ...]:
        return tuple(dict.fromkeys((*task.reads, *task.writes)))

    def _load_whole(self, n: int) -> None:
        strip = self.net.strips[n]
        self.here[n] = self._hold(n, self.memories.fast, strip.rows)
        self._act(self._move(n, self.homes[n], self.here[n], (strip.rows,)), (self.here[n],))

    def _spill_whole(self, n: int) -> None:
        self._act(self._spill(n, (self.net.strips[n].rows,)), (self.here[n],))

    def _spill(self, n: int, ends: tuple[int, ...]) -> Move:
        if n not in self.homes:
            self._home(n)
        return self._move(n, self.here[n], self.homes[n], ends)

    def _move(self, n: int, source: str, destination: str, ends: tuple[int, ...]) -> Move:
        size = ends[-1] * self.net.strips[n].row_bytes
        self._touch({source, destination})
        if destination == self.homes.get(n):
            self.traffic = replace(self.traffic, spilled=self.traffic.spilled + size)
        else:
            self.traffic = replace(self.traffic, loaded=self.traffic.loaded + size)
        return Move(self.net.strips[n].tensor, source, destination, ends)

    def _stage(self, busy: tuple[int, ...]) -> dict[TensorId, str]:
        """Constants that are copied to fast memory before a cascade."""
        staged: dict[TensorId, str] = {}
        for position in busy:
            for key, size in self.net.tasks[position].constants.items():
                staged[key] = self._add(key, self.memories.fast, 1, size)
                self._act(Move(key, None, staged[key], (1,)), (staged[key],))
                self._count_weights(size)
        return staged

    def _count(self, task: Task, turns: int, staged: dict[TensorId, str] | None = None) -> None:
        cold = sum(size for key, size in task.constants.items() if key not in (staged or {}))
        self._count_weights(cold * turns)

    def _count_weights(self, size: int) -> None:
        self.traffic = replace(self.traffic, weights=self.traffic.weights + size)

    # --- holdings ---------------------------------------------------------------------------------

    def _hold(self, n: int, memory: MemoryType, rows: int) -> str:
        strip = self.net.strips[n]
        return self._add(strip.tensor, memory, rows, strip.row_bytes)

    def _scratch(self, tasks: Iterable[Task]) -> dict[TensorId, str]:
        """The holding of every scratch tensor: tasks take turns on them, the first on the first."""
        tensors = self.net.graph.tensors
        places: dict[int, list[TensorId]] = {}
        for place, key in (item for task in tasks for item in enumerate(task.step.scratch)):
            places.setdefault(place, []).append(key)
        found: dict[TensorId, str] = {}
        for keys in places.values():
            largest = max(keys, key=lambda key: tensors[key].size)
            held = self._add(largest, self.memories.fast, 1, tensors[largest].size)
            found |= dict.fromkeys(keys, held)
        return found

    def _add(self, tensor: TensorId, memory: MemoryType, rows: int, row_bytes: int) -> str:
        base = f"{tensor}@{memory}"
        key, number = base, 1
        while key in self.holdings:
            number += 1
            key = f"{base}.{number}"
        self.holdings[key] = Holding(
            key, tensor, memory, rows, max(1, row_bytes), self.tick, self.tick + 1
        )
        return key

    def _touch(self, keys: set[str], tick: int | None = None) -> None:
        tick = self.tick if tick is None else tick
        for key in keys:
            held = self.holdings[key]
            self.holdings[key] = replace(held, upper=max(held.upper, tick + 1))


def _turns(ends: tuple[int, ...]) -> int:
    """In how many iterations any row is done."""
    return sum(b > a for a, b in zip((0, *ends), ends, strict=False))
