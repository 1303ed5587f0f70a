"""Blocks of pixels to batches and channels and back, against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.bands import run_in_bands
from support.movement import TYPES, Value, content, ints, model
from support.operators import check_operator


def to_batch_model(shape, block, sides, dtype="int8") -> bytes:
    padded = [n + a + b for n, (a, b) in zip(shape[1:-1], sides, strict=True)]
    inner = [n // k for n, k in zip(padded, block, strict=True)]
    out = (shape[0] * int(np.prod(block)), *inner, shape[-1])
    inputs = [Value(tuple(shape), dtype), ints(*block), np.array(sides, np.int32)]
    return model("SPACE_TO_BATCH_ND", inputs, [Value(out, dtype)])


def to_space_model(shape, block, crops, dtype="int8") -> bytes:
    inner = [n * k - a - b for n, k, (a, b) in zip(shape[1:-1], block, crops, strict=True)]
    out = (shape[0] // int(np.prod(block)), *inner, shape[-1])
    inputs = [Value(tuple(shape), dtype), ints(*block), np.array(crops, np.int32)]
    return model("BATCH_TO_SPACE_ND", inputs, [Value(out, dtype)])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from([1, 2]), st.sampled_from(TYPES), st.integers(1, 2))
def test_space_to_batch(data: st.DataObject, axes: int, dtype: str, batch: int) -> None:
    block = [data.draw(st.integers(1, 3)) for _ in range(axes)]
    before = [data.draw(st.integers(0, 3)) for _ in range(axes)]
    inner = [data.draw(st.integers(1, 6)) for _ in range(axes)]
    sides = [(b, -(n + b) % k) for b, n, k in zip(before, inner, block, strict=True)]
    shape = (batch, *inner, data.draw(st.integers(1, 5)))
    # TFLite Micro pads int8 with 0, whatever the zero point: LiteRT is right.
    oracles = ("litert",) if dtype == "int8" else ("tflm", "litert")
    file = to_batch_model(shape, block, sides, dtype)
    check_operator(file, [[content(shape, dtype)]], oracles)


def test_space_to_batch_with_a_zero_point_of_zero() -> None:
    shape, sides = (1, 3, 4, 2), [(1, 2), (0, 2)]
    inputs = [Value(shape, "int8", 0.5, 0), ints(2, 3), np.array(sides, np.int32)]
    data = model("SPACE_TO_BATCH_ND", inputs, [Value((6, 3, 2, 2), "int8", 0.5, 0)])
    check_operator(data, [[content(shape, "int8")]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from([1, 2]), st.sampled_from(TYPES), st.integers(1, 2))
def test_batch_to_space(data: st.DataObject, axes: int, dtype: str, batch: int) -> None:
    block = [data.draw(st.integers(1, 3)) for _ in range(axes)]
    inner = [data.draw(st.integers(2, 5)) for _ in range(axes)]
    crops = [data.draw(st.tuples(st.integers(0, 1), st.integers(0, n - 2))) for n in inner]
    shape = (batch * int(np.prod(block)), *inner, data.draw(st.integers(1, 5)))
    check_operator(to_space_model(shape, block, crops, dtype), [[content(shape, dtype)]])


def depth_model(operator: str, shape, block: int, dtype: str = "int8") -> bytes:
    n, h, w, c = shape
    deep = (n, h // block, w // block, c * block * block)
    flat = (n, h * block, w * block, c // (block * block))
    out = deep if operator == "SPACE_TO_DEPTH" else flat
    return model(operator, [Value(shape, dtype)], [Value(out, dtype)], {"block_size": block})


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.sampled_from(["SPACE_TO_DEPTH", "DEPTH_TO_SPACE"]),
    st.tuples(st.integers(1, 2), st.integers(1, 3), st.integers(1, 4), st.integers(1, 3)),
    st.integers(1, 3),
    st.sampled_from(["int8", "uint8", "int32", "float32", "int64"]),
)
def test_depth(operator: str, dims: tuple[int, int, int, int], block: int, dtype: str) -> None:
    n, h, w, c = dims
    deep = operator == "SPACE_TO_DEPTH"
    shape = (n, h * block, w * block, c) if deep else (n, h, w, c * block * block)
    check_operator(depth_model(operator, shape, block, dtype), [[content(shape, dtype)]])


@pytest.mark.parametrize("band", [1, 2, 4])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize(
    ("operator", "shape"), [("SPACE_TO_DEPTH", (1, 12, 6, 3)), ("DEPTH_TO_SPACE", (1, 5, 3, 8))]
)
def test_bands_of_rows_from_a_ring_equal_the_whole(operator, shape, dtype: str, band: int) -> None:
    x = content(shape, dtype)
    data = depth_model(operator, shape, 2, dtype)
    (whole,) = check_operator(data, [[x]])
    np.testing.assert_array_equal(run_in_bands(data, x, band), whole[0])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (
            to_batch_model((1, 5, 4, 2), (2, 2), [(0, 0), (0, 0)]),
            r"\[5, 4\] padded rows and columns in blocks of \[2, 2\]",
        ),
        (to_space_model((3, 2, 2, 1), (2, 2), [(0, 0), (0, 0)]), r"3 images in blocks of \[2, 2\]"),
        (
            depth_model("SPACE_TO_DEPTH", (1, 5, 4, 2), 2),
            "5 rows and 4 columns in blocks of 2",
        ),
        (depth_model("DEPTH_TO_SPACE", (1, 5, 4, 6), 2), "6 channels for blocks of 2"),
    ],
)
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
