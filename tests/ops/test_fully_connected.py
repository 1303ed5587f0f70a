"""FULLY_CONNECTED against the oracles: types, shapes, biases, scales, both numerics, refusals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import scales, values, zero_points
from support.operators import check_operator
from support.shared import MODELS, requires_shared
from tflite_builder import ModelBuilder

# Kind of layer -> types of the input and output, of the weights, of the bias.
TYPES = {
    "int8": ("int8", "int8", "int32"),
    "uint8": ("uint8", "uint8", "int32"),
    "int16": ("int16", "int8", "int64"),
    "float": ("float32", "float32", "float32"),
    "hybrid": ("float32", "int8", "float32"),
}


@dataclass(frozen=True)
class Layer:
    """A model of one layer; `computed` weights are a second input."""

    kind: str
    shape: tuple[int, ...]
    inputs: int
    outputs: int
    scale: float = 0.05
    point: int = 0
    weight_scales: tuple[float, ...] = (0.02,)
    weight_point: int = 0
    output_scale: float = 0.1
    output_point: int = 0
    bias: str | None = "default"
    activation: int = 0
    keep: bool = False
    asymmetric: bool = False
    computed: bool = False
    seed: int = 0


def build(layer: Layer) -> bytes:
    b = ModelBuilder()
    kind, weight_kind, bias_kind = TYPES[layer.kind]
    exact = kind == "float32"
    x = b.input("x", layer.shape, kind, None if exact else layer.scale, layer.point)
    weights = weights_of(layer)
    scale = None if weight_kind == "float32" else layer.weight_scales
    if layer.computed:
        w = b.input("w", weights.shape, weight_kind, scale, layer.weight_point)
    else:
        w = b.constant("w", weights, scale, layer.weight_point)
    operands = [x, w, -1]
    if layer.bias is not None:
        dtype = bias_kind if layer.bias == "default" else layer.bias
        products = np.float32(layer.scale) * np.array(layer.weight_scales, np.float32)
        operands[2] = b.constant("b", bias_of(layer, dtype), None if exact else products)
    rows = int(np.prod(layer.shape)) // layer.inputs
    shape = (*layer.shape[:-1], layer.outputs) if layer.keep else (rows, layer.outputs)
    y = b.tensor("y", shape, kind, None if exact else layer.output_scale, layer.output_point)
    options = {
        "fused_activation_function": layer.activation,
        "keep_num_dims": layer.keep,
        "asymmetric_quantize_inputs": layer.asymmetric,
    }
    if layer.bias == "int32" and layer.kind == "int16":
        options["quantized_bias_type"] = 2
    b.operator("FULLY_CONNECTED", operands, [y], options)
    b.output(y)
    return b.build()


def weights_of(layer: Layer) -> np.ndarray:
    rng = np.random.default_rng(layer.seed)
    weights = values(rng, TYPES[layer.kind][1], (layer.outputs, layer.inputs), 1.0)
    # The vector code of LiteRT negates int8 weights, which -128 does not survive.
    return np.maximum(weights, -127) if layer.kind == "hybrid" else weights


def bias_of(layer: Layer, dtype: str) -> np.ndarray:
    rng = np.random.default_rng(layer.seed + 1)
    if dtype == "float32":
        return values(rng, dtype, (layer.outputs,))
    return rng.integers(-20000, 20000, layer.outputs).astype(dtype)


def inputs_of(layer: Layer, count: int = 2) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(layer.seed + 2)
    further = [weights_of(layer)] if layer.computed else []
    kind = TYPES[layer.kind][0]
    return [[values(rng, kind, layer.shape), *further] for _ in range(count)]


@st.composite
def layers(draw, kind: str) -> Layer:
    inputs = draw(st.sampled_from((1, 3, 16, 33, 300)))
    shape = draw(st.sampled_from(((1, inputs), (3, inputs), (2, 3, inputs), (1, 2, 2, inputs))))
    outputs = draw(st.sampled_from((1, 4, 7, 10)))
    keep = draw(st.booleans())
    if not keep and draw(st.booleans()):
        inputs, shape = 6, (2, 3, 4)
    several = kind != "uint8" and outputs > 1 and draw(st.booleans())
    weight_scales = tuple(draw(scales(1e-3, 0.1)) for _ in range(outputs if several else 1))
    scale = draw(scales(1e-3, 0.1))
    ratio = draw(scales(1e-5, 0.01 if kind == "int16" else 5.0))
    exact = TYPES[kind][0] == "float32"
    points = st.just(0) if exact else zero_points(TYPES[kind][0])
    return Layer(
        kind, shape, inputs, outputs, scale, draw(points), weight_scales,
        draw(zero_points("uint8")) if kind == "uint8" else 0,
        float(np.float32(scale * np.mean(weight_scales) / ratio)), draw(points),
        draw(st.sampled_from(("default", "default", None))),
        draw(st.sampled_from((0, 0, 1, 2, 3))), keep, seed=draw(st.integers(0, 99)),
    )  # fmt: skip


@settings(max_examples=50, deadline=None, derandomize=True)
@given(layers("int8"), st.booleans(), st.booleans(), st.sampled_from((0, 0, -20, 17)))
def test_int8(layer, litert, computed, weight_point):
    if len(layer.weight_scales) == 1:
        layer = replace(layer, computed=computed, weight_point=weight_point)
    check_operator(build(layer), inputs_of(layer), ("litert" if litert else "tflm",), litert)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(layers("uint8"))
def test_uint8(layer):
    check_operator(build(layer), inputs_of(layer))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layers("int16"), st.booleans(), st.booleans())
def test_int16(layer, litert, narrow):
    layer = replace(layer, bias="int32" if narrow and layer.bias else layer.bias)
    check_operator(build(layer), inputs_of(layer), ("litert" if litert else "tflm",), litert)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(layers("float"), st.booleans())
def test_float(layer, computed):
    layer = replace(layer, computed=computed)
    check_operator(build(layer), inputs_of(layer))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(layers("hybrid"), st.booleans())
def test_hybrid(layer, asymmetric):
    layer = replace(layer, asymmetric=asymmetric)
    check_operator(build(layer), inputs_of(layer), ("litert",))


@pytest.mark.parametrize("asymmetric", [False, True])
@pytest.mark.parametrize("row", [0.0, 1.0, -1.0])
def test_hybrid_rows_of_one_sign(asymmetric, row):
    layer = Layer("hybrid", (2, 5), 5, 3, asymmetric=asymmetric)
    x = np.stack([np.full(5, row), np.linspace(0, row, 5)]).astype(np.float32)
    check_operator(build(layer), [[x]], ("litert",))


def test_ties_round_as_each_runtime_does():
    """Multipliers 1/2 and 1/6: many sums lie half way between two outputs."""
    for output_scale in (2.0, 6.0):
        layer = Layer(
            "int8", (8, 4), 4, 4, 1.0, 0, (1.0,), output_scale=output_scale * 64, bias=None
        )
        check_operator(build(layer), inputs_of(layer, 4), ("tflm",))
        check_operator(build(layer), inputs_of(layer, 4), ("litert",), litert=True)


def test_the_product_of_scales_is_not_rounded_to_float():
    """Scales whose 16-bit multiplier depends on it."""
    rng = np.random.default_rng(1)
    layer = Layer("int16", (2000, 1), 1, 1, bias=None, output_scale=2.0**-12)
    for _ in range(6):
        pair = scales_that_tell(rng)
        layer = replace(layer, scale=pair[0], weight_scales=(pair[1],))
        check_operator(build(layer), inputs_of(layer, 1), ("tflm",))


def scales_that_tell(rng: np.random.Generator) -> tuple[float, float]:
    while True:
        a, b = (np.float32(v) for v in rng.uniform(0.001, 0.01, 2))
        fractions = np.frexp([float(a * b), float(a) * float(b)])[0]
        if len(set(np.floor(fractions * 2**15 + 0.5))) == 2:
            return float(a), float(b)


@requires_shared
@pytest.mark.parametrize(
    "name", ["mlperf_ad01_int8", "mlperf_model_ToyCar_quant_fullint", "ambiq_nnid"]
)
def test_networks_with_the_numerics_of_litert(name):
    golden = np.load(MODELS / "golden" / f"{name}.npz")
    path = next(MODELS.glob(f"nets/{name}.tflite"))
    count = sum(f"s{i}_in0" in golden.files for i in range(64))
    inputs = [[golden[f"s{i}_in0"]] for i in range(count)]
    found = check_operator(path.read_bytes(), inputs, ("litert",), litert=True)
    for i, outputs in enumerate(found):
        np.testing.assert_array_equal(outputs[0], golden[f"s{i}_out0"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"bias": "int64"}, "the bias is int64; supported: int32"),
        ({"kind": "int16", "point": 3}, "a zero point that is not 0; supported: 0"),
        ({"kind": "uint8", "computed": True}, "uint8 weights for uint8 are computed; supported"),
        ({"activation": 4}, "fused activation TANH; supported: NONE"),
        ({"shape": (2, 7)}, r"an input of \[2, 7\] is not made of rows of 4"),
    ],
)
def test_refusals(change, words):
    layer = replace(Layer("int8", (2, 4), 4, 3), **change)
    with pytest.raises(RefusedModel, match=words):
        import_model(build(layer), "model")


def test_refuses_shuffled_weights():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", 0.1)
    w = b.constant("w", np.zeros((4, 4), np.int8), 0.1)
    y = b.tensor("y", (1, 4), "int8", 0.1)
    b.operator("FULLY_CONNECTED", [x, w, -1], [y], {"weights_format": 1})
    b.output(y)
    with pytest.raises(RefusedModel, match="shuffled; supported: the default weights format"):
        import_model(b.build(), "model")
