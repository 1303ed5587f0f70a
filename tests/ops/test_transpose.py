"""TRANSPOSE and REVERSE_V2 against the oracles: permutations, axes, types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.execute import Runner, program_of
from support.movement import TYPES, Value, content, ints, model
from support.operators import check_operator


def transpose_model(shape, order, dtype="int8") -> bytes:
    out = tuple(shape[d] for d in order)
    return model("TRANSPOSE", [Value(tuple(shape), dtype), ints(*order)], [Value(out, dtype)])


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from([1, 2, 3, 5, 9]), min_size=1, max_size=5),
    st.data(),
    st.sampled_from(TYPES),
)
def test_transpose(shape: list[int], data: st.DataObject, dtype: str) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    check_operator(transpose_model(shape, order, dtype), [[content(shape, dtype)]])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("order", [(5, 4, 3, 2, 1, 0), (1, 0, 3, 2, 5, 4), (2, 0, 1, 5, 3, 4)])
def test_six_dimensions(order: tuple[int, ...], dtype: str) -> None:
    x = content((2, 3, 2, 4, 3, 2), dtype)
    check_against_numpy(transpose_model(x.shape, order, dtype), x, x.transpose(order))


def test_seven_dimensions_become_several_calls() -> None:
    x = content((2,) * 8, "int8")
    order = (7, 6, 5, 4, 3, 2, 1, 0)
    check_against_numpy(transpose_model(x.shape, order), x, x.transpose(order))


def check_against_numpy(data: bytes, x: np.ndarray, expected: np.ndarray) -> None:
    graph = import_model(data, "model")
    np.testing.assert_array_equal(Runner(program_of(graph)).run([x])[0], expected)
    np.testing.assert_array_equal(run_reference(graph, [x], {})[0], expected)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["uint8", "int16", "int32", "int64", "float32"]),
)
def test_reverse(shape: list[int], data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    file = model(
        "REVERSE_V2", [Value(tuple(shape), dtype), ints(axis)], [Value(tuple(shape), dtype)]
    )
    check_operator(file, [[content(shape, dtype)]])


@pytest.mark.parametrize("axes", [(0, 1), (0, 2), (1, 2), (2, 0, 1), (-1, -3)])
def test_reverse_of_several_axes(axes: tuple[int, ...]) -> None:
    x = content((2, 3, 4), "int8")
    data = model("REVERSE_V2", [Value(x.shape, "int8"), ints(*axes)], [Value(x.shape, "int8")])
    check_against_numpy(data, x, np.flip(x, axes))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            model("TRANSPOSE", [Value((2, 3), "int8"), ints(0, 0)], [Value((2, 3), "int8")]),
            r"permutation \[0, 0\] of 2 dimensions",
        ),
        (
            model("TRANSPOSE", [Value((2, 3), "int8"), ints(0, 2)], [Value((2, 3), "int8")]),
            "permutation is 2 for 2 dimensions",
        ),
        (
            model("REVERSE_V2", [Value((2,), "int8"), ints(1)], [Value((2,), "int8")]),
            "axis is 1 for 1 dimensions",
        ),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
