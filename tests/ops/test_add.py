"""ADD and SUB against the oracles: types, scales, broadcasts, constants, activations."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ops import kind_of
from nacre.ops.kind import LowerOptions
from support.elementwise import (
    Spec,
    broadcast_shapes,
    model,
    samples,
    scales,
    values,
    zero_points,
)
from support.golden import check_model, check_reference
from support.operators import check_operator
from support.shared import golden_path, model_path, requires_shared, tflite_models
from tflite_builder import ModelBuilder

NONE, RELU, RELU_N1_TO_1, RELU6, TANH = 0, 1, 2, 3, 4
QUANTIZED = ("int8", "uint8", "int16")
# LiteRT shifts int16 inputs whose scales are powers of two unless this is off.
GENERAL = {"pot_scale_int16": False}


def kernel_of(data: bytes) -> str:
    (node,) = import_model(data, "model").nodes()
    (call,) = kind_of(node.operator).lower(node, LowerOptions()).calls
    return call.kernel.name


@st.composite
def quantized_sums(draw):
    dtype = draw(st.sampled_from(QUANTIZED))
    first, second, out = draw(broadcast_shapes())
    a, b = (Spec(s, dtype, draw(scales()), draw(zero_points(dtype))) for s in (first, second))
    if draw(st.booleans()):
        b = Spec(second, dtype, a.scale, b.zero_point)
    ratio = draw(st.sampled_from((0.1, 0.7, 1.0, 1.6, 9.0)))
    scale = float(np.float32(max(a.scale, b.scale) * ratio))
    y = Spec(out, dtype, scale, draw(zero_points(dtype)))
    options = GENERAL | {"fused_activation_function": draw(st.sampled_from((0, 0, 1, 2, 3)))}
    return model(draw(st.sampled_from(("ADD", "SUB"))), [a, b], y, options), [a, b]


@settings(max_examples=70, deadline=None, derandomize=True)
@given(quantized_sums(), st.integers(0, 99))
def test_quantized(case, seed):
    data, inputs = case
    check_operator(data, samples(np.random.default_rng(seed), inputs))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(("ADD", "SUB")),
    st.sampled_from(("float32", "int32", "int64")),
    broadcast_shapes(),
    st.sampled_from((NONE, RELU, RELU_N1_TO_1, RELU6)),
    st.integers(0, 99),
)
def test_not_quantized(operator, dtype, shapes, activation, seed):
    activation = NONE if dtype == "int64" else activation
    a, b = (Spec(s, dtype) for s in shapes[:2])
    data = model(
        operator, [a, b], Spec(shapes[2], dtype), {"fused_activation_function": activation}
    )
    rng = np.random.default_rng(seed)
    inputs = samples(rng, [a, b])
    if activation != NONE and dtype == "int32":
        inputs = [[rng.integers(-9, 9, s.shape).astype(np.int32) for s in (a, b)]]
    # The oracles do not define sums that overflow.
    if dtype != "float32":
        inputs = [[v // 2 for v in sample] for sample in inputs]
    # TFLite Micro forgets the activation of an int32 sum.
    forgets = dtype == "int32" and operator == "ADD" and activation != NONE
    check_operator(data, inputs, oracles=("litert",) if forgets else ("tflm", "litert"))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.sampled_from(("ADD", "SUB")),
    st.sampled_from(("int8", "int16", "float32", "int32")),
    st.sampled_from((0, 1)),
    st.sampled_from(((), (1,), (3,), (4, 3), (2, 4, 3), (1, 2, 1, 3), (1, 1, 4, 1))),
)
def test_constants_on_either_side(operator, dtype, position, shape):
    rng = np.random.default_rng(len(shape))
    q = (None, 0) if dtype in ("float32", "int32") else (0.07, 0)
    constant = np.asarray(values(rng, dtype, shape) // 2, dtype)
    inputs = [Spec((1, 2, 4, 3), dtype, *q)]
    inputs.insert(position, Spec(shape, dtype, *q, content=constant))
    data = model(operator, inputs, Spec((1, 2, 4, 3), dtype, *q), GENERAL)
    check_operator(data, [[np.asarray(v // 2, dtype) for v in s] for s in samples(rng, inputs)])


@pytest.mark.parametrize("operator", ["ADD", "SUB"])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_six_dimensions_with_alternating_repeats(operator, dtype):
    q = (None, 0) if dtype == "float32" else (0.1, 3)
    a, b = Spec((2, 1, 3, 1, 2, 1), dtype, *q), Spec((1, 3, 1, 4, 1, 2), dtype, *q)
    data = model(operator, [a, b], Spec((2, 3, 3, 4, 2, 2), dtype, *q), version=4)
    graph = import_model(data, "model")
    assert graph.tensors[graph.outputs[0]].shape == (2, 3, 3, 4, 2, 2)
    check_operator(data, samples(np.random.default_rng(0), [a, b]), oracles=("litert",))


@pytest.mark.parametrize(
    ("first", "second", "output"),
    [(0.5, 0.5, 0.5), (0.25, 0.5, 0.5), (1.0, 0.125, 1.0), (2.0**-12, 2.0**-5, 2.0**-5)],
)
@pytest.mark.parametrize("operator", ["ADD", "SUB"])
def test_power_of_two_scales_of_litert(operator, first, second, output):
    a, b = Spec((1, 500), "int16", first), Spec((1, 500), "int16", second)
    data = model(operator, [a, b], Spec((1, 500), "int16", output))
    inputs = samples(np.random.default_rng(0), [a, b])
    check_operator(data, inputs, oracles=("litert",), litert=True)
    check_operator(data, inputs, oracles=("tflm",))


def test_all_pairs_of_int8_values():
    pairs = np.meshgrid(np.arange(-128, 128, dtype=np.int8), np.arange(-128, 128, dtype=np.int8))
    for scale, points in ((0.013, (-128, -128, -128)), (0.031, (127, -5, 60))):
        a = Spec((256, 256), "int8", 0.021, points[0])
        b = Spec((256, 256), "int8", scale, points[1])
        data = model("ADD", [a, b], Spec((256, 256), "int8", 0.044, points[2]))
        assert kernel_of(data) == "nacre_add_s8"
        check_operator(data, [pairs])


@pytest.mark.parametrize(
    ("operator", "scales_of", "kernel"),
    [
        ("ADD", (0.1, 0.1, 0.2), "nacre_add_s8"),
        ("ADD", (0.01, 0.1, 0.2), "nacre_add_s8"),
        ("ADD", (0.1, 1e-8, 0.2), "nacre_add_general_s8"),
        ("ADD", (0.1, 0.1, 5.0), "nacre_add_general_s8"),
        ("SUB", (0.01, 0.1, 0.2), "nacre_add_s8"),
        ("SUB", (0.1, 0.01, 0.2), "nacre_add_general_s8"),
    ],
)
def test_the_quick_kernel_is_used_where_it_is_exact(operator, scales_of, kernel):
    a, b, y = (Spec((1, 999), "int8", s, 7) for s in scales_of)
    data = model(operator, [a, b], y)
    assert kernel_of(data) == kernel
    check_operator(data, samples(np.random.default_rng(1), [a, b]))


def test_the_same_tensor_twice():
    rng = np.random.default_rng(0)
    b = ModelBuilder()
    x = b.input("x", (1, 3, 3, 2), "int8", 0.1, 5)
    y = b.tensor("y", (1, 3, 3, 2), "int8", 0.2, -3)
    b.operator("ADD", [x, x], [y])
    b.output(y)
    check_operator(b.build(), [[values(rng, "int8", (1, 3, 3, 2))]])


@requires_shared
@pytest.mark.parametrize(
    "name",
    [n for n in tflite_models("op") if n.startswith(("seanet_add", "seanet_sub"))]
    + ["mlonmcu_resnet_layer3", "mlonmcu_resnet_layer11", "mlonmcu_model_with_add"]
    + ["tflm_simple_add_model"],
)
def test_published_models(name):
    check_model(model_path(name), golden_path(name))
    check_reference(model_path(name), golden_path(name))


@pytest.mark.parametrize(
    ("inputs", "output", "options", "message"),
    [
        (("float32", "int8"), "float32", {}, "float32 and int8 to float32; supported: float32"),
        (("float16", "float16"), "float16", {}, "float16; supported: float32, or int32"),
        (("int64", "int64"), "int64", {"fused_activation_function": RELU}, "RELU on int64"),
        (("float32",) * 2, "float32", {"fused_activation_function": TANH}, "activation TANH"),
    ],
)
def test_refusals(inputs, output, options, message):
    specs = [Spec((1, 4), t, 0.1 if t == "int8" else None) for t in inputs]
    with pytest.raises(RefusedModel, match=message):
        import_model(model("ADD", specs, Spec((1, 4), output), options), "model")


def test_shapes_that_do_not_broadcast():
    specs = [Spec((1, 4), "float32"), Spec((1, 3), "float32")]
    with pytest.raises(RefusedModel, match=r"\[1, 4\] and \[1, 3\] do not broadcast"):
        import_model(model("ADD", specs, Spec((1, 4), "float32")), "model")


def test_an_output_scale_beyond_fixed_point():
    a, b = Spec((1, 4), "int16", 1.0), Spec((1, 4), "int16", 1.0)
    with pytest.raises(RefusedModel, match="times the output's"):
        import_model(model("ADD", [a, b], Spec((1, 4), "int16", 1e-5)), "model")
