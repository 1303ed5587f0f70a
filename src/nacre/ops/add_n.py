"""ADD_N: sum of any number of tensors of one shape."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node
from nacre.ops.add import PLAIN, Add
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    FloatRange,
    IntegerRange,
    call_broadcast,
    each,
    in_place,
    infer_same,
    refuse_scales,
    refuse_zero_scales,
    same_rows,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import (
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Refuse,
    Scratch,
    SourceNode,
    derived_id,
    meaning,
    read,
    write,
)
from nacre.ops.moves import COPY_BYTES
from nacre.ops.quantize import REQUANTIZE, RequantizeParams

FLOAT32, INT8, INT32 = DType.FLOAT32, DType.INT8, DType.INT32
# Bits of fraction that the sum of int8 values carries; more inputs than these could overflow it.
LEFT_SHIFT = 20
MOST_QUANTIZED = 16


@dataclass(frozen=True)
class AddN(Attributes):
    """All inputs added up, in their order."""


@dataclass(frozen=True)
class AccumulateParams(Params):
    c_type: ClassVar[str] = "nacre_accumulate_params_t"
    input_offset: int = meaning("minus the zero point of the input")
    multiplier: int = meaning("fraction of its multiplier")
    shift: int = meaning("power of two of its multiplier")
    keep: int = meaning("0 begins a sum, 1 adds to it")


ACCUMULATE = Kernel("nacre_accumulate_s8", AccumulateParams)
FINISH = REQUANTIZE[INT32, INT8]


def _from_tflite(source: SourceNode) -> Imported:
    shapes = {source.input(i).shape for i in range(len(source.inputs))}
    if len(shapes) != 1:
        found = ", ".join(str(list(s)) for s in sorted(shapes))
        raise Refuse(f"inputs of shapes {found or 'none'}; supported: one shape")
    return Imported(AddN(), tuple(range(len(source.inputs))))


def _check(node: Node) -> str | None:
    found = {t.dtype for t in (*node.inputs, *node.outputs) if t is not None}
    if found not in ({FLOAT32}, {INT32}, {INT8}):
        names = ", ".join(sorted(t.value for t in found))
        return f"inputs and output are {names}; supported: all float32, all int32 or all int8"
    if node.output.dtype is INT8 and len(node.inputs) > MOST_QUANTIZED:
        return f"{len(node.inputs)} int8 inputs; supported: up to {MOST_QUANTIZED}"
    return refuse_scales(node) or refuse_zero_scales(node)


def _multipliers(node: Node) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """Of the inputs to twice the largest input scale, and from there to the output."""
    scales = [node.input(i).q.scale for i in range(len(node.inputs))]
    twice = 2 * max(scales)
    output = quantize_multiplier(twice / ((1 << LEFT_SHIFT) * node.output.q.scale))
    return [quantize_multiplier(s / twice) for s in scales], output


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    inputs = [v for v in values if v is not None]
    y = node.output
    if y.dtype is not INT8:
        total = inputs[0].copy()
        for x in inputs[1:]:
            total = total + x
        return (total,)
    multipliers, output = _multipliers(node)
    scaled = [
        requantize((x.astype(np.int64) - node.input(i).q.zero_point) << LEFT_SHIFT, *multipliers[i])
        for i, x in enumerate(inputs)
    ]
    total = np.sum(scaled, axis=0).astype(np.int32)
    return (saturate(requantize(total, *output) + y.q.zero_point, y.dtype),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return _lower_quantized(node) if node.output.dtype is INT8 else _lower_plain(node)


def _lower_plain(node: Node) -> Lowered:
    y, first = node.output, node.input(0)
    if len(node.inputs) == 1:
        return Lowered((Call(COPY_BYTES, (read(first), write(y), y.size)),))
    limits: Params = IntegerRange(*INT32.range)
    if y.dtype is FLOAT32:
        limits = FloatRange(-np.inf, np.inf)
    kernel = PLAIN[Add][y.dtype]
    sums = [first] + [y] * (len(node.inputs) - 2)
    return Lowered(
        tuple(
            call_broadcast(kernel, total, node.input(i), y, limits)
            for i, total in enumerate(sums, start=1)
        )
    )


def _lower_quantized(node: Node) -> Lowered:
    y = node.output
    scratch = Scratch(derived_id(node, "scratch0"), 4 * y.elements)
    multipliers, output = _multipliers(node)
    shape, rows = each(node.input(0), y)
    total = Pointer(scratch.id, INT32, const=False)
    calls = [
        Call(
            ACCUMULATE,
            (
                read(node.input(i)), total, shape,
                AccumulateParams(-node.input(i).q.zero_point, *multiplier, min(i, 1)), rows,
            ),
        )
        for i, multiplier in enumerate(multipliers)
    ]  # fmt: skip
    params = RequantizeParams(0, *output, y.q.zero_point, *y.dtype.range)
    calls.append(Call(FINISH, (Pointer(scratch.id, INT32), write(y), shape, params, rows)))
    return Lowered(tuple(calls), scratch=(scratch,))


def _in_place(node: Node) -> tuple[int, ...]:
    """The running sum may overwrite the first two inputs, unless one is added again later."""
    if node.output.dtype is INT8:
        return in_place(node)
    if len(node.inputs) == 1:
        return ()
    later = {t.id for t in node.inputs[2:] if t is not None}
    return tuple(i for i in in_place(node) if i < 2 and node.input(i).id not in later)


ADD_N = OpKind(
    type="ADD_N",
    attributes=AddN,
    summary="Sum of any number of tensors of one shape.",
    supports=("float32, int32", "int8 of any scales, up to 16 inputs"),
    tflite={"ADD_N": _from_tflite},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(PLAIN[Add][FLOAT32], PLAIN[Add][INT32], ACCUMULATE, FINISH, COPY_BYTES),
    in_place=_in_place,
    rows=same_rows,
    box=element_box,
)
