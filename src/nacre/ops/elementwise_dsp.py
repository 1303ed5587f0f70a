"""ADD, SUB and MUL on cores with the DSP extension."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nacre.ir import DType, Node
from nacre.ops.dsp import MOST_EXPONENT
from nacre.ops.fixedpoint import plain_shift, rounds_once
from nacre.ops.kind import Estimate, Kernel, Lowered, LowerOptions, Variant

Lower = Callable[[Node, LowerOptions], Lowered]


def add_variant(lower: Lower, portable: Kernel) -> Variant:
    """The sum of an exact input and another, as `portable` computes it."""
    kernel = Kernel("nacre_add_s8_dsp", portable.params, isa="dsp")

    def objection(node: Node) -> str | None:
        return _other(node, lower, portable)

    return _variant(kernel, objection, lower, 15)


def mul_variant(
    lower: Lower, portable: Kernel, scale: Callable[[Node], tuple[int, int]]
) -> Variant:
    kernel = Kernel("nacre_mul_s8_dsp", portable.params, isa="dsp")

    def objection(node: Node) -> str | None:
        return _other(node, lower, portable) or _range(scale(node)[1])

    return _variant(kernel, objection, lower, 14)


def _other(node: Node, lower: Lower, portable: Kernel) -> str | None:
    """The portable lowering tells whether the scales are those that a kernel takes."""
    if node.output.dtype is not DType.INT8:
        return "int8 alone"
    (call,) = lower(node, LowerOptions()).calls
    return None if call.kernel == portable else "the scales are far apart"


def _range(shift: int) -> str | None:
    power, most = plain_shift(shift), MOST_EXPONENT - bool(rounds_once(shift))
    return None if -most <= power <= 0 else f"the multiplier is not of [2^-{most + 1}, 1)"


def _variant(
    kernel: Kernel, objection: Callable[[Node], str | None], lower: Lower, each: int
) -> Variant:
    def lowered(node: Node) -> Lowered:
        portable = lower(node, LowerOptions())
        (call,) = portable.calls
        return replace(portable, calls=(replace(call, kernel=kernel),))

    def estimate(node: Node) -> Estimate:
        return Estimate(each * node.output.elements, 1200)

    return Variant(
        kernel.name.removeprefix("nacre_"), "dsp", objection, estimate, lowered, (kernel,)
    )
