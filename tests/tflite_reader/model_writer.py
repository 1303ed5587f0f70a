"""Writes small .tflite files through the generated builders of the `tflite` package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module

import flatbuffers
import numpy as np


@dataclass(frozen=True)
class Dimension:
    """DimensionMetadata: dense with a size, or CSR with segments and indices."""

    dense_size: int = 0
    segments: tuple[int, ...] | None = None
    indices: tuple[int, ...] | None = None
    index_type: str = "Int32Vector"
    format: int | None = None


@dataclass(frozen=True)
class Sparsity:
    traversal_order: tuple[int, ...]
    dimensions: tuple[Dimension, ...]
    block_map: tuple[int, ...] = ()


@dataclass(frozen=True)
class TensorSpec:
    shape: tuple[int, ...] = (4,)
    type: str | int = "INT8"
    data: bytes | None = None
    name: str | bytes = "tensor"
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int = 0
    signature: tuple[int, ...] = ()
    is_variable: bool = False
    sparsity: Sparsity | None = None
    # Offset and size of a buffer outside the flatbuffer.
    external: tuple[int, int] | None = None
    # Overrides the index of the buffer.
    buffer: int | None = None


@dataclass(frozen=True)
class OperatorSpec:
    inputs: tuple[int, ...] = (0,)
    outputs: tuple[int, ...] = (1,)
    type: str | int = "RELU"
    # Name of the options table, and its fields in the builder's spelling (`StrideW`).
    options: tuple[str, Mapping[str, float | tuple[float, ...] | str]] | None = None
    options_without_table: str | None = None
    custom_code: str = ""
    custom_options: bytes = b""
    # Offset and size of custom options outside the flatbuffer.
    external_options: tuple[int, int] = (0, 0)
    intermediates: tuple[int, ...] = ()
    opcode_index: int | None = None
    deprecated_code_only: bool = False


@dataclass(frozen=True)
class SubgraphSpec:
    tensors: tuple[TensorSpec, ...]
    operators: tuple[OperatorSpec, ...]
    inputs: tuple[int, ...] = (0,)
    outputs: tuple[int, ...] = (1,)
    name: str = "main"


@dataclass(frozen=True)
class ModelSpec:
    subgraphs: tuple[SubgraphSpec, ...]
    version: int = 3
    identifier: bytes = b"TFL3"
    # Subgraph index, then (tensor index, name) of inputs and outputs.
    signature: tuple[int, Mapping[int, str], Mapping[int, str]] | None = None
    description: str = ""
    empty_buffers: int = field(default=1)


TINY = ModelSpec((SubgraphSpec((TensorSpec(), TensorSpec()), (OperatorSpec(),)),))


def tiny(*tensors: TensorSpec, operator: OperatorSpec | None = None) -> ModelSpec:
    """One RELU from tensor 0 to tensor 1; further tensors are along for the ride."""
    given = tensors if len(tensors) > 1 else (*tensors, TensorSpec())
    subgraph = SubgraphSpec(given, (operator or OperatorSpec(),))
    return ModelSpec((subgraph,))


def with_constant(tensor: TensorSpec) -> ModelSpec:
    """The tiny model with `tensor` as number 2."""
    return tiny(TensorSpec(), TensorSpec(), tensor)


def changed(spec: ModelSpec, change: Callable[[SubgraphSpec], SubgraphSpec]) -> ModelSpec:
    return replace(spec, subgraphs=(change(spec.subgraphs[0]), *spec.subgraphs[1:]))


def write_model(spec: ModelSpec) -> bytes:
    writer = _Writer(flatbuffers.Builder(1024))
    return writer.model(spec)


def _constant(enumeration: str, name: str | int) -> int:
    if isinstance(name, int):
        return name
    return int(getattr(getattr(import_module(f"tflite.{enumeration}"), enumeration), name))


class _Writer:
    def __init__(self, builder: flatbuffers.Builder) -> None:
        self.builder = builder
        self.buffers: list[int] = []
        self.codes: list[int] = []

    def model(self, spec: ModelSpec) -> bytes:
        self.buffers = [self.table("Buffer", {}) for _ in range(spec.empty_buffers)]
        subgraphs = [self.subgraph(s) for s in spec.subgraphs]
        fields = {
            "Version": spec.version,
            "OperatorCodes": self.tables(self.codes),
            "Subgraphs": self.tables(subgraphs),
            "Description": self.text(spec.description),
            "Buffers": self.tables(self.buffers),
        }
        if spec.signature is not None:
            fields["SignatureDefs"] = self.tables([self.signature(*spec.signature)])
        self.builder.Finish(self.table("Model", fields), spec.identifier)
        return bytes(self.builder.Output())

    def subgraph(self, spec: SubgraphSpec) -> int:
        fields = {
            "Tensors": self.tables([self.tensor(t) for t in spec.tensors]),
            "Inputs": self.vector(spec.inputs),
            "Outputs": self.vector(spec.outputs),
            "Operators": self.tables([self.operator(o) for o in spec.operators]),
            "Name": self.text(spec.name),
        }
        return self.table("SubGraph", fields)

    def tensor(self, spec: TensorSpec) -> int:
        fields = {
            "Shape": self.vector(spec.shape),
            "Type": _constant("TensorType", spec.type),
            "Buffer": self.buffer(spec),
            "Name": self.text(spec.name),
            "IsVariable": int(spec.is_variable),
        }
        if spec.signature:
            fields["ShapeSignature"] = self.vector(spec.signature)
        if spec.scales or spec.zero_points:
            fields["Quantization"] = self.quantization(spec)
        if spec.sparsity is not None:
            fields["Sparsity"] = self.sparsity(spec.sparsity)
        return self.table("Tensor", fields)

    def buffer(self, spec: TensorSpec) -> int:
        if spec.buffer is not None:
            return spec.buffer
        if spec.data is None and spec.external is None:
            return 0
        if spec.external is not None:
            fields = {"Offset": spec.external[0], "Size": spec.external[1]}
        else:
            fields = {"Data": self.vector(spec.data or b"", np.uint8)}
        self.buffers.append(self.table("Buffer", fields))
        return len(self.buffers) - 1

    def quantization(self, spec: TensorSpec) -> int:
        fields = {
            "Scale": self.vector(spec.scales, np.float32),
            "ZeroPoint": self.vector(spec.zero_points, np.int64),
            "QuantizedDimension": spec.axis,
        }
        return self.table("QuantizationParameters", fields)

    def sparsity(self, spec: Sparsity) -> int:
        fields = {
            "TraversalOrder": self.vector(spec.traversal_order),
            "BlockMap": self.vector(spec.block_map),
            "DimMetadata": self.tables([self.dimension(d) for d in spec.dimensions]),
        }
        return self.table("SparsityParameters", fields)

    def dimension(self, spec: Dimension) -> int:
        sparse = spec.segments is not None
        fields = {
            "Format": spec.format if spec.format is not None else int(sparse),
            "DenseSize": spec.dense_size,
        }
        for name, values in (("ArraySegments", spec.segments), ("ArrayIndices", spec.indices)):
            if values is not None:
                fields[f"{name}Type"] = _constant("SparseIndexVector", spec.index_type)
                fields[name] = self.index_vector(spec.index_type, values)
        return self.table("DimensionMetadata", fields)

    def index_vector(self, kind: str, values: tuple[int, ...]) -> int:
        types = {"Int32Vector": np.int32, "Uint16Vector": np.uint16, "Uint8Vector": np.uint8}
        return self.table(kind, {"Values": self.vector(values, types[kind])})

    def operator(self, spec: OperatorSpec) -> int:
        index = self.code(spec) if spec.opcode_index is None else spec.opcode_index
        fields = {
            "OpcodeIndex": index,
            "Inputs": self.vector(spec.inputs),
            "Outputs": self.vector(spec.outputs),
            "Intermediates": self.vector(spec.intermediates),
            "CustomOptions": self.vector(spec.custom_options, np.uint8),
            "LargeCustomOptionsOffset": spec.external_options[0],
            "LargeCustomOptionsSize": spec.external_options[1],
        }
        if spec.options_without_table is not None:
            fields["BuiltinOptionsType"] = _constant("BuiltinOptions", spec.options_without_table)
        if spec.options is not None:
            fields["BuiltinOptionsType"] = _constant("BuiltinOptions", spec.options[0])
            fields["BuiltinOptions"] = self.options(*spec.options)
        return self.table("Operator", fields)

    def options(self, name: str, values: Mapping[str, float | tuple[float, ...] | str]) -> int:
        return self.table(name, {key: self.option(value) for key, value in values.items()})

    def option(self, value: float | tuple[float, ...] | str) -> float:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, tuple):
            floats = any(isinstance(v, float) for v in value)
            return self.vector(value, np.float32 if floats else np.int32)
        return value

    def code(self, spec: OperatorSpec) -> int:
        code = _constant("BuiltinOperator", spec.type)
        fields = {
            "DeprecatedBuiltinCode": min(code, 127),
            "BuiltinCode": 0 if spec.deprecated_code_only else code,
            "CustomCode": self.text(spec.custom_code),
            "Version": 1,
        }
        self.codes.append(self.table("OperatorCode", fields))
        return len(self.codes) - 1

    def signature(
        self, subgraph: int, inputs: Mapping[int, str], outputs: Mapping[int, str]
    ) -> int:
        fields = {
            "Inputs": self.tables([self.tensor_map(i, n) for i, n in inputs.items()]),
            "Outputs": self.tables([self.tensor_map(i, n) for i, n in outputs.items()]),
            "SubgraphIndex": subgraph,
        }
        return self.table("SignatureDef", fields)

    def tensor_map(self, index: int, name: str) -> int:
        return self.table("TensorMap", {"Name": self.text(name), "TensorIndex": index})

    def table(self, name: str, fields: Mapping[str, float]) -> int:
        module = import_module(f"tflite.{name}")
        getattr(module, f"{name}Start")(self.builder)
        for key, value in fields.items():
            getattr(module, f"{name}Add{key}")(self.builder, value)
        return int(getattr(module, f"{name}End")(self.builder))

    def tables(self, offsets: Sequence[int]) -> int:
        self.builder.StartVector(4, len(offsets), 4)
        for offset in reversed(offsets):
            self.builder.PrependUOffsetTRelative(offset)
        return int(self.builder.EndVector())

    def vector(self, values: Iterable[float] | bytes, dtype: type = np.int32) -> int:
        numbers = list(values) if not isinstance(values, bytes) else np.frombuffer(values, np.uint8)
        return int(self.builder.CreateNumpyVector(np.asarray(numbers, dtype)))

    def text(self, text: str | bytes) -> int:
        return int(self.builder.CreateString(text))
