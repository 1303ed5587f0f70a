"""Where every byte lives: roles, arenas, slots and the plan that holds them together.

Steps are counted from 0 in execution order; ranges are half-open except where a field says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias

TensorId: TypeAlias = str

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
    """First and last step (inclusive) that touches a tensor: the one mutable type, an accumulator."""

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
