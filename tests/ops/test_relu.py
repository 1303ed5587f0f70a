"""RELU and its kin, LEAKY_RELU, PRELU against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.compare import assert_equal
from support.elementwise import Spec, model, samples, scales, values, zero_points
from support.execute import Runner, program_of
from support.operators import check_operator
from support.shared import golden, model_path, requires_shared, tflite_models

CLAMPS = ("RELU", "RELU6", "RELU_N1_TO_1", "RELU_0_TO_1")
SHAPES = ((3,), (1, 40), (1, 4, 20, 10), (2, 3, 4, 5))


def all_codes(dtype: str) -> np.ndarray:
    info = np.iinfo(dtype)
    return np.arange(info.min, info.max + 1).astype(dtype)


@pytest.mark.parametrize("operator", CLAMPS)
@pytest.mark.parametrize("shape", SHAPES)
def test_floats(operator, shape):
    spec = Spec(shape, "float32")
    x = values(np.random.default_rng(0), "float32", shape)
    check_operator(model(operator, [spec], spec), [[x], [x * np.float32(1e30)]])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.sampled_from(CLAMPS), st.sampled_from(("int8", "uint8")), st.data())
def test_eight_bits(operator, dtype, data):
    scale, point = data.draw(scales()), data.draw(zero_points(dtype))
    out = (scale, point)
    if data.draw(st.booleans()):
        out = (data.draw(scales()), data.draw(zero_points(dtype)))
    # With few elements there is no table.
    x = all_codes(dtype)
    x = np.tile(x, 3) if data.draw(st.booleans()) else x
    made = model(operator, [Spec(x.shape, dtype, scale, point)], Spec(x.shape, dtype, *out))
    # TFLite Micro clamps RELU6 in the input's scale and forgets to change it to the output's.
    forgets = operator == "RELU6" and out != (scale, point)
    check_operator(made, [[x]], oracles=("litert",) if forgets else ("tflm", "litert"))


@pytest.mark.parametrize("operator", ["RELU", "RELU6"])
@pytest.mark.parametrize("output", [0.0004, 0.0007])
@pytest.mark.parametrize("litert", [False, True])
def test_int16(operator, output, litert):
    x = all_codes("int16")
    data = model(operator, [Spec(x.shape, "int16", 0.0004)], Spec(x.shape, "int16", output))
    oracle = "litert" if litert or (operator == "RELU6" and output != 0.0004) else "tflm"
    check_operator(data, [[x]], oracles=(oracle,), litert=oracle == "litert")


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.sampled_from(("int8", "uint8", "float32")),
    st.sampled_from((0.01, 0.2, 0.3, 0.999, 1.0, 1.5, 0.0)),
    st.data(),
)
def test_leaky_relu(dtype, alpha, data):
    if dtype == "float32":
        spec = Spec((1, 3, 4, 5), dtype)
        inputs = samples(np.random.default_rng(0), [spec])
        check_operator(model("LEAKY_RELU", [spec], spec, {"alpha": alpha}), inputs)
        return
    x = all_codes(dtype)
    a, y = (Spec(x.shape, dtype, data.draw(scales()), data.draw(zero_points(dtype))) for _ in "ay")
    check_operator(model("LEAKY_RELU", [a], y, {"alpha": alpha}), [[x]])


@pytest.mark.parametrize("alpha", [0.1, 0.3, 1.0])
@pytest.mark.parametrize("output", [0.0004, 0.0007, 0.0001])
def test_leaky_relu_of_int16_is_that_of_litert(alpha, output):
    x = all_codes("int16")
    a, y = Spec(x.shape, "int16", 0.0004), Spec(x.shape, "int16", output)
    check_operator(model("LEAKY_RELU", [a], y, {"alpha": alpha}), [[x]], oracles=("litert",))


@requires_shared
@pytest.mark.parametrize("name", [n for n in tflite_models("op") if "leaky_relu" in n])
def test_published_models(name):
    arrays = golden(name)
    runner = Runner(program_of(import_model(model_path(name).read_bytes(), "model")))
    for i in range(4):
        (ours,) = runner.run([arrays[f"s{i}_in0"]])
        assert_equal(ours, arrays[f"s{i}_out0"], f"sample {i}")


SLOPES = ((5,), (1, 1, 5), (1, 4, 5), (3, 4, 5), (1,), (3, 1, 5), (1, 3, 4, 5))


@settings(max_examples=50, deadline=None, derandomize=True)
@given(st.sampled_from(("int8", "uint8", "float32")), st.sampled_from(SLOPES), st.data())
def test_prelu(dtype, slopes, data):
    rng = np.random.default_rng(0)
    quantized = dtype != "float32"
    q = [
        (data.draw(scales()), data.draw(zero_points(dtype))) if quantized else (None, 0)
        for _ in range(3)
    ]
    x, y = Spec((1, 3, 4, 5), dtype, *q[0]), Spec((1, 3, 4, 5), dtype, *q[2])
    content = values(rng, dtype, slopes) if data.draw(st.booleans()) else None
    inputs = [x, Spec(slopes, dtype, *q[1], content=content)]
    check_operator(model("PRELU", inputs, y), samples(rng, inputs))


def test_refusals():
    x, alpha = Spec((1, 3, 4, 5), "float32"), Spec((1, 3, 4, 4), "float32")
    with pytest.raises(RefusedModel, match=r"slopes \[1, 3, 4, 4\] do not stretch"):
        import_model(model("PRELU", [x, alpha], x), "model")
    x = Spec((1, 4), "int32")
    with pytest.raises(RefusedModel, match="its types are int32; supported: int8, or uint8"):
        import_model(model("RELU", [x], x), "model")
