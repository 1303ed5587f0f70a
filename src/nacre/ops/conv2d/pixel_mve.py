"""CONV_2D on Helium where the kernel covers the input: a fully connected layer."""

from __future__ import annotations

from nacre.ir import Node
from nacre.ops.conv2d.rules import Conv2d, groups
from nacre.ops.convolution import Arithmetic, arithmetic, multipliers
from nacre.ops.convolution_calls import constant
from nacre.ops.fixedpoint import activation_range
from nacre.ops.fully_connected.integer import FullyConnectedParams
from nacre.ops.fully_connected.mve import BLOCK, FC_S8_MVE, STEP, requant_of, stream_of
from nacre.ops.kind import Call, Estimate, Lowered, Pointer, Variant, attributes, read, write


def _objection(node: Node) -> str | None:
    conv, x, w, y = attributes(node, Conv2d), node.input(0), node.input(1), node.output
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if conv.once:
        return "for results that are rounded twice"
    if groups(node) != 1 or y.shape[1:3] != (1, 1) or w.shape[1:3] != x.shape[1:3]:
        return "for one group and kernels that cover the input"
    if any((conv.pad_top, conv.pad_left, conv.pad_bottom, conv.pad_right)):
        return "for layers without padding"
    return None


def _estimate(node: Node) -> Estimate:
    w = node.input(1)
    block = 18 * -(-(w.elements // w.shape[0]) // STEP) + 50
    blocks = node.input(0).shape[0] * -(-w.shape[0] // BLOCK)
    return Estimate(60 + blocks * block, code_bytes=900)


def _lower(node: Node) -> Lowered:
    x, w, y, conv = node.input(0), node.input(1), node.output, attributes(node, Conv2d)
    packed = stream_of(w.constant.reshape(w.shape[0], -1), node.input(2).constant)
    stream = constant(node, "weights", packed, w)
    requant = constant(node, "requant", requant_of(*multipliers(node)), None)
    low, high = activation_range(conv.activation, y)
    params = FullyConnectedParams(
        batches=x.shape[0], inputs=w.elements // w.shape[0], outputs=w.shape[0],
        input_offset=0, weights_offset=0, output_offset=y.q.zero_point,
        activation_min=low, activation_max=high, scale_step=int(w.shape[0] > 1),
    )  # fmt: skip
    weights = Pointer(stream.id, stream.dtype, alignment=4)
    call = Call(FC_S8_MVE, (read(x), weights, read(requant), write(y), params))
    return Lowered((call,), (stream, requant), row_wise=False)


VARIANTS = (Variant("fully_connected_s8_mve", "mve", _objection, _estimate, _lower, (FC_S8_MVE,)),)
