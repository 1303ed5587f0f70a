"""Reads a .tflite file: everything is checked before it is used, and nothing is understood yet."""

from __future__ import annotations

from collections.abc import Mapping

from nacre.errors import ModelError
from nacre.frontends.tflite import schema
from nacre.frontends.tflite.dataflow import check_dataflow
from nacre.frontends.tflite.flatbuffer import Table, TableVector, open_file, root_table
from nacre.frontends.tflite.operators import (
    OperatorCode,
    read_indices,
    read_operator,
    read_operator_code,
)
from nacre.frontends.tflite.records import FileModel, FileOperator, FileSubgraph
from nacre.frontends.tflite.tensors import read_tensor


def read_model(data: bytes) -> FileModel:
    """Decode a file; every defect is a ModelError. Constants are views on `data`."""
    model = root_table(open_file(data, schema.IDENTIFIER), schema.MODEL, "the model")
    version = model.integer("version", "I")
    if version != schema.VERSION:
        raise ModelError(f"the model: version is {version}, expected {schema.VERSION}")
    subgraphs = _read_subgraphs(model)
    inputs, outputs = _read_signature(model, len(subgraphs[0].tensors))
    return FileModel(version, model.text("description"), subgraphs, inputs, outputs)


def _read_subgraphs(model: Table) -> tuple[FileSubgraph, ...]:
    tables = model.tables("subgraphs", schema.SUBGRAPH, "subgraph")
    if len(tables) == 0:
        raise ModelError("the model has 0 subgraphs, expected at least 1")
    codes = model.tables("operator_codes", schema.OPERATOR_CODE, "operator code")
    decoded = tuple(read_operator_code(code) for code in codes)
    buffers = model.tables("buffers", schema.BUFFER, "buffer")
    return tuple(_read_subgraph(table, decoded, buffers) for table in tables)


def _read_subgraph(
    table: Table, codes: tuple[OperatorCode, ...], buffers: TableVector
) -> FileSubgraph:
    tensors = table.tables("tensors", schema.TENSOR, f"{table.label} tensor")
    operators = table.tables("operators", schema.OPERATOR, f"{table.label} operator")
    decoded = tuple(
        read_operator(operator, index, codes, len(tensors))
        for index, operator in enumerate(operators)
    )
    inputs = read_indices(table, "inputs", len(tensors))
    written = _written(decoded) | set(inputs)
    subgraph = FileSubgraph(
        name=table.text("name"),
        tensors=tuple(
            read_tensor(tensor, index, buffers, index not in written)
            for index, tensor in enumerate(tensors)
        ),
        operators=decoded,
        inputs=inputs,
        outputs=read_indices(table, "outputs", len(tensors)),
    )
    check_dataflow(subgraph, table.label)
    return subgraph


def _written(operators: tuple[FileOperator, ...]) -> set[int]:
    return {index for operator in operators for index in operator.outputs}


def _read_signature(model: Table, tensors: int) -> tuple[Mapping[int, str], Mapping[int, str]]:
    """The names of the first signature of subgraph 0, by tensor index."""
    for signature in model.tables("signature_defs", schema.SIGNATURE, "signature"):
        if signature.integer("subgraph_index", "I") == 0:
            return (
                _read_signature_names(signature, "inputs", tensors),
                _read_signature_names(signature, "outputs", tensors),
            )
    return {}, {}


def _read_signature_names(signature: Table, name: str, tensors: int) -> Mapping[int, str]:
    names: dict[int, str] = {}
    for entry in signature.tables(name, schema.TENSOR_MAP, f"{signature.label} {name}"):
        index = entry.integer("tensor_index", "I")
        if index >= tensors:
            raise ModelError(
                f"{entry.label}: tensor_index is {index}, expected below the {tensors} of "
                "subgraph 0"
            )
        names.setdefault(index, entry.text("name"))
    return names
