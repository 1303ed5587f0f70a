"""The intermediate representation: types and their verification."""

from nacre.ir.types import (
    Array,
    Attributes,
    DType,
    Graph,
    Node,
    NotQuantized,
    Operator,
    Quantization,
    Shape,
    Source,
    Tensor,
    TensorId,
    TensorKind,
)

__all__ = [
    "Array",
    "Attributes",
    "DType",
    "Graph",
    "Node",
    "NotQuantized",
    "Operator",
    "Quantization",
    "Shape",
    "Source",
    "Tensor",
    "TensorId",
    "TensorKind",
]
