"""GATHER, GATHER_ND, EMBEDDING_LOOKUP against the oracles: axes, batches, index types, scales."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.execute import Runner, program_of
from support.movement import Value, content, ints, model
from support.operators import check_operator
from tflite_builder import ModelBuilder

INDEX_TYPES = ("int16", "int32", "int64")


def gather_model(shape, indices, out, axis=0, batch_dims=0, dtype="int8") -> bytes:
    options = {"axis": axis, "batch_dims": batch_dims}
    return model(
        "GATHER", [Value(tuple(shape), dtype), indices], [Value(tuple(out), dtype)], options
    )


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=0, max_size=2),
    st.data(),
    st.sampled_from(["int8", "uint8", "int16", "int32", "float32", "int64"]),
    st.sampled_from(INDEX_TYPES),
    st.booleans(),
)
def test_gather(
    shape: list[int], picks: list[int], data: st.DataObject, dtype: str, index: str, known: bool
) -> None:
    axis = data.draw(st.integers(0, len(shape) - 1))
    batch = data.draw(st.integers(0, axis))
    indices_shape = (*shape[:batch], *picks)
    indices = np.random.default_rng(0).integers(0, shape[axis], indices_shape).astype(index)
    out = (*shape[:axis], *picks, *shape[axis + 1 :])
    given_indices = indices if known else Value(indices_shape, index)
    file = gather_model(shape, given_indices, out, axis, batch, dtype)
    x = content(shape, dtype)
    check_operator(file, [[x] if known else [x, indices]])


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.lists(st.integers(1, 3), min_size=1, max_size=2),
    st.data(),
    st.sampled_from(["int8", "int16", "int32", "float32"]),
    st.sampled_from(INDEX_TYPES),
)
def test_gather_nd(
    shape: list[int], picks: list[int], data: st.DataObject, dtype: str, index: str
) -> None:
    depth = data.draw(st.integers(1, len(shape)))
    rng = np.random.default_rng(1)
    indices = rng.integers(0, shape[:depth], (*picks, depth)).astype(index)
    out = (*picks, *shape[depth:])
    file = model(
        "GATHER_ND",
        [Value(tuple(shape), dtype), Value(indices.shape, index)],
        [Value(out, dtype)],
    )
    check_operator(file, [[content(shape, dtype), indices]])


@pytest.mark.parametrize("index", INDEX_TYPES)
def test_indices_out_of_range_stay_inside(index: str) -> None:
    """The runtimes stop with an error; ours reads the nearest element and nothing else."""
    x = content((4, 3), "int8")
    indices = np.array([-1, 0, 3, 4, np.iinfo(index).max, np.iinfo(index).min], index)
    data = gather_model(x.shape, Value(indices.shape, index), (6, 3))
    (y,) = Runner(program_of(import_model(data, "model"))).run([x, indices])
    np.testing.assert_array_equal(y, x[[0, 0, 3, 3, 3, 0]])


def embedding_model(table: np.ndarray, out: str, scale=None, index: str = "int32") -> bytes:
    b = ModelBuilder()
    i = b.input("ids", (3,), index)
    t = b.constant("table", table, scale)
    y = b.tensor("y", (3, *table.shape[1:]), out)
    b.operator("EMBEDDING_LOOKUP", [i, t], [y])
    b.output(y)
    return b.build()


@pytest.mark.parametrize("dtype", ["float32", "int32", "int16"])
@pytest.mark.parametrize("shape", [(5, 4), (5, 2, 3)])
def test_embedding_of_the_same_type(dtype: str, shape: tuple[int, ...]) -> None:
    data = embedding_model(content(shape, dtype), dtype)
    check_operator(data, [[ints(4, 0, 2)]])


@pytest.mark.parametrize("oracle", ["tflm", "litert"])
@pytest.mark.parametrize("shape", [(5, 4), (5, 2, 3)])
def test_embedding_of_int8_as_floats(shape: tuple[int, ...], oracle: str) -> None:
    data = embedding_model(content(shape, "int8"), "float32", 0.037)
    check_operator(data, [[ints(4, 0, 2)]], oracles=(oracle,))


def test_embedding_with_a_scale_per_row() -> None:
    """TFLite Micro takes the first scale for all rows; LiteRT is right."""
    data = embedding_model(content((5, 4), "int8"), "float32", [0.5, 0.25, 0.1, 0.7, 1.3])
    check_operator(data, [[ints(4, 0, 2)]], oracles=("litert",))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (gather_model((4,), ints(1, 4), (2,)), r"index 4 for dimensions of \[4\]"),
        (
            gather_model((4,), Value((2,), "int8"), (2,)),
            "indices are int8; supported: int16, int32, int64",
        ),
        (
            gather_model((4, 2), Value((2,), "int32"), (2, 2), axis=0, batch_dims=1),
            "batch_dims is 1 with axis 0; supported: up to the axis",
        ),
        (
            model(
                "GATHER_ND", [Value((4,), "int8"), Value((2, 2), "int32")], [Value((2,), "int8")]
            ),
            "2 coordinates for 1 dimensions; supported: up to 6",
        ),
        (
            embedding_model(content((5, 4), "uint8"), "float32", 0.5),
            "the table is uint8 and the output float32; supported: the same, or quantized int8",
        ),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
