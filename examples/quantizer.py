"""Lays int8 layers into a TFLite file; every layer is calibrated as it is made.

Weights are drawn as int8 values. The scales follow from what the layers before gave on calibration
samples, so that no activation saturates or vanishes. All sums are over integers, held exactly in
float64: the files come out the same on every machine, whatever its linear algebra library does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from tflite_builder import ModelBuilder

Pair: TypeAlias = tuple[int, int]
Calibration: TypeAlias = tuple[float, int]  # scale, zero point

LOWEST, HIGHEST = -128, 127
# ActivationFunctionType of the schema, and the range that it leaves.
ACTIVATIONS = {"none": (0, None), "relu": (1, (0.0, np.inf)), "relu6": (3, (0.0, 6.0))}
PADDINGS = {"same": 0, "valid": 1}
# What softmax and logistic must have at the output.
UNIT_SCALE = (1 / 256, LOWEST)


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor of the file, and its int8 values for all calibration samples (first axis)."""

    index: int
    codes: np.ndarray
    scale: float
    zero_point: int

    @property
    def centred(self) -> np.ndarray:
        """Values without the zero point; exact in float64."""
        return self.codes.astype(np.float64) - self.zero_point

    @property
    def real(self) -> np.ndarray:
        return self.centred * self.scale


@dataclass(frozen=True, eq=False)
class Fitted:
    """What calibration chose for a layer of weights."""

    scales: np.ndarray
    bias: np.ndarray
    real: np.ndarray


class QuantizedNetwork:
    """Appends layers to a file; each method takes and returns values.

    The first axis of the samples is the batch: the file has a batch of one. In a streaming network
    the samples are consecutive in time.
    """

    def __init__(self, name: str, seed: int) -> None:
        self.builder = ModelBuilder(name)
        self._rng = np.random.default_rng(seed)
        self._names: dict[str, int] = {}
        self._init: ModelBuilder | None = None

    def input(self, samples: np.ndarray, scale: float, zero_point: int) -> Value:
        shape = (1, *samples.shape[1:])
        index = self.builder.input("input", shape, "int8", scale, zero_point)
        return Value(index, samples, scale, zero_point)

    def build(self, output: Value) -> bytes:
        self.builder.output(output.index)
        return self.builder.build()

    # --- layers with weights ---

    def conv(
        self,
        x: Value,
        channels: int,
        kernel: Pair = (1, 1),
        stride: Pair = (1, 1),
        padding: str = "same",
        activation: str = "relu",
    ) -> Value:
        weights = self._draw((channels, *kernel, x.codes.shape[3]))
        acc = sum(
            taps @ weights[:, ky, kx].T.astype(np.float64)
            for ky, kx, taps in _taps(x.centred, kernel, stride, padding)
        )
        fitted = self._fit(acc, x.scale)
        options = {**_strides(stride), "padding": PADDINGS[padding]}
        return self._weighted("CONV_2D", x, weights, 0, fitted, options, activation)

    def depthwise(
        self,
        x: Value,
        kernel: Pair,
        stride: Pair = (1, 1),
        padding: str = "same",
        activation: str = "relu",
    ) -> Value:
        weights = self._draw((1, *kernel, x.codes.shape[3]))
        acc = sum(
            taps * weights[0, ky, kx] for ky, kx, taps in _taps(x.centred, kernel, stride, padding)
        )
        fitted = self._fit(acc, x.scale)
        options = {**_strides(stride), "padding": PADDINGS[padding], "depth_multiplier": 1}
        return self._weighted("DEPTHWISE_CONV_2D", x, weights, 3, fitted, options, activation)

    def dense(self, x: Value, units: int, spread: float = 2.0) -> Value:
        """Fully connected, one scale for all weights; `spread` is how far the outputs vary."""
        weights = self._draw((units, x.codes.shape[1]))
        acc = x.centred @ weights.T.astype(np.float64)
        fitted = self._fit(acc, x.scale, spread, per_channel=False)
        return self._weighted("FULLY_CONNECTED", x, weights, 0, fitted, {}, "none", version=4)

    # --- layers without ---

    def add(self, a: Value, b: Value, activation: str = "relu") -> Value:
        code, _ = ACTIVATIONS[activation]
        y = self._output("add", a.real + b.real, activation)
        options = {"fused_activation_function": code}
        self.builder.operator("ADD", [a.index, b.index], [y.index], options, version=2)
        return y

    def average_pool(self, x: Value) -> Value:
        """Over the whole image."""
        height, width = x.codes.shape[1:3]
        mean = np.floor(x.centred.sum((1, 2), keepdims=True) / (height * width) + 0.5)
        y = self._like("pool", x, mean + x.zero_point)
        options = {"padding": 1, **_strides((height, width))}
        options |= {"filter_height": height, "filter_width": width}
        self.builder.operator("AVERAGE_POOL_2D", [x.index], [y.index], options, version=2)
        return y

    def reshape(self, x: Value, *shape: int) -> Value:
        """To (1, *shape)."""
        y = self._like("reshape", x, x.codes.reshape(len(x.codes), *shape))
        wanted = self._integers("reshape/shape", 1, *shape)
        options = {"new_shape": (1, *shape)}
        self.builder.operator("RESHAPE", [x.index, wanted], [y.index], options)
        return y

    def softmax(self, x: Value) -> Value:
        raised = np.exp(x.real)
        y = self._coded("softmax", raised / raised.sum(-1, keepdims=True), UNIT_SCALE)
        self.builder.operator("SOFTMAX", [x.index], [y.index], {"beta": 1.0}, version=2)
        return y

    def logistic(self, x: Value) -> Value:
        y = self._coded("logistic", 1 / (1 + np.exp(-x.real)), UNIT_SCALE)
        self.builder.operator("LOGISTIC", [x.index], [y.index], version=2)
        return y

    def to_uint8(self, x: Value) -> Value:
        """The same real values in unsigned bytes."""
        zero_point = x.zero_point - LOWEST
        name = self._name("quantize")
        index = self.builder.tensor(name, (1, *x.codes.shape[1:]), "uint8", x.scale, zero_point)
        self.builder.operator("QUANTIZE", [x.index], [index])
        return Value(index, x.codes - LOWEST, x.scale, zero_point)

    # --- state ---

    def call_once(self) -> None:
        """The subgraph that sets all variables before the first run; comes before `stream`."""
        self._init = self.builder.subgraph("init")
        options = {"init_subgraph_index": self._init.index}
        self.builder.operator("CALL_ONCE", [], [], options)

    def stream(self, x: Value, depth: int) -> Value:
        """The last `depth` rows of earlier runs before the rows of this one; they are kept."""
        rows, (_, width, channels) = x.codes.shape[1], x.codes.shape[1:]
        handle = self._variable(x, (1, depth, width, channels))
        past = self._like("past", x, _history(x, depth)[:, :depth])
        self.builder.operator("READ_VARIABLE", [handle], [past.index])
        y = self._like("stream", x, _history(x, depth))
        options = {"axis": 1, "fused_activation_function": 0}
        inputs = [past.index, x.index]
        self.builder.operator("CONCATENATION", inputs, [y.index], options, version=2)
        kept = self._like("kept", x, y.codes[:, rows:])
        self._last_rows(y, kept, depth)
        self.builder.operator("ASSIGN_VARIABLE", [handle, kept.index], [])
        return y

    def _variable(self, x: Value, shape: tuple[int, ...]) -> int:
        """The handle of a new variable that starts as real zeros."""
        assert self._init is not None, "call_once comes first"
        name = self._name("state")
        options = {"container": "", "shared_name": name}
        handles = [b.tensor(f"{name}/handle", (), "resource") for b in (self.builder, self._init)]
        self.builder.operator("VAR_HANDLE", [], [handles[0]], options)
        self._init.operator("VAR_HANDLE", [], [handles[1]], options)
        zeros = np.full(shape, x.zero_point, np.int8)
        first = self._init.constant(f"{name}/first", zeros, x.scale, x.zero_point)
        self._init.operator("ASSIGN_VARIABLE", [handles[1], first], [])
        return handles[0]

    def _last_rows(self, x: Value, y: Value, depth: int) -> None:
        begin = self._integers("kept/begin", 0, -depth, 0, 0)
        end = self._integers("kept/end", 0, 0, 0, 0)
        strides = self._integers("kept/strides", 1, 1, 1, 1)
        options = {"begin_mask": 0b1101, "end_mask": 0b1111}
        inputs = [x.index, begin, end, strides]
        self.builder.operator("STRIDED_SLICE", inputs, [y.index], options, version=2)

    # --- calibration ---

    def _draw(self, shape: tuple[int, ...]) -> np.ndarray:
        """Weights, small ones more often than large ones: the sum of three uniform draws."""
        weights: np.ndarray = self._rng.integers(-42, 43, (3, *shape)).sum(0).astype(np.int8)
        return weights

    def _fit(
        self, acc: np.ndarray, scale: float, spread: float = 1.0, per_channel: bool = True
    ) -> Fitted:
        """Scales and biases that give every channel about the same mean and variation.

        acc is sum (x - zero_point) * w, channels last; `scale` is the input's.
        """
        sums = acc.astype(np.int64).reshape(-1, acc.shape[-1])
        centre = sums.sum(0) // len(sums)
        deviation = np.maximum(1, np.abs(sums - centre).sum(0) // len(sums))
        gain = self._rng.integers(60, 141, len(centre)) / 100
        if not per_channel:
            deviation[:], gain[:] = deviation.sum() // len(deviation), 1.0
        scales = (spread * gain / (deviation * scale)).astype(np.float32)
        bias = deviation * self._rng.integers(-2, 7, len(centre)) // 8 - centre
        real = (sums + bias) * (scale * scales.astype(np.float64))
        return Fitted(scales, bias.astype(np.int32), real.reshape(acc.shape))

    def _weighted(
        self,
        type: str,
        x: Value,
        weights: np.ndarray,
        axis: int,
        fitted: Fitted,
        options: dict[str, int],
        activation: str,
        version: int = 3,
    ) -> Value:
        """Write a layer with weights and bias; `axis` of the weights has the scales."""
        y = self._output(type.lower(), fitted.real, activation)
        scales = fitted.scales if type != "FULLY_CONNECTED" else fitted.scales[:1]
        inputs = [
            x.index,
            self.builder.constant(self._name("weights"), weights, scales, axis=axis),
            self.builder.constant(
                self._name("bias"), fitted.bias, np.float32(x.scale) * scales, axis=0
            ),
        ]
        options = options | {"fused_activation_function": ACTIVATIONS[activation][0]}
        self.builder.operator(type, inputs, [y.index], options, version=version)
        return y

    def _output(self, name: str, real: np.ndarray, activation: str) -> Value:
        """A tensor whose scale spans what the samples gave after the activation."""
        _, limits = ACTIVATIONS[activation]
        clipped = real if limits is None else np.clip(real, *limits)
        return self._coded(name, clipped, _span(clipped))

    def _coded(self, name: str, real: np.ndarray, calibration: Calibration) -> Value:
        scale, zero_point = calibration
        codes = np.floor(real / scale + 0.5) + zero_point
        name, shape = self._name(name), (1, *real.shape[1:])
        index = self.builder.tensor(name, shape, "int8", scale, zero_point)
        return Value(index, np.clip(codes, LOWEST, HIGHEST).astype(np.int64), scale, zero_point)

    def _like(self, name: str, x: Value, codes: np.ndarray) -> Value:
        """A tensor with the quantization of another."""
        name, shape = self._name(name), (1, *codes.shape[1:])
        index = self.builder.tensor(name, shape, "int8", x.scale, x.zero_point)
        return Value(index, codes.astype(np.int64), x.scale, x.zero_point)

    def _integers(self, name: str, *values: int) -> int:
        return self.builder.constant(self._name(name), np.array(values, np.int32))

    def _name(self, stem: str) -> str:
        number = self._names[stem] = self._names.get(stem, -1) + 1
        return f"{stem}_{number}"


def _span(real: np.ndarray) -> Calibration:
    """The scale and zero point that just hold the values, and zero exactly."""
    low, high = min(0.0, float(real.min())), max(0.0, float(real.max()))
    scale = float(np.float32((high - low) / (HIGHEST - LOWEST)))
    return scale, int(np.floor(LOWEST - low / scale + 0.5))


def _strides(stride: Pair) -> dict[str, int]:
    return {"stride_h": stride[0], "stride_w": stride[1]}


def _taps(
    x: np.ndarray, kernel: Pair, stride: Pair, padding: str
) -> list[tuple[int, int, np.ndarray]]:
    """For every kernel position the input under it: (ky, kx, samples x rows x columns x c)."""
    pads, outputs = zip(
        *(_extent(n, k, s, padding) for n, k, s in zip(x.shape[1:3], kernel, stride, strict=True)),
        strict=True,
    )
    padded = np.pad(x, ((0, 0), *pads, (0, 0)))
    return [
        (ky, kx, padded[:, ky :: stride[0], kx :: stride[1]][:, : outputs[0], : outputs[1]])
        for ky in range(kernel[0])
        for kx in range(kernel[1])
    ]


def _extent(size: int, kernel: int, stride: int, padding: str) -> tuple[Pair, int]:
    """Padding before and after, and how many outputs there are."""
    if padding == "valid":
        return (0, 0), (size - kernel) // stride + 1
    outputs = -(-size // stride)
    total = max(0, (outputs - 1) * stride + kernel - size)
    return (total // 2, total - total // 2), outputs


def _history(x: Value, depth: int) -> np.ndarray:
    """Every sample with the `depth` rows before it; before the first there are real zeros."""
    rows = x.codes.shape[1]
    line = x.codes.reshape(-1, *x.codes.shape[2:])
    line = np.concatenate([np.full((depth, *line.shape[1:]), x.zero_point), line])
    return np.stack([line[t * rows : t * rows + depth + rows] for t in range(len(x.codes))])
