"""CUMSUM: running sums along a dimension."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import boxed, is_whole
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
    read,
    write,
)
from nacre.ops.moves import axis_of, constant_integer, same_types

# Bits that int8 values are scaled up by before they are summed.
HEADROOM = 19


@dataclass(frozen=True)
class CumSum(Attributes):
    """exclusive: a sum is without its own element; reverse: sums run from the end."""

    axis: int = 0
    exclusive: bool = False
    reverse: bool = False


@dataclass(frozen=True)
class CumSumParams(Params):
    c_type: ClassVar[str] = "nacre_cumsum_params_t"
    outer: int = meaning("slices before the axis")
    size: int = meaning("length of the axis")
    inner: int = meaning("elements after the axis")
    exclusive: int = meaning("1: without the element itself")
    reverse: int = meaning("1: from the end")


@dataclass(frozen=True)
class CumSumS8Params(CumSumParams):
    c_type: ClassVar[str] = "nacre_cumsum_s8_params_t"
    input_offset: int = meaning("-zero point of the input")
    output_offset: int = meaning("zero point of the output")
    multiplier: int = meaning("fraction of the scaling")
    shift: int = meaning("power of two of the scaling")


CUMSUM_S8 = Kernel("nacre_cumsum_s8", CumSumS8Params)
CUMSUM_KERNELS = {
    DType.FLOAT32: Kernel("nacre_cumsum_f32", CumSumParams),
    DType.INT32: Kernel("nacre_cumsum_s32", CumSumParams),
    DType.INT64: Kernel("nacre_cumsum_s64", CumSumParams),
}


def _from_tflite(source: SourceNode) -> Imported:
    axis = constant_integer(source, 1, "the axis")
    options = source.options
    return Imported(
        CumSum(
            axis_of(axis, len(source.input(0).shape)),
            options.flag("exclusive"),
            options.flag("reverse"),
        ),
        inputs=(0,),
    )


def _infer(total: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert x is not None
    return (x.shape,)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if x.dtype not in CUMSUM_KERNELS and x.dtype is not DType.INT8:
        return f"the input is {x.dtype.value}; supported: int8, int32, int64, float32"
    if x.dtype is DType.INT8 and (x.quantization is None or y.quantization is None):
        return "int8 without a scale; supported: with one"
    return same_types(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    if node.input(0).dtype is not DType.INT8:
        return (_running(attributes(node, CumSum), x),)
    y = node.output
    offset = -node.input(0).q.zero_point
    sums = offset + _running(attributes(node, CumSum), x.astype(np.int64) + offset)
    scaled = requantize((sums << HEADROOM).astype(np.int32), *_multiplier(node)) + y.q.zero_point
    return (saturate(scaled, y.dtype),)


def _running(total: CumSum, x: Array) -> Array:
    """Sums one after another, in the type of x."""
    line = np.moveaxis(x, total.axis, 0)
    line = line[::-1] if total.reverse else line
    sums = np.add.accumulate(line, axis=0, dtype=x.dtype)
    if total.exclusive:
        sums = np.concatenate([np.zeros_like(sums[:1]), sums[:-1]])
    return np.moveaxis(sums[::-1] if total.reverse else sums, 0, total.axis)


def _multiplier(node: Node) -> tuple[int, int]:
    """Twice the input's scale, less the headroom, over the output's scale."""
    x, y = np.float32(node.input(0).q.scale), np.float32(node.output.q.scale)
    return quantize_multiplier(2.0 * float(x) / ((1 << (HEADROOM + 1)) * float(y)))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    pointers = read(x), write(y)
    if x.dtype is not DType.INT8:
        params = CumSumParams(*_loops(node))
        return Lowered((Call(CUMSUM_KERNELS[x.dtype], (*pointers, params)),))
    quantized = CumSumS8Params(*_loops(node), -x.q.zero_point, y.q.zero_point, *_multiplier(node))
    return Lowered((Call(CUMSUM_S8, (*pointers, quantized)),))


def _loops(node: Node) -> tuple[int, int, int, int, int]:
    total, shape = attributes(node, CumSum), node.input(0).shape
    return (
        math.prod(shape[: total.axis]),
        shape[total.axis],
        math.prod(shape[total.axis + 1 :]),
        int(total.exclusive),
        int(total.reverse),
    )


def _in_place(node: Node) -> tuple[int, ...]:
    """Values are read and written first to last when they lie in that order."""
    _, _, inner, _, reverse = _loops(node)
    return (0,) if inner == 1 and not reverse else ()


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    axis = attributes(node, CumSum).axis
    return boxed(node, box, [(0, box)]) if is_whole(box[axis], node.output.shape[axis]) else None


CUMSUM = OpKind(
    type="CUMSUM",
    attributes=CumSum,
    summary="Running sums along a dimension, exclusive or reverse.",
    supports=(
        "int8, int32, int64, float32; a constant axis",
        "int8 sums start at minus the zero point of the input, as in TFLite Micro",
    ),
    tflite={"CUMSUM": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(CUMSUM_S8, *CUMSUM_KERNELS.values()),
    in_place=_in_place,
    box=_box,
)
