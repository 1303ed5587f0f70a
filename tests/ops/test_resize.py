"""Resizing against the oracles: types, sizes up and down, pixel conventions, bands of rows."""

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

BILINEAR, NEAREST = "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR"
CONVENTIONS = ({}, {"align_corners": True}, {"half_pixel_centers": True})
TYPES = ("int8", "uint8", "int16", "float32")


def resize_model(
    operator: str, shape: tuple[int, ...], size: tuple[int, int], convention: dict, dtype: str
) -> bytes:
    b = ModelBuilder()
    scale = () if dtype in ("float32", "int32") else (0.1, 0)
    x = b.input("x", shape, dtype, *scale)
    wanted = b.constant("size", np.array(size, np.int32))
    y = b.tensor("y", (shape[0], *size, shape[3]), dtype, *scale)
    b.operator(operator, [x, wanted], [y], convention, version=3)
    b.output(y)
    return b.build()


def values(dtype: str, shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32)
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


shapes = st.tuples(
    st.integers(1, 2), st.integers(1, 12), st.integers(1, 12), st.sampled_from([1, 3, 8])
)
sizes = st.tuples(st.integers(1, 25), st.integers(1, 25))


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.sampled_from([BILINEAR, NEAREST]), shapes, sizes, st.sampled_from(CONVENTIONS),
    st.sampled_from(TYPES), st.integers(0, 1000),
)  # fmt: skip
def test_sizes(
    operator: str, shape: tuple, size: tuple, convention: dict, dtype: str, seed: int
) -> None:
    model = resize_model(operator, shape, size, convention, dtype)
    check_operator(model, [[values(dtype, shape, seed)]])


@pytest.mark.parametrize("operator", [BILINEAR, NEAREST])
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("size", [(1, 300), (150, 1), (97, 101)])
def test_long_sides(operator: str, convention: dict, size: tuple[int, int]) -> None:
    x = values("int8", (1, 48, 61, 2))
    check_operator(resize_model(operator, x.shape, size, convention, "int8"), [[x]])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_extreme_values_do_not_overflow(dtype: str, convention: dict) -> None:
    ends = [np.iinfo(dtype).min, np.iinfo(dtype).max]
    x = np.random.default_rng(0).choice(ends, (1, 9, 9, 4)).astype(dtype)
    for size in ((17, 23), (4, 5)):
        check_operator(resize_model(BILINEAR, x.shape, size, convention, dtype), [[x]])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("operator", [BILINEAR, NEAREST])
@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("size", [(26, 9), (5, 4)])
@pytest.mark.parametrize("band", [1, 3])
def test_bands_of_rows_from_a_ring_equal_the_whole(
    operator: str, dtype: str, convention: dict, size: tuple[int, int], band: int
) -> None:
    x = values(dtype, (1, 13, 7, 3))
    model = resize_model(operator, x.shape, size, convention, dtype)
    (whole,) = check_operator(model, [[x]])
    np.testing.assert_array_equal(run_in_bands(model, x, band), whole[0])


def test_refusals_say_what_was_found() -> None:
    both = {"align_corners": True, "half_pixel_centers": True}
    with pytest.raises(RefusedModel, match="are both set; supported: one of them"):
        import_model(resize_model(BILINEAR, (1, 4, 4, 1), (8, 8), both, "int8"), "model")
    with pytest.raises(RefusedModel, match="input is int32, output int32; supported: both one of"):
        import_model(resize_model(BILINEAR, (1, 4, 4, 1), (8, 8), {}, "int32"), "model")
    with pytest.raises(RefusedModel, match="4 x 4 becomes 0 x 8; supported: sides of 1"):
        import_model(resize_model(NEAREST, (1, 4, 4, 1), (0, 8), {}, "int8"), "model")
