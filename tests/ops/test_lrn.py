"""Local response normalisation against LiteRT."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.operators import check_operator
from tflite_builder import ModelBuilder


def lrn_model(shape: tuple[int, ...], options: dict, dtype: str = "float32") -> bytes:
    b = ModelBuilder()
    scale = () if dtype == "float32" else (0.1, 0)
    x, y = b.input("x", shape, dtype, *scale), b.tensor("y", shape, dtype, *scale)
    b.operator("LOCAL_RESPONSE_NORMALIZATION", [x], [y], options)
    b.output(y)
    return b.build()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.tuples(st.integers(1, 2), st.integers(1, 4), st.integers(1, 4), st.integers(1, 12)),
    st.integers(0, 14),
    st.sampled_from([(1.0, 1.0, 0.5), (2.0, 1e-4, 0.75), (0.5, 3.0, 1.0)]),
    st.integers(0, 1000),
)
def test_normalisation(
    shape: tuple[int, ...], radius: int, factors: tuple[float, float, float], seed: int
) -> None:
    options = {"radius": radius, **dict(zip(("bias", "alpha", "beta"), factors, strict=True))}
    x = np.random.default_rng(seed).standard_normal(shape).astype(np.float32)
    check_operator(lrn_model(shape, options), [[x]], ("litert",))


def test_other_types_are_refused() -> None:
    with pytest.raises(RefusedModel, match="input is int8, output int8; supported: float32"):
        import_model(lrn_model((1, 1, 1, 4), {"radius": 1}, "int8"), "model")
