"""SQUARED_DIFFERENCE against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, broadcast_shapes, model, samples, scales, zero_points
from support.operators import check_operator


@st.composite
def quantized_differences(draw):
    dtype = draw(st.sampled_from(("int8", "int8", "int16")))
    first, second, out = draw(broadcast_shapes())
    a, b = (Spec(s, dtype, draw(scales()), draw(zero_points(dtype))) for s in (first, second))
    steps = draw(st.sampled_from((0.1, 1.0, 30.0, 200.0)))
    scale = float(np.float32(max(a.scale, b.scale) ** 2 * steps))
    y = Spec(out, dtype, scale, draw(zero_points(dtype)))
    return model("SQUARED_DIFFERENCE", [a, b], y, version=2), [a, b]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(quantized_differences(), st.integers(0, 99))
def test_quantized(case, seed):
    data, inputs = case
    # The square of an int16 difference must fit 32 bits.
    made = samples(np.random.default_rng(seed), inputs)
    check_operator(data, [[v // 2 if v.dtype == np.int16 else v for v in s] for s in made])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.sampled_from(("float32", "int32")), broadcast_shapes(), st.integers(0, 99))
def test_not_quantized(dtype, shapes, seed):
    a, b = (Spec(s, dtype) for s in shapes[:2])
    data = model("SQUARED_DIFFERENCE", [a, b], Spec(shapes[2], dtype))
    made = samples(np.random.default_rng(seed), [a, b])
    check_operator(data, [[v if dtype == "float32" else v % 2001 - 1000 for v in s] for s in made])


def test_refusals():
    a = Spec((1, 4), "uint8", 0.1)
    with pytest.raises(RefusedModel, match="its types are uint8; supported: float32, or int32"):
        import_model(model("SQUARED_DIFFERENCE", [a, a], a), "model")
