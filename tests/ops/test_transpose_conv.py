"""Transposed convolutions against the oracles: types, windows, output sizes, edges, bands."""

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
from support.operators import check_operator

ZERO_POINTS = {"int8": (-128, -3, 0, 127), "uint8": (0, 7, 128, 255)}
MULTIPLIERS = (1e-5, 0.0004, 0.01, 0.3, 0.7, 1.9, 40.0)
BIASES = {
    "int8": ("default", None),
    "int16": ("default", "int32", None),
    "uint8": ("default", None),
    "float32": ("default", None),
    "hybrid": ("default",),
}


def oracles(layer: Layer) -> tuple[str, ...]:
    """TFLite Micro reads a 32-bit bias of int16 as one of 64 bits."""
    return ("litert",) if layer.bias == "int32" else ("tflm", "litert")


@st.composite
def layers(draw) -> Layer:
    kind = draw(st.sampled_from(tuple(BIASES)))
    kernel = draw(st.tuples(st.integers(1, 5), st.integers(1, 5)))
    stride = draw(st.tuples(st.integers(1, 4), st.integers(1, 4)))
    padding = draw(st.sampled_from([SAME, VALID]))
    size = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    # Sizes that a convolution with this window shrinks to the input's size.
    output = tuple(
        max(1, n * s - draw(st.integers(0, s - 1)))
        if padding == SAME
        else (n - 1) * s + k + draw(st.integers(0, s - 1))
        for n, k, s in zip(size, kernel, stride, strict=True)
    )
    channels = draw(st.sampled_from([1, 2, 4, 16, 65, 300]))
    points = ZERO_POINTS.get(kind, (0,))
    return Layer(
        "TRANSPOSE_CONV",
        (draw(st.integers(1, 2)), *size, channels),
        (draw(st.sampled_from([1, 3, 4, 6, 16, 35])), *kernel, channels),
        kind=kind,
        stride=stride,
        padding=padding,
        per_channel=kind != "uint8" and draw(st.booleans()),
        bias=draw(st.sampled_from(BIASES[kind])),
        multiplier=draw(st.sampled_from(MULTIPLIERS)),
        input_zero=draw(st.sampled_from(points)),
        weights_zero=draw(st.sampled_from(points)) if kind == "uint8" else 0,
        output_zero=draw(st.sampled_from(points)),
        output=output,
        seed=draw(st.integers(0, 99)),
    )


@settings(max_examples=200, deadline=None, derandomize=True)
@given(layers())
def test_transposed_convolutions_equal_the_oracles(layer: Layer) -> None:
    x = [[layer_input(layer, 1)], [layer_input(layer, 2)]]
    check_operator(layer_model(layer), x, oracles(layer))


@pytest.mark.parametrize("kind", ["int8", "int16", "float32"])
@pytest.mark.parametrize("activation", [1, 3])
def test_fused_activations(kind: str, activation: int) -> None:
    layer = Layer("TRANSPOSE_CONV", (1, 3, 3, 8), (4, 3, 3, 8), kind=kind, stride=(2, 2),
                  output=(6, 6), activation=activation)  # fmt: skip
    check_operator(layer_model(layer), [[layer_input(layer)]], ("litert",))


def test_a_shape_that_arrives_at_run_time_is_what_the_file_says() -> None:
    layer = Layer("TRANSPOSE_CONV", (1, 3, 4, 5), (2, 3, 3, 5), kind="int16", stride=(2, 2),
                  output=(6, 8), shape_is_input=True)  # fmt: skip
    shape = np.array([1, 6, 8, 2], np.int32)
    (outputs,) = check_operator(layer_model(layer), [_inputs(layer, shape)], ("litert",))
    assert outputs[0].shape == (1, 6, 8, 2) and outputs[0].any()


def _inputs(layer: Layer, shape: np.ndarray) -> list[np.ndarray]:
    """In the order of the file: the builder meets x first."""
    return [layer_input(layer), shape]


@pytest.mark.parametrize("kind", ["int8", "int16", "uint8", "float32"])
@pytest.mark.parametrize(
    ("kernel", "stride", "padding"), [((3, 3), (2, 2), SAME), ((2, 4), (3, 1), VALID)]
)
@pytest.mark.parametrize("band", [1, 2, 4])
def test_bands_of_rows_from_a_ring_equal_the_whole(kind, kernel, stride, padding, band):
    layer = Layer(
        "TRANSPOSE_CONV", (1, 5, 4, 6), (7, *kernel, 6), kind=kind, stride=stride, padding=padding,
        per_channel=kind != "uint8", output=(10, 8) if padding == SAME else (14, 7),
    )  # fmt: skip
    x = layer_input(layer)
    (whole,) = check_operator(layer_model(layer), [[x]], oracles(layer))
    np.testing.assert_array_equal(run_in_bands(layer_model(layer), x, band), whole[0])


def test_refusals_say_what_was_found_and_what_works() -> None:
    layer = Layer("TRANSPOSE_CONV", (1, 3, 3, 4), (2, 3, 3, 5), output=(6, 6), stride=(2, 2))
    with pytest.raises(RefusedModel, match="4 input channels with weights for 5"):
        import_model(layer_model(layer), "model")
    layer = replace(layer, weights=(2, 3, 3, 4), output=(0, 6))
    with pytest.raises(RefusedModel, match=r"output shape is \[1, 0, 6, 2\]; supported: \[1, rows"):
        import_model(layer_model(layer), "model")
    layer = replace(layer, output=(1, 1), shape_is_input=True)
    with pytest.raises(RefusedModel, match=r"computed at run time, and .* does not fit"):
        import_model(layer_model(layer), "model")
