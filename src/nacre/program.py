"""Everything decided: C module, plan file and report are views of this one value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from nacre.config.schema import Scalar
from nacre.ir import DType, Shape, Tensor, TensorId
from nacre.memory import ArenaRole, ArenaUsage, MemoryPlan, MemoryType
from nacre.ops.kind import Kernel, Params, Span
from nacre.stages.plan import Traffic
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
    """One operator, or a LOAD or SPILL: what it does to which shapes, and its calls.

    Moves have a step of their own, without calls: steps are the time that slots are alive in.
    """

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
    # The kernel as `kernel: NAME` calls it, and why it was chosen.
    kernel: str = ""
    kernel_reason: str = ""


# --- what runs, in which order, over which rows ---------------------------------------------------


@dataclass(frozen=True)
class Place:
    """Rows of a tensor at an address: `rows` rows of `row_bytes`, row r at r % rows."""

    region: int
    offset: int
    rows: int
    row_bytes: int


@dataclass(frozen=True)
class Caller:
    """The other end of a move: the row callback of this model input or output."""

    number: int


@dataclass(frozen=True)
class ProgramMove:
    """Rows copied between places, or between a place and the caller's row callback.

    In iteration i the rows [ends[i - 1], ends[i]), with ends[-1] = 0. `ahead`: the copy of
    iteration i + 1 is started before the actions of iteration i run, and waited for after them.
    `behind`: the copy of iteration i is waited for before that of i + 1 starts, and after the loop.
    `channel` is what copy_async and copy_wait are called with.
    """

    step: int
    source: Place | Caller
    destination: Place | Caller
    ends: tuple[int, ...]
    ahead: bool = False
    behind: bool = False
    channel: int = 0

    @property
    def row_bytes(self) -> int:
        place = self.destination if isinstance(self.source, Caller) else self.source
        assert isinstance(place, Place)
        return place.row_bytes


@dataclass(frozen=True)
class ProgramRun:
    """The calls of a step. When a segment repeats, every Span among their arguments stands for the
    rows [ends[i - 1], ends[i]); else the calls run as they are."""

    step: int
    ends: tuple[int, ...] = (1,)


@dataclass(frozen=True)
class ProgramBoxMove:
    """A box of a whole tensor and the plain buffer of a tile. Line (p, l) of the tile at (r, c):

    tensor  offset + r * row_step + c * column_step + p * plane_pitch + l * line_pitch
    tile    tile + (p * lines + l) * line_bytes
    """

    region: int
    offset: int
    tile_region: int
    tile: int
    row_step: int
    column_step: int
    planes: int
    lines: int
    line_bytes: int
    plane_pitch: int
    line_pitch: int


@dataclass(frozen=True)
class ProgramTileGroup:
    """rows x columns tiles, row by row: the loads, the calls, the stores of each."""

    rows: int
    columns: int
    loads: tuple[ProgramBoxMove, ...]
    calls: tuple[ProgramCall, ...]
    stores: tuple[ProgramBoxMove, ...]


@dataclass(frozen=True)
class ProgramTiles:
    """A step cut into boxes. The step's own `calls` are those of all groups, each once."""

    step: int
    groups: tuple[ProgramTileGroup, ...]


ProgramAction: TypeAlias = ProgramMove | ProgramRun | ProgramTiles


@dataclass(frozen=True)
class ProgramSegment:
    """Actions that repeat together. Each has a step of its own; their numbers follow each other."""

    iterations: int
    actions: tuple[ProgramAction, ...]

    @property
    def first(self) -> int:
        """The number of its first step."""
        return self.actions[0].step


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
    # The steps as they run; without a budget one segment that runs once.
    segments: tuple[ProgramSegment, ...]
    # Bytes moved and read per inference, when there is a budget.
    traffic: Traffic | None = None

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

    @property
    def is_staged(self) -> bool:
        """There was a budget: steps may repeat over bands of rows and bytes may move."""
        return self.traffic is not None

    @property
    def executions(self) -> tuple[int, ...]:
        """Numbers of the steps as a run enters them: once per band that has rows, once per tile."""
        return tuple(n for segment in self.segments for n in _executions(segment))

    def tensor(self, key: TensorId) -> Tensor:
        return self.slots[key].tensor

    def _bytes(self, role: ArenaRole) -> int:
        return sum(r.usage.total_size for r in self.regions if r.role is role)


def _executions(segment: ProgramSegment) -> Iterator[int]:
    """Copies ahead are entered when they start: one iteration early, the first before the loop."""
    ahead = [a for a in segment.actions if isinstance(a, ProgramMove) and a.ahead]
    yield from (a.step for a in ahead if not is_idle(a.ends, 0))
    for i in range(segment.iterations):
        later = [a for a in ahead if i + 1 < segment.iterations]
        yield from (a.step for a in later if not is_idle(a.ends, i + 1))
        for action in segment.actions:
            if isinstance(action, ProgramTiles):
                yield from (action.step for g in action.groups for _ in range(g.rows * g.columns))
            elif action not in ahead and not is_idle(action.ends, i):
                yield action.step


def is_idle(ends: tuple[int, ...], iteration: int) -> bool:
    """No row is done in this iteration."""
    return ends[iteration] == (ends[iteration - 1] if iteration else 0)


def shape_text(shape: Shape) -> str:
    """[1,49,10,1]"""
    return "[" + ",".join(str(d) for d in shape) + "]"
