"""BATCH_MATMUL against the oracles: types, transposed operands, broadcast, constants, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, samples, scales, values, zero_points
from support.operators import check_operator

BATCHES = (
    ((), ()), ((2,), (2,)), ((2,), ()), ((), (3,)), ((2, 3), (1, 3)), ((2, 1), (1, 3)),
    ((2, 1, 2), (2, 3, 1)), ((3,), (1,)),
)  # fmt: skip
SIDES = st.sampled_from((1, 2, 5, 8, 17))


@st.composite
def products(draw):
    dtype = draw(st.sampled_from(("int8", "int16", "float32")))
    rows, depth, columns = draw(SIDES), draw(SIDES), draw(SIDES)
    first, second = draw(st.sampled_from(BATCHES))
    adj_x, adj_y = draw(st.booleans()), draw(st.booleans())
    x = first + ((depth, rows) if adj_x else (rows, depth))
    z = second + ((columns, depth) if adj_y else (depth, columns))
    y = (*np.broadcast_shapes(first, second), rows, columns)
    quantization = [(None, 0)] * 3
    if dtype != "float32":
        a, b = draw(scales(1e-3, 0.1)), draw(scales(1e-3, 0.1))
        ratio = draw(scales(1e-6, 1e-3) if dtype == "int16" else scales(1e-4, 3.0))
        c = float(np.float32(a * b / ratio))
        quantization = [(s, draw(zero_points(dtype))) for s in (a, b, c)]
    content = None
    if draw(st.booleans()):
        content = values(np.random.default_rng(rows), dtype, z)
    specs = [Spec(x, dtype, *quantization[0]), Spec(z, dtype, *quantization[1], content)]
    data = model(
        "BATCH_MATMUL", specs, Spec(y, dtype, *quantization[2]), {"adj_x": adj_x, "adj_y": adj_y}
    )
    return data, specs


@settings(max_examples=90, deadline=None, derandomize=True)
@given(products(), st.booleans(), st.integers(0, 99))
def test_products(case, litert, seed):
    data, specs = case
    inputs = samples(np.random.default_rng(seed), specs)
    check_operator(data, inputs, ("litert" if litert else "tflm",), litert)


def test_scales_whose_product_depends_on_its_precision():
    """LiteRT rounds the product of the scales to float32, TFLite Micro does not."""
    rng = np.random.default_rng(1)
    for _ in range(3):
        a, b = scales_that_tell(rng)
        x = Spec((2000, 1), "int16", a)
        z = Spec((1, 1), "int16", b, 0, np.array([[127]], np.int16))
        data = model("BATCH_MATMUL", [x, z], Spec((2000, 1), "int16", 2.0**-12))
        inputs = samples(rng, [x], 1)
        check_operator(data, inputs, ("tflm",))
        check_operator(data, inputs, ("litert",), litert=True)


def scales_that_tell(rng: np.random.Generator) -> tuple[float, float]:
    while True:
        a, b = (np.float32(v) for v in rng.uniform(0.001, 0.01, 2))
        fractions = np.frexp([float(a * b), float(a) * float(b)])[0]
        if len(set(np.floor(fractions * 2**15 + 0.5))) == 2:
            return float(a), float(b)


@pytest.mark.parametrize(
    ("first", "second", "dtype", "words"),
    [
        ((2, 3), (4, 2), "float32", "rows of 3 and columns of 4 values; they must be equal"),
        ((2, 2, 3), (3, 3, 2), "float32", "batch dimensions of .* do not broadcast"),
        ((3,), (3, 2), "float32", r"the inputs are \[3\] and \[3, 2\]; supported: matrices"),
        ((2, 3), (3, 2), "int32", "its types are int32; supported: int8, or int16, or float32"),
        ((1, 1, 1, 1, 2, 3), (3, 2), "float32", "has 6 dimensions; supported: 5"),
    ],
)
def test_refusals(first, second, dtype, words):
    specs = [Spec(first, dtype), Spec(second, dtype)]
    with pytest.raises(RefusedModel, match=words):
        import_model(model("BATCH_MATMUL", specs, Spec((2, 2), dtype)), "model")


def test_refuses_int16_with_a_zero_point():
    x = Spec((2, 2), "int16", 0.1, 5)
    with pytest.raises(RefusedModel, match="int16 with a zero point that is not 0; supported: 0"):
        import_model(model("BATCH_MATMUL", [x, x], x), "model")
