"""Small networks whose graphs are hard to cut: residual blocks, a U-Net, branches that meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tflite_builder import ModelBuilder

SAME, VALID = 0, 1
SCALE, ZERO = 0.5, -3


class Layers:
    """A network that grows layer by layer; every value is (tensor, shape)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.b = ModelBuilder()
        self.rng = np.random.default_rng(7)
        self.count = 0
        self.x = (self.b.input("x", shape, "int8", scale=SCALE, zero_point=ZERO), shape)

    def conv(self, x, channels: int, kernel: int = 3, stride: int = 1, padding: int = SAME):
        _, h, w, depth = x[1]
        weights = self.rng.integers(-99, 99, (channels, kernel, kernel, depth)).astype(np.int8)
        scale = 1.0 / (40 * np.sqrt(kernel * kernel * depth))
        options = {"padding": padding, "stride_h": stride, "stride_w": stride}
        shape = (1, *_size(h, w, kernel, stride, padding), channels)
        return self._weighted("CONV_2D", x, weights, scale, shape, options)

    def depthwise(self, x, kernel: int = 3, stride: int = 1, padding: int = SAME):
        _, h, w, depth = x[1]
        weights = self.rng.integers(-99, 99, (1, kernel, kernel, depth)).astype(np.int8)
        options = {
            "padding": padding, "stride_h": stride, "stride_w": stride, "depth_multiplier": 1
        }  # fmt: skip
        shape = (1, *_size(h, w, kernel, stride, padding), depth)
        return self._weighted("DEPTHWISE_CONV_2D", x, weights, 0.01, shape, options)

    def pool(self, x, kind: str = "MAX_POOL_2D", size: int = 2):
        _, h, w, depth = x[1]
        options = {
            "padding": VALID, "stride_h": size, "stride_w": size, "filter_height": size,
            "filter_width": size,
        }  # fmt: skip
        return self._layer(kind, [x], (1, h // size, w // size, depth), options)

    def add(self, a, b):
        return self._layer("ADD", [a, b], a[1])

    def concat(self, a, b):
        shape = (*a[1][:3], a[1][3] + b[1][3])
        return self._layer("CONCATENATION", [a, b], shape, {"axis": 3})

    def relu(self, x):
        return self._layer("RELU", [x], x[1])

    def resize(self, x, kind: str = "RESIZE_NEAREST_NEIGHBOR"):
        _, h, w, depth = x[1]
        size = self.b.constant(self._name("size"), np.array([2 * h, 2 * w], np.int32))
        shape = (1, 2 * h, 2 * w, depth)
        out = self._tensor(shape)
        options = {"align_corners": False, "half_pixel_centers": True}
        self.b.operator(kind, [x[0], size], [out[0]], options)
        return out

    def dense(self, x, units: int):
        count = int(np.prod(x[1]))
        flat = self._tensor((1, count))
        shape = self.b.constant(self._name("shape"), np.array([1, count], np.int32))
        self.b.operator("RESHAPE", [x[0], shape], [flat[0]], {"new_shape": [1, count]})
        weights = self.rng.integers(-99, 99, (units, count)).astype(np.int8)
        scale = 1.0 / (40 * np.sqrt(count))
        return self._weighted("FULLY_CONNECTED", flat, weights, scale, (1, units), {})

    def build(self, *outputs) -> bytes:
        self.b.output(*(y[0] for y in outputs))
        return self.b.build()

    def _weighted(self, kind: str, x, weights: np.ndarray, scale: float, shape, options):
        channels = shape[-1]
        bias = self.rng.integers(-900, 900, channels).astype(np.int32)
        w = self.b.constant(self._name("weights"), weights, scale)
        b = self.b.constant(self._name("bias"), bias, scale * SCALE)
        out = self._tensor(shape)
        self.b.operator(kind, [x[0], w, b], [out[0]], options)
        return out

    def _layer(self, kind: str, inputs, shape, options=None):
        out = self._tensor(shape)
        self.b.operator(kind, [x[0] for x in inputs], [out[0]], options or {})
        return out

    def _tensor(self, shape):
        name = self._name("t")
        return self.b.tensor(name, shape, "int8", scale=SCALE, zero_point=ZERO), shape

    def _name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"


def _size(h: int, w: int, kernel: int, stride: int, padding: int) -> tuple[int, int]:
    lost = 0 if padding == SAME else kernel - 1
    return -(-(h - lost) // stride), -(-(w - lost) // stride)


def chain() -> bytes:
    """Convolutions of several sizes and strides, one after the other."""
    net = Layers((1, 37, 20, 3))
    x = net.conv(net.x, 8, 3, 2)
    x = net.depthwise(x, 5)
    x = net.conv(x, 16, 1)
    x = net.conv(x, 12, 3, 1, VALID)
    x = net.depthwise(x, 3, 2)
    return net.build(net.dense(net.conv(x, 20, 1), 5))


def residual() -> bytes:
    """Blocks whose input is added to their output, one inside the other."""
    net = Layers((1, 24, 24, 4))
    x = net.conv(net.x, 8)
    outer = x
    for _ in range(2):
        y = net.depthwise(net.conv(x, 24, 1))
        x = net.add(x, net.conv(y, 8, 1))
    x = net.relu(net.add(x, outer))
    return net.build(net.conv(net.pool(x), 6))


def unet() -> bytes:
    """Two levels down, two levels up, with skips that are joined by concatenation."""
    net = Layers((1, 32, 32, 2))
    first = net.conv(net.x, 8)
    second = net.conv(net.pool(first), 12)
    bottom = net.conv(net.pool(second, "AVERAGE_POOL_2D"), 16)
    up = net.conv(net.concat(net.resize(bottom), second), 12)
    up = net.concat(net.resize(up, "RESIZE_BILINEAR"), first)
    return net.build(net.conv(net.conv(up, 8), 3, 1))


def branches() -> bytes:
    """Two ways of different depth from one tensor, two outputs."""
    net = Layers((1, 30, 16, 4))
    x = net.conv(net.x, 8)
    left = net.depthwise(net.depthwise(x, 5))
    right = net.conv(x, 6, 1)
    y = net.concat(left, right)
    return net.build(net.conv(y, 5, 3, 2), net.pool(right))


NETS: dict[str, Callable[[], bytes]] = {
    "chain": chain,
    "residual": residual,
    "unet": unet,
    "branches": branches,
}
SHAPES = {
    "chain": (1, 37, 20, 3),
    "residual": (1, 24, 24, 4),
    "unet": (1, 32, 32, 2),
    "branches": (1, 30, 16, 4),
}


def samples_of(name: str, count: int = 2) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(3)
    return [[rng.integers(-128, 128, SHAPES[name]).astype(np.int8)] for _ in range(count)]
