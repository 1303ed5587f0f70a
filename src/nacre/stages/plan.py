"""A staged plan: what runs in which order over which rows, what is kept where, what moves.

The plan is a line of segments. A segment repeats its actions `iterations` times; in iteration i an
action does the rows [ends[i - 1], ends[i]) of its tensor (ends[-1] = 0), so each row is done once:

    iteration      0            1            2
    load x         rows 0-4     rows 5-8     rows 9-12
    CONV_2D  x->a  rows 0-3     rows 4-7     rows 8-11
    CONV_2D  a->b  rows 0-1     rows 2-3     rows 4-5
    spill b        rows 0-1     rows 2-3     rows 4-5

A tensor is kept in a `Holding`: a buffer of `rows` rows in one memory, row r at r % rows. A holding
with all rows of its tensor is the plain tensor. One tensor may have several holdings: whole in the
slow memory, and a ring of rows in the fast one.

Time is counted in ticks: a segment of one iteration has one tick per action, a segment that repeats
has one tick in all, because its holdings are alive together (but see `Holding.turn`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from nacre.ir import Tensor, TensorId
from nacre.lower import Step
from nacre.memory import MemoryType


@dataclass(frozen=True)
class Holding:
    """`rows` rows of a tensor (or a step's scratch) in one memory, alive over ticks [lower, upper).

    `tensor` owns its bytes (views resolve to it). Bytes = rows * row_bytes.
    `turn`: in every iteration of its only segment, which repeats, it is written and read by the
    actions [begin, end) alone, and no row outlives the iteration. None: all of the time.
    """

    id: str
    tensor: TensorId
    memory: MemoryType
    rows: int
    row_bytes: int
    lower: int
    upper: int
    turn: tuple[int, int] | None = None

    @property
    def size(self) -> int:
        return self.rows * self.row_bytes


@dataclass(frozen=True)
class Move:
    """Rows of a tensor copied from one holding to another; both hold the same tensor.

    None stands for the caller: rows of a model input come from, or rows of an output go to, the row
    callbacks of the context. `ahead` (double buffering): a load of iteration i + 1 starts before
    iteration i's steps run, and the destination has rows for both; a spill of iteration i may go on
    until that of iteration i + 1, and the source has rows for both.
    """

    tensor: TensorId
    source: str | None
    destination: str | None
    ends: tuple[int, ...]
    ahead: bool = False


@dataclass(frozen=True, eq=False)
class Run:
    """A step over rows of its output. `holdings` says for each tensor which holding it uses.

    A step that is not row-wise runs in a segment of one iteration, ends = (1,).
    """

    step: Step
    holdings: Mapping[TensorId, str]
    ends: tuple[int, ...]


@dataclass(frozen=True)
class BoxMove:
    """A box copied between a whole holding and a tile's plain buffer.

    In the whole tensor line (p, l) starts at
        offset + row * row_step + column * column_step + p * plane_pitch + l * line_pitch
    for the tile at (row, column) of its group; in the tile lines follow each other. All in bytes.
    """

    tensor: TensorId
    whole: str
    tile: str
    offset: int
    row_step: int
    column_step: int
    planes: int
    lines: int
    line_bytes: int
    plane_pitch: int
    line_pitch: int


@dataclass(frozen=True, eq=False)
class TileGroup:
    """`rows` x `columns` tiles that run the same small step on boxes of the same shape."""

    # The operator on a box, lowered on its own: its tensors are the boxes.
    step: Step
    holdings: Mapping[TensorId, str]
    rows: int
    columns: int
    loads: tuple[BoxMove, ...]
    stores: tuple[BoxMove, ...]


@dataclass(frozen=True, eq=False)
class Tiles:
    """One operator, box by box; runs in a segment of one iteration."""

    step: Step
    groups: tuple[TileGroup, ...]
    ends: tuple[int, ...] = (1,)


Action: TypeAlias = Move | Run | Tiles


@dataclass(frozen=True, eq=False)
class Segment:
    """Actions that repeat together."""

    iterations: int
    actions: tuple[Action, ...]

    @property
    def ticks(self) -> int:
        return len(self.actions) if self.iterations == 1 else 1


@dataclass(frozen=True)
class Traffic:
    """Bytes per inference. Weights count once per execution of the step that reads them."""

    loaded: int = 0
    spilled: int = 0
    weights: int = 0
    macs: int = 0
    extra_macs: int = 0

    @property
    def activations(self) -> int:
        return self.loaded + self.spilled


@dataclass(frozen=True, eq=False)
class StagePlan:
    """Everything but the offsets of the holdings."""

    segments: tuple[Segment, ...]
    holdings: Mapping[str, Holding]
    traffic: Traffic
    # Tensors that the graph does not have: boxes of tiles, their constants and their scratch.
    tensors: Mapping[TensorId, Tensor] = field(default_factory=dict)
