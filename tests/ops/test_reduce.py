"""Reductions against the oracles: types, axes, keep_dims, scales, layouts of merged axes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.operators import check_operator
from tflite_builder import ModelBuilder

QUANTIZED = ("int8", "uint8", "int16")
ZERO_POINTS = {"int8": (-128, -7, 0, 127), "uint8": (0, 100, 255), "int16": (0,)}


def reduce_model(
    operator: str,
    shape: tuple[int, ...],
    axes: tuple[int, ...] | int,
    keep_dims: bool = False,
    dtype: str = "int8",
    x: tuple[float, int] = (0.05, 0),
    y: tuple[float, int] = (0.05, 0),
) -> bytes:
    b = ModelBuilder()
    quantized = dtype in QUANTIZED
    reduced = {a % len(shape) for a in np.atleast_1d(axes).tolist()}
    out = [1 if a in reduced else d for a, d in enumerate(shape) if keep_dims or a not in reduced]
    inputs = [
        b.input("x", shape, dtype, *(x if quantized else ())),
        b.constant("axes", np.array(axes, np.int32)),
    ]
    result = b.tensor("y", out, dtype, *(y if quantized else ()))
    version = 2 if quantized else 1
    b.operator(operator, inputs, [result], {"keep_dims": keep_dims}, version=version)
    b.output(result)
    return b.build()


def values(dtype: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "int32":
        return rng.integers(-1000, 1000, shape).astype(np.int32)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


@st.composite
def layouts(draw) -> dict:
    """A shape of up to five axes, and axes in any order and spelling."""
    shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 5, 8]), min_size=1, max_size=5)))
    if draw(st.booleans()):
        shape = (*shape[:-1], draw(st.sampled_from([31, 32, 33, 70])))
    axes = draw(
        st.lists(st.integers(0, len(shape) - 1), min_size=1, max_size=len(shape), unique=True)
    )
    spelled = tuple(a - len(shape) if draw(st.booleans()) else a for a in axes)
    return {"shape": shape, "axes": spelled, "keep_dims": draw(st.booleans())}


@st.composite
def scales(draw, dtype: str) -> dict:
    points = st.sampled_from(ZERO_POINTS[dtype])
    x = (draw(st.sampled_from([0.0005, 0.05, 1.3])), draw(points))
    if draw(st.integers(0, 2)) == 0:
        return {"x": x, "y": x}
    return {"x": x, "y": (x[0] * draw(st.sampled_from([0.01, 0.4, 1.0, 2.7, 300.0])), draw(points))}


@settings(max_examples=90, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(QUANTIZED), st.data(), st.integers(0, 1000))
def test_quantized_means(layout: dict, dtype: str, data: st.DataObject, seed: int) -> None:
    model = reduce_model("MEAN", dtype=dtype, **layout, **data.draw(scales(dtype)))
    check_operator(model, [[values(dtype, layout["shape"], seed)]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(QUANTIZED), st.data(), st.integers(0, 1000))
def test_quantized_sums(layout: dict, dtype: str, data: st.DataObject, seed: int) -> None:
    """LiteRT's sums of signed types wrap where they should saturate: TFLite Micro alone decides."""
    model = reduce_model("SUM", dtype=dtype, **layout, **data.draw(scales(dtype)))
    oracles = ("litert",) if dtype == "uint8" else ("tflm",)
    check_operator(model, [[values(dtype, layout["shape"], seed)]], oracles)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(["MEAN", "SUM", "REDUCE_PROD"]), st.integers(0, 1000))
def test_float_sums_and_products(layout: dict, operator: str, seed: int) -> None:
    model = reduce_model(operator, dtype="float32", **layout)
    check_operator(model, [[values("float32", layout["shape"], seed)]])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(["MEAN", "SUM", "REDUCE_PROD"]), st.integers(0, 1000))
def test_int32_sums_and_products(layout: dict, operator: str, seed: int) -> None:
    model = reduce_model(operator, dtype="int32", **layout)
    check_operator(model, [[values("int32", layout["shape"], seed)]])


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    layouts(),
    st.sampled_from(["REDUCE_MAX", "REDUCE_MIN"]),
    st.sampled_from([*QUANTIZED, "int32", "float32"]),
    st.integers(0, 1000),
)
def test_extremes(layout: dict, operator: str, dtype: str, seed: int) -> None:
    model = reduce_model(operator, dtype=dtype, **layout)
    check_operator(model, [[values(dtype, layout["shape"], seed)]])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(["int8", "int16"]), st.data(), st.integers(0, 1000))
def test_quantized_products(layout: dict, dtype: str, data: st.DataObject, seed: int) -> None:
    points = st.sampled_from(ZERO_POINTS[dtype])
    scale = 0.02 if dtype == "int8" else 5e-5
    q = {"x": (scale, data.draw(points)), "y": (scale, data.draw(points))}
    model = reduce_model("REDUCE_PROD", dtype=dtype, **layout, **q)
    check_operator(model, [[values(dtype, layout["shape"], seed)]])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(layouts(), st.sampled_from(["REDUCE_ANY", "REDUCE_ALL"]), st.integers(0, 1000))
def test_truth(layout: dict, operator: str, seed: int) -> None:
    model = reduce_model(operator, dtype="bool", **layout)
    check_operator(model, [[values("bool", layout["shape"], seed)]])


@pytest.mark.parametrize("end", ["min", "max"])
@pytest.mark.parametrize("dtype", QUANTIZED)
def test_means_of_extremes_do_not_overflow(dtype: str, end: str) -> None:
    x = np.full((1, 60, 60, 3), getattr(np.iinfo(dtype), end), dtype)
    (outputs,) = check_operator(reduce_model("MEAN", x.shape, (1, 2), dtype=dtype), [[x]])
    assert (outputs[0] == getattr(np.iinfo(dtype), end)).all()


def test_a_scalar_axis_and_a_repeated_axis() -> None:
    x = values("float32", (2, 3, 4), 0)
    for axes in (-1, (2, -1)):
        model = reduce_model("SUM", x.shape, axes, dtype="float32")
        (outputs,) = check_operator(model, [[x]], ("litert",))
        np.testing.assert_allclose(outputs[0], x.sum(axis=2), rtol=1e-5)


def test_six_axes_that_alternate() -> None:
    x = values("float32", (2, 3, 2, 3, 2, 3), 0)
    for axes in ((0, 2, 4), (1, 3, 5)):
        (outputs,) = check_operator(
            reduce_model("REDUCE_MAX", x.shape, axes, dtype="float32"), [[x]]
        )
        np.testing.assert_array_equal(outputs[0], x.max(axis=axes))


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"shape": (2, 3), "axes": (1,), "dtype": "uint32"}, "input is uint32, output uint32"),
        ({"shape": (2,) * 8, "axes": (0, 2, 4, 6)}, "alternate between kept and reduced"),
    ],
)
def test_refusals_say_what_was_found(arguments: dict, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(reduce_model("MEAN", **arguments), "model")


def test_an_axis_that_does_not_exist_is_refused() -> None:
    b = ModelBuilder()
    x, axes = b.input("x", (2, 3), "float32"), b.constant("axes", np.array([2], np.int32))
    y = b.tensor("y", (2,), "float32")
    b.operator("MEAN", [x, axes], [y])
    b.output(y)
    with pytest.raises(RefusedModel, match="axis 2 of an input with 2 axes; expected -2 to 1"):
        import_model(b.build(), "model")
