"""COMPLEX_PAIRS: complex numbers as pairs of floats, which is what they are in memory."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.elementwise import value
from nacre.ops.kind import Lowered, LowerOptions, OpKind


@dataclass(frozen=True)
class ComplexPairs(Attributes):
    """One more dimension, of two: real part, imaginary part."""


def _infer(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return ((*inputs[0].shape, 2),)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if (x.dtype, y.dtype) != (DType.COMPLEX64, DType.FLOAT32):
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: complex64 to float32"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    return (np.stack([x.real, x.imag], axis=-1).astype(np.float32),)


def _no_calls(node: Node, options: LowerOptions) -> Lowered:
    return Lowered(())


COMPLEX_PAIRS = OpKind(
    type="COMPLEX_PAIRS",
    attributes=ComplexPairs,
    summary="Complex numbers as pairs of floats; costs nothing at run time.",
    supports=("complex64 to float32",),
    tflite={},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_no_calls,
    kernels=(),
    is_view=True,
)
