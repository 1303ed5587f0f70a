"""AVERAGE_POOL_2D and MAX_POOL_2D on Helium: sixteen channels at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nacre.ir import DType, Node
from nacre.ops.kind import Estimate, Kernel, Lowered, LowerOptions, Variant

Lower = Callable[[Node, LowerOptions], Lowered]
Taps = Callable[[Node], int]


def pool_variant(lower: Lower, portable: Kernel, taps: Taps, most: int | None) -> Variant:
    """A pool called as a portable one; windows have `taps` taps, `most` at most."""
    kernel = replace(portable, name=f"{portable.name}_mve", isa="mve")

    def objection(node: Node) -> str | None:
        if node.input(0).dtype is not DType.INT8:
            return "for int8"
        if most is not None and taps(node) > most:
            return f"{taps(node)} taps; at most {most}"
        return None

    def estimate(node: Node) -> Estimate:
        channels = node.output.shape[3]
        blocks = node.output.elements // channels * -(-channels // 16)
        return Estimate(blocks * (7 * taps(node) + 60), code_bytes=800)

    def lowered(node: Node) -> Lowered:
        found = lower(node, LowerOptions())
        return replace(found, calls=tuple(replace(c, kernel=kernel) for c in found.calls))

    return Variant(
        kernel.name.removeprefix("nacre_"), "mve", objection, estimate, lowered, (kernel,)
    )
