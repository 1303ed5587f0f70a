"""Target and configuration -> what the stage planner is asked for, and its refusals in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nacre.config.schema import Config
from nacre.errors import ConfigError, PlacementError
from nacre.fit import arena_alignments
from nacre.ir import TensorKind
from nacre.lifetimes import Alignment
from nacre.lower import LoweredGraph
from nacre.memory import MemoryType
from nacre.planner.solve import Effort
from nacre.stages.ahead import prefetched
from nacre.stages.budget import Staged, StageOptions, Stager
from nacre.stages.build import Memories
from nacre.stages.frontier import Rates
from nacre.stages.spread import spread
from nacre.stages.stream import named_ends
from nacre.targets import Target
from nacre.text import number, size

EFFORT_OF_SPREAD = Effort.GREEDY
# What a memory without a size is taken to have.
UNLIMITED = 1 << 30


@dataclass(frozen=True)
class Budget:
    """Bytes that activations may take of each writable memory, fastest first."""

    memories: tuple[MemoryType, ...]
    sizes: tuple[int, ...]
    # Bytes of the fast memory that variables take.
    reserved: int = 0

    @property
    def fast(self) -> int:
        return self.sizes[0] - self.reserved

    @property
    def slow(self) -> int | None:
        return self.sizes[1] if len(self.sizes) > 1 else None

    @property
    def items(self) -> tuple[tuple[MemoryType, int], ...]:
        return tuple(zip(self.memories, self.sizes, strict=True))


@dataclass(frozen=True, eq=False)
class Forms:
    """The same network with different kernels: the first `preferred` forms have fast ones.

    The cheapest plan of those wins, the first of ties; the other forms are for want of one.
    """

    budget: Budget
    stagers: tuple[Stager, ...]
    preferred: int
    prefetch: bool = False

    def plan(self, fast: int) -> Staged | None:
        best = self._best(self.stagers[: self.preferred], fast)
        best = best or self._best(self.stagers[self.preferred :], fast)
        if best is None or not self.prefetch:
            return best
        return prefetched(best, fast, self.stagers[0].options)

    def _best(self, stagers: Sequence[Stager], fast: int) -> Staged | None:
        found = [s for s in (stager.plan(fast) for stager in stagers) if s is not None]
        return min(found, key=lambda staged: staged.cost, default=None)

    def smallest(self) -> int | None:
        """Bytes of fast memory, variables included."""
        found = [s for s in (stager.smallest() for stager in self.stagers) if s is not None]
        return min(found) + self.budget.reserved if found else None


def forms(graphs: Sequence[LoweredGraph], preferred: int, target: Target, config: Config) -> Forms:
    """The planner for `memory.budget`, or for all that the target has."""
    budget = budget_of(graphs[0], target, config)
    if config.kernels.optimize == "size" or preferred == 1:
        preferred = len(graphs)
    stagers = (Stager(g, stage_options(g, target, config, budget)) for g in graphs)
    return Forms(budget, tuple(stagers), preferred, config.memory.prefetch)


def plan_stages(
    graphs: Sequence[LoweredGraph], preferred: int, target: Target, config: Config
) -> Staged:
    """The cheapest plan; refused with the operator that blocks and the smallest budget."""
    found = forms(graphs, preferred, target, config)
    staged = found.plan(found.budget.fast) if found.budget.fast > 0 else None
    if staged is None:
        raise PlacementError(refusal(found))
    staged = spread(staged, found.budget.memories, found.budget.sizes, EFFORT_OF_SPREAD)
    check_slow(staged, found.budget)
    return staged


def budget_of(graph: LoweredGraph, target: Target, config: Config) -> Budget:
    names = _memories(target, config)
    sizes = config.memory.budget or tuple(m.size or UNLIMITED for m in target.data[:2])
    if len(sizes) > len(names):
        raise ConfigError(
            f"memory.budget: {len(sizes)} memories, {target.name} has {len(names)} that tensors "
            f"may go to: {', '.join(names)}"
        )
    variables = [t for t in graph.tensors.values() if t.kind is TensorKind.PERSISTENT]
    floor = config.target.tensor_alignment or target.min_alignment
    reserved = sum(-(-t.size // floor) * floor for t in variables)
    return Budget(names[: len(sizes)], sizes, reserved)


def _memories(target: Target, config: Config) -> tuple[MemoryType, ...]:
    """The memories that a budget speaks of: those that the user names, or the target's."""
    given = config.memory.budget_memories
    for name in given:
        memory = target.memory(MemoryType(name))
        if memory is None or not memory.writable:
            known = ", ".join(m.name for m in target.writable)
            raise ConfigError(
                f"memory.budget_memories: {name!r} is not a writable memory of {target.name}; "
                f"those are {known}"
            )
    found = [m for m in (target.memory(MemoryType(name)) for name in given) if m is not None]
    return tuple(m.type for m in found or target.data)


def stage_options(
    graph: LoweredGraph, target: Target, config: Config, budget: Budget
) -> StageOptions:
    memory = config.memory
    slow = budget.memories[1] if len(budget.memories) > 1 else None
    return StageOptions(
        memories=Memories(budget.memories[0], slow),
        alignment=Alignment(
            config.target.tensor_alignment or target.min_alignment,
            arena_alignments(target, config.memory.constraints),
        ),
        rates=rates(target, slow),
        overlap=config.memory.overlap,
        keep_inputs=config.memory.keep_inputs,
        reorder=config.schedule.order == "auto",
        effort=Effort(config.memory.planner),
        stream_inputs=named_ends(graph, graph.inputs, memory.stream_inputs, "memory.stream_inputs"),
        stream_outputs=named_ends(
            graph, graph.outputs, memory.stream_outputs, "memory.stream_outputs"
        ),
    )


def rates(target: Target, slow: MemoryType | None) -> Rates:
    """Picoseconds per byte where the target has the figures; else all bytes are equal."""
    memory = None if slow is None else target.memory(slow)
    figures = (
        None if memory is None else memory.read_mb_s,
        None if memory is None else memory.write_mb_s or memory.read_mb_s,
        target.cold.read_mb_s,
    )
    known = [round(1_000_000 / f) for f in figures if f is not None]
    return Rates(*known) if len(known) == len(figures) else Rates()


def check_slow(staged: Staged, budget: Budget) -> None:
    """Refuse a plan whose last memory is too small."""
    for memory, limit in zip(budget.memories[1:], budget.sizes[1:], strict=True):
        needed = staged.peak(memory)
        if needed > limit:
            sizes = [str(needed if m == memory else s) for m, s in budget.items]
            raise PlacementError(
                f"{memory}: needs {number(needed)} bytes, the budget is {number(limit)}: "
                f"{number(needed - limit)} too many.\n  would fit: -m {'+'.join(sizes)}"
            )


def refusal(found: Forms) -> str:
    """What does not fit, because of whom, and the smallest budget that works."""
    budget = found.budget
    blocker = found.stagers[-1].blocker(budget.fast) if budget.fast > 0 else None
    smallest = found.smallest()
    alone = "" if budget.slow is not None else " without a slow memory to spill to"
    lines = [f"{budget.memories[0]}: {number(budget.sizes[0])} bytes are not enough{alone}."]
    if budget.reserved:
        lines.append(f"  variables take {number(budget.reserved)} of them")
    if blocker is not None:
        lines.append(f"  does not fit: op {blocker.operator.id} {blocker.operator.type}")
    if smallest is not None:
        lines.append(f"  smallest budget that works: {_as_option(smallest, budget)}")
    return "\n".join(lines)


def _as_option(fast: int, budget: Budget) -> str:
    more = "".join(f"+{part}" for part in budget.sizes[1:])
    return f"-m {fast}{more} ({size(fast)})"
