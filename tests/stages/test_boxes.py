"""Outputs put together from boxes equal those made at once, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.ir import Node
from nacre.ops import kind_of
from nacre.ops.kind import Box, Span
from support.calls import run_boxes, run_node
from support.cases import block_cases, boxed_cases, convolution, hybrid, vector_cases
from support.single import values_of

ANY, VECTORS, BLOCKS = boxed_cases(), vector_cases(), block_cases()


def tiling(shape: tuple[int, ...], sizes: list[int]) -> Iterator[Box]:
    """Boxes of these sizes, smaller at the ends, that cover a shape."""
    axes = [
        [Span(b, min(n, b + s)) for b in range(0, n, s)] for n, s in zip(shape, sizes, strict=True)
    ]
    return iter(product(*axes))


def sizes_of(data: st.DataObject, shape: tuple[int, ...]) -> list[int]:
    return [data.draw(st.integers(1 if n < 6 else 2, max(1, n))) for n in shape]


def check_boxes(node: Node, data: st.DataObject, whole_vectors: bool = False) -> None:
    values = values_of(node)
    for output, expected in enumerate(run_node(node, values)):
        sizes = sizes_of(data, expected.shape)
        if whole_vectors:
            sizes[-1] = expected.shape[-1]
        found = run_boxes(node, values, output, tiling(expected.shape, sizes))
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", ANY)
@given(data=st.data())
@settings(max_examples=3, deadline=None, derandomize=True)
def test_any_boxes(name: str, data: st.DataObject) -> None:
    check_boxes(ANY[name](), data)


@pytest.mark.parametrize("name", VECTORS)
@given(data=st.data())
@settings(max_examples=4, deadline=None, derandomize=True)
def test_boxes_of_whole_vectors(name: str, data: st.DataObject) -> None:
    node = VECTORS[name]()
    check_boxes(node, data, whole_vectors=True)
    part = (*(Span(0, n) for n in node.output.shape[:-1]), Span(0, node.output.shape[-1] - 1))
    assert kind_of(node.operator).box(node, 0, part) is None


@pytest.mark.parametrize("name", BLOCKS)
@given(data=st.data())
@settings(max_examples=8, deadline=None, derandomize=True)
def test_boxes_that_some_operators_have(name: str, data: st.DataObject) -> None:
    """A box that is refused can be cut further."""
    node = BLOCKS[name]()
    values = values_of(node)
    (expected,) = run_node(node, values)
    boxes = [
        allowed
        for box in tiling(expected.shape, sizes_of(data, expected.shape))
        for allowed in cut_until_allowed(node, box)
    ]
    np.testing.assert_array_equal(run_boxes(node, values, 0, boxes), expected)


def cut_until_allowed(node: Node, box: Box) -> Iterator[Box]:
    if kind_of(node.operator).box(node, 0, box) is not None:
        yield box
        return
    axis = max(range(len(box)), key=lambda d: box[d].size)
    assert box[axis].size > 1, f"one element of {node.operator.type} is refused"
    middle = box[axis].begin + box[axis].size // 2
    for half in (Span(box[axis].begin, middle), Span(middle, box[axis].end)):
        yield from cut_until_allowed(node, (*box[:axis], half, *box[axis + 1 :]))


@pytest.mark.parametrize("per_channel", [True, False])
def test_inputs_quantized_at_run_time_are_read_whole(per_channel: bool) -> None:
    node = hybrid(per_channel)
    values = values_of(node)
    (expected,) = run_node(node, values)
    found = run_boxes(node, values, 0, tiling(expected.shape, [1, 9, 7, 4]))
    np.testing.assert_array_equal(found, expected)
    rule = kind_of(node.operator).box
    assert rule(node, 0, (Span(0, 1), Span(0, 8), Span(0, 7), Span(0, 8))) is None
    one_scale = (Span(0, 1), Span(0, 9), Span(0, 7), Span(0, 1))
    assert (rule(node, 0, one_scale) is None) == per_channel


def test_inner_boxes_are_one_operator() -> None:
    node = convolution("int8", "same")
    rule = kind_of(node.operator).box
    inner = [
        rule(node, 0, (Span(0, 1), Span(r, r + 2), Span(c, c + 2), Span(0, 8))).node.id
        for r, c in ((1, 1), (3, 1), (5, 3))
    ]
    edge = rule(node, 0, (Span(0, 1), Span(0, 2), Span(1, 3), Span(0, 8))).node.id
    assert len(set(inner)) == 1 and edge not in inner


def test_weights_are_cut_with_their_scales() -> None:
    node = convolution("int8", "same")
    box = (Span(0, 1), Span(0, 9), Span(0, 7), Span(2, 5))
    small = kind_of(node.operator).box(node, 0, box)
    w, whole = small.node.input(1), node.input(1)
    assert w.id == "w.0_2_5" and w.q.scales == whole.q.scales[2:5]
    np.testing.assert_array_equal(w.constant, whole.constant[2:5])
    assert small.parts[1] is None and small.parts[0].tensor == "x"
