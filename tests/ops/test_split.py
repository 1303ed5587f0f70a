"""SPLIT, SPLIT_V, UNPACK against the oracles: axes, sizes, types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, content, ints, model
from support.operators import check_operator

TYPES = ("int8", "int16", "int32", "float32", "uint8")
shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def parts_of(shape, axis: int, sizes) -> list[tuple[int, ...]]:
    at = axis % len(shape)
    return [tuple(s if d == at else n for d, n in enumerate(shape)) for s in sizes]


def split_model(shape, axis: int, count: int, dtype: str = "int8") -> bytes:
    outs = parts_of(shape, axis, [shape[axis] // count] * count)
    return model(
        "SPLIT",
        [ints(axis), Value(tuple(shape), dtype)],
        [Value(o, dtype) for o in outs],
        {"num_splits": count},
    )


def split_v_model(shape, axis: int, sizes, dtype: str = "int8", wanted=None) -> bytes:
    return model(
        "SPLIT_V",
        [Value(tuple(shape), dtype), ints(*(wanted or sizes)), ints(axis)],
        [Value(o, dtype) for o in parts_of(shape, axis, sizes)],
        {"num_splits": len(sizes)},
    )


@settings(max_examples=50, deadline=None, derandomize=True)
@given(shapes, st.integers(1, 4), st.integers(1, 3), st.data(), st.sampled_from(TYPES))
def test_split(shape: list[int], count: int, part: int, data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    shape[axis] = count * part
    check_operator(split_model(shape, axis, count, dtype), [[content(shape, dtype)]])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    shapes,
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.booleans(),
    st.data(),
    st.sampled_from(TYPES),
)
def test_split_v(
    shape: list[int], sizes: list[int], rest: bool, data: st.DataObject, dtype: str
) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    shape[axis] = sum(sizes)
    wanted = [-1, *sizes[1:]] if rest else sizes
    file = split_v_model(shape, axis, sizes, dtype, wanted)
    check_operator(file, [[content(shape, dtype)]])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(shapes, st.data(), st.sampled_from(["int8", "int16", "int32", "float32"]))
def test_unpack(shape: list[int], data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    x = content(shape, dtype)
    out = np.take(x, 0, axis).shape
    count = shape[axis]
    file = model(
        "UNPACK", [Value(tuple(shape), dtype)], [Value(out, dtype)] * count,
        {"axis": axis, "num": count},
    )  # fmt: skip
    check_operator(file, [[x]])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (split_model((5, 2), 0, 2), "5 elements into 2 equal parts and 2 outputs"),
        (
            split_v_model((5, 2), 0, (2, 3), wanted=(2, 2)),
            r"5 elements into parts of \[2, 2\] and 2 outputs",
        ),
        (
            model("UNPACK", [Value((3, 2), "int8")], [Value((2,), "int8")] * 2, {"num": 2}),
            "3 slices, num 2 and 2 outputs",
        ),
        (
            model("SPLIT", [Value((), "int32"), Value((4,), "int8")], [Value((2,), "int8")] * 2,
                  {"num_splits": 2}),
            "the axis is computed at run time; supported: a constant",
        ),
    ],
)  # fmt: skip
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
