"""RESHAPE, SQUEEZE, EXPAND_DIMS, DENSIFY against the oracles, and what they refuse."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.execute import Runner, program_of
from support.movement import TYPES, Value, content, ints, model
from support.operators import check_operator
from support.oracles import requires_litert, run_litert
from tflite_reader.model_writer import (
    Dimension,
    ModelSpec,
    OperatorSpec,
    Sparsity,
    SubgraphSpec,
    TensorSpec,
    write_model,
)


def reshape_model(shape, wanted, out, dtype="int8", by_option=False) -> bytes:
    inputs = [Value(shape, dtype)] if by_option else [Value(shape, dtype), ints(*wanted)]
    options = {"new_shape": tuple(wanted)} if by_option else {}
    return model("RESHAPE", inputs, [Value(out, dtype)], options)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.permutations([2, 3, 4, 5]),
    st.integers(0, 3),
    st.integers(-1, 3),
    st.sampled_from(TYPES),
    st.booleans(),
)
def test_reshape(dims: list[int], joined: int, free: int, dtype: str, by_option: bool) -> None:
    out = (math.prod(dims[: joined + 1]), *dims[joined + 1 :])
    wanted = [-1 if d == free else n for d, n in enumerate(out)]
    data = reshape_model((2, 3, 4, 5), wanted, out, dtype, by_option)
    check_operator(data, [[content((2, 3, 4, 5), dtype)]])


def test_scalars_of_old_files_are_written_as_zero() -> None:
    data = reshape_model((1, 1), (0,), (), "float32", by_option=True)
    (outputs,) = check_operator(data, [[content((1, 1), "float32")]])
    assert outputs[0].shape == ()


@pytest.mark.parametrize("dims", [(), (0,), (-2,), (0, 2)])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_squeeze(dims: tuple[int, ...], dtype: str) -> None:
    shape = (1, 3, 1, 4)
    gone = {d % 4 for d in dims} or {0, 2}
    out = tuple(n for d, n in enumerate(shape) if d not in gone)
    data = model("SQUEEZE", [Value(shape, dtype)], [Value(out, dtype)], {"squeeze_dims": dims})
    check_operator(data, [[content(shape, dtype)]])


@pytest.mark.parametrize("axis", [0, 1, 2, 3, -1, -2, -4])
@pytest.mark.parametrize("dtype", ["int8", "float32", "int32"])
def test_expand_dims(axis: int, dtype: str) -> None:
    x = content((2, 3, 4), dtype)
    out = np.expand_dims(x, axis).shape
    data = model("EXPAND_DIMS", [Value(x.shape, dtype), ints(axis)], [Value(out, dtype)])
    check_operator(data, [[x]])


@requires_litert
def test_densify_hands_on_the_dense_constant() -> None:
    rows = Sparsity((0, 1), (Dimension(3), Dimension(segments=(0, 1, 1, 3), indices=(1, 0, 3))))
    plain = TensorSpec((3, 4), "FLOAT32")
    sparse = TensorSpec((3, 4), "FLOAT32", np.array([5, 6, 7], "<f4").tobytes(), sparsity=rows)
    operators = (
        OperatorSpec((2,), (3,), "DENSIFY", ("DensifyOptions", {})),
        OperatorSpec((0, 3), (1,), "CONCATENATION", ("ConcatenationOptions", {"Axis": 0})),
    )
    tensors = (plain, TensorSpec((6, 4), "FLOAT32"), sparse, plain)
    data = write_model(ModelSpec((SubgraphSpec(tensors, operators),)))
    x = content((3, 4), "float32")
    ours = Runner(program_of(import_model(data, "model"))).run([x])
    np.testing.assert_array_equal(ours[0], run_litert(data, [[x]])[0][0])
    assert ours[0][3:].tolist() == [[0, 5, 0, 0], [0, 0, 0, 0], [6, 0, 0, 7]]


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (reshape_model((2, 3), (4, 2), (4, 2)), r"shape \[4, 2\] for an input of \[2, 3\]"),
        (reshape_model((2, 3), (-1, 4), (1, 4)), r"shape \[-1, 4\] for an input of \[2, 3\]"),
        (
            model("SQUEEZE", [Value((1, 3), "int8")], [Value((1,), "int8")],
                  {"squeeze_dims": (1,)}),
            "squeeze_dims has dimension 1 of 3; supported: 1",
        ),
        (
            model("EXPAND_DIMS", [Value((3,), "int8"), ints(4)], [Value((3, 1), "int8")]),
            "axis is 4 for 2 dimensions",
        ),
        (
            model("RESHAPE", [Value((3,), "int8"), ints(3)], [Value((3,), "int16")]),
            "the input is int8 and the output int16; supported: the same type",
        ),
    ],
)  # fmt: skip
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
