"""Operators window by window on rings of rows give what they give at once, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.ops.kind import Call, Kernel, Pointer, Span
from nacre.ops.rings import ringed, windowed
from nacre.ops.select import SelectParams
from support.calls import lowered_of, run_node, run_windows
from support.cases import row_wise_cases
from support.single import values_of

CASES = row_wise_cases()


def windows_of(rows: int, sizes: list[int]) -> list[Span]:
    """Windows of these sizes, again and again, over all rows."""
    found, begin = [], 0
    while begin < rows:
        end = min(rows, begin + sizes[len(found) % len(sizes)])
        found.append(Span(begin, end))
        begin = end
    return found


@pytest.mark.parametrize("name", CASES)
@given(sizes=st.lists(st.integers(1, 5), min_size=1, max_size=3))
@settings(max_examples=4, deadline=None, derandomize=True)
def test_windows_give_the_whole(name: str, sizes: list[int]) -> None:
    node = CASES[name]()
    values = values_of(node)
    whole = run_node(node, values)
    parts = run_windows(node, values, windows_of(node.outputs[0].shape[1], sizes))
    for a, b in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(a, b)


def test_tensors_that_are_not_named_stay() -> None:
    (call,) = lowered_of(CASES["Add int8 same"]()).calls
    assert ringed(call, {}) == call


def test_each_tensor_has_its_own_ring() -> None:
    (call,) = lowered_of(CASES["Add int8 same"]()).calls
    shape = ringed(call, {"a": 2, "b": 3, "y0": 4}).arguments[3]
    pointers = [a.tensor for a in call.arguments if isinstance(a, Pointer)]
    rings = {pointers[0]: shape.first_ring, pointers[1]: shape.second_ring}
    assert rings == {"a": 2, "b": 3} and shape.output_ring == 4


def test_lists_of_rings() -> None:
    (call,) = lowered_of(CASES["Select"]()).calls
    (params,) = (a for a in ringed(call, {"c": 2, "a": 5}).arguments if isinstance(a, SelectParams))
    assert params.ring == (2, 5, 1) and params.output_ring == 9


def test_windows_replace_the_span_alone() -> None:
    call = Call(Kernel("nacre_copy"), (Span(0, 9), 3))
    assert windowed(call, Span(2, 4)).arguments == (Span(2, 4), 3)
