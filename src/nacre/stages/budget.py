"""LoweredGraph and a budget -> Staged: the cheapest plan that packs into so much memory.

Plans are made for the budgets of a fixed grid only. A budget gets the plan of the largest grid
budget, from the next one above it down, whose holdings pack into it; as the costs of a grid never
rise with the budget, neither do those of the plans.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from nacre.ir import TensorId
from nacre.lifetimes import Alignment
from nacre.lower import LoweredGraph, Step
from nacre.ordering import best_order
from nacre.planner.problem import Problem, Solution
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate
from nacre.schedule import order_problem
from nacre.stages.build import Memories, build
from nacre.stages.cascade import Cascade, Pace, cascades
from nacre.stages.frontier import Frontiers, Rates
from nacre.stages.network import Network, network
from nacre.stages.offsets import stage_problem
from nacre.stages.plan import StagePlan
from nacre.stages.search import Room, Search, Way
from nacre.stages.stream import streamed
from nacre.stages.tiling import Tilings

# Bits of a grid budget after its leading one: neighbours are 0.8 to 1.6 % apart.
GRID_BITS = 6
# States before each task that a quick search goes on from; those that a thorough one may go on
# from in all, and at least before each task.
BEAM = 4
MOST_STATES, LEAST_STATES = 12_000, 32
# Networks with more tasks get the quick search alone.
MOST_TASKS = 1000


@dataclass(frozen=True)
class StageOptions:
    """What to plan for besides the graph."""

    memories: Memories
    alignment: Alignment
    rates: Rates = field(default_factory=Rates)
    overlap: bool = True
    keep_inputs: bool = False
    reorder: bool = True
    # Constants of a cascade may be copied to fast memory.
    staging: bool = True
    effort: Effort = Effort.AUTO
    # Inputs and outputs whose rows the caller hands over or takes.
    stream_inputs: tuple[TensorId, ...] = ()
    stream_outputs: tuple[TensorId, ...] = ()


@dataclass(frozen=True, eq=False)
class Staged:
    """A plan with the offsets of its holdings."""

    graph: LoweredGraph
    plan: StagePlan
    problem: Problem
    solution: Solution
    cost: int
    memories: Memories
    alignment: Alignment

    def peak(self, memory: str | None) -> int:
        return 0 if memory is None else self.solution.heights.get(memory, 0)


class Stager:
    """Plans of one graph at several budgets; what they share is computed once."""

    def __init__(self, graph: LoweredGraph, options: StageOptions) -> None:
        self.graph, self.options = graph, options
        floor = options.alignment.slot(options.memories.fast, 1)
        self.networks = [network(graph, o, floor, options.overlap) for o in self._orders()]
        self._frontiers: list[Frontiers] = []
        self._tilings = [Tilings(net, options.rates) for net in self.networks]
        self._room = 0
        self._staged: dict[int, Staged | None] = {}

    def plan(self, budget: int) -> Staged | None:
        """The plan for a budget, or None: nothing fits."""
        fast = self.options.memories.fast
        for grid in _grid_down(grid_above(budget)):
            found = self.at(grid)
            if found is None or found.peak(fast) <= budget:
                return found
        return None

    def smallest(self) -> int | None:
        """The smallest budget that has a plan."""
        net = self.networks[0]
        most = sum(s.padded for s in net.strips) + sum(sum(task.scratch) for task in net.tasks)
        least = 1
        if self.options.memories.slow is not None:
            least = min(self._least(n) for n in range(len(self.networks)))
        grid = [g for g in _grid_up_to(2 * max(most, least) + 64) if g >= least]
        low, high = 0, 0
        while not self._has_way(grid[high]):
            if high == len(grid) - 1:
                return None
            low, high = high + 1, min(len(grid) - 1, 2 * high + 1)
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if self._has_way(grid[middle]) else (middle + 1, high)
        return self._smallest_packed(grid[low:])

    def _least(self, n: int) -> int:
        """What the task needs that needs most, when all else waits in slow memory."""
        net = self.networks[n]
        return max((self._alone(n, position) for position in range(len(net.tasks))), default=1)

    def _alone(self, n: int, position: int) -> int:
        """Bytes for one task alone: whole, row by row, or by tiles."""
        net = self.networks[n]
        task = net.tasks[position]
        used = {*task.reads, *task.writes}
        dead = {s for s in task.savings if not net.strips[s].is_live(position + 1)}
        whole = sum(net.strips[s].padded for s in used) + sum(task.scratch)
        ways = [whole - max((task.savings[s] for s in dead), default=0)]
        if task.needs is not None:
            rows = next(cascades(net, Pace(position, 1), whole), None)
            ways += [] if rows is None else [_alone_by_rows(net, rows)]
        tiles = self._tilings[n].smallest(position)
        return min(ways if tiles is None else [*ways, tiles])

    def _has_way(self, grid: int) -> bool:
        if any(self._bare(net, grid).way() is not None for net in self.networks):
            return True
        return any(self.search(n, grid, BEAM).way() is not None for n in range(len(self.networks)))

    def _smallest_packed(self, grids: list[int]) -> int | None:
        """What the plans of grid budgets need, up to the first that needs no more than it got."""
        found = []
        for grid in grids:
            staged = self.at(grid)
            if staged is None:
                continue
            peak = staged.peak(self.options.memories.fast)
            found.append(max(peak, grid_below(grid - 1) + 1))
            if peak <= grid:
                break
        return min(found, default=None)

    def blocker(self, budget: int) -> Step | None:
        """The step that the plan for a budget does not get past."""
        grid = grid_below(budget)
        reached = []
        for n, net in enumerate(self.networks):
            search = self.search(n, grid, BEAM)
            search.way()
            reached.append((search.furthest(), net))
        furthest, net = max(reached, key=lambda item: item[0])
        return net.tasks[furthest].step if furthest < len(net.tasks) else None

    def at(self, grid: int) -> Staged | None:
        """The plan for a budget of the grid; its holdings may need more than that."""
        if grid not in self._staged:
            self._staged[grid] = self._best(grid)
        return self._staged[grid]

    def _orders(self) -> Iterator[tuple[Step, ...]]:
        steps = self.graph.steps
        yield steps
        if self.options.reorder:
            order = best_order(order_problem(self.graph, self.options.keep_inputs))
            if list(order) != list(range(len(steps))):
                yield tuple(steps[i] for i in order)

    def _best(self, grid: int) -> Staged | None:
        whole = self._whole(grid)
        if whole is not None:
            return whole
        ways = [(self._way(n, grid), n) for n in range(len(self.networks))]
        found = [(way, n) for way, n in ways if way is not None]
        if not found:
            return None
        way, n = min(found, key=lambda item: (item[0].cost, item[1]))
        return self._packed(way, self.networks[n])

    def _whole(self, grid: int) -> Staged | None:
        """The plan without cascades, when nothing could be cheaper."""
        for net in self.networks:
            floor = self._floor(net)
            way = self._bare(net, grid, floor).way()
            if way is not None and way.cost <= floor:
                return self._packed(way, net)
        return None

    def _bare(self, net: Network, grid: int, limit: int | None = None) -> Search:
        """A search without cascades and tiles."""
        none = Frontiers(net, self.options.rates, staging=False, room=0)
        room = self._room_of(grid)
        return Search(net, none, room, cascades=False, beam=BEAM, limit=limit)

    def _floor(self, net: Network) -> int:
        """Every constant is read and, with a slow memory, every input and output moved once."""
        rates = self.options.rates
        constants = rates.constant * sum(task.constant_bytes for task in net.tasks)
        room = self._room_of(1)
        waiting = [s for n, s in enumerate(net.strips) if room.may_wait(n)]
        inputs = sum(s.size for s in waiting if s.is_input and s.readers)
        outputs = sum(s.size for s in waiting if s.is_output and s.writers)
        return constants + rates.load * inputs + rates.spill * outputs

    def _room_of(self, grid: int) -> Room:
        return Room(grid, self.options.memories.slow is not None, self._streams(self.networks[0]))

    def _streams(self, net: Network) -> frozenset[int]:
        keys = (*self.options.stream_inputs, *self.options.stream_outputs)
        owners = {self.graph.storage(key) for key in keys}
        return frozenset(n for n, strip in enumerate(net.strips) if strip.tensor in owners)

    def _way(self, n: int, grid: int) -> Way | None:
        """The cheapest way: a quick search gives a cost that the thorough one need not pass."""
        quick = self.search(n, grid, beam=BEAM).way()
        if len(self.networks[n].tasks) > MOST_TASKS:
            return quick
        limit = None if quick is None else quick.cost
        wide = max(LEAST_STATES, MOST_STATES // max(1, len(self.networks[n].tasks)))
        return self.search(n, grid, wide, limit).way() or quick

    def search(
        self, n: int, grid: int, beam: int | None = None, limit: int | None = None
    ) -> Search:
        self._widen(grid)
        room, tilings = self._room_of(grid), self._tilings[n]
        return Search(self.networks[n], self._frontiers[n], room, tilings, beam=beam, limit=limit)

    def _widen(self, room: int) -> None:
        """Make the cascades that may fit."""
        if room <= self._room:
            return
        options = self.options
        self._frontiers = [
            Frontiers(net, options.rates, options.staging, room) for net in self.networks
        ]
        self._room = room

    def _packed(self, way: Way, net: Network) -> Staged:
        options = self.options
        built = build(net, way, options.memories, options.keep_inputs, self._streams(net))
        plan = streamed(built, self.graph, options.stream_inputs, options.stream_outputs)
        problem = stage_problem(
            plan, self.graph, options.alignment, options.overlap, options.keep_inputs
        )
        solution = solve(problem, options.effort)
        validate(problem, solution)
        return Staged(
            self.graph, plan, problem, solution, way.cost, options.memories, options.alignment
        )


def _alone_by_rows(net: Network, cascade: Cascade) -> int:
    rings = (net.strips[s].padded_rows(rows) for s, rows in cascade.streams.items())
    return cascade.held + sum(rings)


def grid_below(budget: int) -> int:
    """The largest budget of the grid that is not above this one."""
    shift = max(0, budget.bit_length() - 1 - GRID_BITS)
    return budget >> shift << shift


def grid_above(budget: int) -> int:
    """The smallest budget of the grid that is not below this one."""
    below = grid_below(budget)
    shift = max(0, budget.bit_length() - 1 - GRID_BITS)
    return below if below == budget else below + (1 << shift)


def _grid_up_to(budget: int) -> list[int]:
    """All budgets of the grid that are not above this one."""
    return list(_grid_down(budget))[::-1]


def _grid_down(budget: int) -> Iterator[int]:
    grid = grid_below(budget)
    while grid > 0:
        yield grid
        grid = grid_below(grid - 1)
