"""Small networks of the command line's tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from quantizer import QuantizedNetwork
from tflite_builder import ModelBuilder


@cache
def plain() -> bytes:
    """Convolution, activation of its own, reshape, dense layer; tensors and operators:

    0 input, 1 conv/kernel, 2 conv/bias, 3 conv/out, 4 relu/out, 5 shape, 6 flat, 7 dense/weights,
    8 dense/bias, 9 scores; op 0 CONV_2D, 1 RELU, 2 RESHAPE, 3 FULLY_CONNECTED.
    """
    return named(
        "input", "conv/kernel", "conv/bias", "conv/out", "relu/out", "shape", "flat",
        "dense/weights", "dense/bias", "scores",
    )  # fmt: skip


def named(*names: str) -> bytes:
    """The network of `plain` with other names for its ten tensors."""
    rng = np.random.default_rng(7)
    b = ModelBuilder()
    x = b.input(names[0], (1, 8, 8, 2), "int8", 0.5, 3)
    kernel = b.constant(names[1], rng.integers(-127, 128, (4, 3, 3, 2), np.int8), 0.1)
    bias = b.constant(names[2], rng.integers(-99, 99, 4, np.int32), 0.05)
    y = b.tensor(names[3], (1, 8, 8, 4), "int8", 2.0, -5)
    b.operator("CONV_2D", [x, kernel, bias], [y], {"stride_h": 1, "stride_w": 1})
    z = b.tensor(names[4], (1, 8, 8, 4), "int8", 2.0, -5)
    b.operator("RELU", [y], [z])
    shape = b.constant(names[5], np.array([1, 256], np.int32))
    flat = b.tensor(names[6], (1, 256), "int8", 2.0, -5)
    b.operator("RESHAPE", [z, shape], [flat])
    weights = b.constant(names[7], rng.integers(-127, 128, (5, 256), np.int8), 0.01)
    offsets = b.constant(names[8], rng.integers(-99, 99, 5, np.int32), 0.02)
    scores = b.tensor(names[9], (1, 5), "int8", 3.0, 1)
    b.operator("FULLY_CONNECTED", [flat, weights, offsets], [scores])
    b.output(scores)
    return b.build()


@cache
def stateful() -> bytes:
    """A network with one variable."""
    samples = np.random.default_rng(3).integers(-128, 128, (8, 2, 1, 6), np.int8)
    net = QuantizedNetwork("gate", seed=9)
    net.call_once()
    x = net.stream(net.input(samples, 1 / 64, 0), 2)
    return net.build(net.dense(net.reshape(x, 24), 5))


@cache
def refused() -> bytes:
    """A network that ends in an operator that nobody knows."""
    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", 0.5)
    y, z = b.tensor("y", (1, 4), "int8", 0.5), b.tensor("z", (1, 4), "int8", 0.5)
    b.operator("RELU", [x], [y])
    b.operator("CUSTOM:Postprocess", [y], [z])
    b.output(z)
    return b.build()
