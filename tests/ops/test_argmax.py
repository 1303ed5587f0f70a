"""ARG_MAX and ARG_MIN against the oracles: types, axes, ties, index types."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.operators import check_operator
from tflite_builder import ModelBuilder

# TensorType of the schema, as the options spell the output type.
INT32, INT64 = 2, 4


def arg_model(
    operator: str, shape: tuple[int, ...], axis: int, dtype: str = "int8", index: str = "int32"
) -> bytes:
    b = ModelBuilder()
    scale = (0.1, 0) if dtype in ("int8", "uint8", "int16") else ()
    x = b.input("x", shape, dtype, *scale)
    a = b.constant("axis", np.array(axis, np.int32))
    out = tuple(d for i, d in enumerate(shape) if i != axis % len(shape))
    y = b.tensor("y", out, index)
    options = {"output_type": INT64 if index == "int64" else INT32}
    b.operator(operator, [x, a], [y], options, version=2)
    b.output(y)
    return b.build()


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.sampled_from(["ARG_MAX", "ARG_MIN"]),
    st.lists(st.sampled_from([1, 2, 5, 9, 40]), min_size=1, max_size=4),
    st.data(),
    st.sampled_from(["int8", "uint8", "int32", "float32"]),
    st.sampled_from(["int32", "int64"]),
    st.integers(0, 1000),
)
def test_indices(
    operator: str, dims: list[int], data: st.DataObject, dtype: str, index: str, seed: int
) -> None:
    axis = data.draw(st.integers(-len(dims), len(dims) - 1))
    rng = np.random.default_rng(seed)
    low = 0 if dtype == "uint8" else -4
    x = rng.integers(low, 4, dims).astype(dtype)  # few values: many ties
    check_operator(arg_model(operator, tuple(dims), axis, dtype, index), [[x]])


@pytest.mark.parametrize("operator", ["ARG_MAX", "ARG_MIN"])
def test_int16_follows_the_definition(operator: str) -> None:
    """No source runtime takes int16, so numpy's own search is the judge."""
    from nacre.reference import run_reference
    from support.execute import Runner, program_of

    x = np.random.default_rng(0).integers(-32768, 32768, (3, 7, 5)).astype(np.int16)
    graph = import_model(arg_model(operator, x.shape, 1, "int16"), "model")
    expected = (np.argmax if operator == "ARG_MAX" else np.argmin)(x, axis=1)
    np.testing.assert_array_equal(Runner(program_of(graph)).run([x])[0], expected)
    np.testing.assert_array_equal(run_reference(graph, [x], {})[0], expected)


def test_refusals_say_what_was_found() -> None:
    with pytest.raises(RefusedModel, match="input is int64; supported: int8, uint8"):
        import_model(arg_model("ARG_MAX", (2, 3), 1, "int64"), "model")
    with pytest.raises(RefusedModel, match="output is float32; supported: int32, int64"):
        import_model(arg_model("ARG_MAX", (2, 3), 1, "int8", "float32"), "model")
