"""Resource variables of a TFLite file: VAR_HANDLE names them, CALL_ONCE gives first values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nacre.errors import ModelError
from nacre.frontends.tflite.records import FileModel, FileOperator, FileSubgraph, FileTensor
from nacre.ir import Array, Shape, Tensor, TensorId, TensorKind


@dataclass(frozen=True)
class Variables:
    """`resources`: tensor index of each handle -> id of the variable, the same for equal names."""

    resources: Mapping[int, TensorId] = field(default_factory=dict)
    tensors: Mapping[TensorId, Tensor] = field(default_factory=dict)


def find_variables(model: FileModel, graph: FileSubgraph) -> Variables:
    """Collect the handles of a subgraph, what they hold, and their first values."""
    first_values = _first_values(model, graph)
    ids: dict[str, TensorId] = {}
    resources: dict[int, TensorId] = {}
    for name, index in _handles(graph):
        resources[index] = ids.setdefault(name, str(index))
    tensors = {}
    for name, key in ids.items():
        example = _example(graph, {i for i, v in resources.items() if v == key})
        if example is not None and example.dtype is not None:
            tensors[key] = Tensor(
                key, name, example.shape, example.dtype, TensorKind.PERSISTENT,
                example.quantization, _initial(first_values.get(name), example, name),
            )  # fmt: skip
    return Variables(resources, tensors)


def _handles(graph: FileSubgraph) -> list[tuple[str, int]]:
    return [
        (_variable_name(o), o.outputs[0])
        for o in graph.operators
        if o.type == "VAR_HANDLE" and o.outputs
    ]


def _variable_name(handle: FileOperator) -> str:
    container, name = handle.options.text("container"), handle.options.text("shared_name")
    return f"{container}/{name}" if container else name


def _example(graph: FileSubgraph, handles: set[int]) -> FileTensor | None:
    """A tensor that the variable is assigned from or read into: it has the shape and type."""
    for operator in graph.operators:
        if operator.type == "ASSIGN_VARIABLE" and operator.inputs[0] in handles:
            return graph.tensors[operator.inputs[1]]
        if operator.type == "READ_VARIABLE" and operator.inputs[0] in handles:
            return graph.tensors[operator.outputs[0]]
    return None


def _first_values(model: FileModel, graph: FileSubgraph) -> dict[str, Array]:
    """What the subgraphs that CALL_ONCE runs assign to each variable."""
    values: dict[str, Array] = {}
    for call in (o for o in graph.operators if o.type == "CALL_ONCE"):
        index = call.options.integer("init_subgraph_index")
        if not 0 <= index < len(model.subgraphs):
            raise ModelError(
                f"op {call.index} CALL_ONCE runs subgraph {index}; "
                f"the file has {len(model.subgraphs)}"
            )
        values.update(_assigned(model.subgraphs[index]))
    return values


def _assigned(graph: FileSubgraph) -> dict[str, Array]:
    names = {index: name for name, index in _handles(graph)}
    values = {}
    for operator in graph.operators:
        if operator.type in ("VAR_HANDLE",):
            continue
        if operator.type != "ASSIGN_VARIABLE" or len(operator.inputs) != 2:
            raise ModelError(
                f"the initialisation subgraph has op {operator.index} {operator.type}; "
                "supported there: VAR_HANDLE, ASSIGN_VARIABLE of constants"
            )
        handle, value = operator.inputs
        data = graph.tensors[value].data if value >= 0 else None
        if handle not in names or data is None:
            raise ModelError(
                f"the initialisation subgraph assigns tensor {value} to tensor {handle}; "
                "supported: a constant to a VAR_HANDLE"
            )
        values[names[handle]] = data
    return values


def _initial(value: Array | None, example: FileTensor, name: str) -> Array | None:
    """A first value, or None when it is all zeros and a plain clear will do."""
    if value is None or not np.any(value):
        return None
    assert example.dtype is not None
    held, first = (example.dtype.numpy, example.shape), (value.dtype, value.shape)
    if held != first:
        raise ModelError(f'variable "{name}" holds {_said(*held)} but starts as {_said(*first)}')
    return value


def _said(dtype: np.dtype[np.generic], shape: Shape) -> str:
    return f"{dtype.name}{list(shape)}"
