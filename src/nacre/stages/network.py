"""A lowered graph as the stage planner sees it: strips of rows and tasks in one order.

Only bytes, rows and who needs which rows when are left; strips are numbered, tasks are positions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from nacre.ir import Tensor, TensorId, TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.ops import kind_of
from nacre.ops.kind import Pointer, Span
from nacre.ops.rings import is_row_wise
from nacre.overlap import MOST_ROWS, sharings

Rows: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Strip:
    """The bytes of a tensor (views resolved) as rows. `first`: the task that writes it first."""

    tensor: TensorId
    rows: int
    row_bytes: int
    # Slot alignment; `padded` counts whole slots.
    alignment: int
    # Positions of the tasks that write and read it; none writes a model input.
    writers: tuple[int, ...]
    readers: tuple[int, ...]
    is_input: bool
    is_output: bool

    @property
    def size(self) -> int:
        return self.rows * self.row_bytes

    @property
    def padded(self) -> int:
        return self.padded_rows(self.rows)

    def padded_rows(self, rows: int) -> int:
        return -(-max(1, rows * self.row_bytes) // self.alignment) * self.alignment

    def is_live(self, cut: int) -> bool:
        """Whether it exists before the task at `cut` runs, and is needed by it or later."""
        return self.born <= cut and (self.is_output or cut <= self.last)

    @cached_property
    def born(self) -> int:
        """The first cut at which it exists."""
        return 0 if self.is_input else min(self.writers, default=0) + 1

    @cached_property
    def last(self) -> int:
        """The last task that reads or writes it."""
        return max((*self.readers, *self.writers), default=-1)

    @cached_property
    def last_reader(self) -> int:
        return max(self.readers, default=-1)


@dataclass(frozen=True, eq=False)
class Need:
    """Rows of a strip that a task needs; entry e speaks of the task's first e output rows.

    upto[e]: rows [0, upto[e]) must be there to compute output rows [0, e).
    since[e]: rows from since[e] on are still needed by output rows [e, end).
    touched: how many rows are needed at all.
    """

    strip: int
    upto: Rows
    since: Rows
    touched: int

    @cached_property
    def lead(self) -> float:
        """By how many output rows the input runs ahead of an even pace, at most."""
        rows = len(self.upto) - 1
        pace = max(1, int(self.upto[-1])) / rows
        return float((self.upto / pace - np.arange(rows + 1)).max())


@dataclass(frozen=True, eq=False)
class Task:
    """A step: what it reads and writes, in strips; `needs` is empty where it takes all at once."""

    step: Step
    reads: tuple[int, ...]
    writes: tuple[int, ...]
    rows: int
    # None: it cannot run row by row.
    needs: tuple[Need, ...] | None
    # Constants that its calls read, with their bytes.
    constants: Mapping[TensorId, int]
    # Padded bytes of each of its scratch tensors.
    scratch: tuple[int, ...]
    # Read strip -> bytes saved when that strip dies here and the output is written over it.
    savings: Mapping[int, int]

    @property
    def constant_bytes(self) -> int:
        return sum(self.constants.values())


@dataclass(frozen=True, eq=False)
class Network:
    """Tasks in the order in which they run."""

    graph: LoweredGraph
    strips: tuple[Strip, ...]
    tasks: tuple[Task, ...]

    def live(self, cut: int) -> tuple[int, ...]:
        return self._live[cut]

    @cached_property
    def _live(self) -> list[tuple[int, ...]]:
        count = len(self.tasks)
        found: list[list[int]] = [[] for _ in range(count + 1)]
        for n, strip in enumerate(self.strips):
            last = count if strip.is_output else min(count, strip.last)
            for cut in range(strip.born, last + 1):
                found[cut].append(n)
        return [tuple(numbers) for numbers in found]


def network(
    graph: LoweredGraph, steps: Sequence[Step], alignment: int, overlap: bool = True
) -> Network:
    """The graph with its steps in this order; slots are aligned to `alignment` or more."""
    owners = [t for t in graph.tensors.values() if _holds_scratch(graph, t, steps)]
    numbers = {t.id: n for n, t in enumerate(owners)}
    writers: dict[int, list[int]] = {n: [] for n in numbers.values()}
    readers: dict[int, list[int]] = {n: [] for n in numbers.values()}
    for position, step in enumerate(steps):
        for uses, keys in ((writers, step.writes), (readers, step.reads)):
            for n in _strips(graph, numbers, keys):
                uses[n].append(position)
    ends = [{graph.storage(t) for t in keys} for keys in (graph.inputs, graph.outputs)]
    strips = tuple(
        _strip(graph, t, alignment, tuple(writers[n]), tuple(readers[n]), ends)
        for n, t in enumerate(owners)
    )
    tasks = tuple(_task(graph, step, strips, numbers, overlap) for step in steps)
    return Network(graph, strips, tasks)


def _holds_scratch(graph: LoweredGraph, tensor: Tensor, steps: Iterable[Step]) -> bool:
    """Tensors to plan for: neither views nor constants nor variables nor an operator's scratch."""
    if tensor.kind is not TensorKind.SCRATCH or tensor.id in graph.views:
        return False
    return not any(tensor.id in step.scratch for step in steps)


def _strips(
    graph: LoweredGraph, numbers: Mapping[TensorId, int], keys: Iterable[TensorId]
) -> tuple[int, ...]:
    owners = dict.fromkeys(graph.storage(key) for key in keys)
    return tuple(numbers[o] for o in owners if o in numbers)


def _strip(
    graph: LoweredGraph,
    tensor: Tensor,
    alignment: int,
    writers: tuple[int, ...],
    readers: tuple[int, ...],
    ends: list[set[TensorId]],
) -> Strip:
    rows = image_rows(tensor)
    return Strip(
        tensor.id, rows, tensor.size // rows, max(alignment, graph.alignment(tensor.id)),
        writers, readers, tensor.id in ends[0], tensor.id in ends[1],
    )  # fmt: skip


def image_rows(tensor: Tensor) -> int:
    """Rows of one image; anything else is one row."""
    is_image = len(tensor.shape) == 4 and tensor.shape[0] == 1 and tensor.shape[1] > 0
    return tensor.shape[1] if is_image else 1


def _task(
    graph: LoweredGraph,
    step: Step,
    strips: tuple[Strip, ...],
    numbers: Mapping[TensorId, int],
    overlap: bool,
) -> Task:
    reads, writes = (_strips(graph, numbers, keys) for keys in (step.reads, step.writes))
    by_rows = _is_cascadable(graph, step, strips, numbers)
    return Task(
        step, reads, writes,
        image_rows(step.node.outputs[0]) if by_rows else 1,
        _needs(graph, step, strips, numbers) if by_rows else None,
        _constants(graph, step),
        tuple(-(-graph.tensors[s].size // 16) * 16 for s in step.scratch),
        _savings(graph, step, strips, numbers) if overlap else {},
    )  # fmt: skip


def _constants(graph: LoweredGraph, step: Step) -> dict[TensorId, int]:
    pointers = (a for call in step.calls for a in call.arguments if isinstance(a, Pointer))
    found = (graph.tensors[graph.storage(p.tensor)] for p in pointers)
    return {t.id: t.size for t in found if t.kind is TensorKind.CONSTANT}


def _is_cascadable(
    graph: LoweredGraph, step: Step, strips: tuple[Strip, ...], numbers: Mapping[TensorId, int]
) -> bool:
    """Row by row on rings: all tensors are plain strips, written by this step alone."""
    node = step.node
    if not step.row_wise or not is_row_wise(kind_of(step.operator), node, step.calls):
        return False
    tensors = [*node.outputs, *(t for t in node.inputs if t is not None and not t.is_constant)]
    if any(graph.storage(t.id) not in numbers for t in tensors) or node.outputs[0].shape[1] < 2:
        return False
    written = (strips[numbers[graph.storage(t.id)]] for t in node.outputs)
    if not all(_is_strip(graph, t) for t in tensors) or any(len(s.writers) > 1 for s in written):
        return False
    return _stays_inside(step)


def _stays_inside(step: Step) -> bool:
    """The rule asks for rows that the inputs have: not for those of one that is stretched."""
    node, rule = step.node, kind_of(step.operator).rows
    assert rule is not None
    spans = rule(node, Span(0, image_rows(node.outputs[0])))
    inputs = zip(node.inputs, spans, strict=True)
    return all(
        span is None or t is None or t.is_constant or span.end <= image_rows(t)
        for t, span in inputs
    )


def _is_strip(graph: LoweredGraph, tensor: Tensor) -> bool:
    """The tensor is one image with the rows of the bytes' owner."""
    owner = graph.tensors[graph.storage(tensor.id)]
    if len(tensor.shape) != 4 or tensor.shape[0] != 1:
        return False
    return image_rows(owner) == image_rows(tensor) <= MOST_ROWS and owner.size == tensor.size


def _needs(
    graph: LoweredGraph, step: Step, strips: tuple[Strip, ...], numbers: Mapping[TensorId, int]
) -> tuple[Need, ...]:
    node, rule = step.node, kind_of(step.operator).rows
    assert rule is not None
    spans = [rule(node, Span(r, r + 1)) for r in range(image_rows(node.outputs[0]))]
    found: dict[int, Need] = {}
    for position, tensor in enumerate(node.inputs):
        if tensor is None or tensor.is_constant:
            continue
        strip = numbers[graph.storage(tensor.id)]
        need = _need(strip, strips[strip].rows, [s[position] for s in spans])
        found[strip] = _joined(found[strip], need) if strip in found else need
    return tuple(found.values())


def _need(strip: int, rows: int, spans: list[Span | None]) -> Need:
    """Accumulate from both ends; None means all rows, an empty span means none."""
    upto, since = [0], [rows]
    for span in spans:
        end = rows if span is None else span.end if span.size > 0 else 0
        upto.append(max(upto[-1], end))
    for span in reversed(spans):
        begin = 0 if span is None else span.begin if span.size > 0 else rows
        since.append(min(since[-1], begin))
    touched = {r for s in spans if s is not None for r in range(s.begin, s.end)}
    count = rows if None in spans else len(touched)
    return Need(strip, np.array(upto), np.array(since[::-1]), count)


def _joined(a: Need, b: Need) -> Need:
    upto, since = np.maximum(a.upto, b.upto), np.minimum(a.since, b.since)
    return Need(a.strip, upto, since, max(a.touched, b.touched))


def _savings(
    graph: LoweredGraph, step: Step, strips: tuple[Strip, ...], numbers: Mapping[TensorId, int]
) -> dict[int, int]:
    found: dict[int, int] = {}
    for sharing in sharings(step):
        owners = [graph.storage(sharing.input), graph.storage(sharing.output)]
        if any(o not in numbers for o in owners) or owners[0] == owners[1]:
            continue
        x, y = (strips[numbers[o]] for o in owners)
        distance = min(d for d in (sharing.ahead, sharing.behind) if d is not None)
        union = max(x.size, y.size, -(-distance // x.alignment) * x.alignment + x.size)
        if _is_whole(graph, sharing.input) and _is_whole(graph, sharing.output):
            both = -(-union // x.alignment) * x.alignment
            found[numbers[owners[0]]] = max(0, x.padded + y.padded - both)
    return found


def _is_whole(graph: LoweredGraph, key: TensorId) -> bool:
    return graph.tensors[key].size == graph.tensors[graph.storage(key)].size
