"""fuse_activations: a stand-alone clamp joins the operator before it, where no number changes."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.ops.add import Sum
from nacre.passes.fuse_activations import fuse_activations
from support.graphs import FLOAT, INT8, check_pass, types_of
from support.movement import content
from tflite_builder import ModelBuilder


def sum_then(clamp: str, kind=INT8, out=None, twice: bool = False) -> ModelBuilder:
    b = ModelBuilder()
    x, z = (b.input(n, (1, 4, 3, 2), *kind) for n in "xz")
    total = b.tensor("sum", (1, 4, 3, 2), *kind)
    y = b.tensor("y", (1, 4, 3, 2), *(out or kind))
    b.operator("ADD", [x, z], [total])
    b.operator(clamp, [total], [y])
    b.output(y, *([total] if twice else []))
    return b


def samples(dtype: str) -> list[list[np.ndarray]]:
    return [[content((1, 4, 3, 2), dtype, seed) for seed in (0, 1)]]


@pytest.mark.parametrize("clamp", ["RELU", "RELU6", "RELU_N1_TO_1"])
@pytest.mark.parametrize("kind", [INT8, FLOAT], ids=["int8", "float32"])
def test_a_clamp_joins_the_sum_before_it(clamp: str, kind) -> None:
    after = check_pass(sum_then(clamp, kind), fuse_activations, samples(kind[0]))
    (operator,) = after.operators
    assert isinstance(operator.attributes, Sum) and operator.attributes.activation == clamp
    assert operator.ids == ("0", "1") and operator.outputs == after.outputs
    assert "2" in after.tensors[after.outputs[0]].origins


@pytest.mark.parametrize(
    "builder",
    [
        sum_then("RELU", out=("int8", 0.25, -3)),
        sum_then("RELU", twice=True),
        sum_then("RELU_0_TO_1"),
        sum_then("TANH", out=("int8", 1 / 128, 0)),
    ],
    ids=["another scale", "an output", "a clamp that has no fused form", "no clamp"],
)
def test_others_stay(builder: ModelBuilder) -> None:
    after = check_pass(builder, fuse_activations, samples("int8"))
    assert types_of(after)[0] == "ADD" and len(after.operators) == 2


def test_a_value_with_another_reader_stays() -> None:
    b = ModelBuilder()
    x = b.input("x", (1, 8), *FLOAT)
    total, y, z = (b.tensor(n, (1, 8), *FLOAT) for n in ("sum", "y", "z"))
    b.operator("ADD", [x, x], [total])
    b.operator("RELU", [total], [y])
    b.operator("MUL", [total, y], [z])
    b.output(z)
    after = check_pass(b, fuse_activations, [[content((1, 8), "float32")]])
    assert types_of(after) == ["ADD", "RELU", "MUL"]
