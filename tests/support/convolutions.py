"""Builds TFLite models of one convolution of any kind, with inputs for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tflite_builder import ModelBuilder

SAME, VALID = 0, 1
INT32_TENSOR = 2  # quantized_bias_type: the runtime reads a 32-bit bias


@dataclass(frozen=True)
class Layer:
    """One convolution; `weights` is the shape that the operator's file format wants."""

    operator: str
    shape: tuple[int, int, int, int]
    weights: tuple[int, int, int, int]
    kind: str = "int8"  # int8, int16, uint8, float32, hybrid
    stride: tuple[int, int] = (1, 1)
    dilation: tuple[int, int] = (1, 1)
    padding: int = SAME
    activation: int = 0
    per_channel: bool = True
    bias: str | None = "default"
    # Real multiplier from accumulator to output.
    multiplier: float = 0.01
    input_zero: int = 0
    weights_zero: int = 0
    output_zero: int = 0
    # TRANSPOSE_CONV: rows and columns of the output.
    output: tuple[int, int] = (0, 0)
    shape_is_input: bool = False
    seed: int = 0

    @property
    def channels(self) -> int:
        """Output channels."""
        return self.weights[3 if self.operator == "DEPTHWISE_CONV_2D" else 0]

    @property
    def activations(self) -> str:
        """Element type of input and output."""
        return "float32" if self.kind == "hybrid" else self.kind


_BIAS = {"int8": "int32", "int16": "int64", "uint8": "int32"}


def layer_model(layer: Layer) -> bytes:
    """The file of a layer."""
    b = ModelBuilder()
    rng = np.random.default_rng(layer.seed)
    scale = np.float32(0.02)
    scales = _weight_scales(layer, rng)
    quantized = layer.activations != "float32"
    x = b.input("x", layer.shape, layer.activations, scale if quantized else None, layer.input_zero)
    w = _weights(b, layer, rng, scales)
    bias = _bias(b, layer, rng, scale * scales if quantized else None)
    output_scale = float(scale) * float(np.max(scales)) / layer.multiplier
    y = b.tensor(
        "y", _output_shape(layer), layer.activations, output_scale if quantized else None,
        layer.output_zero,
    )  # fmt: skip
    tail = [] if bias is None else [bias]
    if layer.operator == "TRANSPOSE_CONV":
        inputs = [_asked_shape(b, layer), w, x, *tail]
    else:
        inputs = [x, w, *tail]
    b.operator(layer.operator, inputs, [y], _options(layer), version=3)
    b.output(y)
    return b.build()


def layer_input(layer: Layer, seed: int = 0) -> np.ndarray:
    """Values over the whole range of the input's type."""
    rng = np.random.default_rng(seed)
    if layer.activations == "float32":
        return rng.standard_normal(layer.shape).astype(np.float32) * 3
    info = np.iinfo(layer.activations)
    return rng.integers(info.min, info.max + 1, layer.shape).astype(layer.activations)


def _weight_scales(layer: Layer, rng: np.random.Generator) -> np.ndarray:
    if not layer.per_channel:
        return np.array([0.004], np.float32)
    return (rng.uniform(0.3, 1.0, layer.channels) * 0.004).astype(np.float32)


def _weights(b: ModelBuilder, layer: Layer, rng: np.random.Generator, scales: np.ndarray) -> int:
    if layer.kind == "float32":
        return b.constant("w", rng.standard_normal(layer.weights).astype(np.float32))
    dtype = "uint8" if layer.kind == "uint8" else "int8"
    info = np.iinfo(dtype)
    # The runtime's matrix products of hybrid layers go wrong with -128, which converters avoid.
    lowest = -127 if layer.kind == "hybrid" else info.min
    values = rng.integers(lowest, info.max + 1, layer.weights).astype(dtype)
    axis = 3 if layer.operator == "DEPTHWISE_CONV_2D" and layer.per_channel else 0
    return b.constant("w", values, scales, layer.weights_zero, axis)


def _bias(
    b: ModelBuilder, layer: Layer, rng: np.random.Generator, scales: np.ndarray | None
) -> int | None:
    if layer.bias is None:
        return None
    if scales is None:
        return b.constant("b", rng.standard_normal(layer.channels).astype(np.float32))
    dtype = _BIAS[layer.kind] if layer.bias == "default" else layer.bias
    values = rng.integers(-30000, 30001, layer.channels).astype(dtype)
    return b.constant("b", values, scales, 0)


def _asked_shape(b: ModelBuilder, layer: Layer) -> int:
    shape = np.array([layer.shape[0], *layer.output, layer.channels], np.int32)
    if layer.shape_is_input:
        return b.input("shape", (4,), "int32")
    return b.constant("shape", shape)


def _output_shape(layer: Layer) -> tuple[int, int, int, int]:
    rows, columns = layer.output
    if layer.operator != "TRANSPOSE_CONV":
        rows, columns = (
            -(-n // s) if layer.padding == SAME else (n - (k - 1) * d - 1) // s + 1
            for n, k, s, d in zip(
                layer.shape[1:3], layer.weights[1:3], layer.stride, layer.dilation, strict=True
            )
        )
    return layer.shape[0], rows, columns, layer.channels


def _options(layer: Layer) -> dict[str, int]:
    options = {
        "padding": layer.padding,
        "stride_h": layer.stride[0],
        "stride_w": layer.stride[1],
        "fused_activation_function": layer.activation,
    }
    if layer.kind == "int16" and layer.bias == "int32" and layer.operator != "DEPTHWISE_CONV_2D":
        options["quantized_bias_type"] = INT32_TENSOR
    if layer.operator != "TRANSPOSE_CONV":
        options["dilation_h_factor"], options["dilation_w_factor"] = layer.dilation
    if layer.operator == "DEPTHWISE_CONV_2D":
        options["depth_multiplier"] = layer.weights[3] // layer.shape[3]
    return options
