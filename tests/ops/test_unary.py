"""Functions of one value against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, scales, values, zero_points
from support.execute import Runner, program_of
from support.operators import check_operator

FLOATS = (
    "ABS", "NEG", "SIGN", "SQUARE", "SQRT", "RSQRT", "EXP", "LOG", "SIN", "COS", "FLOOR", "CEIL",
    "ROUND",
)  # fmt: skip
POSITIVE = ("SQRT", "RSQRT", "LOG")
TABLES = ("ABS", "SQRT", "RSQRT", "EXP", "LOG")


@pytest.mark.parametrize("operator", FLOATS)
@pytest.mark.parametrize("shape", [(), (7,), (1, 5), (1, 3, 4, 2), (2, 3, 4, 2), (1, 2, 2, 2, 3)])
def test_floats(operator, shape):
    rng = np.random.default_rng(len(shape))
    x = np.asarray(values(rng, "float32", shape), np.float32)
    x = np.abs(x) + np.float32(0.01) if operator in POSITIVE else x
    spec = Spec(shape, "float32")
    check_operator(model(operator, [spec], spec), [[x.reshape(shape)]])


def test_ties_round_to_even():
    x = np.array([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.49, 8388609.0, -7.51, 0.49999997], np.float32)
    spec = Spec(x.shape, "float32")
    (ours,) = check_operator(model("ROUND", [spec], spec), [[x]])
    assert ours[0].tolist()[:6] == [-2, -2, 0, 0, 2, 2]


@pytest.mark.parametrize("operator", ["ABS", "NEG", "SIGN"])
def test_int32(operator):
    x = np.array([[5, 0, -7, 2**31 - 1, 1 - 2**31]], np.int32)
    spec = Spec(x.shape, "int32")
    check_operator(model(operator, [spec], spec), [[x]])


def test_neg_of_int64():
    x = np.array([[5, 0, -7, 2**63 - 1, 1 - 2**63]], np.int64)
    spec = Spec(x.shape, "int64")
    check_operator(model("NEG", [spec], spec), [[x]])


def test_logical_not():
    spec = Spec((1, 9), "bool")
    x = np.arange(9).reshape(1, 9) % 3 == 0
    check_operator(model("LOGICAL_NOT", [spec], spec), [[x]])


@st.composite
def quantized(draw):
    operator = draw(st.sampled_from(TABLES))
    zero_point = draw(zero_points("int8"))
    # Outputs that use a good part of their range.
    output = draw(scales(1e-3, 0.1))
    if operator in POSITIVE:
        zero_point = min(zero_point, 120)
    x = np.arange(-128, 128, dtype=np.int8)
    x = x[x > zero_point] if operator in POSITIVE else x
    a = Spec(x.shape, "int8", draw(scales(0.002, 0.5)), zero_point)
    return model(operator, [a], Spec(x.shape, "int8", output, draw(zero_points("int8")))), x


@settings(max_examples=80, deadline=None, derandomize=True)
@given(quantized())
def test_int8(case):
    data, x = case
    check_operator(data, [[x]])


@pytest.mark.parametrize("litert", [False, True])
def test_abs_of_int16_to_another_scale(litert):
    x = np.arange(-(2**15), 2**15).astype(np.int16)
    data = model("ABS", [Spec(x.shape, "int16", 0.011)], Spec(x.shape, "int16", 0.0173))
    check_operator(data, [[x]], oracles=("litert" if litert else "tflm",), litert=litert)


def test_the_inverse_root_of_what_is_not_positive_saturates():
    x = np.array([-128, -5, -4, -3], np.int8)
    data = model("RSQRT", [Spec((4,), "int8", 0.1, -4)], Spec((4,), "int8", 0.05, 0))
    (ours,) = Runner(program_of(import_model(data, "model"))).run([x])
    assert ours.tolist() == [127, 127, 127, 63]


@pytest.mark.parametrize(
    ("operator", "dtype", "message"),
    [
        ("NEG", "int8", "its types are int8; supported: float32, or int32, or int64"),
        ("SIN", "int16", "its types are int16; supported: float32"),
        ("LOGICAL_NOT", "int8", "its types are int8; supported: bool"),
        (
            "ABS",
            "uint8",
            "its types are uint8; supported: float32, or int32, or int64, or int16, or int8",
        ),
    ],
)
def test_refusals(operator, dtype, message):
    spec = Spec((1, 4), dtype, 0.1)
    with pytest.raises(RefusedModel, match=message):
        import_model(model(operator, [spec], spec), "model")
