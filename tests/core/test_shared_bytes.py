"""Outputs over inputs: never where a second input of the step lives in the same bytes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from nacre.config.schema import Config
from nacre.errors import ModelError
from nacre.overlap import sharings
from nacre.reference import run_reference
from support.execute import Runner, program_of
from support.graphs import graph_of
from support.movement import content, ints
from tflite_builder import ModelBuilder

INT32 = ("int32",)


def check(b: ModelBuilder, shapes: Sequence[tuple[int, ...]], keep_inputs: bool) -> None:
    """The kernels, in the bytes that the planner gave them, agree with the references."""
    config = Config.model_validate({"memory": {"keep_inputs": keep_inputs}})
    graph = graph_of(b)
    runner, state = Runner(program_of(graph, config)), {}
    for seed in range(3):
        inputs = [content(shape, "int32", seed + n) for n, shape in enumerate(shapes)]
        expected = run_reference(graph, inputs, state)
        for ours, theirs in zip(runner.run(inputs), expected, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def image_and_matrix() -> ModelBuilder:
    """y[r] = x[r] - all of x: row by row for one operand, all rows for the other."""
    b = ModelBuilder()
    given = b.input("given", (1, 4, 4, 1), *INT32)
    x, v = b.tensor("x", (1, 4, 4, 1), *INT32), b.tensor("v", (4, 4), *INT32)
    y = b.tensor("y", (1, 4, 4, 4), *INT32)
    b.operator("ADD", [given, given], [x])
    b.operator("RESHAPE", [x, b.constant("shape", ints(4, 4))], [v])
    b.operator("SUB", [x, v], [y])
    b.output(y)
    return b


@pytest.mark.parametrize("keep_inputs", [False, True])
def test_a_view_of_the_same_bytes_is_still_needed(keep_inputs: bool) -> None:
    check(image_and_matrix(), [(1, 4, 4, 1)], keep_inputs)


def test_an_input_in_two_places_must_suit_both() -> None:
    """PRELU writes over its first input alone, so not over one that is also the slope."""
    b = ModelBuilder()
    x = b.input("x", (2, 3), "float32")
    y = b.tensor("y", (2, 3), "float32")
    b.operator("PRELU", [x, x], [y])
    b.output(y)
    (step,) = lowered(b).steps
    assert sharings(step) == ()


def test_an_input_twice_may_be_written_over_where_both_allow_it() -> None:
    b = ModelBuilder()
    x = b.input("x", (2, 3), *INT32)
    y = b.tensor("y", (2, 3), *INT32)
    b.operator("ADD", [x, x], [y])
    b.output(y)
    assert program_of(graph_of(b)).scratch_bytes == 24


def test_input_that_holds_nothing_is_refused() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 0, 4, 1), *INT32)
    padded, y = b.tensor("p", (1, 2, 4, 1), *INT32), b.tensor("y", (1, 2, 4, 1), *INT32)
    border = np.array([[0, 0], [1, 1], [0, 0], [0, 0]], np.int32)
    b.operator("PAD", [x, b.constant("border", border)], [padded])
    b.operator("ADD", [padded, padded], [y])
    b.output(y)
    with pytest.raises(ModelError, match="1 element or more"):
        graph_of(b)


def lowered(b: ModelBuilder):
    from nacre.lower import lower
    from nacre.ops.kind import LowerOptions
    from nacre.passes import simplify

    return lower(simplify(graph_of(b)), LowerOptions())
