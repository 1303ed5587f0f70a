"""MatMul, Gemm, Einsum: products of matrices."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.einsum import einsum
from nacre.frontends.onnx.layout import transposed
from nacre.frontends.onnx.products import product
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource
from nacre.ir import Tensor
from nacre.ops.add import Add
from nacre.ops.batch_matmul import BatchMatmul
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul


def _matmul(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    return (product(emit, source.input(0), source.input(1)),)


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


PRODUCTS: Mapping[str, OnnxKind] = {
    "MatMul": OnnxKind(_matmul, "float32, batches broadcast; constant or computed operands"),
    "Gemm": OnnxKind(_gemm, "float32; any alpha, beta and transposition"),
    "Einsum": OnnxKind(einsum, "float32; sums, diagonals and products of any operands"),
}
