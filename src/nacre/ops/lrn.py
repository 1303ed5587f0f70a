"""LOCAL_RESPONSE_NORMALIZATION: values divided by the strength of neighbouring channels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import vector_box
from nacre.ops.kind import (
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    attributes,
    meaning,
    read,
    real_meaning,
    write,
)


@dataclass(frozen=True)
class LocalResponseNorm(Attributes):
    """y[c] = x[c] * (bias + alpha * sum of x^2 over [c - radius, c + radius)) ^ -beta."""

    radius: int = 0
    bias: float = 0.0
    alpha: float = 0.0
    beta: float = 0.0


@dataclass(frozen=True)
class LrnParams(Params):
    c_type: ClassVar[str] = "nacre_lrn_params_t"
    pixels: int = meaning("pixels, one after another")
    channels: int = meaning("channels of a pixel")
    radius: int = meaning("channels that count on either side")
    bias: float = real_meaning("added to the weighted sum of squares")
    alpha: float = real_meaning("weight of the sum of squares")
    beta: float = real_meaning("exponent")


LRN = Kernel("nacre_lrn_f32", LrnParams)


def _from_tflite(source: SourceNode) -> Imported:
    options = source.options
    radius = options.integer("radius")
    if radius < 0:
        raise Refuse(f"radius is {radius}; expected 0 or more")
    norm = LocalResponseNorm(
        radius, options.real("bias"), options.real("alpha"), options.real("beta")
    )
    return Imported(norm, inputs=(0,))


def _infer(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return (inputs[0].shape,)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if (x.dtype, y.dtype) != (DType.FLOAT32, DType.FLOAT32):
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: float32"
    if not x.shape:
        return "input is a scalar; supported: at least one axis"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    norm, x = attributes(node, LocalResponseNorm), values[0]
    assert x is not None
    channels = x.shape[-1]
    squares = np.square(x)
    sums = [
        squares[..., max(0, c - norm.radius) : min(channels, c + norm.radius)].sum(axis=-1)
        for c in range(channels)
    ]
    strength = np.float32(norm.bias) + np.float32(norm.alpha) * np.stack(sums, axis=-1)
    return ((x * np.power(strength, np.float32(-norm.beta))).astype(np.float32),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    norm, x = attributes(node, LocalResponseNorm), node.input(0)
    channels = x.shape[-1]
    params = LrnParams(
        x.elements // channels, channels, min(norm.radius, channels),
        norm.bias, norm.alpha, norm.beta,
    )  # fmt: skip
    return Lowered((Call(LRN, (read(x), write(node.output), params)),))


def _cost(node: Node) -> Cost:
    radius = attributes(node, LocalResponseNorm).radius
    return Cost(macs=node.output.elements * min(2 * radius + 1, node.output.shape[-1]))


LOCAL_RESPONSE_NORMALIZATION = OpKind(
    type="LOCAL_RESPONSE_NORMALIZATION",
    attributes=LocalResponseNorm,
    summary="Values divided by the strength of neighbouring channels.",
    supports=("float32",),
    tflite={"LOCAL_RESPONSE_NORMALIZATION": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(LRN,),
    cost=_cost,
    box=vector_box,
)
