"""What an ONNX file says, decoded and checked, before any of it is understood."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from nacre.ir import Array, DType
from nacre.ir.options import Options

# A dimension as declared: its size (below 1: none), the name that stands for it, or None when
# nothing is said.
Dimension: TypeAlias = int | str | None


@dataclass(frozen=True)
class FileValue:
    """A declared input or output; `dims` is None where the file gives no shape."""

    name: str
    # None: a type that no operator of ours can read (string, sequence); see type_name.
    dtype: DType | None
    type_name: str
    dims: tuple[Dimension, ...] | None


@dataclass(frozen=True, eq=False)
class FileNode:
    """A node of the file. `name` is its own, or the name of its first output: it is unique."""

    name: str
    type: str  # "Conv"; with another domain than ONNX's own "com.microsoft.QLinearAdd"
    inputs: tuple[str, ...]  # "": absent optional input
    outputs: tuple[str, ...]
    options: Options
    # Attributes that are tensors, lists of strings and graphs.
    tensors: Mapping[str, Array] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    graphs: Mapping[str, FileGraph] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class FileGraph:
    """Nodes in an order in which everything is there when it is read."""

    name: str
    nodes: tuple[FileNode, ...]
    inputs: tuple[FileValue, ...]
    outputs: tuple[FileValue, ...]
    constants: Mapping[str, Array]


@dataclass(frozen=True, eq=False)
class FileModel:
    """`opset` is the version of ONNX's own operators."""

    opset: int
    producer: str
    graph: FileGraph
