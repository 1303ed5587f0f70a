"""LOGISTIC and TANH against the oracles: every value of the integer types, scales, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, samples, scales, zero_points
from support.operators import check_operator

# Scale and zero point of the output: the types allow one of each.
OUTPUTS = {
    ("LOGISTIC", "int8"): (1 / 256, -128),
    ("LOGISTIC", "uint8"): (1 / 256, 0),
    ("LOGISTIC", "int16"): (1 / 32768, 0),
    ("TANH", "int8"): (1 / 128, 0),
    ("TANH", "uint8"): (1 / 128, 128),
    ("TANH", "int16"): (1 / 32768, 0),
}
OPERATORS = st.sampled_from(("LOGISTIC", "TANH"))


def all_values(dtype: str) -> np.ndarray:
    info = np.iinfo(dtype)
    return np.arange(info.min, info.max + 1).astype(dtype).reshape(1, 4, 8, -1)


def sigmoid(operator: str, dtype: str, scale: float, zero_point: int = 0) -> tuple[bytes, list]:
    x = all_values(dtype)
    spec = Spec(x.shape, dtype, scale, zero_point)
    return model(operator, [spec], Spec(x.shape, dtype, *OUTPUTS[operator, dtype])), [[x]]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(OPERATORS, scales(1e-5, 20.0), zero_points("int8"), st.booleans())
def test_int8(operator, scale, zero_point, litert):
    data, inputs = sigmoid(operator, "int8", scale, zero_point)
    check_operator(data, inputs, ("litert" if litert else "tflm",), litert)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(OPERATORS, scales(1e-4, 10.0), zero_points("uint8"))
def test_uint8(operator, scale, zero_point):
    check_operator(*sigmoid(operator, "uint8", scale, zero_point))


@pytest.mark.parametrize("operator", ["LOGISTIC", "TANH"])
@pytest.mark.parametrize("scale", [2**-12, 2**-11, 2**-13, 2**-10, 3e-4, 2.4417e-4, 0.1, 2.6, 1e-8])
def test_int16(operator, scale):
    check_operator(*sigmoid(operator, "int16", scale))


@settings(max_examples=10, deadline=None, derandomize=True)
@given(OPERATORS, st.sampled_from(((7,), (2, 3), (1, 4, 5, 3), (2, 1, 3, 1, 2))), st.integers(0, 9))
def test_float(operator, shape, seed):
    spec = Spec(shape, "float32")
    check_operator(model(operator, [spec], spec), samples(np.random.default_rng(seed), [spec]))


@pytest.mark.parametrize("operator", ["LOGISTIC", "TANH"])
def test_float_extremes(operator):
    x = np.array([[-1e30, -100, -88.8, -9.1, -9, -1e-8, 0, 1e-8, 9, 16.7, 100, 1e30]], np.float32)
    spec = Spec(x.shape, "float32")
    check_operator(model(operator, [spec], spec), [[x]])


@pytest.mark.parametrize(
    ("dtype", "scale", "point", "output", "words"),
    [
        ("int8", 0.1, 3, (1 / 128, -128), "scale 0.0078125 and zero point -128; supported: 0.0039"),
        ("int8", 0.1, 3, (1 / 256, 0), "supported: 0.00390625 and -128"),
        ("int16", 0.1, 5, (1 / 32768, 0), "zero point 5; supported: 0"),
        ("int16", 3.0, 0, (1 / 32768, 0), "scale 3; supported: up to 2.666"),
        ("int32", None, 0, (None, 0), "int32, int32; supported: both int8, uint8, int16 or"),
    ],
)
def test_refusals(dtype, scale, point, output, words):
    data = model("LOGISTIC", [Spec((1, 4), dtype, scale, point)], Spec((1, 4), dtype, *output))
    with pytest.raises(RefusedModel, match=words):
        import_model(data, "model")
