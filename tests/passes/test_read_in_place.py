"""read_in_place: a variable is read without a copy where no assignment comes between."""

from __future__ import annotations

import numpy as np

from nacre.passes.read_in_place import read_in_place
from support.graphs import FLOAT, check_pass, types_of
from support.movement import content
from tflite_builder import ModelBuilder

SAMPLES = [[content((2, 3), "float32", seed)] for seed in range(4)]


def variable() -> tuple[ModelBuilder, int, int, int]:
    """A builder with an input, a variable and its value as it is read."""
    b = ModelBuilder()
    x = b.input("x", (2, 3), *FLOAT)
    handle = b.tensor("handle", (), "resource")
    old = b.tensor("old", (2, 3), *FLOAT)
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "v"})
    b.operator("READ_VARIABLE", [handle], [old])
    return b, x, handle, old


def test_uses_before_the_assignment_read_the_variable() -> None:
    b, x, handle, old = variable()
    y = b.tensor("y", (2, 3), *FLOAT)
    b.operator("ADD", [old, x], [y])
    b.operator("ASSIGN_VARIABLE", [handle, y], [])
    b.output(y)
    after = check_pass(b, read_in_place, SAMPLES)
    assert types_of(after) == ["ADD", "ASSIGN_VARIABLE"]
    assert after.operators[0].inputs == (str(handle), str(x))


def test_a_use_after_the_assignment_needs_the_copy() -> None:
    b, x, handle, old = variable()
    y = b.tensor("y", (2, 3), *FLOAT)
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.operator("ADD", [old, x], [y])
    b.output(y)
    after = check_pass(b, read_in_place, SAMPLES)
    assert types_of(after) == ["READ_VARIABLE", "ASSIGN_VARIABLE", "ADD"]


def test_a_view_needs_the_copy() -> None:
    b, x, handle, old = variable()
    flat, y = b.tensor("flat", (6,), *FLOAT), b.tensor("y", (6,), *FLOAT)
    b.operator("RESHAPE", [old, b.constant("a", np.array([6], np.int32))], [flat])
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.operator("ADD", [flat, flat], [y])
    b.output(y)
    after = check_pass(b, read_in_place, SAMPLES)
    assert types_of(after)[0] == "READ_VARIABLE"


def test_an_output_needs_the_copy() -> None:
    b, x, handle, old = variable()
    b.operator("ASSIGN_VARIABLE", [handle, x], [])
    b.output(old)
    assert types_of(check_pass(b, read_in_place, SAMPLES))[0] == "READ_VARIABLE"
