"""SHAPE, RANK, BROADCAST_ARGS, RANGE: what they give is known when the model is read."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, content, ints, model
from support.oracles import requires_litert, run_litert

INT32, INT64 = 2, 4
X = Value((2, 3, 5), "float32")


def constant_of(data: bytes, given: list[np.ndarray]) -> np.ndarray:
    """The output, which must be a constant and equal LiteRT's."""
    graph = import_model(data, "model")
    assert graph.operators == ()
    value = graph.tensors[graph.outputs[0]].constant
    expected = run_litert(data, [given])[0][0]
    np.testing.assert_array_equal(value, expected)
    assert value.dtype == expected.dtype and value.shape == expected.shape
    return value


@requires_litert
@pytest.mark.parametrize(("dtype", "code"), [("int32", INT32), ("int64", INT64)])
def test_shape(dtype: str, code: int) -> None:
    data = model("SHAPE", [X], [Value((3,), dtype)], {"out_type": code})
    assert constant_of(data, [content(X.shape, "float32")]).tolist() == [2, 3, 5]


@requires_litert
def test_rank() -> None:
    data = model("RANK", [X], [Value((), "int32")])
    assert constant_of(data, [content(X.shape, "float32")]) == 3


def after_shape(operator: str, others: list[np.ndarray], out: Value) -> bytes:
    """The operator on the folded shape of an input, so that the oracle has an input too."""
    from tflite_builder import ModelBuilder

    b = ModelBuilder()
    x = b.input("x", X.shape, X.dtype)
    shape = b.tensor("shape", (3,), "int32")
    b.operator("SHAPE", [x], [shape], {"out_type": INT32})
    y = b.tensor("y", out.shape, out.dtype)
    constants = [b.constant(f"constant{n}", value) for n, value in enumerate(others)]
    b.operator(operator, [shape, *constants] if operator == "BROADCAST_ARGS" else constants, [y])
    b.output(y)
    return b.build()


@requires_litert
def test_broadcast_args() -> None:
    data = after_shape("BROADCAST_ARGS", [ints(4, 2, 1, 5)], Value((4,), "int32"))
    assert constant_of(data, [content(X.shape, "float32")]).tolist() == [4, 2, 3, 5]


@requires_litert
@pytest.mark.parametrize(
    ("start", "limit", "delta", "dtype"),
    [
        (0, 10, 3, "int32"),
        (5, -4, -2, "int32"),
        (2, 9, 1, "int64"),
        (0, 1, 0.1, "float32"),
        (3, 0.5, -0.7, "float32"),
    ],
)
def test_range(start: float, limit: float, delta: float, dtype: str) -> None:
    values = [np.array(v, dtype) for v in (start, limit, delta)]
    data = after_shape("RANGE", values, Value((1,), dtype))
    constant_of(data, [content(X.shape, "float32")])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            model("RANGE", [Value((), "int32"), np.int32(4), np.int32(1)], [Value((4,), "int32")]),
            "the start is computed at run time; supported: a constant",
        ),
        (
            model("RANGE", [np.int32(0), np.int32(4), np.int32(0)], [Value((4,), "int32")]),
            "the step is 0; supported: any other",
        ),
        (
            after_shape("BROADCAST_ARGS", [ints(4, 4)], Value((3,), "int32")),
            r"\[2, 3, 5\] and \[4, 4\] do not broadcast",
        ),
        (
            model("SHAPE", [X], [Value((3,), "int16")]),
            "the output is int16; supported: int32, int64",
        ),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
