"""STRIDED_SLICE and SLICE against the oracles: masks, steps, types, bands of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.bands import run_in_bands
from support.execute import Runner, program_of
from support.movement import TYPES, Value, content, ints, model
from support.operators import check_operator


def strided_model(shape, out, begin, end, step, dtype="int8", masks=None, offset=False) -> bytes:
    options = {f"{name}_mask": value for name, value in (masks or {}).items()}
    inputs = [Value(tuple(shape), dtype), ints(*begin), ints(*end), ints(*step)]
    return model("STRIDED_SLICE", inputs, [Value(tuple(out), dtype)], options | {"offset": offset})


def key_of(begin, end, step, masks: dict[str, int]) -> tuple[object, ...]:
    """The same slice as an index of numpy."""
    key: list[object] = []
    for i, (b, e, s) in enumerate(zip(begin, end, step, strict=True)):
        if masks.get("ellipsis", 0) >> i & 1:
            key.append(...)
        elif masks.get("new_axis", 0) >> i & 1:
            key.append(None)
        elif masks.get("shrink_axis", 0) >> i & 1:
            key.append(b)
        else:
            start = None if masks.get("begin", 0) >> i & 1 else b
            stop = None if masks.get("end", 0) >> i & 1 else e
            key.append(slice(start, stop, s))
    return tuple(key)


@st.composite
def slices(draw: st.DrawFn) -> tuple[list[int], list[int], list[int], list[int], dict[str, int]]:
    shape = draw(st.lists(st.integers(1, 6), min_size=1, max_size=4))
    entries = draw(st.integers(1, len(shape)))
    begin = [draw(st.integers(-n, n - 1)) for n in shape[:entries]]
    end = [draw(st.integers(-n - 1, n + 2)) for n in shape[:entries]]
    step = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2])) for _ in range(entries)]
    masks = {name: draw(st.integers(0, 2**entries - 1)) for name in ("begin", "end")}
    shrink = draw(st.integers(0, 2**entries - 1))
    # A dropped dimension asks for a step of 1 and for its index.
    masks["shrink_axis"] = sum(1 << i for i in range(entries) if shrink >> i & 1 and step[i] == 1)
    masks["begin"] &= ~masks["shrink_axis"]
    return shape, begin, end, step, masks


@settings(max_examples=200, deadline=None, derandomize=True)
@given(slices(), st.sampled_from(["int8", "int16", "int32", "float32", "int64", "uint8"]))
def test_strided_slice(case, dtype: str) -> None:
    shape, begin, end, step, masks = case
    x = content(shape, dtype)
    expected = x[key_of(begin, end, step, masks)]
    assume(expected.size)
    data = strided_model(shape, expected.shape, begin, end, step, dtype, masks)
    check_operator(data, [[x]])


@pytest.mark.parametrize(
    ("begin", "end", "masks"),
    [
        ((1, 0, 2), (2, 0, 3), {"ellipsis": 2}),
        ((0, 1, 0), (0, 3, 0), {"new_axis": 1}),
        ((0, 0, 1), (0, 0, 2), {"ellipsis": 1, "new_axis": 2}),
        ((1, 0, 1), (2, 0, 3), {"ellipsis": 2, "shrink_axis": 1}),
        ((0, 0), (2, 0), {"ellipsis": 2}),
    ],
)
def test_ellipsis_and_new_axis(begin, end, masks: dict[str, int]) -> None:
    x = content((2, 3, 4, 5), "float32")
    step = [1] * len(begin)
    out = x[key_of(begin, end, step, masks)].shape
    check_operator(strided_model(x.shape, out, begin, end, step, "float32", masks), [[x]])


@pytest.mark.parametrize(
    ("begin", "length", "out"), [((1, 2), (2, 3), (2, 3)), ((-2, 0), (1, 4), (1, 4))]
)
def test_end_counted_from_begin(begin, length, out) -> None:
    data = strided_model((3, 5), out, begin, length, (1, 1), "float32", offset=True)
    check_operator(data, [[content((3, 5), "float32")]], oracles=("litert",))


@pytest.mark.parametrize("dtype", TYPES)
def test_more_dimensions_than_the_runtimes_take(dtype: str) -> None:
    x = content((2, 3, 2, 4, 3, 5), dtype)
    key = np.s_[::-1, 1:3, :, ::2, 2:0:-1, ::3]
    expected = x[key]
    begin, end, step = (0, 1, 0, 0, 2, 0), (0, 3, 2, 4, 0, 5), (-1, 1, 1, 2, -1, 3)
    data = strided_model(x.shape, expected.shape, begin, end, step, dtype, {"begin": 1, "end": 1})
    graph = import_model(data, "model")
    np.testing.assert_array_equal(Runner(program_of(graph)).run([x])[0], expected)
    np.testing.assert_array_equal(run_reference(graph, [x], {})[0], expected)


@pytest.mark.parametrize("band", [1, 3])
@pytest.mark.parametrize(
    ("begin", "end", "step"),
    [
        ((0, 1, 0, 0), (1, 9, 6, 4), (1, 1, 1, 1)),
        ((0, 2, 1, 1), (1, 9, 6, 3), (1, 2, 2, 1)),
        ((0, 0, 5, 0), (1, 9, 0, 4), (1, 3, -1, 1)),
    ],
)
def test_bands_of_rows_from_a_ring_equal_the_whole(begin, end, step, band: int) -> None:
    x = content((1, 9, 6, 4), "int16")
    out = x[key_of(begin, end, step, {})].shape
    data = strided_model(x.shape, out, begin, end, step, "int16")
    (whole,) = check_operator(data, [[x]])
    np.testing.assert_array_equal(run_in_bands(data, x, band), whole[0])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 6), min_size=1, max_size=5),
    st.data(),
    st.sampled_from(["int8", "int16", "int32", "float32", "int64"]),
    st.sampled_from(["int32", "int64"]),
)
def test_slice(shape: list[int], data: st.DataObject, dtype: str, index: str) -> None:
    begin = [data.draw(st.integers(0, n - 1)) for n in shape]
    size = [
        data.draw(st.one_of(st.just(-1), st.integers(1, n - b)))
        for n, b in zip(shape, begin, strict=True)
    ]
    out = tuple(n - b if s == -1 else s for n, b, s in zip(shape, begin, size, strict=True))
    inputs = [Value(tuple(shape), dtype), ints(*begin, dtype=index), ints(*size, dtype=index)]
    check_operator(model("SLICE", inputs, [Value(out, dtype)]), [[content(shape, dtype)]])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (strided_model((3,), (3,), (0,), (3,), (0,)), r"strides\[0\] is 0; supported: any other"),
        (
            strided_model((3,), (3,), (0, 0), (3, 3), (1, 1)),
            "2 dimensions are sliced of an input that has 1",
        ),
        (
            strided_model((3,), (), (5,), (6,), (1,), masks={"shrink_axis": 1}),
            r"begin\[0\] is 5 for a dimension of 3",
        ),
        (
            model("SLICE", [Value((3,), "int8"), ints(2), ints(2)], [Value((2,), "int8")]),
            "2 elements from 2 of a dimension of 3",
        ),
        (
            model("SLICE", [Value((3,), "int8"), Value((1,), "int32"), ints(2)],
                  [Value((2,), "int8")]),
            "begin is computed at run time; supported: a constant",
        ),
    ],
)  # fmt: skip
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
