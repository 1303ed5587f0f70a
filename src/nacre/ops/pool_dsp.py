"""AVERAGE_POOL_2D and MAX_POOL_2D on cores with the DSP extension: four channels at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nacre.ir import DType, Node
from nacre.ops.kind import Estimate, Kernel, Lowered, LowerOptions, Variant

Lower = Callable[[Node, LowerOptions], Lowered]
Taps = Callable[[Node], int]

# Sums of so many int8 values have 16 bits.
MOST_TAPS = 255


def pool_variant(lower: Lower, portable: Kernel, taps: Taps, most: int | None) -> Variant:
    """A pool like a portable one; windows have `taps` taps, `most` at most."""
    kernel = replace(portable, name=f"{portable.name}_dsp", isa="dsp")

    def objection(node: Node) -> str | None:
        if node.input(0).dtype is not DType.INT8:
            return "int8 alone"
        if node.input(0).shape[3] < 4:
            return "four channels or more"
        if most is not None and taps(node) > most:
            return f"{taps(node)} taps; at most {most}"
        return None

    def estimate(node: Node) -> Estimate:
        fours = -(-node.output.elements // 4)
        return Estimate(fours * (6 * taps(node) + 50), 600)

    def lowered(node: Node) -> Lowered:
        found = lower(node, LowerOptions())
        return replace(found, calls=tuple(replace(c, kernel=kernel) for c in found.calls))

    return Variant(
        kernel.name.removeprefix("nacre_"), "dsp", objection, estimate, lowered, (kernel,)
    )
