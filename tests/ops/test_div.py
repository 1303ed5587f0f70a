"""DIV against the oracles: types, scales, signs, broadcasts, activations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, broadcast_shapes, model, samples, scales, values, zero_points
from support.execute import Runner, program_of
from support.operators import check_operator


def without_zeros(divisor: np.ndarray, zero_point: int) -> np.ndarray:
    """The oracles do not define x / 0."""
    other = zero_point - 1 if zero_point > 0 else zero_point + 1
    return np.where(divisor == zero_point, divisor.dtype.type(other), divisor)


def defined(dividend: np.ndarray, divisor: np.ndarray, inputs: list[Spec]) -> np.ndarray:
    """Dividends of the divisor's magnitude: smaller ones make the oracles shift too far."""
    a, b = inputs
    largest = np.abs(divisor.astype(np.int64) - b.zero_point).max()
    x = dividend.astype(np.int64) - a.zero_point
    info = np.iinfo(dividend.dtype)
    edge = info.max if a.zero_point < (info.min + info.max) / 2 else info.min
    return np.where(np.abs(x) < largest, edge, dividend).astype(dividend.dtype)


@st.composite
def quantized_quotients(draw):
    dtype = draw(st.sampled_from(("int8", "uint8", "int16")))
    first, second, out = draw(broadcast_shapes())
    a, b = (Spec(s, dtype, draw(scales()), draw(zero_points(dtype))) for s in (first, second))
    ratio = draw(st.sampled_from((1.0, 3.0, 7.0, 100.0)))
    scale = float(np.float32(a.scale / b.scale / ratio))
    y = Spec(out, dtype, scale, draw(zero_points(dtype)))
    activation = {"fused_activation_function": draw(st.sampled_from((0, 0, 1, 3)))}
    return model("DIV", [a, b], y, activation), [a, b]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(quantized_quotients(), st.integers(0, 99))
def test_quantized(case, seed):
    data, (a, b) = case
    rng = np.random.default_rng(seed)
    inputs = []
    for x, z in samples(rng, [a, b]):
        divisor = without_zeros(z, b.zero_point)
        inputs.append([defined(x, divisor, [a, b]), divisor])
    if a.dtype == "int8":
        check_operator(data, inputs, oracles=("tflm",))
    check_operator(data, inputs, oracles=("litert",), litert=True)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.sampled_from(("float32", "int32")),
    broadcast_shapes(),
    st.sampled_from((0, 1, 2, 3)),
    st.integers(0, 99),
)
def test_not_quantized(dtype, shapes, activation, seed):
    a, b = (Spec(s, dtype) for s in shapes[:2])
    data = model("DIV", [a, b], Spec(shapes[2], dtype), {"fused_activation_function": activation})
    rng = np.random.default_rng(seed)
    divisor = values(rng, dtype, b.shape)
    if dtype == "int32":
        divisor = without_zeros(divisor % 41 - 20, 0)
    check_operator(data, [[values(rng, dtype, a.shape), divisor]])


def test_all_pairs_of_int8_values():
    x, z = np.meshgrid(np.arange(-128, 128, dtype=np.int8), np.arange(-128, 128, dtype=np.int8))
    a, b = Spec((256, 256), "int8", 0.3, 4), Spec((256, 256), "int8", 0.1, -3)
    data = model("DIV", [a, b], Spec((256, 256), "int8", 0.5, 1))
    divisor = without_zeros(z, -3)
    # Row by row: dividends are kept where they reach the row's divisor.
    dividend = np.stack([defined(u, v, [a, b]) for u, v in zip(x, divisor, strict=True)])
    check_operator(data, [[dividend, divisor]], oracles=("tflm",))
    check_operator(data, [[dividend, divisor]], oracles=("litert",), litert=True)


def test_small_quotients_round_to_zero():
    a, b = Spec((1, 6), "int8", 0.3, 0), Spec((1, 6), "int8", 0.1, 0)
    data = model("DIV", [a, b], Spec((1, 6), "int8", 0.5, 1))
    x = np.array([[-3, -1, 0, 1, 2, 3]], np.int8)
    z = np.array([[125, 111, 59, -97, 118, -83]], np.int8)
    (ours,) = Runner(program_of(import_model(data, "model"))).run([x, z])
    assert ours.tolist() == [[1] * 6]


def test_division_by_zero_is_zero_for_integers():
    a = Spec((1, 4), "int32")
    data = model("DIV", [a, a], a)
    x = np.array([[7, -7, -(2**31), 5]], np.int32)
    z = np.array([[0, 2, -1, -1]], np.int32)
    (ours,) = Runner(program_of(import_model(data, "model"))).run([x, z])
    assert ours.tolist() == [[0, -3, -(2**31), -5]]


def test_refusals():
    a = Spec((1, 4), "uint32")
    with pytest.raises(RefusedModel, match="its types are uint32; supported: int8"):
        import_model(model("DIV", [a, a], a), "model")
    a, b = Spec((1, 4), "int8", 900.0), Spec((1, 4), "int8", 0.001)
    with pytest.raises(RefusedModel, match=r"multiplier of its scales is 2\^"):
        import_model(model("DIV", [a, b], Spec((1, 4), "int8", 0.001)), "model")
