"""MatMul, Gemm, Einsum: products of matrices."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource
from nacre.ir import Tensor
from nacre.ops.add import Add
from nacre.ops.batch_matmul import BATCH_DIMENSIONS, BatchMatmul
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul


def _matmul(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    return (product(emit, source.input(0), source.input(1)),)


def product(emit: Emitter, a: Tensor, b: Tensor) -> Tensor:
    """numpy's matmul: vectors become matrices, batch dimensions broadcast."""
    if not a.shape or not b.shape:
        raise Refuse(f"the inputs are {list(a.shape)} and {list(b.shape)}; supported: no scalars")
    row, column = len(a.shape) == 1, len(b.shape) == 1
    left = reshaped(emit, a, 1, *a.shape) if row else a
    right = reshaped(emit, b, *b.shape, 1) if column else b
    if left.shape[-1] != right.shape[-2]:
        raise Refuse(f"the product of {list(a.shape)} and {list(b.shape)}")
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


def _gemm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    a, b, c = source.input(0), source.input(1), source.optional(2)
    options = source.options
    alpha, beta = options.real("alpha", 1.0), options.real("beta", 1.0)
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise Refuse(f"the inputs are {list(a.shape)} and {list(b.shape)}; supported: matrices")
    left = transposed(emit, a, 1, 0) if options.integer("transA") else a
    if b.is_constant and not a.is_constant:
        y, c = _layer(emit, left, b, c, bool(options.integer("transB")), alpha, beta)
    else:
        y = emit.one(BatchMatmul(adjoint_z=bool(options.integer("transB"))), (left, b))
        y = _scaled(emit, y, alpha)
    if c is None:
        return (y,)
    return (emit.one(Add(), (y, _scaled(emit, c, beta))),)


def _layer(
    emit: Emitter, x: Tensor, b: Tensor, c: Tensor | None, turned: bool, alpha: float, beta: float
) -> tuple[Tensor, Tensor | None]:
    """A layer with constant weights; a bias that is none of its own comes back."""
    weights = b if turned else transposed(emit, b, 1, 0)
    if alpha != 1.0:
        weights = emit.one(Mul(), (weights, emit.like(alpha, weights)))
    outputs = weights.shape[0]
    if x.shape[1] != weights.shape[1]:
        raise Refuse(f"rows of {x.shape[1]} values with weights {list(weights.shape)}")
    bias = None
    if c is not None and c.is_constant and c.shape in ((outputs,), (1, outputs), (1,), ()):
        values = (np.float32(beta) * c.constant).astype(np.float32)
        bias = emit.constant(np.broadcast_to(values.reshape(-1), (outputs,)).copy(), c)
    y = emit.one(FullyConnected(keep_dimensions=True), (x, weights, bias))
    return y, (c if bias is None else None)


def _scaled(emit: Emitter, x: Tensor, factor: float) -> Tensor:
    return x if factor == 1.0 else emit.one(Mul(), (x, emit.like(factor, x)))


def _einsum(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """Two operands whose letters are batch, rows, columns and what is summed."""
    equation = source.options.text("equation").replace(" ", "")
    a, b = source.input(0), source.input(1)
    sides = equation.split("->")
    terms = sides[0].split(",")
    plain = (
        len(sides) == 2
        and len(terms) == 2
        and equation.replace(",", "").replace("->", "").isalpha()
    )
    if not plain or any(len(set(t)) != len(t) for t in (*terms, sides[1])):
        raise Refuse(f"{equation!r}; supported: products of two matrices, like 'bij,bjk->bik'")
    left, right, result = terms[0], terms[1], sides[1]
    if (len(left), len(right)) != (len(a.shape), len(b.shape)):
        raise Refuse(f"{equation!r} for inputs of {list(a.shape)} and {list(b.shape)}")
    batch = [x for x in left if x in right and x in result]
    summed = [x for x in left if x in right and x not in result]
    rows = [x for x in left if x not in right]
    columns = [x for x in right if x not in left]
    if sorted(result) != sorted(batch + rows + columns):
        raise Refuse(f"{equation!r}; supported: sums over letters of both operands")
    sizes = dict(zip(left, a.shape, strict=True)) | dict(zip(right, b.shape, strict=True))
    x = _arranged(emit, a, left, (batch, rows, summed), sizes)
    z = _arranged(emit, b, right, (batch, summed, columns), sizes)
    y = product(emit, x, z)
    order = batch + rows + columns
    y = reshaped(emit, y, *(sizes[c] for c in order))
    return (transposed(emit, y, *(order.index(c) for c in result)),)


def _arranged(
    emit: Emitter, x: Tensor, letters: str, groups: tuple[list[str], ...], sizes: Mapping[str, int]
) -> Tensor:
    """The operand as [batch, ., .]."""
    order = [c for group in groups for c in group]
    if [sizes[c] for c in letters] != list(x.shape):
        raise Refuse(f"letters {letters!r} for {list(x.shape)}")
    moved = transposed(emit, x, *(letters.index(c) for c in order))
    return reshaped(emit, moved, *(prod(sizes[c] for c in group) for group in groups))


PRODUCTS: Mapping[str, OnnxKind] = {
    "MatMul": OnnxKind(_matmul, "float32, batches broadcast; constant or computed operands"),
    "Gemm": OnnxKind(_gemm, "float32; any alpha, beta and transposition"),
    "Einsum": OnnxKind(_einsum, "two operands that make a product of matrices"),
}
