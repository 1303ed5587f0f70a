"""Everything decided: C module, plan file and report are views of this one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nacre.config.schema import Scalar
from nacre.ir import DType, Shape, Tensor, TensorId
from nacre.memory import ArenaRole, ArenaUsage, MemoryPlan, MemoryType
from nacre.ops.kind import Kernel, Params, Span
from nacre.targets import Target


@dataclass(frozen=True)
class Region:
    """One arena as the C module numbers it. `blob` is the content of a constant arena."""

    number: int
    name: str  # arena_dtcm, arena_persistent_sram, arena_const_mram
    usage: ArenaUsage
    blob: bytes | None = None

    @property
    def role(self) -> ArenaRole:
        return self.usage.role

    @property
    def is_cold(self) -> bool:
        return self.role is ArenaRole.constant and not self.usage.is_staged


@dataclass(frozen=True)
class Address:
    """A pointer argument: `offset` bytes into a region."""

    region: int
    offset: int
    dtype: DType
    const: bool


ProgramArgument: TypeAlias = Address | Params | Span | int | float


@dataclass(frozen=True)
class ProgramCall:
    kernel: Kernel
    arguments: tuple[ProgramArgument, ...]


@dataclass(frozen=True)
class ProgramStep:
    """One operator: what it is called, what it does to which shapes, and its calls."""

    number: int
    ids: tuple[str, ...]
    type: str
    name: str
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    calls: tuple[ProgramCall, ...]
    macs: int
    code: MemoryType
    # What rules say of the operator, attributes that are not nacre's own included.
    attributes: Mapping[str, Scalar]
    # Rows are walked last to first, so that the output may grow over its input from behind.
    backward: bool = False


@dataclass(frozen=True, eq=False)
class Slot:
    """A tensor with its place; views share the slot of their owner."""

    tensor: Tensor
    region: int
    offset: int
    size: int
    rule: str
    # Steps [lower, upper) in which the bytes are alive; constants and state: all of them.
    lower: int
    upper: int
    view_of: TensorId | None = None


@dataclass(frozen=True)
class FirstValue:
    """A variable that does not start at zero: copied from a constant by context_init."""

    region: int
    offset: int
    source_region: int
    source_offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Program:
    """A compiled network."""

    name: str
    prefix: str
    source: str  # file name of the model
    target: Target
    numerics: str
    regions: tuple[Region, ...]
    steps: tuple[ProgramStep, ...]
    slots: Mapping[TensorId, Slot]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    first_values: tuple[FirstValue, ...]
    plan: MemoryPlan
    # Live-bytes bound of the scratch arenas, without overlap, summed over memories.
    lower_bound: int
    scratch_optimal: bool
    # "model" or "reordered".
    order: str
    # Bytes below the bound, thanks to shared bytes; bytes by which the order lowered the bound.
    overlap_saved: int
    order_saved: int
    module_type: str
    allocate_arenas: bool
    keep_inputs: bool
    dump_residency: bool
    # What the user should know of rules that matched nothing, and the like.
    notes: tuple[str, ...]
    source_operators: int

    @property
    def scratch_bytes(self) -> int:
        return self._bytes(ArenaRole.scratch)

    @property
    def persistent_bytes(self) -> int:
        return self._bytes(ArenaRole.persistent)

    @property
    def constant_bytes(self) -> int:
        return self._bytes(ArenaRole.constant)

    @property
    def macs(self) -> int:
        return sum(step.macs for step in self.steps)

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels that the steps call, each once, by name."""
        found = {c.kernel.name: c.kernel for s in self.steps for c in s.calls}
        return tuple(found[name] for name in sorted(found))

    def tensor(self, key: TensorId) -> Tensor:
        return self.slots[key].tensor

    def _bytes(self, role: ArenaRole) -> int:
        return sum(r.usage.total_size for r in self.regions if r.role is role)


def shape_text(shape: Shape) -> str:
    """[1,49,10,1]"""
    return "[" + ",".join(str(d) for d in shape) + "]"
