"""Copies that need not happen: a tensor may live where the copy would have put it.

Concatenation along the outermost dimension, splits, packs and contiguous slices become plain
copies of one run of bytes. Two ways to save such a copy:

    gather   the source is written straight into its place in the destination
    scatter  the destination is a window into the source
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import MappingProxyType

from nacre.ir import TensorId, TensorKind
from nacre.lower import LoweredGraph, Step, View
from nacre.ops.kind import Call, Pointer, Span
from nacre.ops.moves import COPY_BYTES, MOVE_ROWS, MoveRowsParams

# An alignment that suits every slot of the targets that have kernels which replace their input.
SLOT = 16


@dataclass(frozen=True)
class Block:
    """`size` bytes of `source` at `source_offset` are copied to `target` at `target_offset`."""

    source: TensorId
    source_offset: int
    target: TensorId
    target_offset: int
    size: int


def share_copies(
    graph: LoweredGraph, may_share: Callable[[TensorId, TensorId], bool]
) -> LoweredGraph:
    """The graph without the copies that can be saved; the same graph when there are none.

    `may_share` says of two tensors whether one may live inside the other.
    """
    views = dict(graph.views)
    steps = []
    for step in graph.steps:
        kept = _kept_calls(graph, step, views, may_share)
        if kept == step.calls:
            steps.append(step)
        elif kept:
            steps.append(replace(step, calls=kept))
    if len(views) == len(graph.views):
        return graph
    return replace(graph, steps=tuple(steps), views=MappingProxyType(views))


def _kept_calls(
    graph: LoweredGraph,
    step: Step,
    views: dict[TensorId, View],
    may_share: Callable[[TensorId, TensorId], bool],
) -> tuple[Call, ...]:
    blocks = [copied_block(call) for call in step.calls]
    if step.scratch or any(b is None for b in blocks):
        return step.calls
    kept = []
    for call, block in zip(step.calls, blocks, strict=True):
        assert block is not None
        shared = may_share(block.source, block.target) and (
            _gather(graph, block, views) or _scatter(graph, block, views, blocks)
        )
        if not shared:
            kept.append(call)
    return tuple(kept)


def replace_inputs(
    graph: LoweredGraph,
    may_share: Callable[[TensorId, TensorId], bool],
    kept: tuple[TensorId, ...] = (),
) -> LoweredGraph:
    """The graph with outputs inside inputs that their steps are the last to read.

    They lie at the end, so that the next output may begin before them. `kept` tensors are not to be
    overwritten.
    """
    views = dict(graph.views)
    for number, step in enumerate(graph.steps):
        if step.replaces is None or len(step.writes) != 1:
            continue
        x, y = step.node.input(step.replaces).id, step.writes[0]
        if x not in kept and _is_free(graph, number, x, y, views) and may_share(x, y):
            room = graph.tensors[x].size - graph.tensors[y].size
            distance = math.lcm(step.pitch, SLOT)
            views[y] = View(x, room // distance * distance)
    if len(views) == len(graph.views):
        return graph
    return replace(graph, views=MappingProxyType(views))


def _is_free(
    graph: LoweredGraph, number: int, x: TensorId, y: TensorId, views: dict[TensorId, View]
) -> bool:
    """The bytes of x are y's for the taking."""
    root, offset = _storage(views, x)
    later = (t for step in graph.steps[number + 1 :] for t in step.reads)
    others = [t for t in graph.steps[number].reads if t != x]
    return (
        graph.tensors[root].kind is graph.tensors[y].kind is TensorKind.SCRATCH
        and offset == 0
        and y not in views
        and y not in graph.outputs
        and graph.tensors[y].size <= graph.tensors[x].size
        and graph.alignment(y) <= max(graph.alignment(root), graph.alignment(x))
        and not any(_storage(views, o)[0] == root for o in graph.outputs)
        and not any(_storage(views, t)[0] == root for t in (*later, *others))
    )


def copied_block(call: Call) -> Block | None:
    """The one run of bytes that a call copies, or None when it does anything else."""
    match call.arguments:
        case (Pointer() as x, Pointer() as y, int() as size) if call.kernel == COPY_BYTES:
            return Block(x.tensor, x.offset, y.tensor, y.offset, size)
        case (Pointer() as x, Pointer() as y, MoveRowsParams() as p, Span() as rows) if (
            call.kernel == MOVE_ROWS and _is_contiguous(p)
        ):
            begin, end = max(rows.begin, p.output_begin), min(rows.end, p.output_end)
            source = x.offset + (p.first_row + begin) * p.input_row
            target = y.offset + begin * p.output_row
            size = (end - begin) * p.output_row
            return Block(x.tensor, source, y.tensor, target, size)
    return None


def _is_contiguous(p: MoveRowsParams) -> bool:
    pieces_join = p.pieces == 1 or p.input_pitch == p.output_pitch == p.run
    whole_rows = p.pieces * p.run == p.input_row == p.output_row
    return p.row_step == 1 and pieces_join and whole_rows


def _gather(graph: LoweredGraph, block: Block, views: dict[TensorId, View]) -> bool:
    """Let the source live inside the destination."""
    source, target = graph.tensors[block.source], graph.tensors[block.target]
    root, offset = _storage(views, block.target)
    legal = (
        source.kind is target.kind is TensorKind.SCRATCH
        and block.source_offset == 0
        and block.size == source.size
        and block.source not in views
        and block.source not in graph.inputs
        and not _is_output(graph, block.source, views)
        and root != block.source
        and (offset + block.target_offset) % graph.alignment(block.source) == 0
    )
    if legal:
        views[block.source] = View(block.target, block.target_offset)
    return legal


def _scatter(
    graph: LoweredGraph,
    block: Block,
    views: dict[TensorId, View],
    blocks: list[Block | None],
) -> bool:
    """Let the destination be a window into the source."""
    source, target = graph.tensors[block.source], graph.tensors[block.target]
    root, offset = _storage(views, block.source)
    legal = (
        source.kind is target.kind is TensorKind.SCRATCH
        and block.target_offset == 0
        and block.size == target.size
        and block.target not in views
        and not _is_output(graph, block.target, views)
        and root != block.target
        and sum(b is not None and b.target == block.target for b in blocks) == 1
        and (offset + block.source_offset) % graph.alignment(block.target) == 0
    )
    if legal:
        views[block.target] = View(block.source, block.source_offset)
    return legal


def _storage(views: dict[TensorId, View], tensor: TensorId) -> tuple[TensorId, int]:
    offset = 0
    while tensor in views:
        offset += views[tensor].offset
        tensor = views[tensor].of
    return tensor, offset


def _is_output(graph: LoweredGraph, tensor: TensorId, views: dict[TensorId, View]) -> bool:
    """The tensor, or a view of it, is an output of the graph."""
    return any(_storage(views, o)[0] == tensor for o in graph.outputs)
