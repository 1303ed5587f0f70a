"""What the signal operators share: their signature checks and constants."""

from __future__ import annotations

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.flexbuffer import CustomOptions, decode_options
from nacre.ops.kind import Refuse, SourceNode, derived_id


def options_of(source: SourceNode, inputs: int, outputs: int) -> CustomOptions:
    """The options of an operator that has so many inputs and outputs."""
    expect_arity(source, inputs, outputs)
    return decode_options(source.custom_options)


def expect_arity(source: SourceNode, inputs: int, outputs: int) -> None:
    found = (len(source.inputs), len(source.outputs))
    if found != (inputs, outputs):
        raise Refuse(f"{found[0]} inputs and {found[1]} outputs; expected {inputs} and {outputs}")


def type_objection(node: Node, inputs: tuple[DType, ...], outputs: tuple[DType, ...]) -> str | None:
    """The sentence that refuses a node whose tensors have other types."""
    found = tuple(t.dtype for t in (*node.inputs[: len(inputs)], *node.outputs) if t is not None)
    if found == (*inputs, *outputs):
        return None
    return f"{_names(found, len(inputs))}; supported: {_names((*inputs, *outputs), len(inputs))}"


def _names(types: tuple[DType, ...], inputs: int) -> str:
    words = [t.value for t in types]
    return f"{', '.join(words[:inputs])} to {', '.join(words[inputs:])}"


def same_shape(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    """One output of the first input's shape."""
    assert inputs[0] is not None
    return (inputs[0].shape,)


def table(node: Node, what: str, data: Array, dtype: DType) -> Tensor:
    """A constant that a kernel reads."""
    stored = np.ascontiguousarray(data, dtype.numpy)
    name = f"{node.output.name} {what.replace('_', ' ')}"
    return Tensor(
        derived_id(node, what), name, stored.shape, dtype, TensorKind.CONSTANT, data=stored
    )
