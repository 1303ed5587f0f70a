"""Float layers on Helium: what the kernels apply to, and the weights as they want them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nacre.ir import Array, DType, Node
from nacre.ops.add import Sum
from nacre.ops.conv2d.rules import groups
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic
from nacre.ops.convolution_calls import (
    ConvFloatParams,
    Layer,
    bias_constant,
    constant,
    conv_float_params,
    per_image,
)
from nacre.ops.elementwise import FloatRange, call_broadcast, ranges
from nacre.ops.fully_connected.layer import bias_as
from nacre.ops.fully_connected.real import FullyConnectedFloatParams, float_params
from nacre.ops.kind import Call, Estimate, Kernel, Lowered, Variant, attributes, read, write
from nacre.ops.mul import Mul

# Output channels of a block, and channels of a vector.
BLOCK, LANES = 8, 4

CONV_F32 = Kernel("nacre_conv2d_f32_mve", ConvFloatParams, isa="mve-f")
DEPTHWISE_F32 = Kernel("nacre_depthwise_f32_mve", ConvFloatParams, isa="mve-f")
FULLY_CONNECTED_F32 = Kernel(
    "nacre_fully_connected_f32_mve", FullyConnectedFloatParams, isa="mve-f"
)
ADD_F32 = Kernel("nacre_add_f32_mve", FloatRange, isa="mve-f")
SUB_F32 = Kernel("nacre_sub_f32_mve", FloatRange, isa="mve-f")
MUL_F32 = Kernel("nacre_mul_f32_mve", FloatRange, isa="mve-f")


def _filled(data: Array, multiple: int) -> Array:
    """The last axis filled up with zeros."""
    return np.pad(data, [*[(0, 0)] * (data.ndim - 1), (0, -data.shape[-1] % multiple)])


def _blocks(weights: Array) -> Array:
    """[outputs, taps] as [block][tap][8]."""
    filled = _filled(weights.T, BLOCK)
    return filled.reshape(len(filled), -1, BLOCK).transpose(1, 0, 2)


# --- convolution ----------------------------------------------------------------------------------


def _conv_objection(node: Node) -> str | None:
    if arithmetic(node) is not Arithmetic.F32:
        return "for float32"
    return None if groups(node) == 1 else "for one group"


def _conv_estimate(node: Node) -> Estimate:
    w, outputs = node.input(1), node.output.elements
    taps = w.elements // w.shape[0]
    return Estimate(instructions=outputs * (taps * 14 + 60) // 24, code_bytes=1600)


def _lower_conv(node: Node) -> Lowered:
    w = node.input(1)
    packed = constant(node, "weights", _blocks(w.constant.reshape(w.shape[0], -1)), w)
    given = bias_constant(node, DType.FLOAT32)
    bias = constant(node, "blocks_bias", _filled(given.constant, BLOCK), node.optional(2))
    layer = Layer(attributes(node, Sliding), packed, BLOCK)
    params = conv_float_params(node, layer)
    calls = per_image(node, CONV_F32, (read(packed), read(bias)), params)
    return Lowered(calls, (packed, bias))


# --- depthwise ------------------------------------------------------------------------------------


def _depthwise_objection(node: Node) -> str | None:
    if arithmetic(node) is not Arithmetic.F32:
        return "for float32"
    return None if node.input(0).shape[3] == node.output.shape[3] else "for one output per channel"


def _depthwise_estimate(node: Node) -> Estimate:
    w = node.input(1)
    vectors = -(-w.shape[3] // LANES) * (node.output.elements // w.shape[3])
    return Estimate(instructions=vectors * (8 * w.shape[1] * w.shape[2] + 40), code_bytes=700)


def _lower_depthwise(node: Node) -> Lowered:
    w = node.input(1)
    packed = constant(node, "weights", _filled(w.constant, LANES), w)
    given = bias_constant(node, DType.FLOAT32)
    bias = constant(node, "lanes_bias", _filled(given.constant, LANES), node.optional(2))
    layer = Layer(attributes(node, Sliding), packed, packed.shape[3])
    params = conv_float_params(node, layer)
    calls = per_image(node, DEPTHWISE_F32, (read(packed), read(bias)), params)
    return Lowered(calls, (packed, bias))


# --- fully connected ------------------------------------------------------------------------------


def _dense_objection(node: Node) -> str | None:
    w = node.input(1)
    if node.input(0).dtype is not DType.FLOAT32 or w.dtype is not DType.FLOAT32:
        return "for float32"
    return None if w.is_constant and w.shape[1] > 0 else "for constant weights"


def _dense_estimate(node: Node) -> Estimate:
    w = node.input(1)
    rows = node.output.elements // w.shape[0]
    blocks = -(-w.shape[0] // BLOCK)
    return Estimate(instructions=rows * blocks * (6 * w.shape[1] + 40), code_bytes=400)


def _lower_dense(node: Node) -> Lowered:
    x, w, y = node.input(0), node.input(1), node.output
    packed = constant(node, "weights", _blocks(w.constant), w)
    given = bias_as(node, DType.FLOAT32)
    bias = constant(node, "blocks_bias", _filled(given.constant.reshape(-1), BLOCK), None)
    arguments = (read(x), read(packed), read(bias), write(y), float_params(node))
    return Lowered((Call(FULLY_CONNECTED_F32, arguments),), (packed, bias))


# --- elementwise ----------------------------------------------------------------------------------


def _pair_objection(node: Node) -> str | None:
    a, b = node.input(0), node.input(1)
    if node.output.dtype is not DType.FLOAT32:
        return "for float32"
    return None if a.shape == b.shape == node.output.shape else "for inputs of one shape"


def _pair_estimate(node: Node) -> Estimate:
    return Estimate(instructions=node.output.elements * 3, code_bytes=300)


def _lower_pair(kernel: Kernel) -> Callable[[Node], Lowered]:
    def lower(node: Node) -> Lowered:
        kind = node.operator.attributes
        assert isinstance(kind, Sum | Mul)
        a, b, y = node.input(0), node.input(1), node.output
        return Lowered((call_broadcast(kernel, a, b, y, *ranges(kind.activation, y)),))

    return lower


def _pair(kernel: Kernel) -> tuple[Variant, ...]:
    return _variant(kernel, _pair_objection, _pair_estimate, _lower_pair(kernel))


# --- the rows -------------------------------------------------------------------------------------


def _variant(
    kernel: Kernel,
    objection: Callable[[Node], str | None],
    estimate: Callable[[Node], Estimate],
    lower: Callable[[Node], Lowered],
) -> tuple[Variant, ...]:
    name = kernel.name.removeprefix("nacre_")
    return (Variant(name, kernel.isa, objection, estimate, lower, (kernel,)),)


REAL_MVE: Mapping[str, tuple[Variant, ...]] = {
    "CONV_2D": _variant(CONV_F32, _conv_objection, _conv_estimate, _lower_conv),
    "DEPTHWISE_CONV_2D": _variant(
        DEPTHWISE_F32, _depthwise_objection, _depthwise_estimate, _lower_depthwise
    ),
    "FULLY_CONNECTED": _variant(
        FULLY_CONNECTED_F32, _dense_objection, _dense_estimate, _lower_dense
    ),
    "ADD": _pair(ADD_F32),
    "SUB": _pair(SUB_F32),
    "MUL": _pair(MUL_F32),
}
