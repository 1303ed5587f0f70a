"""What is inside a model file, whether or not nacre can compile it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nacre.errors import ConfigError, ModelError, Refusal, RefusedModel
from nacre.frontends.onnx.records import FileModel as OnnxModel
from nacre.frontends.onnx.shapes import InputShapes
from nacre.frontends.tflite.importer import import_model
from nacre.frontends.tflite.reader import read_model
from nacre.frontends.tflite.records import FileModel, FileOperator, FileSubgraph, FileTensor


@dataclass(frozen=True, eq=False)
class Inspection:
    """A file, the subgraph that was asked for, and the operators that would be refused."""

    path: Path
    bytes: int
    model: FileModel
    subgraph: FileSubgraph
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, eq=False)
class OnnxInspection:
    """An ONNX file and the nodes that would be refused."""

    path: Path
    bytes: int
    model: OnnxModel
    refusals: tuple[Refusal, ...]


def inspect_onnx(path: Path, given: InputShapes) -> OnnxInspection:
    """`given` fills in the dimensions that the file leaves open."""
    from nacre.frontends.onnx.importer import OnnxOptions, import_file
    from nacre.frontends.onnx.reader import read_model as read_onnx

    data = _read(path)
    try:
        model = read_onnx(data, path.parent)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    try:
        import_file(model, path.stem, OnnxOptions(given))
        refusals: tuple[Refusal, ...] = ()
    except RefusedModel as refused:
        refusals = refused.refusals
    except ModelError as error:  # not of one node, such as an open dimension
        refusals = (Refusal("-", "MODEL", str(error)),)
    return OnnxInspection(path, len(data), model, refusals)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


def inspect_file(path: Path, subgraph: int = 0) -> Inspection:
    if path.suffix != ".tflite":
        raise ModelError(f"{path}: ending {path.suffix!r}; supported: .tflite, .onnx, .ncr")
    data = _read(path)
    try:
        model = read_model(data)
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    if subgraph >= len(model.subgraphs):
        raise ConfigError(
            f"--subgraph {subgraph}: the file has subgraphs 0 to {len(model.subgraphs) - 1}"
        )
    try:
        import_model(data, path.stem, subgraph)
        refusals: tuple[Refusal, ...] = ()
    except RefusedModel as refused:
        refusals = refused.refusals
    except ModelError as error:  # not of one operator, such as an input that is a string
        refusals = (Refusal("-", "MODEL", str(error)),)
    return Inspection(path, len(data), model, model.subgraphs[subgraph], refusals)


def tensor_kind(graph: FileSubgraph, tensor: FileTensor) -> str:
    """input, output, constant, persistent or scratch."""
    if tensor.index in graph.inputs:
        return "input"
    if tensor.index in graph.outputs:
        return "output"
    if tensor.is_variable or tensor.type_name == "RESOURCE":
        return "persistent"
    return "scratch" if tensor.data is None else "constant"


def operator_type(operator: FileOperator) -> str:
    if operator.type == "CUSTOM":
        return f"CUSTOM:{operator.custom_code}"
    return operator.type
