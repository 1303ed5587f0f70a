"""Checks that the operators of a subgraph run in an order in which everything is there."""

from __future__ import annotations

from nacre.errors import ModelError
from nacre.frontends.tflite.records import FileOperator, FileSubgraph, FileTensor

# Operators that bring buffers of their own: what they read may never have been written.
_FREE_READERS = ("CUSTOM",)


def check_dataflow(subgraph: FileSubgraph, label: str) -> None:
    """Each tensor is written once, and before it is read."""
    _check_different(subgraph.inputs, f"{label} lists the tensor", "among its inputs")
    _check_different(subgraph.outputs, f"{label} lists the tensor", "among its outputs")
    ready = {t.index for t in subgraph.tensors if _has_content(t)} | set(subgraph.inputs)
    for operator in subgraph.operators:
        _check_inputs(operator, subgraph, ready, label)
        _check_outputs(operator, subgraph, ready, label)
        ready.update(operator.outputs)
    for index in subgraph.outputs:
        if index not in ready:
            raise ModelError(
                f"{label} has the output {_name(subgraph, index)}, which no operator writes, "
                "expected one that is written, an input or a constant"
            )


def _has_content(tensor: FileTensor) -> bool:
    """Constants, variables, and the contents that we do not decode (strings)."""
    return tensor.data is not None or tensor.is_variable or tensor.dtype is None


def _check_inputs(
    operator: FileOperator, subgraph: FileSubgraph, ready: set[int], label: str
) -> None:
    if operator.type in _FREE_READERS:
        return
    for index in operator.inputs:
        if index >= 0 and index not in ready:
            raise ModelError(
                f"{label} operator {operator.index} ({operator.type}) reads "
                f"{_name(subgraph, index)}, which nothing before it writes, "
                "expected operators in the order of execution"
            )


def _check_outputs(
    operator: FileOperator, subgraph: FileSubgraph, ready: set[int], label: str
) -> None:
    writes = f"{label} operator {operator.index} ({operator.type}) writes the tensor"
    _check_different(operator.outputs, writes, "")
    for index in operator.outputs:
        tensor = subgraph.tensors[index]
        if index in ready and not tensor.is_variable and tensor.dtype is not None:
            raise ModelError(
                f"{label} operator {operator.index} ({operator.type}) writes "
                f"{_name(subgraph, index)}, which has a content already, "
                "expected a tensor that is written once"
            )


def _check_different(indices: tuple[int, ...], what: str, where: str) -> None:
    seen: set[int] = set()
    for index in indices:
        if index in seen:
            raise ModelError(f"{what} {index} twice {where}".rstrip() + ", expected it once")
        seen.add(index)


def _name(subgraph: FileSubgraph, index: int) -> str:
    return f"tensor {index} ({subgraph.tensors[index].name[:60]!r})"
