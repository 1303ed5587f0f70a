"""TOPK: the largest or smallest values of each row, and where they are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.elementwise import value
from nacre.ops.kind import (
    Call,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    attributes,
    meaning,
    read,
    write,
)


@dataclass(frozen=True)
class TopK(Attributes):
    """Along the last dimension; outputs: values, then places (int64), best first."""

    count: int
    largest: bool = True


@dataclass(frozen=True)
class TopKParams(Params):
    c_type: ClassVar[str] = "nacre_top_k_params_t"
    rows: int = meaning("rows, one after another")
    size: int = meaning("values of a row")
    count: int = meaning("values that are kept")
    largest: int = meaning("1: the largest; 0: the smallest")


TOP_K_F32 = Kernel("nacre_top_k_f32", TopKParams)


def _infer(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(kind, TopK) and x is not None
    shape = (*x.shape[:-1], kind.count)
    return shape, shape


def _check(node: Node) -> str | None:
    x, count = node.input(0), attributes(node, TopK).count
    kinds = tuple(t.dtype for t in (x, *node.outputs))
    if kinds != (DType.FLOAT32, DType.FLOAT32, DType.INT64):
        return f"input is {x.dtype.value}; supported: float32"
    if not 1 <= count <= x.shape[-1]:
        return f"{count} of {x.shape[-1]} values; supported: 1 to {x.shape[-1]}"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    kind, x = attributes(node, TopK), value(values, 0)
    order = np.argsort(-x if kind.largest else x, axis=-1, kind="stable")[..., : kind.count]
    return np.take_along_axis(x, order, -1), order.astype(np.int64)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, x = attributes(node, TopK), node.input(0)
    params = TopKParams(math.prod(x.shape[:-1]), x.shape[-1], kind.count, int(kind.largest))
    values, indices = node.outputs
    return Lowered((Call(TOP_K_F32, (read(x), write(values), write(indices), params)),))


TOP_K = OpKind(
    type="TOPK",
    attributes=TopK,
    summary="The largest or smallest values of each row, and where they are.",
    supports=("float32; a constant number of values",),
    tflite={},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(TOP_K_F32,),
)
