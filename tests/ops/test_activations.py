"""HARD_SWISH, ELU, GELU against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, scales, values, zero_points
from support.operators import check_operator

CASES = (
    ("HARD_SWISH", "int8", {}),
    ("HARD_SWISH", "uint8", {}),
    ("ELU", "int8", {}),
    ("GELU", "int8", {"approximate": False}),
    ("GELU", "int8", {"approximate": True}),
    ("GELU", "uint8", {"approximate": False}),
)


@pytest.mark.parametrize(
    ("operator", "options"),
    [("HARD_SWISH", {}), ("ELU", {}), ("GELU", {}), ("GELU", {"approximate": True})],
)
@pytest.mark.parametrize("shape", [(9,), (1, 3, 4, 5), (2, 3, 4, 5)])
def test_floats(operator, options, shape):
    spec = Spec(shape, "float32")
    x = values(np.random.default_rng(0), "float32", shape)
    check_operator(model(operator, [spec], spec, options), [[x], [x * 10]])


@settings(max_examples=90, deadline=None, derandomize=True)
@given(st.sampled_from(CASES), scales(0.002, 0.3), scales(0.002, 0.3), st.data())
def test_eight_bits(case, first, second, data):
    operator, dtype, options = case
    x = np.arange(256, dtype=np.uint8).view(dtype)
    a = Spec(x.shape, dtype, first, data.draw(zero_points(dtype)))
    y = Spec(x.shape, dtype, second, data.draw(zero_points(dtype)))
    check_operator(model(operator, [a], y, options), [[x]])


def test_refusals():
    spec = Spec((1, 4), "int16", 0.1)
    with pytest.raises(RefusedModel, match="its types are int16; supported: float32, or int8"):
        import_model(model("HARD_SWISH", [spec], spec), "model")


def test_hard_swish_to_a_much_finer_scale_is_refused():
    with pytest.raises(RefusedModel, match="scale is 200 times the output's; supported: below 128"):
        import_model(
            model("HARD_SWISH", [Spec((1, 4), "int8", 2.0)], Spec((1, 4), "int8", 0.01)), "model"
        )
