"""Depthwise convolutions against the oracles: types, multipliers, windows, edges, bands of rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ops.fixedpoint import quantize_multiplier
from support.bands import run_in_bands
from support.convolutions import SAME, VALID, Layer, layer_input, layer_model
from support.execute import Runner, program_of
from support.operators import check_operator

ZERO_POINTS = {"int8": (-128, -3, 0, 127), "uint8": (0, 7, 128, 255)}
MULTIPLIERS = (1e-5, 0.0004, 0.01, 0.3, 0.7, 1.9, 40.0)


@st.composite
def layers(draw, kinds=("int8", "int16", "uint8", "float32")) -> Layer:
    kind = draw(st.sampled_from(kinds))
    kernel = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    dilation = draw(st.sampled_from([(1, 1), (1, 1), (2, 3), (3, 1)]))
    padding = draw(st.sampled_from([SAME, VALID]))
    low = [(k - 1) * d + 1 if padding == VALID else 1 for k, d in zip(kernel, dilation)]  # noqa: B905
    channels = draw(st.sampled_from([1, 2, 3, 4, 8, 10, 16, 17, 24, 32, 33, 70]))
    multiplier = draw(st.sampled_from([1, 1, 1, 2, 3, 8]))
    stride = draw(st.sampled_from([1, 2, 3]))
    points = ZERO_POINTS.get(kind, (0,))
    return Layer(
        "DEPTHWISE_CONV_2D",
        (
            draw(st.integers(1, 2)), draw(st.integers(low[0], low[0] + 6)),
            draw(st.integers(low[1], low[1] + 9)), channels,
        ),
        (1, *kernel, channels * multiplier),
        kind=kind,
        stride=(stride, stride),
        dilation=dilation,
        padding=padding,
        activation=draw(st.sampled_from([0, 1, 2, 3])),
        per_channel=kind != "uint8" and (kind == "hybrid" or draw(st.booleans())),
        bias="default" if kind in ("uint8", "hybrid") else draw(st.sampled_from(["default", None])),
        multiplier=draw(st.sampled_from(MULTIPLIERS)),
        input_zero=draw(st.sampled_from(points)),
        weights_zero=draw(st.sampled_from(points)) if kind == "uint8" else 0,
        output_zero=draw(st.sampled_from(points)),
        seed=draw(st.integers(0, 99)),
    )  # fmt: skip


@settings(max_examples=250, deadline=None, derandomize=True)
@given(layers())
def test_depthwise_convolutions_equal_the_oracles(layer: Layer) -> None:
    check_operator(layer_model(layer), [[layer_input(layer, 1)], [layer_input(layer, 2)]])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layers(kinds=("hybrid",)))
def test_inputs_quantized_at_run_time_equal_litert(layer: Layer) -> None:
    if layer.channels == 1:
        layer = replace(layer, weights=(*layer.weights[:3], 2))
    check_operator(layer_model(layer), [[layer_input(layer, 1)]])


@pytest.mark.parametrize("stride", [(1, 2), (2, 1)])
def test_strides_that_differ(stride: tuple[int, int]) -> None:
    layer = Layer("DEPTHWISE_CONV_2D", (1, 7, 9, 8), (1, 3, 3, 8), stride=stride)
    check_operator(layer_model(layer), [[layer_input(layer)]])


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8"])
@pytest.mark.parametrize("end", ["min", "max"])
def test_inputs_at_the_ends_of_their_type(kind: str, end: str) -> None:
    layer = Layer(
        "DEPTHWISE_CONV_2D", (1, 12, 12, 18), (1, 9, 9, 18), kind=kind, multiplier=1e-3,
        per_channel=kind != "uint8", weights_zero=255 if kind == "uint8" else 0,
    )  # fmt: skip
    x = np.full(layer.shape, getattr(np.iinfo(kind), end), kind)
    check_operator(layer_model(layer), [[x]])


def test_a_32_bit_bias_of_int16_counts_as_a_64_bit_one() -> None:
    """No oracle takes it: the formula is written out here."""
    layer = Layer("DEPTHWISE_CONV_2D", (1, 1, 1, 3), (1, 1, 1, 3), kind="int16", bias="int32",
                  per_channel=False)  # fmt: skip
    graph = import_model(layer_model(layer), "model")
    x = layer_input(layer)
    w, bias = graph.tensors["1"].constant, graph.tensors["2"].constant
    sums = x[0, 0, 0].astype(int) * w[0, 0, 0].astype(int) + bias
    real = graph.tensors["0"].q.scale * graph.tensors["1"].q.scale / graph.tensors["3"].q.scale
    fixed, shift = quantize_multiplier(real)
    total = 15 - shift
    expected = (sums * ((fixed + (1 << 15)) >> 16) + (1 << (total - 1))) >> total
    (y,) = Runner(program_of(graph)).run([x])
    np.testing.assert_array_equal(y[0, 0, 0], np.clip(expected, -32768, 32767))


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8", "float32"])
@pytest.mark.parametrize(
    ("channels", "multiplier", "stride", "padding"),
    [(5, 1, 1, SAME), (40, 1, 2, SAME), (3, 2, 1, VALID)],
)
@pytest.mark.parametrize("band", [1, 3])
def test_bands_of_rows_from_a_ring_equal_the_whole(
    kind, channels, multiplier, stride, padding, band
):
    layer = Layer(
        "DEPTHWISE_CONV_2D", (1, 11, 6, channels), (1, 3, 2, channels * multiplier), kind=kind,
        stride=(stride, stride), padding=padding, per_channel=kind != "uint8",
    )  # fmt: skip
    x = layer_input(layer)
    (whole,) = check_operator(layer_model(layer), [[x]])
    np.testing.assert_array_equal(run_in_bands(layer_model(layer), x, band), whole[0])


def test_int8_kernels_need_no_scratch() -> None:
    layer = Layer("DEPTHWISE_CONV_2D", (1, 8, 8, 16), (1, 3, 3, 16))
    program = program_of(import_model(layer_model(layer), "model"))
    assert not [t for t in program.slots if "scratch" in t]


def test_refusals_say_what_was_found_and_what_works() -> None:
    layer = Layer("DEPTHWISE_CONV_2D", (1, 4, 4, 4), (1, 3, 3, 6))
    with pytest.raises(RefusedModel, match=r"4 input channels with weights \[1, 3, 3, 6\]"):
        import_model(layer_model(layer), "model")
    layer = Layer("DEPTHWISE_CONV_2D", (1, 4, 4, 4), (1, 3, 3, 4), bias="int16")
    with pytest.raises(RefusedModel, match=r"the bias is int16 \[4\]; supported: int32 \[4\]"):
        import_model(layer_model(layer), "model")
