"""TILE and BROADCAST_TO against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, content, ints, model
from support.operators import check_operator


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["int8", "uint8", "int32", "int64", "float32", "bool"]),
    st.sampled_from(["int32", "int64"]),
)
def test_tile(shape: list[int], data: st.DataObject, dtype: str, index: str) -> None:
    multiples = [data.draw(st.integers(1, 3)) for _ in shape]
    out = tuple(n * m for n, m in zip(shape, multiples, strict=True))
    inputs = [Value(tuple(shape), dtype), ints(*multiples, dtype=index)]
    check_operator(model("TILE", inputs, [Value(out, dtype)]), [[content(shape, dtype)]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.data(),
    st.sampled_from(["int8", "uint8", "int16", "int32", "int64", "float32"]),
)
def test_broadcast_to(out: list[int], data: st.DataObject, dtype: str) -> None:
    rank = data.draw(st.integers(1, len(out)))
    shape = tuple(data.draw(st.sampled_from([1, n])) for n in out[len(out) - rank :])
    file = model("BROADCAST_TO", [Value(shape, dtype), ints(*out)], [Value(tuple(out), dtype)])
    check_operator(file, [[content(shape, dtype)]])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            model("TILE", [Value((2, 3), "int8"), ints(2)], [Value((4, 3), "int8")]),
            r"multiples \[2\] for 2 dimensions",
        ),
        (
            model("BROADCAST_TO", [Value((2, 3), "int8"), ints(2, 4)], [Value((2, 4), "int8")]),
            r"\[2, 3\] does not broadcast to \[2, 4\]",
        ),
        (
            model("BROADCAST_TO", [Value((2, 3), "int8"), ints(3)], [Value((3,), "int8")]),
            r"\[2, 3\] does not broadcast to \[3\]",
        ),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")


def test_a_constant_is_tiled_when_the_model_is_read() -> None:
    graph = import_model(
        model("TILE", [np.array([1, 2], np.int32), ints(2)], [Value((4,), "int32")]), "model"
    )
    assert graph.tensors[graph.outputs[0]].constant.tolist() == [1, 2, 1, 2]
