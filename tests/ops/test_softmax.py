"""SOFTMAX and LOG_SOFTMAX against the oracles: types, ranks, beta, scales, refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, samples, scales, values, zero_points
from support.operators import check_operator

# Input and output type -> scale and zero point of the output.
OUTPUTS = {
    ("int8", "int8"): (1 / 256, -128),
    ("int8", "int16"): (1 / 65536, -32768),
    ("uint8", "uint8"): (1 / 256, 0),
    ("int16", "int16"): (1 / 32768, 0),
}
SHAPES = st.sampled_from(((1,), (40,), (5, 1), (3, 12), (2, 3, 7), (1, 2, 3, 33), (2, 1, 2, 1, 4)))
BETAS = st.one_of(st.just(1.0), scales(0.02, 30.0))


def softmax(types: tuple[str, str], shape, scale: float, point: int, beta: float) -> bytes:
    y = Spec(shape, types[1], *OUTPUTS[types])
    return model("SOFTMAX", [Spec(shape, types[0], scale, point)], y, {"beta": beta})


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.data(), st.sampled_from(sorted(OUTPUTS)), SHAPES, BETAS, st.booleans())
def test_quantized(data, types, shape, beta, litert):
    scale = data.draw(scales(1e-6, 3e-3) if types[0] == "int16" else scales(1e-4, 4.0))
    point = data.draw(zero_points(types[0]))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    inputs = [[values(rng, types[0], shape)] for _ in range(2)]
    oracle = "litert" if litert or types[0] == "uint8" else "tflm"
    check_operator(softmax(types, shape, scale, point, beta), inputs, (oracle,), litert)


@settings(max_examples=15, deadline=None, derandomize=True)
@given(SHAPES, BETAS, st.sampled_from((0.01, 1.0, 50.0)), st.integers(0, 99))
def test_float(shape, beta, spread, seed):
    spec = Spec(shape, "float32")
    rng = np.random.default_rng(seed)
    inputs = [[values(rng, "float32", shape, spread)] for _ in range(2)]
    check_operator(model("SOFTMAX", [spec], spec, {"beta": beta}), inputs)


@pytest.mark.parametrize("oracle", ["tflm", "litert"])
def test_every_difference_of_int16(oracle):
    high = np.full(65536, 32767)
    x = np.stack([high, high - np.arange(65536)], axis=1).astype(np.int16)
    data = softmax(("int16", "int16"), x.shape, 10 / 65535, 0, 1.0)
    check_operator(data, [[x]], (oracle,), oracle == "litert")


def test_every_difference_of_int8():
    high = np.full(256, 127)
    x = np.stack([high, high - np.arange(256), high - np.arange(256)], axis=1).astype(np.int8)
    for scale in (0.02, 0.1, 0.5):
        check_operator(softmax(("int8", "int8"), x.shape, scale, 5, 1.0), [[x]])


@settings(max_examples=25, deadline=None, derandomize=True)
@given(SHAPES, scales(1e-3, 4.0), zero_points("int8"), st.integers(0, 99))
def test_log_softmax_int8(shape, scale, point, seed):
    x = Spec(shape, "int8", scale, point)
    data = model("LOG_SOFTMAX", [x], Spec(shape, "int8", 16 / 256, 127))
    check_operator(data, samples(np.random.default_rng(seed), [x]))


@settings(max_examples=10, deadline=None, derandomize=True)
@given(SHAPES, st.integers(0, 99))
def test_log_softmax_float(shape, seed):
    spec = Spec(shape, "float32")
    check_operator(model("LOG_SOFTMAX", [spec], spec), samples(np.random.default_rng(seed), [spec]))


@pytest.mark.parametrize(
    ("operator", "types", "output", "words"),
    [
        ("SOFTMAX", ("int8", "int8"), (0.01, -128), "scale 0.01 .* supported: 0.00390625 and -128"),
        ("SOFTMAX", ("int8", "int8"), (1 / 256, 0), "zero point 0; supported: 0.00390625 and -128"),
        ("SOFTMAX", ("int32", "int32"), (None, 0), "int32, int32; supported: int8, int8; int8, in"),
        ("LOG_SOFTMAX", ("int8", "int8"), (0.1, 127), "scale 0.1 .* supported: 0.0625 and 127"),
        ("LOG_SOFTMAX", ("int16", "int16"), (0.1, 0), "its types are int16; supported: int8"),
    ],
)
def test_refusals(operator, types, output, words):
    scale = None if types[0] == "int32" else 0.1
    data = model(operator, [Spec((2, 4), types[0], scale)], Spec((2, 4), types[1], *output))
    with pytest.raises(RefusedModel, match=words):
        import_model(data, "model")
