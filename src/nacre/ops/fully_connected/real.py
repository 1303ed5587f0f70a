"""FULLY_CONNECTED on float tensors, with float weights or with int8 ones (dynamic range)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.fixedpoint import float_activation_range
from nacre.ops.fully_connected.layer import FullyConnected, batches, bias_as, constant, operands
from nacre.ops.hybrid import quantize_rows
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    attributes,
    derived_id,
    meaning,
    read,
    real_meaning,
    write,
)


@dataclass(frozen=True)
class FullyConnectedFloatParams(Params):
    c_type: ClassVar[str] = "nacre_fully_connected_float_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    activation_min: float = real_meaning("lower clamp")
    activation_max: float = real_meaning("upper clamp")


@dataclass(frozen=True)
class FullyConnectedHybridParams(Params):
    c_type: ClassVar[str] = "nacre_fully_connected_hybrid_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    scale_step: int = meaning("1 with a scale per output, 0 with one for all")
    asymmetric: int = meaning("1 when rows are quantized with a zero point")
    activation_min: float = real_meaning("lower clamp")
    activation_max: float = real_meaning("upper clamp")


FC_F32 = Kernel("nacre_fully_connected_f32", FullyConnectedFloatParams)
FC_HYBRID_F32 = Kernel("nacre_fully_connected_hybrid_f32", FullyConnectedHybridParams)
KERNELS = (FC_F32, FC_HYBRID_F32)


def reference_float(node: Node, values: tuple[Array | None, ...]) -> Array:
    rows, weights, bias = operands(values)
    # One product at a time, as the kernel adds them up.
    acc = np.zeros((len(rows), len(weights)), np.float32)
    for i in range(weights.shape[1]):
        acc += rows[:, i : i + 1] * weights[:, i]
    return _finish(node, acc, bias)


def _finish(node: Node, acc: Array, bias: Array | int) -> Array:
    low, high = float_activation_range(attributes(node, FullyConnected).activation)
    clamped: Array = np.clip(acc + np.asarray(bias, np.float32), low, high).astype(np.float32)
    return clamped


def lower_float(node: Node) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    bias = bias_as(node, DType.FLOAT32)
    arguments = (read(x), read(w), read(bias), write(y), float_params(node))
    return Lowered((Call(FC_F32, arguments),), (bias,))


def float_params(node: Node) -> FullyConnectedFloatParams:
    w = node.input(1)
    low, high = float_activation_range(attributes(node, FullyConnected).activation)
    return FullyConnectedFloatParams(
        batches=batches(node), inputs=w.shape[1], outputs=w.shape[0],
        activation_min=low, activation_max=high,
    )  # fmt: skip


def reference_hybrid(node: Node, values: tuple[Array | None, ...]) -> Array:
    rows, weights, bias = operands(values)
    codes, scales, points = quantize_rows(rows, attributes(node, FullyConnected).asymmetric_inputs)
    acc = (codes.astype(np.int64) - points[:, None]) @ weights.astype(np.int64).T
    factors = scales[:, None] * np.array(node.input(1).q.scales, np.float32)
    return _finish(node, acc.astype(np.float32) * factors, bias)


def lower_hybrid(node: Node) -> Lowered:
    layer = attributes(node, FullyConnected)
    x, w, y = node.input(0), node.input(1), node.output
    low, high = float_activation_range(layer.activation)
    bias = bias_as(node, DType.FLOAT32)
    scales = constant(node, "scales", f"{w.name} scales", np.array(w.q.scales, np.float32))
    scratch = Scratch(derived_id(node, "scratch0"), w.shape[1])
    params = FullyConnectedHybridParams(
        batches=batches(node), inputs=w.shape[1], outputs=w.shape[0],
        scale_step=int(w.q.per_channel), asymmetric=int(layer.asymmetric_inputs),
        activation_min=low, activation_max=high,
    )  # fmt: skip
    row = Pointer(scratch.id, DType.INT8, const=False)
    arguments = (read(x), read(w), read(scales), read(bias), write(y), params, row)
    return Lowered((Call(FC_HYBRID_F32, arguments),), (scales, bias), (scratch,))
