"""materialise_outputs: every output is written by a step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nacre.ir import TensorKind
from nacre.passes.materialise_outputs import materialise_outputs
from support.execute import Runner, program_of
from support.graphs import FLOAT, check_pass, graph_of, types_of
from support.movement import content
from tflite_builder import ModelBuilder

X = content((2, 3), "float32")


def test_an_input_that_is_an_output_is_copied() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    b.output(x)
    after = check_pass(b, materialise_outputs, [[X]])
    assert types_of(after) == ["COPY"]
    assert after.outputs != after.inputs
    assert "0" in after.tensors[after.outputs[0]].origins


def test_an_output_that_is_listed_twice_is_copied_once() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    y = b.tensor("y", (2, 3), *FLOAT)
    b.operator("ADD", [x, x], [y])
    b.output(y)
    twice = replace(graph_of(b), outputs=(str(y), str(y)))
    after = materialise_outputs(twice)
    assert types_of(after) == ["ADD", "COPY"]
    assert len(set(after.outputs)) == 2
    first, second = Runner(program_of(twice)).run([X])
    np.testing.assert_array_equal(first, X + X)
    np.testing.assert_array_equal(second, X + X)


def test_a_constant_output_is_copied() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    shape = b.tensor("shape", (2,), "int32")
    b.operator("SHAPE", [x], [shape], {"out_type": 2})
    b.output(shape)
    after = check_pass(b, materialise_outputs, [[X]])
    assert types_of(after) == ["COPY"]
    assert after.tensors[after.outputs[0]].kind is TensorKind.SCRATCH


def test_a_view_of_an_input_becomes_a_view_of_a_copy() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    y, z = b.tensor("y", (6,), *FLOAT), b.tensor("z", (3, 2), *FLOAT)
    b.operator("RESHAPE", [x, b.constant("a", np.array([6], np.int32))], [y])
    b.operator("RESHAPE", [y, b.constant("b", np.array([3, 2], np.int32))], [z])
    b.output(z)
    after = check_pass(b, materialise_outputs, [[X]])
    assert types_of(after) == ["COPY", "RESHAPE", "RESHAPE"]
    assert after.outputs == (str(z),)


def test_a_view_of_what_a_step_writes_stays() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    y, z = b.tensor("y", (2, 3), *FLOAT), b.tensor("z", (6,), *FLOAT)
    b.operator("ADD", [x, x], [y])
    b.operator("RESHAPE", [y, b.constant("a", np.array([6], np.int32))], [z])
    b.output(z)
    assert types_of(check_pass(b, materialise_outputs, [[X]])) == ["ADD", "RESHAPE"]


def test_a_value_that_was_read_from_a_variable_is_its_own() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    handle = b.tensor("handle", (), "resource")
    old = b.tensor("old", (2, 3), *FLOAT)
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
    b.operator("READ_VARIABLE", [handle], [old])
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.output(old)
    after = check_pass(b, materialise_outputs, [[X], [X + 1], [X]])
    assert types_of(after) == ["READ_VARIABLE", "ASSIGN_VARIABLE"]
