"""drop_identities: what changes nothing goes, what changes the shape alone becomes a view."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nacre.passes.drop_identities import drop_identities
from support.graphs import check_pass, types_of
from support.movement import content
from tflite_builder import ModelBuilder

SHAPE = (1, 4, 3, 2)
Add = Callable[[ModelBuilder, int, int], None]


def with_constant(operator: str, *values: np.ndarray) -> Add:
    def add(b: ModelBuilder, x: int, y: int) -> None:
        constants = [b.constant(f"c{n}", v) for n, v in enumerate(values)]
        b.operator(operator, [x, *constants], [y])

    return add


def plain(operator: str, options: dict[str, object]) -> Add:
    return lambda b, x, y: b.operator(operator, [x], [y], options)


def split(b: ModelBuilder, x: int, y: int) -> None:
    b.operator("SPLIT", [b.constant("axis", np.int32(1)), x], [y], {"num_splits": 1})


NOTHING: dict[str, Add] = {
    "RESHAPE": with_constant("RESHAPE", np.array(SHAPE, np.int32)),
    "PAD": with_constant("PAD", np.zeros((4, 2), np.int32)),
    "TRANSPOSE": with_constant("TRANSPOSE", np.arange(4, dtype=np.int32)),
    "TRANSPOSE of a single row": with_constant("TRANSPOSE", np.array([0, 1, 2, 3], np.int32)),
    "SLICE": with_constant("SLICE", np.zeros(4, np.int32), np.array(SHAPE, np.int32)),
    "STRIDED_SLICE": with_constant(
        "STRIDED_SLICE", np.zeros(4, np.int32), np.array(SHAPE, np.int32), np.ones(4, np.int32)
    ),
    "CONCATENATION": plain("CONCATENATION", {"axis": 3}),
    "TILE": with_constant("TILE", np.ones(4, np.int32)),
    "BROADCAST_TO": with_constant("BROADCAST_TO", np.array(SHAPE, np.int32)),
    "REVERSE_V2": with_constant("REVERSE_V2", np.zeros(1, np.int32)),
    "SPACE_TO_DEPTH": plain("SPACE_TO_DEPTH", {"block_size": 1}),
    "QUANTIZE": plain("QUANTIZE", {}),
    "SPLIT": split,
}


def between(add: Add, shape: tuple[int, ...] = SHAPE, out: tuple[int, ...] = SHAPE) -> ModelBuilder:
    """x -> the operator -> a concatenation with itself, so that the middle is not an output."""
    b = ModelBuilder()
    x = b.input("x", shape, "int8", 0.5, -3)
    y = b.tensor("y", out, "int8", 0.5, -3)
    add(b, x, y)
    z = b.tensor("z", (2 * out[0], *out[1:]), "int8", 0.5, -3)
    b.operator("CONCATENATION", [y, y], [z], {"axis": 0})
    b.output(z)
    return b


@pytest.mark.parametrize("name", NOTHING)
def test_what_changes_nothing_goes(name: str) -> None:
    after = check_pass(between(NOTHING[name]), drop_identities, [[content(SHAPE, "int8")]])
    assert types_of(after) == ["CONCATENATION"]
    assert after.operators[0].inputs == ("0", "0")
    assert "1" in after.tensors["0"].origins


VIEWS: dict[str, tuple[Add, tuple[int, ...]]] = {
    "TRANSPOSE": (with_constant("TRANSPOSE", np.array([1, 2, 0, 3], np.int32)), (4, 3, 1, 2)),
    "PACK": (plain("PACK", {"axis": 1, "values_count": 1}), (1, 1, 4, 3, 2)),
    "UNPACK": (plain("UNPACK", {"axis": 0, "num": 1}), (4, 3, 2)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_what_changes_the_shape_alone_becomes_a_view(name: str) -> None:
    add, out = VIEWS[name]
    after = check_pass(between(add, out=out), drop_identities, [[content(SHAPE, "int8")]])
    assert types_of(after) == ["RESHAPE", "CONCATENATION"]
    assert after.operators[0].id == "0"


REAL: dict[str, tuple[Add, tuple[int, ...]]] = {
    "TRANSPOSE": (with_constant("TRANSPOSE", np.array([0, 2, 1, 3], np.int32)), (1, 3, 4, 2)),
    "REVERSE_V2": (with_constant("REVERSE_V2", np.array([1], np.int32)), SHAPE),
    "PAD": (with_constant("PAD", np.array([[0, 0], [0, 1], [0, 0], [0, 0]], np.int32)),
            (1, 5, 3, 2)),
    "STRIDED_SLICE": (
        with_constant(
            "STRIDED_SLICE", np.array([0, 3, 0, 0], np.int32), np.array([1, -5, 3, 2], np.int32),
            np.array([1, -1, 1, 1], np.int32),
        ),
        SHAPE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REAL)
def test_what_moves_bytes_stays(name: str) -> None:
    add, out = REAL[name]
    after = check_pass(between(add, out=out), drop_identities, [[content(SHAPE, "int8")]])
    assert types_of(after) == [name, "CONCATENATION"]


def test_reshape_there_and_back_reads_the_source() -> None:
    def there_and_back(b: ModelBuilder, x: int, y: int) -> None:
        flat = b.tensor("flat", (1, 24), "int8", 0.5, -3)
        b.operator("RESHAPE", [x, b.constant("a", np.array([1, 24], np.int32))], [flat])
        b.operator("RESHAPE", [flat, b.constant("b", np.array(SHAPE, np.int32))], [y])

    after = check_pass(between(there_and_back), drop_identities, [[content(SHAPE, "int8")]])
    assert after.operators[-1].inputs == ("0", "0")


def test_another_scale_is_a_change() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 8), "int8", 0.5, -3)
    y = b.tensor("y", (1, 8), "int8", 0.25, -3)
    z = b.tensor("z", (1, 16), "int8", 0.25, -3)
    b.operator("QUANTIZE", [x], [y])
    b.operator("CONCATENATION", [y, y], [z], {"axis": 1})
    b.output(z)
    after = check_pass(b, drop_identities, [[content((1, 8), "int8")]])
    assert types_of(after) == ["QUANTIZE", "CONCATENATION"]


def test_an_output_of_the_graph_keeps_its_name() -> None:
    b = ModelBuilder()
    x = b.input("x", SHAPE, "int8", 0.5, -3)
    middle = b.tensor("middle", SHAPE, "int8", 0.5, -3)
    y = b.tensor("y", SHAPE, "int8", 0.5, -3)
    b.operator("REVERSE_V2", [x, b.constant("axis", np.array([1], np.int32))], [middle])
    b.operator("PAD", [middle, b.constant("none", np.zeros((4, 2), np.int32))], [y])
    b.output(y)
    after = check_pass(b, drop_identities, [[content(SHAPE, "int8")]])
    assert types_of(after) == ["REVERSE_V2", "RESHAPE"]
    assert after.tensors[after.outputs[0]].name == "y"
