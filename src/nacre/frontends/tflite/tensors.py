"""Decodes tensors: shape, element type, content and quantization."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from nacre.errors import ModelError
from nacre.frontends.tflite import schema
from nacre.frontends.tflite.flatbuffer import Table, TableVector
from nacre.frontends.tflite.records import FileTensor
from nacre.frontends.tflite.sparsity import densify
from nacre.ir import Array, DType, Quantization, Shape

MAX_RANK = 8
MAX_ELEMENTS = 2**31

_INT4_RANGE = (-8, 7)
_INTEGER_KINDS = "iu"


@dataclass(frozen=True)
class Element:
    """What a tensor is made of; `dtype` is None for types that no operator of ours can read."""

    name: str
    dtype: DType | None

    def stored_size(self, elements: int) -> int:
        """Bytes in the file."""
        assert self.dtype is not None
        return (elements + 1) // 2 if self.name == "INT4" else elements * self.dtype.size

    @property
    def range(self) -> tuple[int, int] | None:
        """Smallest and largest value, for integers."""
        if self.dtype is None or self.dtype.numpy.kind not in _INTEGER_KINDS:
            return None
        return _INT4_RANGE if self.name == "INT4" else self.dtype.range


def read_tensor(
    table: Table, index: int, buffers: TableVector, is_empty_constant: bool
) -> FileTensor:
    """`is_empty_constant`: nobody writes it, so without content it must have no elements."""
    shape, dynamic = _read_shape(table)
    element = _read_element(table)
    stored = _read_buffer(table, buffers)
    data, dense = _decode_content(table, element, stored, shape)
    if data is None and element.dtype is not None and is_empty_constant and 0 in shape:
        data = np.empty(shape, element.dtype.numpy)
    return FileTensor(
        index=index,
        name=table.text("name"),
        shape=shape,
        dynamic=dynamic,
        dtype=element.dtype,
        type_name=element.name,
        quantization=_read_quantization(table, element, shape, constant=data is not None),
        data=data,
        is_variable=table.flag("is_variable"),
        dense=dense,
    )


def _read_shape(table: Table) -> tuple[Shape, bool]:
    """The shape with free dimensions specialised to 1, and whether there are any."""
    recorded = table.integers("shape", limit=MAX_RANK)
    signature = table.integers("shape_signature", limit=MAX_RANK) or recorded
    for name, dimensions in (("shape", recorded), ("shape_signature", signature)):
        if len(dimensions) != len(recorded) or min(dimensions, default=0) < -1:
            raise ModelError(
                f"{table.label}: {name} is {list(dimensions)}, "
                f"expected {len(recorded)} dimensions of -1 or more"
            )
    free = [-1 in pair for pair in zip(recorded, signature, strict=True)]
    shape = tuple(1 if f and d < 1 else d for d, f in zip(recorded, free, strict=True))
    # Dimensions of 0 must not hide that the others are absurd.
    elements = math.prod(d for d in shape if d)
    if elements > MAX_ELEMENTS:
        raise ModelError(
            f"{table.label}: shape is {list(shape)}, that is {elements} elements, "
            f"expected at most {MAX_ELEMENTS}"
        )
    return shape, any(free)


def _read_element(table: Table) -> Element:
    code = table.integer("type", "b")
    names: Mapping[int, str] = schema.tensor_type_names()
    if code not in names:
        raise ModelError(
            f"{table.label}: type is {code}, expected one of the schema, 0 to {max(names)}"
        )
    return Element(names[code], schema.DTYPES.get(names[code]))


def _read_buffer(table: Table, buffers: TableVector) -> Array:
    """The stored bytes of a tensor; empty when it is not a constant. Buffer 0 means none."""
    index = table.integer("buffer", "I")
    if index == 0:
        return np.empty(0, np.uint8)
    if index >= len(buffers):
        raise ModelError(
            f"{table.label}: buffer is {index}, expected below the {len(buffers)} of the file"
        )
    buffer = buffers[index]
    inside = buffer.array("data", "u1")
    offset, size = buffer.integer("offset", "Q"), buffer.integer("size", "Q")
    # Writers put 1 into both fields while they do not know them yet: it means nothing.
    if inside.size or offset <= 1 or size <= 1:
        return inside
    return buffer.file.view(offset, size, "u1", f"the content of {buffer.label}")


def _decode_content(
    table: Table, element: Element, stored: Array, shape: Shape
) -> tuple[Array | None, Array | None]:
    """The content as stored, and the dense one when that is another."""
    if element.dtype is None or stored.size == 0:
        return None, None
    sparsity = table.table("sparsity", schema.SPARSITY, f"the sparsity of {table.label}")
    if sparsity is None or not sparsity.has("dim_metadata"):
        return _decode_dense(table, element, stored, shape), None
    if stored.size % element.stored_size(1):
        raise ModelError(
            f"{table.label} stores {stored.size} bytes, expected a multiple of "
            f"{element.stored_size(1)} for {element.name}"
        )
    values = _decode_values(table, element, stored)
    return values, densify(sparsity, values, shape)


def _decode_dense(table: Table, element: Element, stored: Array, shape: Shape) -> Array:
    expected = element.stored_size(math.prod(shape))
    if stored.size != expected:
        raise ModelError(
            f"{table.label}: its buffer has {stored.size} bytes, expected {expected} for "
            f"{element.name} {list(shape)}"
        )
    return _decode_values(table, element, stored)[: math.prod(shape)].reshape(shape)


def _decode_values(table: Table, element: Element, stored: Array) -> Array:
    """The values in a row; a view on the file where the types allow it."""
    assert element.dtype is not None
    if element.name == "INT4":
        table.file.bytes_expanded.spend(2 * stored.size)
        return _unpack_int4(stored)
    if element.dtype is DType.BOOL:
        table.file.bytes_expanded.spend(stored.size)
        return stored.astype(np.bool_)
    return stored.view(element.dtype.numpy.newbyteorder("<"))


def _unpack_int4(stored: Array) -> Array:
    """Two values per byte, the low half first, in two's complement."""
    nibbles = np.stack([stored & 15, stored >> 4], axis=-1).reshape(-1)
    values: Array = (nibbles ^ 8).astype(np.int8) - np.int8(8)
    return values


def _read_quantization(
    table: Table, element: Element, shape: Shape, constant: bool
) -> Quantization | None:
    """Of integers alone: scales that real numbers or truth values carry mean nothing."""
    if element.range is None:
        return None
    label = f"the quantization of {table.label}"
    quantization = table.table("quantization", schema.QUANTIZATION, label)
    if quantization is None:
        return None
    scales = quantization.array("scale", "f4")
    if scales.size == 0:
        return None
    axis = _quantized_axis(quantization, scales.size, shape)
    _check_scales(quantization, scales, constant)
    zero_points = _read_zero_points(quantization, scales.size, element)
    quantization.file.bytes_read.spend(scales.nbytes)
    return Quantization(tuple(float(s) for s in scales.tolist()), zero_points, axis)


def _quantized_axis(quantization: Table, count: int, shape: Shape) -> int:
    """The dimension that the scales belong to; 0 when there is a single scale."""
    if count == 1:
        return 0
    # Biases carry the dimension of their weights: a vector has only one to choose.
    axis = 0 if len(shape) == 1 else quantization.integer("quantized_dimension", "i")
    if axis not in range(len(shape)):
        raise ModelError(
            f"{quantization.label}: quantized_dimension is {axis}, "
            f"expected a dimension of {list(shape)}"
        )
    if count != shape[axis]:
        raise ModelError(
            f"{quantization.label} has {count} scales, expected 1 or the {shape[axis]} of "
            f"dimension {axis}"
        )
    return axis


def _check_scales(quantization: Table, scales: Array, constant: bool) -> None:
    """Positive and finite; a constant may have the scale 0, which makes it zero."""
    good = np.isfinite(scales) & ((scales >= 0) if constant else (scales > 0))
    if not good.all():
        raise ModelError(
            f"{quantization.label} has the scale {scales[~good][0]}, "
            "expected a positive and finite one"
        )


def _read_zero_points(quantization: Table, count: int, element: Element) -> tuple[int, ...]:
    """One per scale: none in the file means 0, a single one serves all."""
    stored = quantization.array("zero_point", "i8")
    if stored.size not in (0, 1, count):
        raise ModelError(
            f"{quantization.label} has {stored.size} zero points, expected {count} as scales"
        )
    quantization.file.bytes_read.spend(stored.nbytes)
    points = tuple(int(p) for p in stored.tolist()) or (0,)
    bounds = element.range
    wrong = [p for p in points if bounds and not bounds[0] <= p <= bounds[1]]
    if bounds and wrong:
        raise ModelError(
            f"{quantization.label} has the zero point {wrong[0]}, "
            f"expected {bounds[0]} to {bounds[1]} for {element.name}"
        )
    return points if len(points) == count else points * count
