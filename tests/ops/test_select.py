"""SELECT and SELECT_V2 against the oracles: types, broadcasts, conditions per slice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, broadcast_shapes, model, samples
from support.operators import check_operator

TYPES = ("float32", "int8", "uint8", "int16", "int32", "int64", "bool")


def spec(shape: tuple[int, ...], dtype: str) -> Spec:
    return Spec(shape, dtype, 0.1 if dtype in ("int8", "uint8", "int16") else None)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(TYPES), broadcast_shapes(), broadcast_shapes(), st.integers(0, 99))
def test_broadcasts(dtype, shapes, others, seed):
    first, second, out = shapes
    # A third shape that stretches along.
    third = tuple(d if n % 2 == len(others[0]) % 2 else 1 for n, d in enumerate(out))
    inputs = [Spec(third, "bool"), spec(first, dtype), spec(second, dtype)]
    data = model("SELECT_V2", inputs, spec(out, dtype))
    check_operator(data, samples(np.random.default_rng(seed), inputs))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    ("condition", "shape"), [((2, 3), (2, 3)), ((3,), (3, 4, 2)), ((1, 3, 4, 2), (1, 3, 4, 2))]
)
def test_select(dtype, condition, shape):
    inputs = [Spec(condition, "bool"), spec(shape, dtype), spec(shape, dtype)]
    data = model("SELECT", inputs, spec(shape, dtype))
    check_operator(data, samples(np.random.default_rng(0), inputs))


@pytest.mark.parametrize("position", [0, 1, 2])
def test_constants(position):
    rng = np.random.default_rng(0)
    inputs = [Spec((1, 3, 4, 2), "bool"), *[spec((1, 3, 4, 2), "float32")] * 2]
    constant = inputs[position]
    content = samples(rng, [constant], 1)[0][0]
    inputs[position] = Spec(constant.shape, constant.dtype, content=content)
    data = model("SELECT_V2", inputs, spec((1, 3, 4, 2), "float32"))
    check_operator(data, samples(rng, inputs))


def test_refusals():
    condition, x = Spec((1, 4), "bool"), Spec((1, 4), "float32")
    with pytest.raises(RefusedModel, match="the condition is float32; supported: bool"):
        import_model(model("SELECT_V2", [x, x, x], x), "model")
    with pytest.raises(RefusedModel, match="values and output are float32, int32, float32"):
        import_model(model("SELECT_V2", [condition, x, Spec((1, 4), "int32")], x), "model")
