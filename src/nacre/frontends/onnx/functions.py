"""Operators that ONNX defines by others: their nodes, where no rule of ours is better."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol, cast

from nacre.frontends.onnx.reader import read_graph
from nacre.frontends.onnx.records import FileGraph, FileNode
from nacre.frontends.onnx.source import OnnxSource
from nacre.frontends.onnx.tensors import DTYPES
from nacre.ir import Tensor

if TYPE_CHECKING:
    from onnx import AttributeProto, FunctionProto, NodeProto

# The domain that functions under trial have.
_PREVIEW = "ai.onnx.preview"


class _Attribute(Protocol):
    default_value: AttributeProto


class _Schema(Protocol):
    """What an operator is to the onnx package, of which its own type stubs say too little."""

    attributes: dict[str, _Attribute]
    has_function: bool
    function_opset_versions: list[int]
    has_context_dependent_function: bool
    context_dependent_function_opset_versions: list[int]

    def get_function_with_opset_version(self, version: int) -> bytes: ...

    def get_context_dependent_function_with_opset_version(
        self, version: int, node: bytes, types: list[bytes]
    ) -> bytes: ...


@dataclass(frozen=True, eq=False)
class Body:
    """The nodes that stand for a node, with the opset that they are written in."""

    graph: FileGraph
    inputs: tuple[str, ...]
    # Outputs that the node does not have may be missing from the graph.
    outputs: tuple[str, ...]
    opset: int


def standard_body(source: OnnxSource) -> Body | None:
    """The standard's own definition of a node in terms of others, if it has one."""
    schema = None if source.node.graphs else _schema(source)
    function = None if schema is None else _function(schema, source)
    if function is None:
        return None
    opset = next((o.version for o in function.opset_import if not o.domain), source.opset)
    assert schema is not None
    usual = [a.default_value for a in schema.attributes.values() if a.default_value.name]
    graph = _graph(function, _proto(source.node), usual)
    return Body(graph, tuple(function.input), tuple(function.output), int(opset))


def _schema(source: OnnxSource) -> _Schema | None:
    from onnx import defs

    domain, _, name = source.type.rpartition(".")
    try:
        if domain == _PREVIEW:
            return cast(_Schema, defs.get_schema(name, domain=domain))
        return None if domain else cast(_Schema, defs.get_schema(name, source.opset))
    except defs.SchemaError:
        return None


def _function(schema: _Schema, source: OnnxSource) -> FunctionProto | None:
    from onnx import FunctionProto

    made = FunctionProto()
    if schema.has_context_dependent_function:
        versions = schema.context_dependent_function_opset_versions
        version = max((v for v in versions if v <= source.opset), default=versions[0])
        types = [_type(t) for t in source.inputs]
        node = _proto(source.node).SerializeToString()
        try:
            data = schema.get_context_dependent_function_with_opset_version(version, node, types)
        except RuntimeError:
            return None
        made.ParseFromString(data)
    elif schema.has_function:
        versions = schema.function_opset_versions
        version = max((v for v in versions if v <= source.opset), default=versions[0])
        made.ParseFromString(schema.get_function_with_opset_version(version))
    return made if made.node else None


def _type(tensor: Tensor | None) -> bytes:
    from onnx import TypeProto, helper

    made = TypeProto()
    if tensor is not None:
        number = next(n for n, dtype in DTYPES.items() if dtype is tensor.dtype)
        made = helper.make_tensor_type_proto(number, tensor.shape)
    return bytes(made.SerializeToString())


def _proto(node: FileNode) -> NodeProto:
    """A node as the file had it."""
    from onnx import helper, numpy_helper

    domain, _, name = node.type.rpartition(".")
    made = helper.make_node(name, node.inputs, node.outputs, name=node.name, domain=domain)
    plain = {k: v for k, v in node.options.values.items() if v != ()}
    arrays = {k: numpy_helper.from_array(v) for k, v in node.tensors.items()}
    texts = {k: list(v) for k, v in node.texts.items() if v}
    for group in (plain, arrays, texts):
        made.attribute.extend(helper.make_attribute(k, v) for k, v in group.items())
    return made


def _graph(function: FunctionProto, node: NodeProto, usual: Iterable[AttributeProto]) -> FileGraph:
    """The body with the node's attributes in the place of their names."""
    from onnx import GraphProto

    given = {a.name: a for a in (*usual, *function.attribute_proto, *node.attribute)}
    graph = GraphProto(name=function.name)
    graph.node.extend(function.node)
    pairs = zip_longest(function.input, node.input, fillvalue="")
    _fill(graph.node, given, {formal: "" for formal, actual in pairs if not actual})
    known = {*function.input, *(o for n in function.node for o in n.output)}
    for names, values in ((function.input, graph.input), (function.output, graph.output)):
        for name in names:
            if name in known:
                values.add(name=name)
    return read_graph(graph)


def _fill(
    nodes: Iterable[NodeProto], given: dict[str, AttributeProto], absent: dict[str, str]
) -> None:
    """Attributes that are named after the function's, and inputs that the node leaves out."""
    for node in nodes:
        for n, name in enumerate(node.input):
            node.input[n] = absent.get(name, name)
        kept = []
        for attribute in node.attribute:
            if attribute.ref_attr_name:
                if attribute.ref_attr_name not in given:
                    continue
                name = attribute.name
                attribute.CopyFrom(given[attribute.ref_attr_name])
                attribute.name = name
            _fill(attribute.g.node, given, absent)
            kept.append(attribute)
        if len(kept) < len(node.attribute):
            copies = [type(a).FromString(a.SerializeToString()) for a in kept]
            del node.attribute[:]
            node.attribute.extend(copies)
