"""DYNAMIC_UPDATE_SLICE against the oracles: places inside and outside, types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, content, model
from support.operators import check_operator


def update_model(shape, update, dtype="int8", index="int32", start=None) -> bytes:
    inputs = [
        Value(tuple(shape), dtype),
        Value(tuple(update), dtype),
        Value((len(shape) if start is None else start,), index),
    ]
    return model("DYNAMIC_UPDATE_SLICE", inputs, [Value(tuple(shape), dtype)])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["int8", "uint8", "int32", "int64", "float32"]),
    st.sampled_from(["int32", "int64"]),
)
def test_update(shape: list[int], data: st.DataObject, dtype: str, index: str) -> None:
    update = [data.draw(st.integers(1, n)) for n in shape]
    starts = [[data.draw(st.integers(-2, n + 1)) for n in shape] for _ in range(2)]
    x, u = content(shape, dtype), content(update, dtype, 1)
    samples = [[x, u, np.array(s, index)] for s in starts]
    check_operator(update_model(shape, update, dtype, index), samples)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (update_model((2, 3), (3, 3)), r"writes \[3, 3\] over \[2, 3\]; supported: a smaller one"),
        (
            update_model((2, 3), (1, 3), start=1),
            r"1 starts for \[1, 3\] in \[2, 3\]; supported: the same number of dimensions",
        ),
        (update_model((2,), (1,), index="int16"), "starts are int16; supported: int32, int64"),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
