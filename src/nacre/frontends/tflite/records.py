"""What a TFLite file says, decoded and checked, before any of it is understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nacre.ir import Array, DType, Quantization, Shape
from nacre.ir.options import Options, OptionValue

__all__ = ["FileModel", "FileOperator", "FileSubgraph", "FileTensor", "OptionValue", "Options"]


@dataclass(frozen=True, eq=False)
class FileTensor:
    """A tensor of the file. `shape` has no -1 any more: free dimensions are specialised to 1."""

    index: int
    name: str
    shape: Shape
    # True when the file marks a dimension as free (-1 in shape or shape_signature).
    dynamic: bool
    # None: a type that no operator of ours can read (string, resource, variant); see type_name.
    dtype: DType | None
    type_name: str
    quantization: Quantization | None
    # Decoded content (sparse weights stay packed in `data` until DENSIFY; see `dense`).
    data: Array | None
    is_variable: bool
    # The dense content of a tensor that the file stores sparsely, else None.
    dense: Array | None = None


@dataclass(frozen=True)
class FileOperator:
    """An operator of the file; `type` is the schema's name, or CUSTOM with `custom_code`."""

    index: int
    type: str
    custom_code: str
    version: int
    inputs: tuple[int, ...]  # -1: absent optional input
    outputs: tuple[int, ...]
    options: Options
    custom_options: bytes = b""
    # Tensors that only carry quantization for the operator's inner values (LSTM); -1: absent.
    intermediates: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class FileSubgraph:
    name: str
    tensors: tuple[FileTensor, ...]
    operators: tuple[FileOperator, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class FileModel:
    version: int
    description: str
    subgraphs: tuple[FileSubgraph, ...]
    # Names from the signature of each subgraph: tensor index -> name, when the file has one.
    signature_inputs: Mapping[int, str] = field(default_factory=dict)
    signature_outputs: Mapping[int, str] = field(default_factory=dict)
