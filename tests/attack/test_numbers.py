"""Numbers at the edges where a kernel once differed from the runtimes without saying so."""

from __future__ import annotations

import numpy as np
import pytest

from support.operators import check_operator
from support.oracles import requires_litert, requires_tflm
from tflite_builder import ModelBuilder


@requires_tflm
@requires_litert
@pytest.mark.parametrize("litert", [False, True])
@pytest.mark.parametrize("inputs", [255, 600, 4096])
def test_long_int16_rows(inputs: int, litert: bool) -> None:
    """Products of int16 and int8 leave 32 bits after some 500 inputs."""
    b = ModelBuilder()
    x = b.input("x", (1, inputs), "int16", 0.001)
    w = b.constant("w", np.full((3, inputs), 127, np.int8), 0.01)
    bias = b.constant("b", np.array([1, 2, 3], np.int64), 0.00001)
    y = b.tensor("y", (1, 3), "int16", 5.0)
    b.operator("FULLY_CONNECTED", [x, w, bias], [y], {})
    b.output(y)
    sample = np.full((1, inputs), 32767, np.int16)
    oracle = "litert" if litert else "tflm"
    check_operator(b.build(), [[sample], [-sample]], (oracle,), litert)


@requires_litert
@pytest.mark.parametrize(
    ("operator", "dtype", "x", "y"),
    [
        ("LOG", "int8", (0.1, 50), (0.02, -17)),
        ("LOGISTIC", "uint8", (1 / 256, 0), (1 / 256, 0)),
        ("LOGISTIC", "uint8", (0.02, 128), (1 / 256, 0)),
    ],
)
def test_tables(operator: str, dtype: str, x: tuple[float, int], y: tuple[float, int]) -> None:
    """All 256 entries: logarithms of nothing and below, sigmoids at the edge of rounding."""
    b = ModelBuilder()
    source, target = b.input("x", (256,), dtype, *x), b.tensor("y", (256,), dtype, *y)
    b.operator(operator, [source], [target])
    b.output(target)
    codes = np.arange(256).astype(np.uint8).view(dtype)
    check_operator(b.build(), [[codes]], ("litert",), litert=True)
