"""MUL against the oracles: types, scales, broadcasts, constants, activations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import (
    Spec,
    broadcast_shapes,
    model,
    samples,
    scales,
    values,
    zero_points,
)
from support.operators import check_operator


@st.composite
def quantized_products(draw):
    dtype = draw(st.sampled_from(("int8", "uint8", "int16")))
    first, second, out = draw(broadcast_shapes())
    a, b = (Spec(s, dtype, draw(scales()), draw(zero_points(dtype))) for s in (first, second))
    # From multipliers far below 1 to some above it.
    ratio = draw(st.sampled_from((1e-6, 0.01, 0.4, 1.0, 3.0, 50.0)))
    scale = float(np.float32(a.scale * b.scale / ratio))
    y = Spec(out, dtype, scale, draw(zero_points(dtype)))
    activation = {"fused_activation_function": draw(st.sampled_from((0, 0, 1, 2, 3)))}
    return model("MUL", [a, b], y, activation), [a, b]


@settings(max_examples=70, deadline=None, derandomize=True)
@given(quantized_products(), st.integers(0, 99))
def test_quantized(case, seed):
    data, inputs = case
    check_operator(data, samples(np.random.default_rng(seed), inputs))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(("float32", "int32", "int64")),
    broadcast_shapes(),
    st.sampled_from((0, 1, 2, 3)),
    st.integers(0, 99),
)
def test_not_quantized(dtype, shapes, activation, seed):
    activation = 0 if dtype == "int64" else activation
    a, b = (Spec(s, dtype) for s in shapes[:2])
    data = model("MUL", [a, b], Spec(shapes[2], dtype), {"fused_activation_function": activation})
    rng = np.random.default_rng(seed)
    inputs = [
        [v if dtype == "float32" else v % 4001 - 2000 for v in s] for s in samples(rng, [a, b])
    ]
    check_operator(data, inputs)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.sampled_from(("int8", "int16", "float32")),
    st.sampled_from((0, 1)),
    st.sampled_from(((), (1,), (3,), (4, 3), (2, 4, 3), (1, 2, 1, 3), (1, 1, 4, 1))),
)
def test_constants_on_either_side(dtype, position, shape):
    rng = np.random.default_rng(len(shape))
    q = (None, 0) if dtype == "float32" else (0.07, 0)
    inputs = [Spec((1, 2, 4, 3), dtype, *q)]
    content = np.asarray(values(rng, dtype, shape), dtype)
    inputs.insert(position, Spec(shape, dtype, *q, content=content))
    data = model("MUL", inputs, Spec((1, 2, 4, 3), dtype, *q))
    check_operator(data, samples(rng, inputs))


def test_all_pairs_of_int8_values():
    pairs = np.meshgrid(np.arange(-128, 128, dtype=np.int8), np.arange(-128, 128, dtype=np.int8))
    for points in ((-128, -128, -128), (127, -5, 60)):
        a = Spec((256, 256), "int8", 0.021, points[0])
        b = Spec((256, 256), "int8", 0.013, points[1])
        check_operator(model("MUL", [a, b], Spec((256, 256), "int8", 0.04, points[2])), [pairs])


def test_refusals():
    a, b = Spec((1, 4), "int8", 0.1), Spec((1, 4), "int16", 0.1)
    with pytest.raises(RefusedModel, match="int8 and int16 to int8; supported: int8, or uint8"):
        import_model(model("MUL", [a, b], Spec((1, 4), "int8", 0.1)), "model")
    with pytest.raises(RefusedModel, match="fused activation RELU6 on int64"):
        a = Spec((1, 4), "int64")
        import_model(model("MUL", [a, a], a, {"fused_activation_function": 3}), "model")
