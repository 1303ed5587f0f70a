"""QUANTIZE and DEQUANTIZE against the oracles: types, scales, edges, constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, scales, values, zero_points
from support.execute import Runner, program_of
from support.golden import check_model, check_reference
from support.operators import check_operator
from support.shared import golden_path, model_path, requires_shared
from tflite_builder import ModelBuilder

PAIRS = (
    ("int8", "int8"), ("int8", "uint8"), ("int8", "int16"), ("int8", "int32"),
    ("uint8", "int8"), ("uint8", "uint8"), ("uint8", "int16"),
    ("int16", "int8"), ("int16", "int16"), ("int16", "int32"),
    ("int32", "int8"), ("int32", "int16"),
)  # fmt: skip


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from(("int8", "uint8", "int16")),
    scales(),
    st.data(),
    st.sampled_from(((3,), (1, 40), (1, 3, 4, 5), (2, 3, 4, 5))),
)
def test_real_numbers(dtype, scale, data, shape):
    y = Spec(shape, dtype, scale, data.draw(zero_points(dtype)))
    rng = np.random.default_rng(len(shape))
    x = values(rng, "float32", shape, spread=scale * 100)
    # Ties, and what lies just below them.
    x.flat[0], x.flat[1] = scale * 2.5, np.nextafter(np.float32(scale * 0.5), np.float32(0))
    check_operator(model("QUANTIZE", [Spec(shape, "float32")], y), [[x], [-x]])


def test_real_numbers_beyond_the_range_saturate():
    x = np.array([1e30, -1e30, np.inf, -np.inf, np.nan, 3e9], np.float32)
    for dtype in ("int8", "uint8", "int16"):
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        graph = import_model(
            model("QUANTIZE", [Spec((6,), "float32")], Spec((6,), dtype, 0.5, 3 % (high + 1))),
            "model",
        )
        (ours,) = Runner(program_of(graph)).run([x])
        assert ours.tolist() == [high, low, high, low, low, high]


@st.composite
def changes(draw):
    source, target = draw(st.sampled_from(PAIRS))
    ratio = draw(st.sampled_from((1e-4, 0.3, 0.5, 1.0, 1.7, 9.0)))
    scale = draw(scales())
    points = [draw(zero_points(t)) if t != "int32" else 0 for t in (source, target)]
    if source == "int32":
        scale, ratio = 1e-9, 1e-6 if target == "int8" else 3e-5
    # More than a table's worth of elements, or few.
    shape = draw(st.sampled_from(((1, 30), (1, 4, 20, 10))))
    x = Spec(shape, source, scale, points[0])
    return model("QUANTIZE", [x], Spec(shape, target, scale / ratio, points[1])), x


@settings(max_examples=80, deadline=None, derandomize=True)
@given(changes(), st.integers(0, 99))
def test_other_quantizations(case, seed):
    data, x = case
    check_operator(data, [[values(np.random.default_rng(seed), x.dtype, x.shape)]])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.sampled_from(("int8", "uint8", "int16")), scales(1e-6, 10.0), st.data())
def test_dequantize(dtype, scale, data):
    x = Spec((1, 3, 4, 25), dtype, scale, data.draw(zero_points(dtype)))
    inputs = [[values(np.random.default_rng(0), dtype, x.shape)]]
    ours = check_operator(model("DEQUANTIZE", [x], Spec(x.shape, "float32")), inputs, tolerance=0)
    assert ours[0][0].dtype == np.float32


def test_half_precision_at_run_time():
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    x = x[np.isfinite(x)]
    data = model("DEQUANTIZE", [Spec(x.shape, "float16")], Spec(x.shape, "float32"))
    check_operator(data, [[x]], tolerance=0)


def _sum_with_constant(constant: np.ndarray, **quantization) -> bytes:
    b = ModelBuilder()
    x = b.input("x", (1, 2, 2, 3), "float32")
    c = b.constant("c", constant, **quantization)
    real = b.tensor("real", constant.shape, "float32")
    y = b.tensor("y", (1, 2, 2, 3), "float32")
    b.operator("DEQUANTIZE", [c], [real])
    b.operator("ADD", [x, real], [y])
    b.output(y)
    return b.build()


@pytest.mark.parametrize("dtype", ["float16", "int8"])
def test_constants_are_folded(dtype):
    rng = np.random.default_rng(0)
    quantization = {} if dtype == "float16" else {"scale": 0.1, "zero_point": 4}
    data = _sum_with_constant(values(rng, dtype, (2, 2, 3)), **quantization)
    assert [o.type for o in import_model(data, "model").operators] == ["ADD"]
    check_operator(data, [[values(rng, "float32", (1, 2, 2, 3))]])


def test_constants_with_a_scale_per_channel():
    rng = np.random.default_rng(0)
    constant = values(rng, "int8", (2, 2, 3))
    data = _sum_with_constant(constant, scale=[0.1, 0.2, 0.4], zero_point=[0, 0, 0], axis=2)
    ours = check_operator(data, [[np.zeros((1, 2, 2, 3), np.float32)]], oracles=("litert",))
    real = constant * np.array([0.1, 0.2, 0.4], np.float32)
    assert np.allclose(ours[0][0][0], real)


@requires_shared
def test_published_model():
    name = "seanet_quantize0"
    check_model(model_path(name), golden_path(name))
    check_reference(model_path(name), golden_path(name))


@pytest.mark.parametrize(
    ("operator", "source", "target", "message"),
    [
        ("QUANTIZE", ("int32", 0.1), ("int32", 0.1), "int32; supported: float32 to int8"),
        ("QUANTIZE", ("float32", None), ("int8", None), "the output has no scale"),
        ("QUANTIZE", ("int8", None), ("int8", 0.1), "the input has no scale"),
        ("DEQUANTIZE", ("int32", 0.1), ("float32", None), "int32 to float32; supported: int8"),
        ("DEQUANTIZE", ("int8", None), ("float32", None), "int8 without a scale"),
    ],
)
def test_refusals(operator, source, target, message):
    data = model(operator, [Spec((1, 4), *source)], Spec((1, 4), *target))
    with pytest.raises(RefusedModel, match=message):
        import_model(data, "model")


def test_scales_per_channel_at_run_time_are_refused():
    b = ModelBuilder()
    x = b.input("x", (3, 4), "int8", [0.1, 0.2, 0.3], [0, 0, 0])
    y = b.tensor("y", (3, 4), "float32")
    b.operator("DEQUANTIZE", [x], [y])
    b.output(y)
    with pytest.raises(RefusedModel, match="the input has 3 scales; supported: one"):
        import_model(b.build(), "model")
