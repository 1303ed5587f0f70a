"""FILL and ZEROS_LIKE against the oracles."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ir import DType
from nacre.ops.fill import value_words
from support.movement import Value, content, ints, model
from support.operators import check_operator


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32", "bool"])
@pytest.mark.parametrize("shape", [(), (7,), (2, 3, 4)])
def test_fill_with_a_value_that_is_computed(dtype: str, shape: tuple[int, ...]) -> None:
    data = model("FILL", [ints(*shape), Value((), dtype)], [Value(shape, dtype)])
    check_operator(data, [[content((), dtype, seed)] for seed in range(3)])


@pytest.mark.parametrize("dtype", ["int8", "int32", "float32"])
def test_a_constant_value_makes_a_constant(dtype: str) -> None:
    graph = import_model(
        model("FILL", [ints(2, 3), np.array(5, dtype)], [Value((2, 3), dtype)]), "model"
    )
    assert graph.operators == ()
    np.testing.assert_array_equal(graph.tensors["2"].constant, np.full((2, 3), 5, dtype))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "float32"])
def test_zeros_like(dtype: str) -> None:
    data = model("ZEROS_LIKE", [Value((2, 3), dtype)], [Value((2, 3), dtype)])
    check_operator(data, [[content((2, 3), dtype)]])


def test_words_are_the_bits_of_a_value() -> None:
    assert value_words(-1, DType.INT8) == (255, 0)
    assert value_words(1.0, DType.FLOAT32) == (0x3F800000, 0)
    assert value_words(-2, DType.INT32) == (-2, 0)
    assert value_words(-2, DType.INT64) == (-2, -1)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            model("FILL", [ints(-1, 2), Value((), "int8")], [Value((1, 2), "int8")]),
            r"shape \[-1, 2\]; supported: dimensions of 0 or more",
        ),
        (
            model("FILL", [ints(2), Value((3,), "int8")], [Value((2,), "int8")]),
            "3 values to fill with; supported: 1",
        ),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
