"""Operators by CMSIS-NN, for `kernels.provider: cmsis-nn`: parameters, constants, buffers.

The library takes the model's own constants: input offsets, which a pass folds into the bias, are
taken out of it again. Buffer sizes are upper bounds over versions 6 and later for all cores; the
module asks the library what it needs before each call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, DType, Node, Tensor
from nacre.ops.add import LEFT_SHIFT, Add
from nacre.ops.add import multipliers as sum_multipliers
from nacre.ops.conv2d.rules import groups
from nacre.ops.convolution import Arithmetic, Sliding, arithmetic, multipliers
from nacre.ops.convolution_calls import constant
from nacre.ops.fixedpoint import activation_range
from nacre.ops.fully_connected.integer import multipliers_of
from nacre.ops.fully_connected.layer import FullyConnected, batches, bias_as
from nacre.ops.kind import (
    Argument,
    Call,
    Estimate,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    Variant,
    attributes,
    derived_id,
    meaning,
    read,
    write,
)
from nacre.ops.lookup import input_radius
from nacre.ops.mul import Mul, product_multiplier
from nacre.ops.pool import Pool2d, clamp
from nacre.ops.softmax import Softmax, input_multiplier

PROVIDER = "cmsis-nn"
# Of depthwise convolutions the library's vector code works on blocks of this many channels.
BLOCK = 124


@dataclass(frozen=True)
class CmsisConvParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_conv_params_t"
    batches: int = meaning("images")
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    input_c: int = meaning("input channels")
    output_h: int = meaning("output rows")
    output_w: int = meaning("output columns")
    output_c: int = meaning("output channels")
    kernel_h: int = meaning("kernel rows")
    kernel_w: int = meaning("kernel columns")
    stride_h: int = meaning("rows from one output to the next")
    stride_w: int = meaning("columns from one output to the next")
    dilation_h: int = meaning("rows from one tap to the next")
    dilation_w: int = meaning("columns from one tap to the next")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    input_offset: int = meaning("minus the zero point of the input")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    buffer_size: int = meaning("bytes of the buffer")


@dataclass(frozen=True)
class CmsisFullyConnectedParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_fully_connected_params_t"
    batches: int = meaning("rows of the input")
    inputs: int = meaning("values of a row")
    outputs: int = meaning("rows of weights")
    input_offset: int = meaning("minus the zero point of the input")
    output_offset: int = meaning("zero point of the output")
    multiplier: int = meaning("fraction of the output's multiplier")
    shift: int = meaning("power of two of the output's multiplier")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class CmsisPoolParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_pool_params_t"
    batches: int = meaning("images")
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    channels: int = meaning("channels")
    output_h: int = meaning("output rows")
    output_w: int = meaning("output columns")
    kernel_h: int = meaning("window rows")
    kernel_w: int = meaning("window columns")
    stride_h: int = meaning("rows from one output to the next")
    stride_w: int = meaning("columns from one output to the next")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    buffer_size: int = meaning("bytes of the buffer")


@dataclass(frozen=True)
class CmsisAddParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_add_params_t"
    elements: int = meaning("elements of a tensor")
    first_offset: int = meaning("minus the zero point of the first input")
    first_multiplier: int = meaning("fraction of its multiplier")
    first_shift: int = meaning("power of two of its multiplier")
    second_offset: int = meaning("minus the zero point of the second input")
    second_multiplier: int = meaning("fraction of its multiplier")
    second_shift: int = meaning("power of two of its multiplier")
    left_shift: int = meaning("bits of fraction in the sum")
    output_offset: int = meaning("zero point of the output")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class CmsisMulParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_mul_params_t"
    elements: int = meaning("elements of a tensor")
    first_offset: int = meaning("minus the zero point of the first input")
    second_offset: int = meaning("minus the zero point of the second input")
    output_offset: int = meaning("zero point of the output")
    output_multiplier: int = meaning("fraction of the output's multiplier")
    output_shift: int = meaning("power of two of the output's multiplier")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class CmsisSoftmaxParams(Params):
    c_type: ClassVar[str] = "nacre_cmsis_softmax_params_t"
    rows: int = meaning("rows")
    depth: int = meaning("values that add up to one")
    multiplier: int = meaning("brings differences to 26 bits of fraction")
    shift: int = meaning("see multiplier")
    diff_min: int = meaning("differences below it count nothing")


CONV_S8 = Kernel("nacre_cmsis_conv2d_s8", CmsisConvParams, isa=PROVIDER)
DEPTHWISE_S8 = Kernel("nacre_cmsis_depthwise_s8", CmsisConvParams, isa=PROVIDER)
FULLY_CONNECTED_S8 = Kernel(
    "nacre_cmsis_fully_connected_s8", CmsisFullyConnectedParams, isa=PROVIDER
)
AVERAGE_POOL_S8 = Kernel("nacre_cmsis_average_pool2d_s8", CmsisPoolParams, isa=PROVIDER)
MAX_POOL_S8 = Kernel("nacre_cmsis_max_pool2d_s8", CmsisPoolParams, isa=PROVIDER)
ADD_S8 = Kernel("nacre_cmsis_add_s8", CmsisAddParams, isa=PROVIDER)
MUL_S8 = Kernel("nacre_cmsis_mul_s8", CmsisMulParams, isa=PROVIDER)
SOFTMAX_S8 = Kernel("nacre_cmsis_softmax_s8", CmsisSoftmaxParams, isa=PROVIDER)


def _whole(
    kernel: Kernel,
    arguments: tuple[Argument, ...],
    constants: tuple[Tensor, ...] = (),
    scratch: tuple[Scratch, ...] = (),
) -> Lowered:
    """One call on whole tensors: the library promises nothing on the order within."""
    call = Call(kernel, arguments)
    return Lowered((call,), constants, scratch, in_place=(), row_wise=False)


def _buffer(node: Node, size: int) -> tuple[Pointer, tuple[Scratch, ...]]:
    scratch = Scratch(derived_id(node, "scratch0"), max(4, size))
    return Pointer(scratch.id, DType.INT8, const=False, alignment=16), (scratch,)


def _filled(data: Array) -> Array:
    """Rows of channels filled up with zeros to a multiple of four."""
    return np.pad(data, [*[(0, 0)] * (data.ndim - 1), (0, -data.shape[-1] % 4)])


def _int8_alone(node: Node) -> str | None:
    tensors = (*(t for t in node.inputs if t is not None), node.output)
    moving = [t for t in tensors if not t.is_constant]
    return None if all(t.dtype is DType.INT8 for t in moving) else "for int8"


def _twice_alone(node: Node) -> str | None:
    made = node.operator.attributes
    once = isinstance(made, Sliding | FullyConnected | Mul) and made.once
    return "for results that are rounded twice" if once else None


# --- convolutions ---------------------------------------------------------------------------------


def _conv_objection(node: Node) -> str | None:
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    return _twice_alone(node) or (None if groups(node) == 1 else "for one group")


def _depthwise_objection(node: Node) -> str | None:
    return _twice_alone(node) if arithmetic(node) is Arithmetic.S8 else "for int8"


def _conv_params(node: Node, kernel: tuple[int, int], buffer: int) -> CmsisConvParams:
    conv, x, y = attributes(node, Sliding), node.input(0), node.output
    low, high = activation_range(conv.activation, y)
    return CmsisConvParams(
        x.shape[0], x.shape[1], x.shape[2], x.shape[3], y.shape[1], y.shape[2], y.shape[3],
        *kernel, conv.stride_h, conv.stride_w, conv.dilation_h,
        conv.dilation_w, conv.pad_top, conv.pad_left, -x.q.zero_point, y.q.zero_point,
        low, high, max(4, buffer),
    )  # fmt: skip


def _conv_constants(node: Node, axes: tuple[int, ...]) -> tuple[Tensor, Tensor]:
    """The bias without the input offset, and multiplier and shift per channel."""
    conv, x, w, given = attributes(node, Sliding), node.input(0), node.input(1), node.optional(2)
    sums = w.constant.astype(np.int64).sum(axis=axes).reshape(-1)
    bias = np.zeros_like(sums) if given is None else given.constant.astype(np.int64).reshape(-1)
    if conv.offset_in_bias:
        bias = bias + x.q.zero_point * sums
    requant = np.stack([np.broadcast_to(m, sums.shape) for m in multipliers(node)])
    return (
        constant(node, "plain_bias", _filled(bias).astype(np.int32), given),
        constant(node, "requant", _filled(requant).astype(np.int32), None),
    )


def _lower_convolution(
    node: Node, kernel: Kernel, size: tuple[int, int], axes: tuple[int, ...], buffer: int
) -> Lowered:
    x, w = node.input(0), node.input(1)
    bias, requant = _conv_constants(node, axes)
    weights = w if w.shape[-1] % 4 == 0 else constant(node, "weights", _tailed(w.constant), w)
    place, scratch = _buffer(node, buffer)
    arguments = (
        read(x), read(weights), read(bias), read(requant), place, write(node.output),
        _conv_params(node, size, buffer),
    )  # fmt: skip
    return _whole(kernel, arguments, (weights, bias, requant), scratch)


def _tailed(weights: Array) -> Array:
    """The library may read up to three elements past the end."""
    return np.append(weights.reshape(-1), np.zeros(4, weights.dtype))


def _lower_conv(node: Node) -> Lowered:
    w = node.input(1)
    taps = w.elements // w.shape[0]
    buffer = 4 * (-(-taps // 16) * 16) + 4 * w.shape[0]
    return _lower_convolution(node, CONV_S8, (w.shape[1], w.shape[2]), (1, 2, 3), buffer)


def _lower_depthwise(node: Node) -> Lowered:
    w = node.input(1)
    taps = w.shape[1] * w.shape[2]
    buffer = taps * max(4 * BLOCK, 2 * w.shape[3])
    return _lower_convolution(node, DEPTHWISE_S8, (w.shape[1], w.shape[2]), (0, 1, 2), buffer)


# --- fully connected ------------------------------------------------------------------------------


def _dense_objection(node: Node) -> str | None:
    layer, w = attributes(node, FullyConnected), node.input(1)
    if _int8_alone(node) or w.dtype is not DType.INT8 or not w.is_constant:
        return "for int8 with constant weights"
    if layer.real_scales or w.q.per_channel or w.q.zero_point:
        return "for weights of one scale and zero point 0, in TFLite Micro's numerics"
    return _twice_alone(node)


def _lower_dense(node: Node) -> Lowered:
    layer, x, w, y = attributes(node, FullyConnected), node.input(0), node.input(1), node.output
    given = bias_as(node, DType.INT32)
    offset = x.q.zero_point * w.constant.astype(np.int64).sum(axis=1)
    stored = given.constant.astype(np.int64).reshape(-1)
    plain = stored + offset if layer.offset_in_bias else stored
    bias = constant(node, "plain_bias", plain.astype(np.int32), node.optional(2))
    sums = constant(node, "sums", (plain - offset).astype(np.int32), None)
    multiplier, shift = multipliers_of(node)
    params = CmsisFullyConnectedParams(
        batches(node), w.shape[1], w.shape[0], -x.q.zero_point, y.q.zero_point,
        int(multiplier[0]), int(shift[0]), *activation_range(layer.activation, y),
    )  # fmt: skip
    arguments = (read(x), read(w), read(bias), read(sums), write(y), params)
    return _whole(FULLY_CONNECTED_S8, arguments, (bias, sums))


# --- pools, elementwise, softmax ------------------------------------------------------------------


def _lower_pool(kernel: Kernel) -> Callable[[Node], Lowered]:
    def lower(node: Node) -> Lowered:
        pool, x, y = attributes(node, Pool2d), node.input(0), node.output
        size = 4 * x.shape[3]
        params = CmsisPoolParams(
            x.shape[0], x.shape[1], x.shape[2], x.shape[3], y.shape[1], y.shape[2],
            pool.kernel_h, pool.kernel_w, pool.stride_h, pool.stride_w,
            pool.pad_top, pool.pad_left, *clamp(pool, y), size,
        )  # fmt: skip
        place, scratch = _buffer(node, size)
        return _whole(kernel, (read(x), place, write(y), params), (), scratch)

    return lower


def _pair_objection(node: Node) -> str | None:
    a, b = node.input(0), node.input(1)
    return _int8_alone(node) or (None if a.shape == b.shape else "for inputs of one shape")


def _sum_objection(node: Node) -> str | None:
    return "for sums" if not isinstance(node.operator.attributes, Add) else _pair_objection(node)


def _product_objection(node: Node) -> str | None:
    return _twice_alone(node) or _pair_objection(node)


def _lower_add(node: Node) -> Lowered:
    a, b, y = node.input(0), node.input(1), node.output
    first, second, output = sum_multipliers(node)
    params = CmsisAddParams(
        y.elements, -a.q.zero_point, *first, -b.q.zero_point, *second, LEFT_SHIFT[y.dtype],
        y.q.zero_point, *output, *activation_range(attributes(node, Add).activation, y),
    )  # fmt: skip
    return _whole(ADD_S8, (read(a), read(b), write(y), params))


def _lower_mul(node: Node) -> Lowered:
    a, b, y = node.input(0), node.input(1), node.output
    params = CmsisMulParams(
        y.elements, -a.q.zero_point, -b.q.zero_point, y.q.zero_point, *product_multiplier(node),
        *activation_range(attributes(node, Mul).activation, y),
    )  # fmt: skip
    return _whole(MUL_S8, (read(a), read(b), write(y), params))


def _lower_softmax(node: Node) -> Lowered:
    x, y = node.input(0), node.output
    multiplier, shift = input_multiplier(x, attributes(node, Softmax).beta)
    params = CmsisSoftmaxParams(
        x.elements // x.shape[-1], x.shape[-1], multiplier, shift, -input_radius(5, shift)
    )
    return _whole(SOFTMAX_S8, (read(x), write(y), params))


# --- the rows -------------------------------------------------------------------------------------


def _estimate(node: Node) -> Estimate:
    """Not compared with others: whoever asks for the provider gets it."""
    return Estimate(instructions=0, code_bytes=0)


def _variant(
    kernel: Kernel, objection: Callable[[Node], str | None], lower: Callable[[Node], Lowered]
) -> tuple[Variant, ...]:
    name = kernel.name.removeprefix("nacre_")
    return (Variant(name, PROVIDER, objection, _estimate, lower, (kernel,)),)


CMSIS: Mapping[str, tuple[Variant, ...]] = {
    "CONV_2D": _variant(CONV_S8, _conv_objection, _lower_conv),
    "DEPTHWISE_CONV_2D": _variant(DEPTHWISE_S8, _depthwise_objection, _lower_depthwise),
    "FULLY_CONNECTED": _variant(FULLY_CONNECTED_S8, _dense_objection, _lower_dense),
    "AVERAGE_POOL_2D": _variant(AVERAGE_POOL_S8, _int8_alone, _lower_pool(AVERAGE_POOL_S8)),
    "MAX_POOL_2D": _variant(MAX_POOL_S8, _int8_alone, _lower_pool(MAX_POOL_S8)),
    "ADD": _variant(ADD_S8, _sum_objection, _lower_add),
    "MUL": _variant(MUL_S8, _product_objection, _lower_mul),
    "SOFTMAX": _variant(SOFTMAX_S8, _int8_alone, _lower_softmax),
}
