"""Convolutions against the oracles: types, groups, windows, multipliers, edges, bands of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.bands import run_in_bands
from support.convolutions import SAME, VALID, Layer, layer_input, layer_model
from support.execute import program_of
from support.operators import check_operator
from tflite_builder import ModelBuilder

ZERO_POINTS = {"int8": (-128, -3, 0, 127), "uint8": (0, 7, 128, 255)}
# Biases that an oracle takes.
BIASES = {
    "int8": ("default", None),
    "int16": ("default", "int32", None),
    "float32": ("default", None),
}
MULTIPLIERS = (1e-6, 0.0004, 0.01, 0.3, 0.7, 1.9, 40.0)


@st.composite
def layers(draw, kinds=("int8", "int16", "uint8", "float32")) -> Layer:
    kind = draw(st.sampled_from(kinds))
    kernel = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    dilation = draw(st.tuples(st.integers(1, 3), st.integers(1, 3)))
    padding = draw(st.sampled_from([SAME, VALID]))
    extent = [(k - 1) * d + 1 if padding == VALID else 1 for k, d in zip(kernel, dilation)]  # noqa: B905
    groups = 1 if kind == "hybrid" else draw(st.sampled_from([1, 1, 1, 2, 3]))
    channels = draw(st.sampled_from([1, 2, 3, 5, 8, 16, 17, 24, 70]))
    points = ZERO_POINTS.get(kind, (0,))
    return Layer(
        "CONV_2D",
        (
            draw(st.integers(1, 2)), draw(st.integers(extent[0], extent[0] + 6)),
            draw(st.integers(extent[1], extent[1] + 6)), channels * groups,
        ),
        (draw(st.sampled_from([1, 2, 3, 4, 5, 9, 33])) * groups, *kernel, channels),
        kind=kind,
        stride=draw(st.tuples(st.integers(1, 3), st.integers(1, 3))),
        dilation=dilation,
        padding=padding,
        activation=draw(st.sampled_from([0, 1, 2, 3])),
        per_channel=kind != "uint8" and draw(st.booleans()),
        bias=draw(st.sampled_from(BIASES.get(kind, ("default",)))),
        multiplier=draw(st.sampled_from(MULTIPLIERS)),
        input_zero=draw(st.sampled_from(points)),
        weights_zero=draw(st.sampled_from(points)) if kind == "uint8" else 0,
        output_zero=draw(st.sampled_from(points)),
        seed=draw(st.integers(0, 99)),
    )  # fmt: skip


@settings(max_examples=250, deadline=None, derandomize=True)
@given(layers())
def test_convolutions_equal_the_oracles(layer: Layer) -> None:
    check_operator(layer_model(layer), [[layer_input(layer, 1)], [layer_input(layer, 2)]])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layers(kinds=("hybrid",)))
def test_inputs_quantized_at_run_time_equal_litert(layer: Layer) -> None:
    layer = replace(layer, bias="default")
    check_operator(layer_model(layer), [[layer_input(layer, 1)], [layer_input(layer, 2)]])


def test_a_hybrid_layer_of_zeros_is_its_bias() -> None:
    layer = Layer("CONV_2D", (1, 3, 3, 2), (4, 2, 2, 2), kind="hybrid", padding=VALID)
    ((y,),) = check_operator(layer_model(layer), [[np.zeros(layer.shape, np.float32)]])
    assert (y == y[0, 0, 0]).all() and y.any()


@pytest.mark.parametrize("channels", [1, 3, 7, 15, 16, 21, 22, 64, 65, 129, 300])
def test_rows_of_weights_of_every_length(channels: int) -> None:
    layer = Layer("CONV_2D", (1, 2, 3, channels), (6, 1, 1, channels), input_zero=-128)
    check_operator(layer_model(layer), [[layer_input(layer)]])
    layer = replace(layer, weights=(6, 3, 3, channels), multiplier=0.001)
    check_operator(layer_model(layer), [[layer_input(layer)]])


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_inputs_at_the_ends_of_their_type(kind: str, end: str) -> None:
    layer = Layer(
        "CONV_2D", (1, 4, 4, 100), (8, 3, 3, 100), kind=kind, multiplier=1e-4,
        per_channel=kind != "uint8", weights_zero=255 if kind == "uint8" else 0,
    )  # fmt: skip
    x = np.full(layer.shape, getattr(np.iinfo(kind), end), kind)
    check_operator(layer_model(layer), [[x]])


def bias_model(operator: str, kind: str, seed: int) -> tuple[bytes, np.ndarray]:
    """A layer whose accumulators are its biases, all around one that rounds either way."""
    rng = np.random.default_rng(seed)
    scale, weight_scale = (np.float32(v) for v in rng.uniform(0.001, 0.1, 2))
    output_scale = np.float32(float(scale) * float(weight_scale) * 2**28 / 100)
    middle = int(100.5 * float(output_scale) / (float(scale) * float(weight_scale)))
    bias = np.arange(middle - 50, middle + 50).astype(np.int32)
    depthwise = operator == "DEPTHWISE_CONV_2D"
    shape = (1, 1, 1, len(bias) if depthwise else 1)
    b = ModelBuilder()
    x = b.input("x", shape, kind, scale, 7)
    w = np.full((1, 1, 1, len(bias)) if depthwise else (len(bias), 1, 1, 1), 9, kind)
    operands = [b.constant("w", w, weight_scale, 0)]
    operands.append(b.constant("b", bias, scale * weight_scale, 0))
    y = b.tensor("y", (1, 1, 1, len(bias)), kind, output_scale, 0)
    inputs = [x, *operands]
    if operator == "TRANSPOSE_CONV":
        asked = b.constant("shape", np.array([1, 1, 1, len(bias)], np.int32))
        inputs = [asked, operands[0], x, operands[1]]
    options = {"stride_h": 1, "stride_w": 1}
    if depthwise:
        options["depth_multiplier"] = 1
    b.operator(operator, inputs, [y], options, version=3)
    b.output(y)
    return b.build(), np.full(shape, 7, kind)


@pytest.mark.parametrize("kind", ["int8", "uint8"])
@pytest.mark.parametrize("operator", ["CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV"])
def test_multipliers_are_right_to_the_last_bit(operator: str, kind: str) -> None:
    for seed in range(4):
        data, x = bias_model(operator, kind, seed)
        ((y,),) = check_operator(data, [[x]])
        assert set(y.ravel()) == {100, 101}


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8", "float32"])
@pytest.mark.parametrize(
    ("kernel", "stride", "dilation", "padding"),
    [
        ((3, 3), (1, 1), (1, 1), SAME),
        ((2, 3), (2, 2), (2, 1), VALID),
        ((1, 1), (1, 1), (1, 1), SAME),
    ],
)
@pytest.mark.parametrize("band", [1, 3])
def test_bands_of_rows_from_a_ring_equal_the_whole(kind, kernel, stride, dilation, padding, band):
    layer = Layer(
        "CONV_2D", (1, 11, 6, 5), (7, *kernel, 5), kind=kind, stride=stride, dilation=dilation,
        padding=padding, per_channel=kind != "uint8",
    )  # fmt: skip
    x = layer_input(layer)
    (whole,) = check_operator(layer_model(layer), [[x]])
    np.testing.assert_array_equal(run_in_bands(layer_model(layer), x, band), whole[0])


@pytest.mark.parametrize("kernel", [(1, 1), (3, 3), (5, 5)])
def test_int8_kernels_need_no_scratch(kernel: tuple[int, int]) -> None:
    layer = Layer("CONV_2D", (1, 8, 8, 16), (16, *kernel, 16))
    program = program_of(import_model(layer_model(layer), "model"))
    assert not [t for t in program.slots if "scratch" in t]


def refusal(layer: Layer) -> str:
    with pytest.raises(RefusedModel) as caught:
        import_model(layer_model(layer), "model")
    return str(caught.value)


def test_refusals_say_what_was_found_and_what_works() -> None:
    layer = Layer("CONV_2D", (1, 4, 4, 5), (4, 3, 3, 2))
    assert "5 input and 4 output channels with weights for 2; supported: groups" in refusal(layer)
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 3, 3, 2), bias="int64")
    assert "the bias is int64 [4]; supported: int32 [4]" in refusal(layer)
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 3, 3, 2), weights_zero=3)
    assert "the weights have the zero point 3; supported: 0" in refusal(layer)
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 3, 3, 2), kind="int16", input_zero=9)
    assert "the input has the zero point 9; supported: 0" in refusal(layer)
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 3, 3, 2), kind="int16", multiplier=1e5)
    assert "supported: below 128" in refusal(layer)
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 5, 3, 2), padding=VALID)
    with pytest.raises(RefusedModel, match="a window of 5 does not fit an input of 4"):
        import_model(layer_model(replace(layer, padding=VALID)), "model")
    layer = Layer("CONV_2D", (1, 4, 4, 2), (4, 3, 3, 2), activation=4)
    assert "fused activation TANH; supported: NONE, RELU" in refusal(layer)
