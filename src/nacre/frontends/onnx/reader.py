"""Reads an .onnx file: everything is checked before it is used, and nothing is understood yet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nacre.errors import ModelError
from nacre.frontends.onnx.local_functions import inlined
from nacre.frontends.onnx.order import in_order
from nacre.frontends.onnx.records import Dimension, FileGraph, FileModel, FileNode, FileValue
from nacre.frontends.onnx.tensors import DTYPES, EXTERNAL, read_tensor, type_name
from nacre.ir import Array
from nacre.ir.options import Options, OptionValue
from nacre.text import quoted, short

if TYPE_CHECKING:
    from google.protobuf.message import Message
    from onnx import (
        AttributeProto,
        GraphProto,
        ModelProto,
        NodeProto,
        TensorProto,
        TensorShapeProto,
        ValueInfoProto,
    )

OLDEST_OPSET = 7
# Domains that mean ONNX's own operators.
_OWN = ("", "ai.onnx")
# Values of AttributeProto.AttributeType.
_FLOAT, _INT, _STRING, _TENSOR, _GRAPH = 1, 2, 3, 4, 5
_FLOATS, _INTS, _STRINGS = 6, 7, 8


def read_model(data: bytes, folder: Path | None = None) -> FileModel:
    """Decode a file; every defect is a ModelError. `folder` holds its external data."""
    model = _parse(data)
    opset = _opset(model)
    if model.functions:
        model = inlined(model)
    graph = read_graph(model.graph, folder)
    if not graph.outputs:
        raise ModelError("the graph has no outputs; expected one or more")
    return FileModel(opset, model.producer_name, graph)


def embedded(data: bytes, folder: Path) -> bytes:
    """The file with its external data inside."""
    model = _parse(data)
    external = [t for t in _all_tensors(model.graph) if t.data_location == EXTERNAL]
    for tensor in external:
        content = read_tensor(tensor, folder, f"tensor {quoted(tensor.name)}")
        tensor.raw_data = content.tobytes()
        tensor.ClearField("data_location")
        del tensor.external_data[:]
    return model.SerializeToString() if external else data


def _all_tensors(graph: GraphProto) -> Iterator[TensorProto]:
    """Initialisers and the tensors of attributes, in the graphs inside it too."""
    yield from graph.initializer
    for attribute in (a for node in graph.node for a in node.attribute):
        if attribute.type == _TENSOR:
            yield attribute.t
        elif attribute.type == _GRAPH:
            yield from _all_tensors(attribute.g)


def _parse(data: bytes) -> ModelProto:
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    model = ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, ValueError, RecursionError) as error:
        raise ModelError(f"not an ONNX file, or a damaged one: {error}") from None
    if not model.HasField("graph") or not model.opset_import:
        raise ModelError("not an ONNX file, or a damaged one: it has no graph or no opset")
    _check_texts(model)
    return model


def _check_texts(message: Message) -> None:
    """All names are text: the parser lets bytes through that are no UTF-8."""
    for field, value in message.ListFields():
        repeated = not isinstance(value, (str, bytes)) and field.is_repeated
        if field.type == field.TYPE_STRING:
            try:
                fine = all(isinstance(v, str) for v in (value if repeated else (value,)))
            except UnicodeDecodeError:
                fine = False
            if not fine:
                raise ModelError(f"damaged: a {field.name} in it is not UTF-8 text")
        elif field.type == field.TYPE_MESSAGE:
            for part in value if repeated else (value,):
                _check_texts(part)


def _opset(model: ModelProto) -> int:
    from onnx.defs import onnx_opset_version

    found = [o.version for o in model.opset_import if o.domain in _OWN]
    newest = onnx_opset_version()
    if not found:
        raise ModelError("the file names no opset of ONNX's own operators")
    if not OLDEST_OPSET <= found[0] <= newest:
        raise ModelError(f"opset {found[0]}; supported: {OLDEST_OPSET} to {newest}")
    return int(found[0])


def read_graph(
    graph: GraphProto, folder: Path | None = None, outside: frozenset[str] = frozenset()
) -> FileGraph:
    """`outside` are the names of the graphs around it."""
    if graph.sparse_initializer:
        raise ModelError(f"graph {quoted(graph.name)} has sparse initialisers; supported: dense")
    constants: dict[str, Array] = {}
    for tensor in graph.initializer:
        if tensor.name in constants:
            raise ModelError(f"there are two initialisers {quoted(tensor.name)}")
        what = f"initialiser {quoted(tensor.name)}"
        constants[tensor.name] = read_tensor(tensor, folder, what)
    inputs = tuple(_read_value(v) for v in graph.input if v.name not in constants)
    known = outside | {v.name for v in inputs} | set(constants)
    known |= {o for n in graph.node for o in n.output}
    names = _node_names(graph.node)
    nodes = [_read_node(n, name, folder, known) for n, name in zip(graph.node, names, strict=True)]
    outputs = tuple(_read_value(v) for v in graph.output)
    _check_names(inputs, outputs, known)
    own = frozenset({v.name for v in inputs} | set(constants))
    return FileGraph(graph.name, in_order(nodes, own, known), inputs, outputs, constants)


def _check_names(
    inputs: tuple[FileValue, ...], outputs: tuple[FileValue, ...], known: frozenset[str]
) -> None:
    for what, values in (("input", inputs), ("output", outputs)):
        twice = [n for n, count in Counter(v.name for v in values).items() if count > 1]
        if twice or any(not v.name for v in values):
            found = f"{quoted(twice[0])} is listed twice" if twice else "has no name"
            raise ModelError(f"the {what} {found}; expected a name for each")
    for value in outputs:
        if value.name not in known:
            raise ModelError(f"the output {quoted(value.name)} is computed by no node")


def _node_names(nodes: Iterable[NodeProto]) -> list[str]:
    """The nodes' names; one that is missing or taken becomes that of the first output."""
    taken: set[str] = set()
    names = []
    for index, node in enumerate(nodes):
        name = node.name
        if not name or name in taken:
            name = next((o for o in node.output if o), f"{node.op_type}_{index}")
        while name in taken:
            name += "'"
        taken.add(name)
        names.append(name)
    return names


def _read_value(value: ValueInfoProto) -> FileValue:
    kind = value.type.WhichOneof("value")
    if kind != "tensor_type":
        return FileValue(value.name, None, kind or "unknown", None)
    tensor = value.type.tensor_type
    dims: tuple[Dimension, ...] | None = None
    if tensor.HasField("shape"):
        dims = tuple(_dimension(d) for d in tensor.shape.dim)
    number = tensor.elem_type
    return FileValue(value.name, DTYPES.get(number), type_name(number), dims)


def _dimension(dim: TensorShapeProto.Dimension) -> Dimension:
    if dim.WhichOneof("value") == "dim_value":
        return int(dim.dim_value)
    # Some exporters call every open dimension "?": that is no name, and two of them may differ.
    return str(dim.dim_param) if dim.dim_param.strip("?") else None


def _read_node(node: NodeProto, name: str, folder: Path | None, known: frozenset[str]) -> FileNode:
    type = node.op_type if node.domain in _OWN else f"{node.domain}.{node.op_type}"
    values: dict[str, OptionValue] = {}
    tensors: dict[str, Array] = {}
    texts: dict[str, tuple[str, ...]] = {}
    graphs: dict[str, FileGraph] = {}
    for attribute in node.attribute:
        what = f"{short(type)} {short(name)!r}: {short(attribute.name)}"
        if attribute.type == _TENSOR:
            tensors[attribute.name] = read_tensor(attribute.t, folder, what)
        elif attribute.type == _GRAPH:
            graphs[attribute.name] = read_graph(attribute.g, folder, known)
        elif attribute.type == _STRINGS:
            texts[attribute.name] = tuple(s.decode(errors="replace") for s in attribute.strings)
        else:
            values[attribute.name] = _option(attribute, what)
    return FileNode(
        name, type, tuple(node.input), tuple(node.output), Options(type, values), tensors, texts,
        graphs,
    )  # fmt: skip


def _option(attribute: AttributeProto, what: str) -> OptionValue:
    if attribute.ref_attr_name:
        raise ModelError(f"{what} refers to an attribute of a function; expected a value")
    if attribute.type == _FLOAT:
        return float(attribute.f)
    if attribute.type == _INT:
        return int(attribute.i)
    if attribute.type == _STRING:
        return attribute.s.decode(errors="replace")
    if attribute.type == _FLOATS:
        return tuple(float(f) for f in attribute.floats)
    if attribute.type == _INTS:
        return tuple(int(i) for i in attribute.ints)
    raise ModelError(f"{what} is an attribute of kind {attribute.type}; supported: 1 to 8")
