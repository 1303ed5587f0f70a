"""Where every byte lives: roles, arenas, slots and the plan that holds them together.

Steps are counted from 0 in execution order; ranges are half-open except where a field says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

from nacre.errors import ConfigError, PlacementError
from nacre.planner.problem import Buffer, Problem
from nacre.planner.solve import Effort, solve

TensorId: TypeAlias = str

# Arena bases are at least this aligned.
BASE_ALIGNMENT = 16
# Names that mean the same memory.
_ALIASES = {"FLASH": "MRAM"}


class ArenaRole(Enum):
    """What an arena holds."""

    scratch = "scratch"
    persistent = "persistent"
    constant = "constant"


class MemoryType(str):
    """The name of a memory, the same in any case; FLASH is another word for MRAM.

    str(memory) is upper case, `memory.lower()` is how C and JSON spell it.
    """

    def __new__(cls, name: str) -> MemoryType:
        upper = name.upper()
        return super().__new__(cls, _ALIASES.get(upper, upper))


@dataclass(frozen=True)
class TensorBinding:
    """A slot: role, memory and offset, and for staged constants where the bytes come from."""

    role: ArenaRole
    memory: MemoryType
    offset: int
    source_memory: MemoryType


@dataclass
class TensorLifetime:
    """First and last step, both inclusive, that touch a tensor: an accumulator."""

    tensor_id: TensorId
    start_op: int
    end_op: int

    def add_op(self, op: int) -> None:
        """Widen the lifetime so that it includes a step."""
        self.start_op = min(self.start_op, op)
        self.end_op = max(self.end_op, op)

    def merge(self, other: TensorLifetime) -> None:
        """Widen the lifetime so that it includes another's: the two share bytes."""
        self.add_op(other.start_op)
        self.add_op(other.end_op)


@dataclass(frozen=True)
class TensorAllocation:
    """Where one tensor lives."""

    tensor_id: TensorId
    memory: MemoryType
    offset: int
    size: int
    binding: TensorBinding | None = None


@dataclass(frozen=True)
class ArenaUsage:
    """One arena: a run of bytes in one memory with one role."""

    memory: MemoryType
    total_size: int
    used: int
    role: ArenaRole
    source_memory: MemoryType
    alignment: int = 16

    @property
    def is_staged(self) -> bool:
        """The bytes are copied in from another memory before the first run."""
        return self.source_memory != self.memory


@dataclass(frozen=True)
class MemoryConstraint:
    """A user's limits for one memory, tighter than the target's own."""

    name: MemoryType
    max_size: int | None = None
    arena_alignment: int | None = None


@dataclass(frozen=True)
class MemoryPlan:
    """All arenas and the slot of every tensor."""

    tensor_allocs: Mapping[TensorId, TensorAllocation]
    arena_usages: Mapping[MemoryType, ArenaUsage]
    constant_arenas: Mapping[MemoryType, ArenaUsage]
    persistent_arenas: Mapping[MemoryType, ArenaUsage]
    tensor_lifetimes: Mapping[TensorId, TensorLifetime]

    def get_allocation(self, tensor_id: TensorId) -> TensorAllocation:
        """The slot of a tensor; KeyError when there is none."""
        return self.tensor_allocs[tensor_id]


class MemoryPlannerType(Enum):
    """How hard the offset planner tries."""

    auto = "auto"
    greedy = "greedy"
    search = "search"


@dataclass(frozen=True)
class TensorAttributes:
    """What a rule may say; for constants `memory` is where the image holds the bytes."""

    memory: MemoryType
    constant_destination_memory: MemoryType | None = None


@dataclass(frozen=True)
class PlannedTensor:
    """A tensor as the planner takes it: size in bytes, role, attributes, lifetime."""

    tensor_id: TensorId
    size: int
    role: ArenaRole
    attributes: TensorAttributes
    # Constants and variables live always; scratch needs one.
    lifetime: TensorLifetime | None = None
    alignment: int = 1


@dataclass(frozen=True)
class GreedyMemoryPlanner:
    """Packs tensors into arenas: scratch by lifetime, the other roles one after another."""

    constraints: tuple[MemoryConstraint, ...] = ()
    min_alignment: int = 4
    planner: MemoryPlannerType = MemoryPlannerType.greedy

    def plan(self, tensors: Sequence[PlannedTensor]) -> MemoryPlan:
        """Every tensor in a slot; a constraint that cannot be met is a PlacementError."""
        placed: dict[TensorId, TensorAllocation] = {}
        arenas: dict[ArenaRole, dict[MemoryType, ArenaUsage]] = {role: {} for role in ArenaRole}
        for role, memory in dict.fromkeys((t.role, _runtime_memory(t)) for t in tensors):
            members = [t for t in tensors if t.role is role and _runtime_memory(t) == memory]
            offsets = self._pack(members, role, memory)
            arenas[role][memory] = self._usage(members, offsets, role, memory)
            placed |= {t.tensor_id: _allocation(t, offsets[t.tensor_id]) for t in members}
        self._check_limits(arenas)
        lives = {t.tensor_id: t.lifetime for t in tensors if t.lifetime is not None}
        return MemoryPlan(
            placed,
            arenas[ArenaRole.scratch],
            arenas[ArenaRole.constant],
            arenas[ArenaRole.persistent],
            lives,
        )

    def _slot(self, tensor: PlannedTensor, memory: MemoryType) -> int:
        floors = [c.arena_alignment or 1 for c in self.constraints if c.name == memory]
        return max(self.min_alignment, tensor.alignment, *floors, 1)

    def _pack(
        self, members: Sequence[PlannedTensor], role: ArenaRole, memory: MemoryType
    ) -> Mapping[TensorId, int]:
        if role is ArenaRole.scratch:
            buffers = tuple(self._buffer(t, memory) for t in members)
            return solve(Problem(buffers), Effort(self.planner.value)).offsets
        end, offsets = 0, {}
        for tensor in members:
            step = self._slot(tensor, memory)
            offsets[tensor.tensor_id] = -(-end // step) * step
            end = offsets[tensor.tensor_id] + tensor.size
        return offsets

    def _buffer(self, tensor: PlannedTensor, memory: MemoryType) -> Buffer:
        life = tensor.lifetime
        if life is None:
            raise ConfigError(f"scratch tensor {tensor.tensor_id!r} has no lifetime")
        return Buffer(
            tensor.tensor_id, tensor.size, life.start_op, life.end_op + 1,
            self._slot(tensor, memory), memory,
        )  # fmt: skip

    def _usage(
        self,
        members: Sequence[PlannedTensor],
        offsets: Mapping[TensorId, int],
        role: ArenaRole,
        memory: MemoryType,
    ) -> ArenaUsage:
        sources = {t.attributes.memory for t in members}
        if len(sources) > 1:
            raise ConfigError(f"{memory}: {role.value}s from {len(sources)} memories in one arena")
        total = max(offsets[t.tensor_id] + t.size for t in members)
        base = max(BASE_ALIGNMENT, *(self._slot(t, memory) for t in members))
        return ArenaUsage(memory, total, total, role, sources.pop(), base)

    def _check_limits(self, arenas: Mapping[ArenaRole, Mapping[MemoryType, ArenaUsage]]) -> None:
        for limit in self.constraints:
            used = sum(a[limit.name].total_size for a in arenas.values() if limit.name in a)
            if limit.max_size is not None and used > limit.max_size:
                raise PlacementError(
                    f"{limit.name}: needs {used} bytes, the limit is {limit.max_size}"
                )


def _runtime_memory(tensor: PlannedTensor) -> MemoryType:
    destination = tensor.attributes.constant_destination_memory
    return tensor.attributes.memory if destination is None else destination


def _allocation(tensor: PlannedTensor, offset: int) -> TensorAllocation:
    memory = _runtime_memory(tensor)
    binding = TensorBinding(tensor.role, memory, offset, tensor.attributes.memory)
    return TensorAllocation(tensor.tensor_id, memory, offset, tensor.size, binding)
