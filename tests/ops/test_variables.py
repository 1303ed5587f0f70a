"""READ_VARIABLE and ASSIGN_VARIABLE: state between runs, against the oracles."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import content
from support.operators import check_operator
from tflite_builder import ModelBuilder


def delay_line(dtype: str, first: np.ndarray | None = None) -> ModelBuilder:
    """y = [state, x]; state = the last three rows of y."""
    b = ModelBuilder()
    q = (0.5, 3) if dtype == "int8" else ()
    x = b.input("x", (1, 2, 4), dtype, *q)
    handle = b.tensor("handle", (), "resource")
    state = b.tensor("state", (1, 3, 4), dtype, *q)
    y = b.tensor("y", (1, 5, 4), dtype, *q)
    last = b.tensor("last", (1, 3, 4), dtype, *q)
    if first is not None:
        b.operator("CALL_ONCE", [], [], {"init_subgraph_index": 1})
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "line"})
    b.operator("READ_VARIABLE", [handle], [state])
    b.operator("CONCATENATION", [state, x], [y], {"axis": 1})
    begin, end = (b.constant(n, np.array(v, np.int32)) for n, v in
                  (("begin", (0, -3, 0)), ("end", (1, 5, 4))))  # fmt: skip
    step = b.constant("step", np.ones(3, np.int32))
    b.operator("STRIDED_SLICE", [y, begin, end, step], [last])
    b.operator("ASSIGN_VARIABLE", [handle, last], [])
    b.output(y)
    if first is not None:
        once = b.subgraph("init")
        inside = once.tensor("handle", (), "resource")
        value = once.constant("first", first, *q)
        once.operator("VAR_HANDLE", [], [inside], {"shared_name": "line"})
        once.operator("ASSIGN_VARIABLE", [inside, value], [])
    return b


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_state_is_kept_between_runs(dtype: str) -> None:
    first = content((1, 3, 4), dtype, 9)
    samples = [[content((1, 2, 4), dtype, seed)] for seed in range(4)]
    outputs = check_operator(delay_line(dtype, first).build(), samples)
    np.testing.assert_array_equal(outputs[0][0][:, :3], first)
    np.testing.assert_array_equal(outputs[3][0][:, 1:3], samples[2][0])


def test_a_variable_that_is_never_given_a_first_value_starts_at_zero() -> None:
    samples = [[content((1, 2, 4), "float32", seed)] for seed in range(3)]
    outputs = check_operator(delay_line("float32").build(), samples)
    assert not outputs[0][0][:, :3].any()


def test_a_value_that_was_read_survives_the_assignment() -> None:
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    handle = b.tensor("handle", (), "resource")
    old = b.tensor("old", (4,), "float32")
    y = b.tensor("y", (8,), "float32")
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
    b.operator("READ_VARIABLE", [handle], [old])
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.operator("CONCATENATION", [old, x], [y], {"axis": 0})
    b.output(y, old)
    samples = [[content((4,), "float32", seed)] for seed in range(3)]
    outputs = check_operator(b.build(), samples)
    np.testing.assert_array_equal(outputs[1][1], samples[0][0])


def test_a_value_of_another_shape_is_refused() -> None:
    b = ModelBuilder()
    x = b.input("x", (4,), "float32")
    z = b.input("z", (2, 2), "float32")
    handle = b.tensor("handle", (), "resource")
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.operator("ASSIGN_VARIABLE", [handle, z], [])
    b.output(x)
    with pytest.raises(
        RefusedModel, match=r"assigns \[2, 2\] float32 to a variable of \[4\] float32"
    ):
        import_model(b.build(), "model")
