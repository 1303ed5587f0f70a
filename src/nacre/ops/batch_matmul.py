"""BATCH_MATMUL: products of matrices, batch dimensions broadcast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import boxed, stretched
from nacre.ops.elementwise import refuse_types, value
from nacre.ops.fixedpoint import (
    quantize_multiplier,
    requantize,
    requantize_wide,
    saturate,
    single_multiplier,
    wide_objection,
)
from nacre.ops.kind import (
    Box,
    Boxed,
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
    Span,
    attributes,
    meaning,
    meanings,
    read,
    write,
)

# Dimensions before the matrices that the kernels loop over.
BATCH_DIMENSIONS = 3


@dataclass(frozen=True)
class BatchMatmul(Attributes):
    """y = x z; an adjoint operand is stored with its last two dimensions swapped."""

    adjoint_x: bool = False
    adjoint_z: bool = False
    # The product of the scales is rounded to float32, as in LiteRT.
    float_scales: bool = False
    # Sums are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False


@dataclass(frozen=True)
class MatmulShape(Params):
    c_type: ClassVar[str] = "nacre_matmul_shape_t"
    batches: tuple[int, ...] = meanings("matrices per batch dimension")
    x_batch_steps: tuple[int, ...] = meanings("x: elements from one matrix to the next")
    z_batch_steps: tuple[int, ...] = meanings("z: elements from one matrix to the next")
    rows: int = meaning("rows of the output")
    columns: int = meaning("columns of the output")
    depth: int = meaning("products per output")
    x_row_step: int = meaning("x: elements from one row to the next")
    x_depth_step: int = meaning("x: elements from one product to the next")
    z_depth_step: int = meaning("z: elements from one product to the next")
    z_column_step: int = meaning("z: elements from one column to the next")


@dataclass(frozen=True)
class MatmulScale(Params):
    c_type: ClassVar[str] = "nacre_matmul_scale_t"
    x_offset: int = meaning("minus the zero point of x")
    z_offset: int = meaning("minus the zero point of z")
    output_offset: int = meaning("zero point of the output")
    multiplier: int = meaning("scale of the products")
    shift: int = meaning("see multiplier")


MATMUL_S8 = Kernel("nacre_batch_matmul_s8", MatmulShape)
MATMUL_S16 = Kernel("nacre_batch_matmul_s16", MatmulShape)
MATMUL_F32 = Kernel("nacre_batch_matmul_f32", MatmulShape)
KERNELS = {DType.INT8: MATMUL_S8, DType.INT16: MATMUL_S16, DType.FLOAT32: MATMUL_F32}


def _from_tflite(source: SourceNode) -> Imported:
    options = source.options
    product = BatchMatmul(options.flag("adj_x"), options.flag("adj_y"), source.litert)
    return Imported(product, inputs=(0, 1))


def _infer(product: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, z = inputs[0], inputs[1]
    assert isinstance(product, BatchMatmul) and x is not None and z is not None
    if min(len(x.shape), len(z.shape)) < 2:
        raise Refuse(f"the inputs are {list(x.shape)} and {list(z.shape)}; supported: matrices")
    rows, x_depth = _matrix(x.shape, product.adjoint_x)
    z_depth, columns = _matrix(z.shape, product.adjoint_z)
    if x_depth != z_depth:
        raise Refuse(f"rows of {x_depth} and columns of {z_depth} values; they must be equal")
    try:
        batch = np.broadcast_shapes(x.shape[:-2], z.shape[:-2])
    except ValueError:
        names = f"{list(x.shape)} and {list(z.shape)}"
        raise Refuse(f"the batch dimensions of {names} do not broadcast") from None
    return ((*(int(d) for d in batch), rows, columns),)


def _matrix(shape: Shape, adjoint: bool) -> tuple[int, int]:
    return (shape[-1], shape[-2]) if adjoint else (shape[-2], shape[-1])


def _check(node: Node) -> str | None:
    x, z, y = node.input(0), node.input(1), node.output
    objection = refuse_types(node, [(k, k, k) for k in KERNELS])
    if objection is not None:
        return objection
    if len(y.shape) > BATCH_DIMENSIONS + 2:
        return f"the output has {len(y.shape)} dimensions; supported: {BATCH_DIMENSIONS + 2}"
    if x.dtype is DType.INT16 and any(t.q.zero_point != 0 for t in (x, z, y)):
        return "int16 with a zero point that is not 0; supported: 0"
    return wide_objection(x.q.scale * z.q.scale / y.q.scale) if x.dtype is DType.INT16 else None


# --- reference --------------------------------------------------------------------------------


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    product = attributes(node, BatchMatmul)
    x = _oriented(value(values, 0), product.adjoint_x)
    z = _oriented(value(values, 1), product.adjoint_z)
    if x.dtype == np.float32:
        return (_float_product(x, z, node.output.shape),)
    scale = _scale(node)
    acc = (x.astype(np.int64) + scale.x_offset) @ (z.astype(np.int64) + scale.z_offset)
    rescale = requantize_wide if x.dtype == np.int16 else requantize
    scaled = rescale(acc, scale.multiplier, scale.shift) + scale.output_offset
    return (saturate(scaled, node.output.dtype),)


def _float_product(x: Array, z: Array, shape: Shape) -> Array:
    """One product at a time, as the kernel adds them up."""
    acc = np.zeros(shape, np.float32)
    for k in range(x.shape[-1]):
        acc += x[..., :, k : k + 1] * z[..., k : k + 1, :]
    return acc


def _oriented(matrices: Array, adjoint: bool) -> Array:
    return np.swapaxes(matrices, -1, -2) if adjoint else matrices


def _scale(node: Node) -> MatmulScale:
    x, z, y = node.input(0), node.input(1), node.output
    product = x.q.scale * z.q.scale
    if attributes(node, BatchMatmul).float_scales:
        product = float(np.float32(product))
    once = attributes(node, BatchMatmul).once and x.dtype is DType.INT8
    fixed = single_multiplier if once else quantize_multiplier
    multiplier, shift = fixed(product / y.q.scale)
    return MatmulScale(
        x_offset=-x.q.zero_point, z_offset=-z.q.zero_point, output_offset=y.q.zero_point,
        multiplier=multiplier, shift=shift,
    )  # fmt: skip


# --- lowering ---------------------------------------------------------------------------------


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, z, y = node.input(0), node.input(1), node.output
    scale = () if x.dtype is DType.FLOAT32 else (_scale(node),)
    arguments = (read(x), read(z), write(y), _shape(node), *scale)
    return Lowered((Call(KERNELS[x.dtype], arguments),))


def _shape(node: Node) -> MatmulShape:
    product = attributes(node, BatchMatmul)
    x, z, y = node.input(0).shape, node.input(1).shape, node.output.shape
    rows, depth = _matrix(x, product.adjoint_x)
    columns = y[-1]
    batch = y[:-2]
    return MatmulShape(
        batches=(1,) * (BATCH_DIMENSIONS - len(batch)) + batch,
        x_batch_steps=_batch_steps(x), z_batch_steps=_batch_steps(z),
        rows=rows, columns=columns, depth=depth,
        x_row_step=1 if product.adjoint_x else depth,
        x_depth_step=rows if product.adjoint_x else 1,
        z_depth_step=1 if product.adjoint_z else columns,
        z_column_step=depth if product.adjoint_z else 1,
    )  # fmt: skip


def _batch_steps(shape: Shape) -> tuple[int, ...]:
    """Elements from one matrix to the next along each batch dimension; 0 where it repeats."""
    steps: list[int] = []
    inside = shape[-1] * shape[-2]
    for size in reversed(shape[:-2]):
        steps.append(0 if size == 1 else inside)
        inside *= size
    return (0,) * (BATCH_DIMENSIONS - len(steps)) + tuple(reversed(steps))


def _cost(node: Node) -> Cost:
    depth = _matrix(node.input(0).shape, attributes(node, BatchMatmul).adjoint_x)[1]
    return Cost(macs=node.output.elements * depth)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """Rows of the first matrices times columns of the second."""
    product, x, z = attributes(node, BatchMatmul), node.input(0).shape, node.input(1).shape
    depth = Span(0, _matrix(x, product.adjoint_x)[1])
    first = (depth, box[-2]) if product.adjoint_x else (box[-2], depth)
    second = (box[-1], depth) if product.adjoint_z else (depth, box[-1])
    cuts = [
        (0, (*stretched(x[:-2], box[:-2]), *first)),
        (1, (*stretched(z[:-2], box[:-2]), *second)),
    ]
    return boxed(node, box, cuts)


BATCH_MATMUL = OpKind(
    type="BATCH_MATMUL",
    attributes=BatchMatmul,
    summary="Products of matrices, either side transposed, up to three batch dimensions broadcast.",
    supports=("int8", "int16 with zero point 0", "float32"),
    tflite={"BATCH_MATMUL": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=tuple(KERNELS.values()),
    cost=_cost,
    box=_box,
)
