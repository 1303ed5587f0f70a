"""L2_NORMALIZATION against the oracles: types, ranks, short and long vectors, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, samples, scales, values, zero_points
from support.operators import check_operator

SHAPES = st.sampled_from(((1,), (40,), (5, 1), (3, 12), (2, 3, 7), (1, 2, 3, 33)))
ZERO_POINTS = {"int8": 0, "uint8": 128}


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from(("int8", "uint8")), SHAPES, scales(), st.integers(0, 99))
def test_quantized(data, dtype, shape, scale, seed):
    x = Spec(shape, dtype, scale, data.draw(zero_points(dtype)))
    y = Spec(shape, dtype, 1 / 128, ZERO_POINTS[dtype])
    check_operator(model("L2_NORMALIZATION", [x], y), samples(np.random.default_rng(seed), [x], 3))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
def test_vectors_of_every_length(dtype):
    point = ZERO_POINTS[dtype]
    steps = np.array([[0, 0], [1, 0], [1, 1], [2, 0], [0, -3], [5, 5], [127, 127], [-128, 127]])
    x = (steps + point).astype(dtype)
    data = model(
        "L2_NORMALIZATION", [Spec(x.shape, dtype, 0.1, point)], Spec(x.shape, dtype, 1 / 128, point)
    )
    check_operator(data, [[x]])


def test_sums_beyond_29_bits():
    x = np.full((1, 20000), -128, np.int8)
    data = model(
        "L2_NORMALIZATION",
        [Spec(x.shape, "int8", 0.1, 127)],
        Spec(x.shape, "int8", 1 / 128, 0),
    )
    check_operator(data, [[x]])


@settings(max_examples=10, deadline=None, derandomize=True)
@given(SHAPES, st.sampled_from((1e-9, 1e-3, 1.0, 1e6)), st.integers(0, 99))
def test_float(shape, spread, seed):
    spec = Spec(shape, "float32")
    inputs = [[values(np.random.default_rng(seed), "float32", shape, spread)]]
    check_operator(model("L2_NORMALIZATION", [spec], spec), inputs)


@pytest.mark.parametrize(
    ("dtype", "output", "options", "words"),
    [
        ("int8", (0.01, 0), {}, "scale 0.01 and zero point 0; supported: 0.0078125 and 0"),
        ("int16", (0.01, 0), {}, "its types are int16; supported: int8, or uint8, or float32"),
        ("int8", (1 / 128, 0), {"fused_activation_function": 1}, "activation RELU; supported: NON"),
    ],
)
def test_refusals(dtype, output, options, words):
    x, y = Spec((2, 4), dtype, 0.1), Spec((2, 4), dtype, *output)
    with pytest.raises(RefusedModel, match=words):
        import_model(model("L2_NORMALIZATION", [x], y, options), "model")
