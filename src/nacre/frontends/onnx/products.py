"""Products of two tensors as numpy's matmul defines them."""

from __future__ import annotations

from math import prod

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.source import Emitter, Impossible
from nacre.ir import Tensor
from nacre.ops.batch_matmul import BATCH_DIMENSIONS, BatchMatmul
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Refuse


def product(emit: Emitter, a: Tensor, b: Tensor) -> Tensor:
    """numpy's matmul: vectors become matrices, batch dimensions broadcast."""
    if not a.shape or not b.shape:
        raise Refuse(f"the inputs are {list(a.shape)} and {list(b.shape)}; supported: no scalars")
    row, column = len(a.shape) == 1, len(b.shape) == 1
    left = reshaped(emit, a, 1, *a.shape) if row else a
    right = reshaped(emit, b, *b.shape, 1) if column else b
    if left.shape[-1] != right.shape[-2]:
        raise Impossible(f"the product of {list(a.shape)} and {list(b.shape)}")
    y = _matrices(emit, left, right)
    if not row and not column:
        return y
    kept = y.shape[:-2] + (() if row else y.shape[-2:-1]) + (() if column else y.shape[-1:])
    return reshaped(emit, y, *kept)


def _matrices(emit: Emitter, left: Tensor, right: Tensor) -> Tensor:
    if len(right.shape) == 2 and not left.is_constant:
        weights = transposed(emit, right, 1, 0) if right.is_constant else None
        if weights is not None:
            return emit.one(FullyConnected(keep_dimensions=True), (left, weights, None))
    if max(len(left.shape), len(right.shape)) <= BATCH_DIMENSIONS + 2:
        return emit.one(BatchMatmul(), (left, right))
    if left.shape[:-2] != right.shape[:-2]:
        raise Refuse(
            f"batches {list(left.shape[:-2])} and {list(right.shape[:-2])}; "
            f"supported: equal ones beyond {BATCH_DIMENSIONS} dimensions"
        )
    count = prod(left.shape[:-2])
    flat = [reshaped(emit, t, count, *t.shape[-2:]) for t in (left, right)]
    y = emit.one(BatchMatmul(), flat)
    return reshaped(emit, y, *left.shape[:-2], *y.shape[1:])
