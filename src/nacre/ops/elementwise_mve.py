"""ADD and SUB on Helium."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nacre.ir import DType, Node
from nacre.ops.kind import Estimate, Kernel, Lowered, LowerOptions, Variant

Lower = Callable[[Node, LowerOptions], Lowered]


def add_variant(lower: Lower, portable: Kernel) -> Variant:
    """The sum of an exact input and another: called as `portable` is."""
    kernel = Kernel("nacre_add_s8_mve", portable.params, isa="mve")

    def objection(node: Node) -> str | None:
        if node.output.dtype is not DType.INT8:
            return "for int8"
        (call,) = lower(node, LowerOptions()).calls
        return None if call.kernel == portable else "the scales are far apart"

    def lowered(node: Node) -> Lowered:
        plain = lower(node, LowerOptions())
        (call,) = plain.calls
        return replace(plain, calls=(replace(call, kernel=kernel),))

    def estimate(node: Node) -> Estimate:
        apart = node.input(0).shape != node.input(1).shape
        return Estimate((8 if apart else 4) * node.output.elements + 100, code_bytes=900)

    return Variant("add_s8_mve", "mve", objection, estimate, lowered, (kernel,))
