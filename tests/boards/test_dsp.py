"""Kernels for the DSP extension against their portable twins, case by case in one image."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nacre.ir import DType, Node, Operator, Quantization, Tensor, TensorKind
from nacre.ops import kind_of
from nacre.ops.add import Add, Sub
from nacre.ops.conv2d import Conv2d
from nacre.ops.convolution import Sliding, axes
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Span, Variant
from nacre.ops.mul import Mul
from nacre.ops.pool import AveragePool2d, MaxPool2d
from support.pairs import Pair, failures

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)

ACTIVATIONS = ("NONE", "RELU", "RELU6", "RELU_N1_TO_1")


class Chance:
    """Random layers, with a liking for what goes wrong."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)

    def whole(self, low: int, high: int) -> int:
        """Of [low, high]."""
        return int(self.rng.integers(low, high + 1))

    def one_of(self, *choices):
        return choices[self.whole(0, len(choices) - 1)]

    def bytes(self, shape: tuple[int, ...]) -> np.ndarray:
        """Anything, the ends of the range alone, or all one of them."""
        match self.whole(0, 5):
            case 0:
                return self.rng.choice(np.array([-128, 127], np.int8), shape)
            case 1:
                return np.full(shape, self.one_of(-128, 127), np.int8)
            case _:
                return self.rng.integers(-128, 128, shape, np.int8)

    def zero_point(self) -> int:
        return self.one_of(-128, -128, 127, 0, self.whole(-128, 127))

    def tensor(self, key: str, shape: tuple[int, ...], scale: float, zero: int) -> Tensor:
        return Tensor(key, key, shape, DType.INT8, quantization=Quantization((scale,), (zero,)))

    def weights(self, shape: tuple[int, ...], axis: int, taps: int) -> Tensor:
        """Their scales make the multipliers, one per channel or one for all."""
        if self.whole(0, 2) == 0:
            return self.tying_weights(shape, axis)
        count = shape[axis] if self.whole(0, 3) else 1
        spread = self.rng.uniform(-2.5, 0.5, count)
        if self.whole(0, 7) == 0:
            spread[self.whole(0, count - 1)] = self.one_of(-25.0, -40.0, 5.0)
        scales = self.real(taps) * 2.0**spread
        data = np.zeros(shape, np.int8) if self.whole(0, 9) == 0 else self.bytes(shape)
        return constant("w", data, Quantization(tuple(scales), (0,) * count, axis))

    def tying_weights(self, shape: tuple[int, ...], axis: int) -> Tensor:
        """Small ones with multipliers that are powers of two: sums end half way between outputs."""
        scales = 2.0 ** self.rng.integers(-6, -1, shape[axis])
        data = self.rng.integers(-2, 3, shape, np.int8)
        return constant("w", data, Quantization(tuple(scales), (0,) * shape[axis], axis))

    def real(self, taps: int) -> float:
        """A multiplier: mostly one that spreads sums over the outputs."""
        usual = 2.0 ** -self.whole(5, 9) / np.sqrt(taps)
        rare = self.one_of(0.4, 1.7, 2.0**-12, 2.0**-20)
        return self.one_of(*(usual,) * 7, rare)

    def bias(self, channels: int, taps: int) -> Tensor:
        usual = 1 << self.whole(6, 13)
        width = self.one_of(usual, usual, usual, 1 << 14, 128 * 128 * taps, 1 << 29)
        return constant("b", self.rng.integers(-width, width + 1, channels).astype(np.int32), None)


def constant(key: str, data: np.ndarray, q: Quantization | None) -> Tensor:
    return Tensor(key, key, data.shape, DType(data.dtype.name), TensorKind.CONSTANT, q, data)


def node_of(type: str, attributes, x: Tensor, w: Tensor, b: Tensor, y: Tensor) -> Node:
    operator = Operator(("0",), type, attributes, (x.id, w.id, b.id), (y.id,))
    return Node(operator, (x, w, b), (y,))


def window(chance: Chance, kind: type[Sliding], kernel: tuple[int, int]) -> Sliding:
    """Any stride, dilation and padding."""
    dilation = (1, 1) if chance.whole(0, 3) else (chance.whole(1, 3), chance.whole(1, 3))
    pads = [chance.whole(0, (k - 1) * d) for k, d in zip(kernel * 2, dilation * 2, strict=True)]
    top, left, bottom, right = pads
    stride = (chance.one_of(1, 1, 2, 3), chance.one_of(1, 1, 2, 3))
    return kind(
        *stride, *dilation, top, left, bottom, right, chance.one_of(*ACTIVATIONS),
        offset_in_bias=True, once=chance.whole(0, 2) == 0,
    )  # fmt: skip


def convolution(chance: Chance) -> Node:
    kernel = chance.one_of((1, 1), (3, 3), (chance.whole(1, 5), chance.whole(1, 5)))
    channels, outputs = chance.whole(1, 19), chance.one_of(2, 3, 8, chance.whole(2, 17))
    if kernel == (1, 1):
        channels = chance.one_of(channels, 64, chance.whole(20, 90))
    conv = window(chance, Conv2d, kernel)
    if kernel == (1, 1) and chance.whole(0, 2):
        conv = replace(conv, stride_h=1, stride_w=1)
    shape = (outputs, *kernel, channels)
    return sliding(chance, "CONV_2D", conv, channels, shape, 0)


def depthwise(chance: Chance) -> Node:
    kernel = chance.one_of((3, 3), (3, 3), (chance.whole(1, 6), chance.whole(1, 5)))
    channels = chance.one_of(4, 8, 5, chance.whole(4, 23))
    inputs = chance.one_of(channels, channels, channels, 1)
    conv = window(chance, DepthwiseConv2d, kernel)
    shape = (1, *kernel, channels)
    return sliding(chance, "DEPTHWISE_CONV_2D", conv, inputs, shape, 3)


def sliding(
    chance: Chance, type: str, conv: Sliding, inputs: int, shape: tuple[int, ...], axis: int
) -> Node:
    """A layer whose weights have this shape, the output channels along `axis`."""
    outputs = shape[axis]
    down, across = axes(conv, (1, 1, 1, inputs), shape)
    least = [max(1, a.extent - a.before - a.after) for a in (down, across)]
    x_shape = (1, least[0] + chance.whole(0, 6), least[1] + chance.whole(0, 8), inputs)
    taps = int(np.prod(shape)) // outputs
    w = chance.weights(shape, axis, taps)
    down, across = axes(conv, x_shape, shape)
    y_shape = (1, down.outputs, across.outputs, outputs)
    scale = chance.one_of(0.02, 0.0625, 0.3)
    x = chance.tensor("x", x_shape, scale, chance.zero_point())
    y = chance.tensor("y", y_shape, scale, chance.zero_point())
    return node_of(type, conv, x, w, chance.bias(outputs, taps), y)


def fully_connected(chance: Chance) -> Node:
    inputs, outputs = chance.one_of(4, chance.whole(4, 90), 128), chance.whole(1, 13)
    batches = chance.one_of(1, 1, 3)
    once = chance.whole(0, 2) == 0
    layer = FullyConnected(chance.one_of(*ACTIVATIONS), offset_in_bias=True, once=once)
    w = chance.weights((outputs, inputs), 0, inputs)
    scale = chance.one_of(0.02, 0.3)
    x = chance.tensor("x", (batches, inputs), scale, chance.zero_point())
    y = chance.tensor("y", (batches, outputs), scale, chance.zero_point())
    return node_of("FULLY_CONNECTED", layer, x, w, chance.bias(outputs, inputs), y)


def pool(chance: Chance) -> Node:
    kind = chance.one_of(AveragePool2d, MaxPool2d)
    kernel = chance.one_of((2, 2), (3, 3), (chance.whole(1, 7), chance.whole(1, 7)))
    pads = [chance.whole(0, (k - 1) // 2) for k in kernel * 2]
    stride = (chance.whole(1, 3), chance.whole(1, 3))
    found = kind(*kernel, *stride, *pads, chance.one_of(*ACTIVATIONS))
    shape = (1, kernel[0] + chance.whole(0, 6), kernel[1] + chance.whole(0, 6))
    channels = chance.one_of(4, 8, chance.whole(4, 19))
    down, across = found.axes((*shape, channels))
    scale, zero = chance.one_of(0.02, 0.3), chance.zero_point()
    x = chance.tensor("x", (*shape, channels), scale, zero)
    y = chance.tensor("y", (1, down.outputs, across.outputs, channels), scale, zero)
    type = "AVERAGE_POOL_2D" if kind is AveragePool2d else "MAX_POOL_2D"
    return Node(Operator(("0",), type, found, ("x",), ("y",)), (x,), (y,))


def elementwise(chance: Chance) -> Node:
    type, kind = chance.one_of(("ADD", Add), ("SUB", Sub), ("MUL", Mul))
    shape = (1, chance.whole(1, 4), chance.whole(1, 5), chance.whole(1, 40))
    repeated = chance.one_of(shape, shape, (1, 1, 1, shape[3]), (1, 1, 1, 1))
    shapes = chance.one_of((shape, repeated), (repeated, shape))
    first = 2.0 ** -chance.whole(2, 7)
    second = first * chance.one_of(1.0, 1.0, 0.5, 0.7, 1.9, 0.031, 2.0**-7)
    usual = first * second * 40 if type == "MUL" else max(first, second) * 2
    y = chance.tensor("y", shape, usual * chance.one_of(0.5, 1.0, 1.3, 4.0), chance.zero_point())
    a = chance.tensor("a", shapes[0], first, chance.zero_point())
    b = chance.tensor("b", shapes[1], second, chance.zero_point())
    found = kind(chance.one_of(*ACTIVATIONS))
    if isinstance(found, Mul):
        found = replace(found, once=chance.whole(0, 2) == 0)
    operator = Operator(("0",), type, found, ("a", "b"), ("y",))
    return Node(operator, (a, b), (y,))


def ahead(node: Node) -> int:
    """The least distance from output to input at which rows may be written over, first to last."""
    x, y, rows = node.input(0), node.output, kind_of(node.operator).rows
    assert rows is not None
    needs = [rows(node, Span(r, r + 1))[0] for r in range(y.shape[1])]
    firsts = [n.begin if n is not None and n.end > n.begin else x.shape[1] for n in needs]
    row, pitch = y.size // y.shape[1], x.size // x.shape[1]
    return max((r + 1) * row - min(firsts[r:]) * pitch for r in range(y.shape[1]))


def pairs(make, count: int, seed: int) -> list[Pair]:
    """As many cases for every DSP variant of an operator as nodes that it takes come up."""
    chance, found = Chance(seed), []
    for n in range(count):
        node = make(chance)
        for variant in kind_of(node.operator).variants:
            if variant.isa == "dsp" and variant.objection(node) is None:
                found.append(pair(chance, node, variant, f"{n} {variant.name}"))
    return found


WINDOWS = ("CONV_2D", "DEPTHWISE_CONV_2D", "AVERAGE_POOL_2D", "MAX_POOL_2D")


def pair(chance: Chance, node: Node, variant: Variant, name: str) -> Pair:
    """All rows at once, over the input, or some rows at a time on rings."""
    inputs = [t for t in node.inputs if t is not None and t.data is None]
    values, other = tuple(chance.bytes(t.shape) for t in inputs), variant.lower(node)
    over, band, way = None, 0, chance.whole(0, 3)
    if node.operator.type in WINDOWS and way > 1:
        over = 0 if other.in_place == (0,) else ahead(node)
    elif node.operator.type in WINDOWS and way == 1:
        band = chance.whole(1, 3)
    shapes = f"{[t.shape for t in node.inputs if t is not None]} {node.operator.attributes}"
    return Pair(f"{name} over {over} band {band} {shapes}", node, values, other, over, band)


LAYERS = (convolution, depthwise, fully_connected, pool, elementwise)


@pytest.mark.parametrize(
    ("make", "count", "least"),
    [
        (convolution, 1500, 1800),
        (depthwise, 1200, 1200),
        (fully_connected, 700, 800),
        (pool, 400, 400),
        (elementwise, 600, 400),
    ],
)
def test_dsp_kernels_equal_portable_ones(make, count: int, least: int, tmp_path: Path) -> None:
    cases = pairs(make, count, seed=1)
    assert len(cases) >= least
    assert not failures("mps2-an386", cases, tmp_path)


@pytest.mark.parametrize("board", ["mps2-an500", "mps3-an547"])
def test_dsp_kernels_on_other_cores(board: str, tmp_path: Path) -> None:
    """Cortex-M7, and Armv8-M on Cortex-M55."""
    cases = [p for make in LAYERS for p in pairs(make, 100, seed=2)]
    assert not failures(board, cases, tmp_path)
