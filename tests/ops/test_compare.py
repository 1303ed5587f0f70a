"""Comparisons against the oracles: relations, types, scales, broadcasts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, broadcast_shapes, model, samples, scales, zero_points
from support.execute import Runner, program_of
from support.operators import check_operator

OPERATORS = ("EQUAL", "NOT_EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL")
RELATIONS = (np.equal, np.not_equal, np.greater, np.greater_equal, np.less, np.less_equal)
PLAIN = ("float32", "int32", "int64", "bool")


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(OPERATORS), st.sampled_from(PLAIN), broadcast_shapes(), st.integers(0, 99))
def test_not_quantized(operator, dtype, shapes, seed):
    if dtype == "bool" and "EQUAL" not in (operator, operator.removeprefix("NOT_")):
        dtype = "int32"
    a, b = (Spec(s, dtype) for s in shapes[:2])
    data = model(operator, [a, b], Spec(shapes[2], "bool"))
    made = samples(np.random.default_rng(seed), [a, b])
    # Few distinct values, so that some are equal.
    check_operator(
        data, [[v if dtype == "bool" else (v % 3).astype(dtype) for v in s] for s in made]
    )


@st.composite
def quantized(draw):
    dtype = draw(st.sampled_from(("int8", "uint8")))
    first, second, out = draw(broadcast_shapes())
    # The oracles end the process at scales of 1 and more.
    known = scales(high=0.9)
    a, b = (Spec(s, dtype, draw(known), draw(zero_points(dtype))) for s in (first, second))
    if draw(st.booleans()):
        b = Spec(second, dtype, a.scale, a.zero_point)
    return model(draw(st.sampled_from(OPERATORS)), [a, b], Spec(out, "bool")), [a, b]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(quantized(), st.integers(0, 99))
def test_quantized(case, seed):
    data, inputs = case
    check_operator(data, samples(np.random.default_rng(seed), inputs))


@pytest.mark.parametrize("operator", OPERATORS)
def test_int16_of_one_scale(operator):
    a = Spec((1, 300), "int16", 0.25)
    data = model(operator, [a, a], Spec((1, 300), "bool"))
    made = samples(np.random.default_rng(0), [a, a])
    # TFLite Micro takes int16 for another type here.
    check_operator(data, [[v % 9 for v in s] for s in made], oracles=("litert",))


@pytest.mark.parametrize(("operator", "relation"), list(zip(OPERATORS, RELATIONS, strict=True)))
def test_what_is_not_a_number_is_unordered(operator, relation):
    a = Spec((9,), "float32")
    x, z = (v.reshape(-1) for v in np.meshgrid(*[np.array([1, np.nan, -np.inf], np.float32)] * 2))
    graph = import_model(model(operator, [a, a], Spec((9,), "bool")), "model")
    (ours,) = Runner(program_of(graph)).run([x, z])
    assert (ours == relation(x, z)).all()


def test_refusals():
    a, b = Spec((1, 4), "int16", 0.5), Spec((1, 4), "int16", 0.25)
    with pytest.raises(RefusedModel, match="int16 inputs of different scales"):
        import_model(model("LESS", [a, b], Spec((1, 4), "bool")), "model")
    a = Spec((1, 4), "bool")
    with pytest.raises(RefusedModel, match="its types are bool; supported: float32 to bool"):
        import_model(model("LESS", [a, a], a), "model")
