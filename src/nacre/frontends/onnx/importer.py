"""ONNX file -> Graph: constants folded on the way, shapes inferred, refusals collected."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from nacre.errors import ModelError, Refusal, RefusedModel
from nacre.frontends.onnx.control import CONTROL, Outputs
from nacre.frontends.onnx.folding import folded
from nacre.frontends.onnx.functions import standard_body
from nacre.frontends.onnx.names import apart, node_names, value_names
from nacre.frontends.onnx.quantized import fold_quantized
from nacre.frontends.onnx.reader import read_model
from nacre.frontends.onnx.records import FileGraph, FileModel, FileNode, FileValue
from nacre.frontends.onnx.rules import RULES
from nacre.frontends.onnx.shapes import InputShapes, resolve_shapes
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxSource, renamed
from nacre.frontends.onnx.tensors import TYPES
from nacre.ir import Array, DType, Graph, Operator, Source, Tensor, TensorId, TensorKind
from nacre.ops.kind import Refuse
from nacre.ops.reshape import Reshape
from nacre.ops.transpose import Transpose
from nacre.text import one_line, quoted

# Operators that only move elements: a node's own name goes to another one of its operators.
_MOVES = ("TRANSPOSE", "RESHAPE", "PAD", "PADV2")
# What Python says of a node that no runtime would run: an axis too many, lists of other lengths.
_MISFITS = (IndexError, KeyError, ValueError, TypeError, ZeroDivisionError, OverflowError)
TO_NHWC, TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)
# Nodes after which loops and functions are no longer unrolled.
MOST_NODES = 20_000


@dataclass(frozen=True)
class OnnxOptions:
    """What the user decides: shapes, where the graph ends, the layout of inputs and outputs."""

    given: InputShapes = field(default_factory=InputShapes)
    outputs: tuple[str, ...] = ()
    nhwc: bool = False


def import_model(
    data: bytes, name: str, folder: Path | None = None, options: OnnxOptions | None = None
) -> Graph:
    """Read an ONNX file; `folder` holds the files with its external data."""
    return import_file(read_model(data, folder), name, options)


def import_file(model: FileModel, name: str, options: OnnxOptions | None = None) -> Graph:
    """From the decoded file on."""
    options = options or OnnxOptions()
    _check_inputs(model.graph.inputs)
    importer = _Importer(
        model.opset, options.nhwc, value_names(model.graph), node_names(model.graph)
    )
    ends = options.outputs or tuple(v.name for v in model.graph.outputs)
    return importer.run(model.graph, name, resolve_shapes(model.graph.inputs, options.given), ends)


def _check_inputs(inputs: tuple[FileValue, ...]) -> None:
    for value in inputs:
        if value.dtype is None:
            found = f"input {quoted(value.name)} is of type {value.type_name}"
            raise ModelError(f"{found}; supported: tensors of {TYPES}")


@dataclass
class _Importer:
    """Accumulates the graph while it walks the nodes in order."""

    opset: int
    nhwc: bool
    # Every name that the file gives to a value, and to a node.
    values: frozenset[str]
    file_nodes: frozenset[str]
    tensors: dict[TensorId, Tensor] = field(default_factory=dict)
    operators: list[Operator] = field(default_factory=list)
    refusals: list[Refusal] = field(default_factory=list)
    # Those of shapes that do not fit each other.
    impossible: set[Refusal] = field(default_factory=set)
    notes: list[str] = field(default_factory=list)
    # What a name of the file means; None where a refused node should have computed it.
    scope: dict[str, Tensor | None] = field(default_factory=dict)
    nodes: dict[str, str] = field(default_factory=dict)
    # How often names of nodes and of tensors were used again.
    again: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))

    def run(
        self, file: FileGraph, name: str, shapes: Mapping[str, tuple[int, ...]],
        ends: tuple[str, ...],
    ) -> Graph:  # fmt: skip
        inputs = tuple(self._input(value, shapes[value.name]) for value in file.inputs)
        self.walk(file, _needed(file, ends))
        if self.refusals:
            raise RefusedModel(tuple(self.refusals), len(self.nodes))
        self._check_types(file.outputs)
        outputs = tuple(self._output(end) for end in ends)
        names = {k: t.name for k, t in self.tensors.items()}
        source = Source(names, dict(self.nodes), tuple(self.notes))
        graph = Graph(name, self.tensors, tuple(self.operators), inputs, outputs, source)
        return fold_quantized(apart(graph))

    def walk(self, file: FileGraph, needed: frozenset[str]) -> None:
        """The nodes of a graph, and of the graphs inside them that are taken for certain."""
        for key, data in file.constants.items():
            self._keep(key, _constant(self._fresh(key), data))
        for node in file.nodes:
            if node.name in needed:
                self._node(node)

    def _input(self, value: FileValue, shape: tuple[int, ...]) -> TensorId:
        assert value.dtype is not None
        nhwc = self.nhwc and len(shape) == 4
        moved = tuple(shape[d] for d in TO_NHWC) if nhwc else shape
        tensor = Tensor(value.name, value.name, moved, value.dtype)
        self._keep(value.name, tensor)
        if nhwc:
            emitter = self._emitter(f"{value.name}.nchw")
            self.scope[value.name] = emitter.one(Transpose(TO_NCHW), (tensor,))
            self._take(emitter)
        return value.name

    def _check_types(self, outputs: tuple[FileValue, ...]) -> None:
        """Quantized tensors of 16 bits are signed inside."""
        for value in outputs:
            tensor = self.scope.get(value.name)
            if tensor is not None and (value.dtype, tensor.dtype) == (DType.UINT16, DType.INT16):
                raise ModelError(
                    f"output {quoted(value.name)} is uint16; supported: int16, 8 bits, float"
                )

    def _output(self, name: str) -> TensorId:
        tensor = self.scope.get(name)
        if tensor is None:
            raise ModelError(f"model.outputs: no tensor is called {quoted(name)}")
        if not self.nhwc or len(tensor.shape) != 4:
            return tensor.id
        emitter = self._emitter(f"{name}.nhwc")
        made = emitter.one(Transpose(TO_NHWC), (tensor,))
        self._take(emitter)
        return made.id

    def _node(self, node: FileNode) -> None:
        node = replace(node, name=_unlike(node.name, self.nodes, self.again[0]))
        self.nodes[node.name] = node.type
        inputs = tuple(self.scope[i] if i else None for i in node.inputs)
        if any(i and t is None for i, t in zip(node.inputs, inputs, strict=True)):
            self.scope |= dict.fromkeys(filter(None, node.outputs))
            return  # a refused node comes before it
        try:
            self._import(OnnxSource(node, self.opset, inputs))
        except Refuse as refusal:
            self._refuse(node, str(refusal), isinstance(refusal, Impossible))
        except ModelError as error:
            self._refuse(node, str(error))
        except _MISFITS:
            shapes = ", ".join(str(list(t.shape)) for t in inputs if t is not None)
            text = f"its attributes do not fit its inputs: {shapes or 'none'}"
            self._refuse(node, text, impossible=True)

    def _refuse(self, node: FileNode, reason: str, impossible: bool = False) -> None:
        refusal = Refusal(node.name, node.type, reason)
        self.refusals.append(refusal)
        if impossible:
            self.impossible.add(refusal)
        self.scope |= dict.fromkeys(filter(None, node.outputs))

    def _import(self, source: OnnxSource) -> None:
        constants = folded(source)
        if constants is not None:
            for name, data in zip(source.node.outputs, constants, strict=False):
                self._keep(name, _constant(self._fresh(name), data))
            return
        emitter = self._emitter(source.node.name)
        if source.type in CONTROL:
            self._stand_in(source.node, emitter, CONTROL[source.type].rule(source, emitter, self))
            return
        kind = RULES.get(source.type)
        if kind is None:
            self._stand_in(source.node, emitter, self._definition(source))
            return
        outputs = kind.rule(source, emitter)
        if len(outputs) < sum(1 for o in source.node.outputs if o):
            raise Refuse(f"{len(source.node.outputs)} outputs; supported: {len(outputs)}")
        self._finish(source.node, emitter, outputs)

    def _stand_in(self, node: FileNode, emitter: Emitter, outputs: Outputs) -> None:
        """Outputs that other nodes have computed; the emitter holds what was added to them."""
        if any(node.outputs[len(outputs) :]):
            raise Refuse(f"{len(node.outputs)} outputs; supported: {len(outputs)}")
        self._flush(emitter)
        for name, tensor in zip(node.outputs, outputs, strict=False):
            if name:
                self.scope[name] = tensor

    def _definition(self, source: OnnxSource) -> Outputs:
        """The outputs of the nodes by which the standard defines this one."""
        body = standard_body(source)
        if body is None:
            raise Refuse("not supported in any form")
        outer, self.opset = self.opset, body.opset
        bound, refused = dict(zip(body.inputs, source.inputs, strict=False)), len(self.refusals)
        try:
            found = self.inline(body.graph, bound, self._emitter(source.node.name))
        finally:
            self.opset = outer
        if len(self.refusals) > refused:
            raise self._inside(refused)
        computed = dict(zip((v.name for v in body.graph.outputs), found, strict=True))
        for n, name in enumerate(body.outputs):
            if source.wants(n) and name not in computed:
                raise Refuse(f"output {n} has no definition; supported: the others")
        return [computed.get(name) for name in body.outputs]

    def _inside(self, refused: int) -> Refuse:
        """The first refusal within a definition, as one of the node that is defined."""
        inner = self.refusals[refused]
        del self.refusals[refused:]
        kind = Impossible if inner in self.impossible else Refuse
        return kind(f"its definition has {inner.type}: {inner.reason}")

    def inline(
        self, graph: FileGraph, bound: Mapping[str, Tensor | None], emitter: Emitter
    ) -> Outputs:
        """The outputs of a graph inside a node; its inputs are `bound`, perhaps just emitted."""
        self._flush(emitter)
        if len(self.nodes) > MOST_NODES:
            raise Refuse(f"more than {MOST_NODES} nodes in loops; supported: up to that")
        outer = self.scope
        self.scope = {**outer, **bound}
        self.walk(graph, _needed(graph, tuple(v.name for v in graph.outputs)))
        found = [self.scope.get(v.name) for v in graph.outputs]
        self.scope = outer
        return found

    def attempt(self, graph: FileGraph, emitter: Emitter) -> Outputs | str:
        """The same; where shapes alone stand in the way nothing remains of it but the reason."""
        kept = len(self.operators), len(self.refusals), len(self.notes)
        tensors, nodes = dict(self.tensors), dict(self.nodes)
        found = self.inline(graph, {}, emitter)
        new = self.refusals[kept[1] :]
        if not new or not self.impossible.issuperset(new):
            return found
        del self.operators[kept[0] :], self.refusals[kept[1] :], self.notes[kept[2] :]
        self.tensors, self.nodes = tensors, nodes
        return f"{one_line(new[0].type)} {quoted(new[0].operator)}: {new[0].reason}"

    def note(self, text: str) -> None:
        self.notes.append(text)

    def _emitter(self, prefix: str) -> Emitter:
        return Emitter(prefix, self.values, self.file_nodes)

    def _finish(self, node: FileNode, emitter: Emitter, outputs: tuple[Tensor, ...]) -> None:
        """Give outputs and operators the names of the file."""
        names: dict[TensorId, Tensor] = {}
        for name, tensor in zip(node.outputs, outputs, strict=False):
            if not name:
                continue
            if tensor.id not in emitter.tensors or tensor.id in names:
                tensor = emitter.one(Reshape(tensor.shape), (tensor,))
            key = self._fresh(name)
            names[tensor.id] = replace(renamed(tensor, key), name=name)
            self.scope[name] = names[tensor.id]
        self._take(emitter, node.name, names)

    def _take(
        self, emitter: Emitter, name: str = "", names: Mapping[TensorId, Tensor] | None = None
    ) -> None:
        known = names or {}
        made = [known.get(t.id, replace(t, name=t.id)) for t in emitter.tensors.values()]
        self.tensors |= {t.id: t for t in made}
        self.operators += _named(emitter.operators, name, known)

    def _flush(self, emitter: Emitter) -> None:
        """What a node has emitted so far; more may follow."""
        self.tensors |= {t.id: replace(t, name=t.id) for t in emitter.tensors.values()}
        for operator in emitter.operators[emitter.taken :]:
            ids = (*operator.ids, emitter.prefix)
            self.operators.append(replace(operator, ids=ids, name=operator.outputs[0]))
        emitter.taken = len(emitter.operators)

    def _keep(self, name: str, tensor: Tensor) -> None:
        self.tensors[tensor.id] = tensor
        self.scope[name] = replace(tensor, name=name)
        self.tensors[tensor.id] = replace(tensor, name=name)

    def _fresh(self, name: str) -> TensorId:
        """The name as an id; branches may use a name again."""
        return _unlike(name, self.tensors, self.again[1])


def _unlike(name: str, others: Container[str], again: Counter[str]) -> str:
    """The name, or name', name'2, name'3, ... whichever is none of the others."""
    while (made := _numbered(name, again[name])) in others:
        again[name] += 1
    return made


def _numbered(name: str, times: int) -> str:
    return name if not times else f"{name}'" if times == 1 else f"{name}'{times}"


def _named(
    operators: list[Operator], name: str, names: Mapping[TensorId, Tensor]
) -> Iterable[Operator]:
    """The operators with the ids of the file; the first that computes has the node's own."""
    own = next((o for o in operators if o.type not in _MOVES), operators[-1] if operators else None)
    for operator in operators:
        ids = (name,) if operator is own and name else (*operator.ids, *((name,) if name else ()))
        outputs = tuple(names[o].id if o in names else o for o in operator.outputs)
        inputs = tuple(i if i is None or i not in names else names[i].id for i in operator.inputs)
        yield replace(operator, ids=ids, inputs=inputs, outputs=outputs, name=outputs[0])


def _constant(name: TensorId, data: Array) -> Tensor:
    content = np.ascontiguousarray(data).reshape(np.shape(data))
    kind = TensorKind.CONSTANT
    return Tensor(name, name, content.shape, DType(content.dtype.name), kind, data=content)


def _needed(graph: FileGraph, ends: tuple[str, ...]) -> frozenset[str]:
    """The nodes that the chosen outputs depend on."""
    wanted, needed = set(ends), set()
    for node in reversed(graph.nodes):
        if wanted & set(node.outputs):
            needed.add(node.name)
            wanted |= _reads(node)
    return frozenset(needed)


def _reads(node: FileNode) -> set[str]:
    inner = {n for g in node.graphs.values() for m in g.nodes for n in _reads(m)}
    ends = {v.name for g in node.graphs.values() for v in g.outputs}
    return set(node.inputs) | inner | ends
