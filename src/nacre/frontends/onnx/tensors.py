"""Tensors of an ONNX file: element types, contents, contents in files beside the model."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nacre.errors import ModelError
from nacre.ir import Array, DType
from nacre.text import quoted

if TYPE_CHECKING:
    from onnx import TensorProto

# Values of TensorProto.DataType.
DTYPES = {
    1: DType.FLOAT32,
    2: DType.UINT8,
    3: DType.INT8,
    4: DType.UINT16,
    5: DType.INT16,
    6: DType.INT32,
    7: DType.INT64,
    9: DType.BOOL,
    10: DType.FLOAT16,
    11: DType.FLOAT64,
    12: DType.UINT32,
    13: DType.UINT64,
}
TYPES = "bool, float16 to float64, integers of 8 to 64 bits"
# Elements of one tensor that a model for a microcontroller can have any use for.
MOST_ELEMENTS = 1 << 28
# Dimensions that numpy's arrays can have in all its versions.
MOST_RANK = 32
# Dimensions of a tensor that a message shows.
MOST_DIMS = 16
EXTERNAL = 1
# Fields of a TensorProto that hold its elements where `raw_data` is empty.
_FIELDS = {
    DType.FLOAT32: "float_data",
    DType.FLOAT64: "double_data",
    DType.INT64: "int64_data",
    DType.UINT32: "uint64_data",
    DType.UINT64: "uint64_data",
}


def read_tensor(tensor: TensorProto, folder: Path | None, what: str) -> Array:
    """The content of a tensor; `folder` holds the external files, None forbids them."""
    dtype = DTYPES.get(tensor.data_type)
    if dtype is None:
        raise ModelError(f"{what} is of type {type_name(tensor.data_type)}; supported: {TYPES}")
    shape = tuple(tensor.dims)
    if is_absurd(shape):
        raise ModelError(
            f"{what} has the shape {shape_text(shape)}, expected 0 to {MOST_ELEMENTS} values"
        )
    if len(shape) > MOST_RANK:
        raise ModelError(f"{what} has {len(shape)} dimensions; supported: up to {MOST_RANK}")
    if tensor.data_location == EXTERNAL:
        data = _external(tensor, folder, what, math.prod(shape) * dtype.size)
    elif tensor.HasField("raw_data"):
        data = tensor.raw_data
    else:
        return _from_field(tensor, dtype, shape, what)
    if len(data) != math.prod(shape) * dtype.size:
        raise ModelError(
            f"{what} has {len(data)} bytes, expected {math.prod(shape) * dtype.size} "
            f"for {dtype.value}{shape_text(shape)}"
        )
    return np.frombuffer(data, dtype.numpy.newbyteorder("<")).astype(dtype.numpy).reshape(shape)


def is_absurd(shape: Sequence[int]) -> bool:
    """Too large, or it would be but for a 0: numpy refuses those too."""
    return any(d < 0 for d in shape) or math.prod(max(d, 1) for d in shape) > MOST_ELEMENTS


def shape_text(shape: Sequence[int]) -> str:
    """[2, 3]; of a list that no tensor has, its beginning."""
    dims = [*map(str, shape[:MOST_DIMS]), *(["…"] if len(shape) > MOST_DIMS else [])]
    return f"[{', '.join(dims)}]"


def type_name(number: int) -> str:
    """The name of an element type, as ONNX calls it."""
    from onnx import TensorProto

    names = {v: str(k) for k, v in TensorProto.DataType.items()}
    return names.get(number, f"number {number}").lower()


def _from_field(tensor: TensorProto, dtype: DType, shape: tuple[int, ...], what: str) -> Array:
    name = _FIELDS.get(dtype, "int32_data")
    values = np.array(getattr(tensor, name), np.float64 if "f" in dtype.numpy.kind else np.int64)
    if dtype is DType.UINT64:
        values = np.array(tensor.uint64_data, np.uint64)
    if dtype is DType.FLOAT16:  # bits of the halves
        values = np.array(tensor.int32_data, np.int64).astype(np.uint16).view(np.float16)
    if values.size != math.prod(shape):
        raise ModelError(f"{what} has {values.size} values, expected {math.prod(shape)}")
    return values.astype(dtype.numpy).reshape(shape)


def _external(tensor: TensorProto, folder: Path | None, what: str, size: int) -> bytes:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    path = _inside(entries.get("location", ""), folder, what)
    offset = _number(entries.get("offset", "0"), f"{what}: offset")
    length = _number(entries.get("length", str(size)), f"{what}: length")
    if length != size:
        raise ModelError(f"{what} has {length} external bytes, expected {size}")
    try:
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(size)
    except (OSError, OverflowError, ValueError) as error:
        raise ModelError(f"{what}: {path.name} cannot be read: {error}") from None
    if len(data) != size:
        raise ModelError(f"{what}: {path.name} has {len(data)} bytes at {offset}, expected {size}")
    return data


def _inside(location: str, folder: Path | None, what: str) -> Path:
    """The path of an external file, which must lie in the model's folder."""
    said = quoted(location)
    if folder is None:
        raise ModelError(f"{what} is in another file, {said}; expected it in the model")
    root = folder.resolve()
    try:
        path = (root / location).resolve()
        there = path.is_file()
    except (OSError, ValueError, RuntimeError):  # no name at all: too long, with a NUL, a circle
        path, there = root, False
    if not location or not path.is_relative_to(root) or path == root:
        raise ModelError(f"{what} is in {said}; expected a file in the model's folder")
    if not there:
        raise ModelError(f"{what}: there is no file {said} beside the model")
    return path


def _number(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        raise ModelError(f"{what} is {quoted(text)}; expected a number of bytes")
    return int(text)
