"""PAD, PADV2, MIRROR_PAD against the oracles: ranks, borders, types, bands of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.bands import run_in_bands
from support.execute import Runner, program_of
from support.movement import TYPES, Value, content, ints, model
from support.operators import check_operator

REFLECT, SYMMETRIC = 0, 1


def padded(shape, borders) -> tuple[int, ...]:
    return tuple(n + a + b for n, (a, b) in zip(shape, borders, strict=True))


def pad_model(shape, borders, dtype="int8", value=None, index="int32") -> bytes:
    table = np.array(borders, index).reshape(-1, 2)
    inputs: list[Value | np.ndarray] = [Value(tuple(shape), dtype), table]
    if value is not None:
        inputs.append(np.array(value, dtype))
    operator = "PAD" if value is None else "PADV2"
    return model(operator, inputs, [Value(padded(shape, borders), dtype)])


def borders_of(rank: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    side = st.sampled_from([0, 0, 1, 2])
    return st.lists(st.tuples(side, side), min_size=rank, max_size=rank)


def shapes(least: int, most: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, 4), min_size=least, max_size=most)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(shapes(1, 5), st.data(), st.sampled_from(["int8", "uint8", "int16", "int32", "float32"]))
def test_pad_holds_the_zero_point(shape: list[int], data: st.DataObject, dtype: str) -> None:
    borders = data.draw(borders_of(len(shape)))
    check_operator(pad_model(shape, borders, dtype), [[content(shape, dtype)]])


def constant_value(dtype: str) -> float:
    return {"float32": -1.25, "int64": -(1 << 40) - 3, "uint8": 200}.get(dtype, -9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(shapes(1, 5), st.data(), st.sampled_from(["int8", "uint8", "int32", "int64", "float32"]))
def test_padv2_holds_the_value(shape: list[int], data: st.DataObject, dtype: str) -> None:
    borders = data.draw(borders_of(len(shape)))
    x = content(shape, dtype)
    value = np.array(constant_value(dtype), dtype)
    file = pad_model(shape, borders, dtype, value)
    if dtype in ("int8", "uint8"):  # the runtimes ask for a scale of the value, which says nothing
        check_against_numpy(file, x, borders, value)
    else:
        check_operator(file, [[x]])


def check_against_numpy(file: bytes, x: np.ndarray, borders, value: np.ndarray) -> None:
    expected = np.pad(x, borders, constant_values=value)
    graph = import_model(file, "model")
    np.testing.assert_array_equal(Runner(program_of(graph)).run([x])[0], expected)
    np.testing.assert_array_equal(run_reference(graph, [x], {})[0], expected)


@pytest.mark.parametrize("borders", [[(1, 0)] * 6, [(0, 0), (1, 1)] * 3, [(2, 1)] + [(0, 0)] * 5])
@pytest.mark.parametrize("dtype", TYPES)
def test_more_dimensions_than_the_runtimes_take(borders, dtype: str) -> None:
    x = content((2, 3, 1, 2, 2, 3), dtype)
    value = np.array(constant_value(dtype), dtype)
    check_against_numpy(pad_model(x.shape, borders, dtype, value), x, borders, value)


def test_int64_table() -> None:
    check_operator(pad_model((2, 3), [(1, 0), (0, 2)], index="int64"), [[content((2, 3), "int8")]])


@pytest.mark.parametrize("band", [1, 2, 5])
@pytest.mark.parametrize(
    "borders", [[(0, 0), (2, 1), (1, 3), (0, 0)], [(0, 0), (0, 3), (1, 0), (2, 1)]]
)
@pytest.mark.parametrize("dtype", ["int8", "int16", "float32"])
def test_bands_of_rows_from_a_ring_equal_the_whole(borders, dtype: str, band: int) -> None:
    x = content((1, 6, 4, 3), dtype)
    file = pad_model(x.shape, borders, dtype)
    (whole,) = check_operator(file, [[x]])
    np.testing.assert_array_equal(run_in_bands(file, x, band), whole[0])


def mirror_model(shape, borders, mode, dtype="int8") -> bytes:
    table = np.array(borders, np.int32).reshape(-1, 2)
    inputs = [Value(tuple(shape), dtype), table]
    return model("MIRROR_PAD", inputs, [Value(padded(shape, borders), dtype)], {"mode": mode})


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(2, 5), min_size=1, max_size=4),
    st.data(),
    st.sampled_from([REFLECT, SYMMETRIC]),
    st.sampled_from(["int8", "float32", "int32", "int64"]),
)
def test_mirror_pad(shape: list[int], data: st.DataObject, mode: int, dtype: str) -> None:
    most = [n - 1 if mode == REFLECT else n for n in shape]
    borders = [data.draw(st.tuples(st.integers(0, m), st.integers(0, m))) for m in most]
    check_operator(mirror_model(shape, borders, mode, dtype), [[content(shape, dtype)]])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (pad_model((2, 2), [(1, -1), (0, 0)]), "padding has -1; supported: 0 or more"),
        (
            model("PAD", [Value((2, 2), "int8"), np.zeros((3, 2), np.int32)],
                  [Value((2, 2), "int8")]),
            r"padding is \[3, 2\]; supported: \[2, 2\]",
        ),
        (
            model("PAD", [Value((2, 2), "int8"), Value((2, 2), "int32")], [Value((2, 2), "int8")]),
            "the padding is computed at run time; supported: a constant",
        ),
        (
            model("PADV2", [Value((2,), "int8"), np.array([[1, 0]], np.int32), ints(1)],
                  [Value((3,), "int8")]),
            "1 int32 values of padding; supported: one of the input's type",
        ),
        (mirror_model((3,), [(3, 0)], REFLECT), "mirrors 3 of 3; supported: up to 2"),
        (mirror_model((3,), [(0, 4)], SYMMETRIC), "mirrors 4 of 3; supported: up to 3"),
    ],
)  # fmt: skip
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
