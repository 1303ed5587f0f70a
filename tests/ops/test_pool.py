"""Pools against the oracles: types, windows, strides, paddings, activations, bands of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.bands import run_in_bands
from support.operators import check_operator
from tflite_builder import ModelBuilder

SAME, VALID = 0, 1
TYPES = ("int8", "uint8", "int16", "float32")
POOLS = ("AVERAGE_POOL_2D", "MAX_POOL_2D")


def pool_model(
    pool: str,
    shape: tuple[int, ...],
    kernel: tuple[int, int],
    stride: tuple[int, int] = (1, 1),
    padding: int = VALID,
    activation: int = 0,
    dtype: str = "int8",
    scale: float = 0.05,
    zero_point: int = 0,
) -> bytes:
    b = ModelBuilder()
    q = (None, 0) if dtype == "float32" else (scale, zero_point)
    out = [
        -(-n // s) if padding == SAME else (n - k) // s + 1
        for n, k, s in zip(shape[1:3], kernel, stride, strict=True)
    ]
    x = b.input("x", shape, dtype, *q)
    y = b.tensor("y", (shape[0], *out, shape[3]), dtype, *q)
    b.operator(
        pool, [x], [y],
        {
            "filter_height": kernel[0], "filter_width": kernel[1], "stride_h": stride[0],
            "stride_w": stride[1], "padding": padding, "fused_activation_function": activation,
        },
        version=3 if dtype == "int16" else 2,
    )  # fmt: skip
    b.output(y)
    return b.build()


def values(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32) * 4
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


@st.composite
def cases(draw) -> tuple[str, dict]:
    kernel = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    padding = draw(st.sampled_from([SAME, VALID]))
    low = kernel if padding == VALID else (1, 1)
    dtype = draw(st.sampled_from(TYPES))
    return draw(st.sampled_from(POOLS)), {
        "shape": (
            draw(st.integers(1, 2)), draw(st.integers(low[0], 9)), draw(st.integers(low[1], 9)),
            draw(st.sampled_from([1, 3, 8, 32, 33, 70])),
        ),
        "kernel": kernel,
        "stride": draw(st.tuples(st.integers(1, 4), st.integers(1, 4))),
        "padding": padding,
        "activation": draw(st.sampled_from([0, 1, 2, 3])),
        "dtype": dtype,
        "scale": draw(st.sampled_from([0.003, 0.05, 1.7])),
        "zero_point": {
            "int8": draw(st.sampled_from([-128, -5, 0, 127])),
            "uint8": draw(st.sampled_from([0, 128, 255])),
        }.get(dtype, 0),
    }  # fmt: skip


@settings(max_examples=120, deadline=None, derandomize=True)
@given(cases(), st.integers(0, 1000))
def test_pools_equal_the_oracles(case: tuple[str, dict], seed: int) -> None:
    pool, arguments = case
    x = values(arguments["dtype"], arguments["shape"], seed)
    check_operator(pool_model(pool, **arguments), [[x], [values(x.dtype.name, x.shape, seed + 1)]])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(cases(), st.integers(0, 1000))
def test_l2_pools_equal_the_oracles(case: tuple[str, dict], seed: int) -> None:
    arguments = case[1] | {"dtype": "float32"}
    x = values("float32", arguments["shape"], seed)
    check_operator(pool_model("L2_POOL_2D", **arguments), [[x]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_averages_of_extremes_do_not_overflow(dtype: str, end: str) -> None:
    x = np.full((1, 40, 40, 5), getattr(np.iinfo(dtype), end), dtype)
    (outputs,) = check_operator(
        pool_model("AVERAGE_POOL_2D", x.shape, (40, 40), dtype=dtype), [[x]]
    )
    assert (outputs[0] == getattr(np.iinfo(dtype), end)).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("pool", POOLS)
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [((3, 2), (2, 1), SAME), ((2, 3), (3, 2), VALID)]
)
@pytest.mark.parametrize("band", [1, 2, 5])
def test_bands_of_rows_from_a_ring_equal_the_whole(
    pool: str, dtype: str, kernel: tuple[int, int], stride: tuple[int, int], padding: int, band: int
) -> None:
    x = values(dtype, (1, 13, 7, 6))
    data = pool_model(pool, x.shape, kernel, stride, padding, dtype=dtype)
    (whole,) = check_operator(data, [[x]])
    np.testing.assert_array_equal(run_in_bands(data, x, band), whole[0])


def test_other_types_are_refused_with_what_works() -> None:
    data = pool_model("L2_POOL_2D", (1, 4, 4, 2), (2, 2), dtype="int8")
    with pytest.raises(
        RefusedModel, match=r"input is int8, output int8; supported: both one of float32"
    ):
        import_model(data, "model")


def test_a_window_that_does_not_fit_is_refused() -> None:
    data = pool_model("MAX_POOL_2D", (1, 4, 4, 2), (5, 2), dtype="int8")
    with pytest.raises(RefusedModel, match="a window of 5 does not fit an input of 4"):
        import_model(data, "model")
