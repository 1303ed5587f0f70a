"""The graph between the frontends and the kernels. It knows no file format and no target.

Layout is NHWC, sizes are bytes, intervals are half-open: here and everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

# numpy arrays of any element type.
Array: TypeAlias = NDArray[Any]
TensorId: TypeAlias = str
Shape: TypeAlias = tuple[int, ...]


class DType(Enum):
    """Element types; the value is numpy's name."""

    BOOL = "bool"
    INT8 = "int8"
    UINT8 = "uint8"
    INT16 = "int16"
    UINT16 = "uint16"
    INT32 = "int32"
    UINT32 = "uint32"
    INT64 = "int64"
    UINT64 = "uint64"
    FLOAT16 = "float16"
    FLOAT32 = "float32"
    FLOAT64 = "float64"
    COMPLEX64 = "complex64"

    @property
    def numpy(self) -> np.dtype[Any]:
        return np.dtype(self.value)

    @property
    def size(self) -> int:
        """Bytes of one element."""
        return self.numpy.itemsize

    @property
    def alignment(self) -> int:
        """Natural alignment in bytes: a complex number aligns like its float parts."""
        return 4 if self is DType.COMPLEX64 else self.size

    @property
    def c(self) -> str:
        """The C99 type that holds one element."""
        return _C_TYPES.get(self, f"{self.value}_t")

    @property
    def range(self) -> tuple[int, int]:
        """Smallest and largest value of an integer type."""
        info = np.iinfo(self.numpy)
        return int(info.min), int(info.max)


_C_TYPES = {
    DType.BOOL: "uint8_t",
    DType.FLOAT16: "uint16_t",
    DType.FLOAT32: "float",
    DType.FLOAT64: "double",
    DType.COMPLEX64: "float",  # pairs: real, imaginary
}


class TensorKind(Enum):
    """Who owns the bytes: the packed scratch arena, a variable, or the read-only image."""

    SCRATCH = "scratch"
    PERSISTENT = "persistent"
    CONSTANT = "constant"


class NotQuantized(AssertionError):
    """Scales are asked of a tensor that has none: our bug, unless a file may leave them out."""


@dataclass(frozen=True)
class Quantization:
    """real = scale * (q - zero_point), per tensor (one scale) or per slice along `axis`."""

    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    axis: int = 0

    @property
    def per_channel(self) -> bool:
        return len(self.scales) > 1

    @property
    def scale(self) -> float:
        assert not self.per_channel
        return self.scales[0]

    @property
    def zero_point(self) -> int:
        assert len(set(self.zero_points)) == 1
        return self.zero_points[0]


@dataclass(frozen=True, eq=False)
class Tensor:
    """A value of the graph. `data` is a constant's content, or a variable's initial value."""

    id: TensorId
    name: str
    shape: Shape
    dtype: DType
    kind: TensorKind = TensorKind.SCRATCH
    quantization: Quantization | None = None
    data: Array | None = None
    # Further ids that rules may use for it: what it was made from.
    origins: tuple[TensorId, ...] = ()

    @property
    def elements(self) -> int:
        return math.prod(self.shape)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.elements * self.dtype.size

    @property
    def constant(self) -> Array:
        """The content of a constant; asking anything else for it is our bug."""
        assert self.data is not None, f"tensor {self.id} is not a constant"
        return self.data

    @property
    def is_constant(self) -> bool:
        return self.kind is TensorKind.CONSTANT

    @property
    def q(self) -> Quantization:
        """The quantization of a tensor that must have one."""
        if self.quantization is None:
            raise NotQuantized(f"tensor {self.id} is not quantized")
        return self.quantization


@dataclass(frozen=True)
class Attributes:
    """Base of every operator's attributes; the class of the attributes is the operator's kind."""


@dataclass(frozen=True)
class Operator:
    """One node. `ids` are all ids that it answers to: its own first, then those fused into it."""

    ids: tuple[str, ...]
    type: str
    attributes: Attributes
    inputs: tuple[TensorId | None, ...]
    outputs: tuple[TensorId, ...]
    name: str = ""

    @property
    def id(self) -> str:
        return self.ids[0]


@dataclass(frozen=True)
class Source:
    """What the model file held before folding and fusing: ids with names and types."""

    tensors: Mapping[TensorId, str] = field(default_factory=dict)
    operators: Mapping[str, str] = field(default_factory=dict)
    # What the user should know of the way in which it was read.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Graph:
    """Operators in execution order; every tensor that they name is in `tensors`."""

    name: str
    tensors: Mapping[TensorId, Tensor]
    operators: tuple[Operator, ...]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    source: Source = Source()
    # Inputs and outputs that are real numbers in the file, and quantized here by choice.
    real_ends: frozenset[TensorId] = frozenset()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tensors", MappingProxyType(dict(self.tensors)))

    def node(self, operator: Operator) -> Node:
        return Node(
            operator,
            tuple(None if i is None else self.tensors[i] for i in operator.inputs),
            tuple(self.tensors[o] for o in operator.outputs),
        )

    def nodes(self) -> tuple[Node, ...]:
        return tuple(self.node(o) for o in self.operators)

    def consumers(self) -> dict[TensorId, list[Operator]]:
        """The operators that read each tensor, in execution order."""
        readers: dict[TensorId, list[Operator]] = {t: [] for t in self.tensors}
        for operator in self.operators:
            for tensor in dict.fromkeys(i for i in operator.inputs if i is not None):
                readers[tensor].append(operator)
        return readers

    def producers(self) -> dict[TensorId, Operator]:
        return {t: operator for operator in self.operators for t in operator.outputs}


@dataclass(frozen=True, eq=False)
class Node:
    """An operator with its tensors at hand: what every per-operator function receives."""

    operator: Operator
    inputs: tuple[Tensor | None, ...]
    outputs: tuple[Tensor, ...]

    @property
    def id(self) -> str:
        return self.operator.id

    def input(self, index: int) -> Tensor:
        """A required input."""
        tensor = self.inputs[index]
        assert tensor is not None, f"op {self.id}: input {index} is absent"
        return tensor

    def optional(self, index: int) -> Tensor | None:
        """An input that may be absent, or beyond the end of the list."""
        return self.inputs[index] if index < len(self.inputs) else None

    @property
    def output(self) -> Tensor:
        """The only output."""
        assert len(self.outputs) == 1
        return self.outputs[0]
