"""ONE_HOT against LiteRT: axes, types, indices out of range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, model
from support.operators import check_operator


def one_hot_model(shape, depth: int, axis: int, dtype="float32", index="int32", on=3) -> bytes:
    out = list(shape)
    out.insert(axis % (len(shape) + 1), depth)
    inputs = [
        Value(tuple(shape), index),
        np.array(depth, np.int32),
        np.array(on, dtype),
        np.array(0 if dtype == "bool" else 2, dtype),
    ]
    return model("ONE_HOT", inputs, [Value(tuple(out), dtype)], {"axis": axis})


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=0, max_size=3),
    st.integers(1, 5),
    st.data(),
    st.sampled_from(["int8", "uint8", "int32", "int64", "float32", "bool"]),
    st.sampled_from(["int32", "int64"]),
)
def test_one_hot(shape: list[int], depth: int, data: st.DataObject, dtype: str, index: str) -> None:
    axis = data.draw(st.integers(-1, len(shape)))
    indices = np.random.default_rng(2).integers(-1, depth + 2, shape).astype(index)
    check_operator(one_hot_model(shape, depth, axis, dtype, index), [[indices]])


def test_refusals() -> None:
    with pytest.raises(RefusedModel, match="indices are int8; supported: int32, int64"):
        import_model(one_hot_model((2,), 3, -1, index="int8"), "model")
    with pytest.raises(RefusedModel, match="axis is 3 for 2 dimensions"):
        import_model(one_hot_model((2,), 3, 3), "model")
