"""CONV_2D: two-dimensional convolution, also in groups of channels."""

from __future__ import annotations

from nacre.ops.conv2d.dsp import VARIANTS as DSP
from nacre.ops.conv2d.lowering import KERNELS, lower
from nacre.ops.conv2d.mve import VARIANTS as MVE
from nacre.ops.conv2d.pixel_mve import VARIANTS as PIXEL_MVE
from nacre.ops.conv2d.rules import (
    SUPPORTED,
    Conv2d,
    box,
    check,
    cost,
    fold_offset,
    from_tflite,
    infer,
    reference,
    rows,
)
from nacre.ops.kind import OpKind

__all__ = ["CONV_2D", "Conv2d"]

CONV_2D = OpKind(
    type="CONV_2D",
    attributes=Conv2d,
    summary="Two-dimensional convolution, any stride, dilation, padding and number of groups.",
    supports=tuple(a.value for a in SUPPORTED),
    tflite={"CONV_2D": from_tflite},
    infer=infer,
    check=check,
    reference=reference,
    lower=lower,
    kernels=KERNELS,
    cost=cost,
    rows=rows,
    box=box,
    fold_offset=fold_offset,
    variants=MVE + PIXEL_MVE + DSP,
)
