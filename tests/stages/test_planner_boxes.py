"""Boxes as lines of bytes, and tiles that cover an output once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nacre.frontends.tflite.importer import import_model
from nacre.ops.kind import Span
from nacre.stages.boxes import groups, lines_of, runs
from stages.staged_nets import NETS
from stages.staging import lowered_of

Shapes = st.lists(st.integers(1, 5), min_size=1, max_size=4).map(tuple)


@st.composite
def boxes(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[Span, ...]]:
    shape = draw(Shapes)
    spans = []
    for size in shape:
        begin = draw(st.integers(0, size - 1))
        spans.append(Span(begin, draw(st.integers(begin + 1, size))))
    return shape, tuple(spans)


@given(boxes(), st.sampled_from([1, 2, 4]))
def test_lines_are_the_bytes_of_the_box(case, item: int) -> None:
    shape, box = case
    whole = np.arange(int(np.prod(shape)) * item).reshape(*shape, item)
    expected = whole[tuple(slice(s.begin, s.end) for s in box)].ravel()
    lines = lines_of(shape, item, box)
    if lines is None:
        assert sum(s.size > 1 for s in box) > 2
        return
    found = [
        lines.offset + p * lines.plane_pitch + n * lines.line_pitch + b
        for p in range(lines.planes)
        for n in range(lines.lines)
        for b in range(lines.line_bytes)
    ]
    assert found == expected.tolist()
    assert lines.size == len(expected)


def nodes():
    graph = lowered_of(import_model(NETS["residual"](), "net"))
    return [s.node for s in graph.steps if len(s.node.output.shape) == 4]


@pytest.mark.parametrize("parts", [(1, 1, 1), (2, 2, 1), (4, 1, 2), (8, 8, 1), (3, 5, 4)])
def test_tiles_cover_the_output_once(parts: tuple[int, int, int]) -> None:
    for node in nodes():
        shape = node.output.shape
        extents = (1, *(max(1, -(-n // p)) for n, p in zip(shape[1:], parts, strict=True)))
        found = groups(node, extents)
        if found is None:
            continue
        seen = np.zeros(node.output.size, int)
        for group in found:
            assert group.store.lines.size == group.step.node.output.size
            for row in range(group.rows):
                for column in range(group.columns):
                    for place in positions(group.store, row, column):
                        seen[place] += 1
        assert (seen == 1).all(), node.operator.type


def positions(piece, row: int, column: int) -> list[int]:
    lines = piece.lines
    start = lines.offset + row * piece.row_step + column * piece.column_step
    return [
        start + p * lines.plane_pitch + n * lines.line_pitch + b
        for p in range(lines.planes)
        for n in range(lines.lines)
        for b in range(lines.line_bytes)
    ]


def test_runs_cover_the_axis_in_order() -> None:
    for node in nodes():
        for axis in (1, 2, 3):
            for extent in (1, 2, 3, node.output.shape[axis]):
                found = runs(node, axis, extent)
                ends = [run.begin + run.count for run in found]
                assert [run.begin for run in found] == [0, *ends[:-1]]
                assert ends[-1] == -(-node.output.shape[axis] // extent)
