"""CUMSUM against the oracles: axes, directions, types, scales."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ops.cumsum import CUMSUM
from support.movement import Value, content, ints, model
from support.operators import check_operator


def cumsum_model(axis, exclusive, reverse, x: Value, y: Value) -> bytes:
    return model("CUMSUM", [x, ints(axis)], [y], {"exclusive": exclusive, "reverse": reverse})


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=4),
    st.data(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["int32", "int64", "float32"]),
)
def test_sums(
    shape: list[int], data: st.DataObject, exclusive: bool, reverse: bool, dtype: str
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    value = Value(tuple(shape), dtype)
    file = cumsum_model(axis, exclusive, reverse, value, value)
    check_operator(file, [[content(shape, dtype)]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from([(1, 7), (3, 5, 2), (40,), (2, 2, 3, 2)]),
    st.data(),
    st.booleans(),
    st.booleans(),
    st.floats(0.01, 2.0),
    st.floats(0.01, 20.0),
    st.sampled_from([-128, -7, 0, 127]),
)
def test_int8_sums(
    shape, data: st.DataObject, exclusive: bool, reverse: bool, scale: float, out: float, point: int
) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    x, y = Value(shape, "int8", scale, point), Value(shape, "int8", out, -point // 2)
    file = cumsum_model(axis, exclusive, reverse, x, y)
    check_operator(file, [[content(shape, "int8", seed)] for seed in range(3)])


def test_other_types_are_refused() -> None:
    value = Value((3,), "int16")
    with pytest.raises(RefusedModel, match="input is int16; supported: int8, int32, int64, float"):
        import_model(cumsum_model(0, False, False, value, value), "model")


@pytest.mark.parametrize(
    ("axis", "reverse", "places"), [(1, False, (0,)), (0, False, ()), (1, True, ())]
)
def test_sums_in_the_order_of_memory_may_be_written_over_their_input(
    axis: int, reverse: bool, places: tuple[int, ...]
) -> None:
    value = Value((4, 3), "float32")
    data = cumsum_model(axis, False, reverse, value, value)
    (node,) = import_model(data, "model").nodes()
    assert CUMSUM.in_place(node) == places
