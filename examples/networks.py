"""The example networks: seeded random weights, real architectures, sound quantization."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from quantizer import QuantizedNetwork, Value
from tflite_builder import ModelBuilder

# What an 8-bit camera or a spectrogram in bytes comes as.
BYTE_SCALE, BYTE_ZERO = 1 / 128, 0
CALIBRATION_SAMPLES = 12
STREAM_STEPS = 64


@dataclass(frozen=True)
class Example:
    """A network of the collection: how its file and its inputs are made."""

    make: Callable[[], bytes]
    # So many inputs, seeded; consecutive in time for the streaming network.
    samples: Callable[[int], np.ndarray]


def dscnn() -> bytes:
    """Keyword spotting: depthwise-separable convolutions on 49 frames of 10 coefficients."""
    # A seed whose golden samples come out equal in both runtimes: their fully connected kernels
    # round differently, and with other seeds a few outputs differ by one.
    net = QuantizedNetwork("dscnn", seed=29)
    x = net.input(_calibration(_keyword_samples), BYTE_SCALE, BYTE_ZERO)
    x = net.conv(x, 64, kernel=(10, 4), stride=(2, 2))
    for _ in range(4):
        x = net.conv(net.depthwise(x, (3, 3)), 64)
    return net.build(_classify(net, x, classes=12))


def resnet() -> bytes:
    """Image classification: three residual stages on 32x32 colour images."""
    net = QuantizedNetwork("resnet", seed=2)
    x = net.input(_calibration(_image_samples(32)), BYTE_SCALE, BYTE_ZERO)
    x = net.conv(x, 16, kernel=(3, 3))
    for channels, stride in ((16, 1), (32, 2), (64, 2)):
        x = _residual(net, x, channels, stride)
    return net.build(_classify(net, x, classes=10))


def mobilenet() -> bytes:
    """Person detection: a MobileNet of width 0.25 on 96x96 colour images."""
    net = QuantizedNetwork("mobilenet", seed=3)
    x = net.input(_calibration(_image_samples(96)), BYTE_SCALE, BYTE_ZERO)
    x = net.conv(x, 8, kernel=(3, 3), stride=(2, 2), activation="relu6")
    for channels, stride in _MOBILENET_BLOCKS:
        x = net.depthwise(x, (3, 3), (stride, stride), activation="relu6")
        x = net.conv(x, channels, activation="relu6")
    return net.build(_classify(net, x, classes=2))


_MOBILENET_BLOCKS = (
    (16, 1), (32, 2), (32, 1), (64, 2), (64, 1), (128, 2),
    (128, 1), (128, 1), (128, 1), (128, 1), (128, 1), (256, 2), (256, 1),
)  # fmt: skip


def streaming() -> bytes:
    """Wake word: three frames of 40 channels per run, everything older is kept in variables."""
    net = QuantizedNetwork("streaming", seed=4)
    net.call_once()
    x = net.input(_frame_samples(STREAM_STEPS), BYTE_SCALE, BYTE_ZERO)
    x = net.stream(net.reshape(x, 3, 1, 40), 2)
    x = net.conv(x, 24, kernel=(5, 1), stride=(3, 1), padding="valid")
    for depth, channels in ((4, 32), (8, 32), (12, 32)):
        x = net.stream(x, depth)
        x = net.depthwise(x, (depth + 1, 1), padding="valid", activation="none")
        x = net.conv(x, channels)
    x = net.reshape(net.stream(x, 4), 5 * 32)
    return net.build(net.to_uint8(net.logistic(net.dense(x, 1))))


def tiny_float() -> bytes:
    """Float32: one convolution, one pooling, one fully connected layer."""
    rng = np.random.default_rng(5)
    b = ModelBuilder("tiny_float")
    x = b.input("input", (1, 12, 12, 1), "float32")
    y = b.tensor("conv", (1, 12, 12, 8), "float32")
    conv = [b.constant("kernel", _floats(rng, 8, 3, 3, 1)), b.constant("bias", _floats(rng, 8))]
    relu = {"stride_h": 1, "stride_w": 1, "fused_activation_function": 1}
    b.operator("CONV_2D", [x, *conv], [y], relu)
    pooled = b.tensor("pool", (1, 4, 4, 8), "float32")
    window = {"stride_h": 3, "stride_w": 3, "filter_height": 3, "filter_width": 3, "padding": 1}
    b.operator("MAX_POOL_2D", [y], [pooled], window)
    flat = b.tensor("flat", (1, 128), "float32")
    b.operator("RESHAPE", [pooled, b.constant("shape", np.array([1, 128], np.int32))], [flat])
    logits, output = (b.tensor(n, (1, 10), "float32") for n in ("logits", "softmax"))
    dense = [b.constant("weights", _floats(rng, 10, 128)), b.constant("offsets", _floats(rng, 10))]
    b.operator("FULLY_CONNECTED", [flat, *dense], [logits])
    b.operator("SOFTMAX", [logits], [output], {"beta": 1.0})
    b.output(output)
    return b.build()


# --- blocks -------------------------------------------------------------------------------------


def _residual(net: QuantizedNetwork, x: Value, channels: int, stride: int) -> Value:
    """Two convolutions beside a shortcut, which is a convolution where the shape changes."""
    steps = (stride, stride)
    y = net.conv(x, channels, kernel=(3, 3), stride=steps)
    y = net.conv(y, channels, kernel=(3, 3), activation="none")
    if stride != 1:
        x = net.conv(x, channels, stride=steps, activation="none")
    return net.add(x, y)


def _classify(net: QuantizedNetwork, x: Value, classes: int) -> Value:
    x = net.average_pool(x)
    return net.softmax(net.dense(net.reshape(x, x.codes.shape[3]), classes))


def _floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Weights of the float network: multiples of 1/256 in [-0.5, 0.5)."""
    return (rng.integers(-128, 128, shape) / 256).astype(np.float32)


# --- inputs -------------------------------------------------------------------------------------


def _keyword_samples(count: int) -> np.ndarray:
    return _patches(np.random.default_rng(11), count, (49, 10, 1), (7, 5))


def _image_samples(size: int) -> Callable[[int], np.ndarray]:
    def samples(count: int) -> np.ndarray:
        return _patches(np.random.default_rng(12), count, (size, size, 3), (size // 4, size // 4))

    return samples


def _frame_samples(count: int) -> np.ndarray:
    """Frames of a spectrogram: what sounds lasts for a few runs."""
    return _patches(np.random.default_rng(13), 1, (count * 3, 40, 1), (12, 5)).reshape(count, 3, 40)


def _float_samples(count: int) -> np.ndarray:
    codes = _patches(np.random.default_rng(14), count, (12, 12, 1), (4, 4))
    return (codes / 64).astype(np.float32)


def _calibration(samples: Callable[[int], np.ndarray]) -> np.ndarray:
    """Samples, and as many images of mere noise: neither may drive the network to its limits."""
    images = samples(CALIBRATION_SAMPLES)
    noise = np.random.default_rng(15).integers(-128, 128, images.shape)
    return np.concatenate([images, noise.astype(np.int8)])


def _patches(
    rng: np.random.Generator, count: int, shape: tuple[int, ...], patch: tuple[int, int]
) -> np.ndarray:
    """Images that differ in brightness, in large patches and in noise, as int8."""
    (height, width, channels), (rows, columns) = shape, patch
    coarse = rng.integers(-60, 61, (count, -(-height // rows), -(-width // columns), channels))
    fine = coarse.repeat(rows, 1).repeat(columns, 2)[:, :height, :width]
    brightness = rng.integers(-30, 31, (count, 1, 1, channels))
    noise = rng.integers(-37, 38, (count, *shape))
    return (fine + brightness + noise).astype(np.int8)


EXAMPLES: Mapping[str, Example] = {
    "dscnn": Example(dscnn, _keyword_samples),
    "resnet": Example(resnet, _image_samples(32)),
    "mobilenet": Example(mobilenet, _image_samples(96)),
    "streaming": Example(streaming, _frame_samples),
    "tiny_float": Example(tiny_float, _float_samples),
}
