"""Writes TFLite files without TensorFlow: numpy, flatbuffers and the `tflite` schema package.

    b = ModelBuilder()
    x = b.input("x", (1, 4), "int8", scale=0.1, zero_point=3)
    y = b.tensor("y", (1, 4), "int8", scale=0.1, zero_point=3)
    b.operator("RELU", [x], [y])
    b.output(y)
    data = b.build()

The bytes depend on the calls alone: the same calls give the same file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, TypeAlias

import flatbuffers
import numpy as np

IDENTIFIER = b"TFL3"
VERSION = 3
# Old readers look at a one-byte code; this value sends new ones to the wide field.
WIDE_CODE = 127
# Readers use constants in place: 16 is what their vector code wants.
CONSTANT_ALIGNMENT = 16
CUSTOM = "CUSTOM"

Scale: TypeAlias = float | Sequence[float] | np.ndarray | None
ZeroPoint: TypeAlias = int | Sequence[int] | np.ndarray
OptionValue: TypeAlias = int | float | bool | str | Sequence[int] | Sequence[float]
Options: TypeAlias = Mapping[str, OptionValue]

SCHEMA_DEFAULTS: Options = MappingProxyType({})

# Operators whose options table is not named after them.
SHARED_OPTIONS: Mapping[str, str] = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "MEAN": "ReducerOptions",
    "SUM": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_ALL": "ReducerOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "MULTINOMIAL": "RandomOptions",
}
# Vectors of floats among the options; all others hold integers or flags.
FLOAT_VECTORS = frozenset({"boundaries"})
VECTOR_TYPES = {1: np.uint8, 4: np.int32, 8: np.int64}


@dataclass(frozen=True, eq=False)
class TensorRecord:
    """A tensor of the file; `content` is what its buffer holds."""

    name: str
    shape: tuple[int, ...]
    type: str
    scales: tuple[float, ...] = ()
    zero_points: tuple[int, ...] = ()
    axis: int = 0
    content: bytes = b""
    variable: bool = False
    signature: tuple[int, ...] | None = None


@dataclass(frozen=True)
class OperatorCode:
    """A kind of operator, as often as the file needs it: once."""

    type: str
    custom: str
    version: int


@dataclass(frozen=True)
class OperatorRecord:
    code: OperatorCode
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    # None: no table at all; else the fields that differ from the schema's defaults.
    options: Options | None
    custom_options: bytes = b""
    intermediates: tuple[int, ...] = ()


@dataclass
class SubgraphRecord:
    name: str
    tensors: list[TensorRecord] = field(default_factory=list)
    operators: list[OperatorRecord] = field(default_factory=list)
    inputs: list[int] = field(default_factory=list)
    outputs: list[int] = field(default_factory=list)


class ModelBuilder:
    """Collects tensors and operators of one subgraph; `build` writes the file of all of them."""

    def __init__(self, name: str = "main", description: str = "") -> None:
        self.index = 0
        self._description = description
        self._subgraphs = [SubgraphRecord(name)]

    def subgraph(self, name: str = "init") -> ModelBuilder:
        """A further subgraph of the same file, filled like the first; its `index` names it."""
        other = ModelBuilder(description=self._description)
        other._subgraphs = self._subgraphs
        other.index = len(self._subgraphs)
        self._subgraphs.append(SubgraphRecord(name))
        return other

    def input(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        scale: Scale = None,
        zero_point: ZeroPoint = 0,
        signature: Sequence[int] | None = None,
    ) -> int:
        """A tensor that the caller fills; `signature` is its shape with -1 for free dimensions."""
        index = self.tensor(name, shape, dtype, scale, zero_point, signature=signature)
        self._records.inputs.append(index)
        return index

    def constant(
        self,
        name: str,
        array: np.ndarray,
        scale: Scale = None,
        zero_point: ZeroPoint = 0,
        axis: int = 0,
        dtype: str | None = None,
    ) -> int:
        """Weights and the like; the element type is the array's, or int4 (values in int8)."""
        array = np.asarray(array)
        kind = dtype or array.dtype.name
        return self._add(
            TensorRecord(
                name,
                array.shape,
                _type_name(kind),
                *_quantization(scale, zero_point),
                axis,
                _content(array, kind),
            )
        )

    def tensor(
        self,
        name: str,
        shape: Sequence[int],
        dtype: str,
        scale: Scale = None,
        zero_point: ZeroPoint = 0,
        variable: bool = False,
        axis: int = 0,
        signature: Sequence[int] | None = None,
    ) -> int:
        """A value between operators; `dtype` may be "resource" for the handle of a variable."""
        return self._add(
            TensorRecord(
                name,
                tuple(int(d) for d in shape),
                _type_name(dtype),
                *_quantization(scale, zero_point),
                axis,
                variable=variable,
                signature=None if signature is None else tuple(signature),
            )
        )

    def operator(
        self,
        type: str,
        inputs: Sequence[int],
        outputs: Sequence[int],
        options: Options | None = SCHEMA_DEFAULTS,
        *,
        custom_options: bytes = b"",
        version: int = 1,
        intermediates: Sequence[int] = (),
    ) -> None:
        """Append an operator: `CONV_2D`, or `CUSTOM:Name`; -1 is an absent optional input.

        Options go by their schema names (`stride_h`); None leaves the options table out.
        """
        type, _, custom = type.partition(":")
        if type not in _members("BuiltinOperator"):
            raise ValueError(f"operator {type!r} is not one of the schema")
        self._records.operators.append(
            OperatorRecord(
                OperatorCode(type, custom, version),
                tuple(inputs),
                tuple(outputs),
                options,
                custom_options,
                tuple(intermediates),
            )
        )

    def output(self, *tensors: int) -> None:
        self._records.outputs.extend(tensors)

    def build(self) -> bytes:
        return _write(self._subgraphs, self._description)

    @property
    def _records(self) -> SubgraphRecord:
        return self._subgraphs[self.index]

    def _add(self, tensor: TensorRecord) -> int:
        self._records.tensors.append(tensor)
        return len(self._records.tensors) - 1


# --- tensors ------------------------------------------------------------------------------------


def _type_name(dtype: str) -> str:
    name = dtype.upper()
    if name not in _members("TensorType"):
        raise ValueError(f"element type {dtype!r} is not one of the schema")
    return name


def _quantization(scale: Scale, zero_point: ZeroPoint) -> tuple[tuple[float, ...], tuple[int, ...]]:
    """Scales and as many zero points; none without a scale."""
    if scale is None:
        return (), ()
    scales = tuple(float(s) for s in np.atleast_1d(scale))
    points = np.broadcast_to(np.atleast_1d(zero_point), (len(scales),))
    return scales, tuple(int(p) for p in points)


def _content(array: np.ndarray, dtype: str) -> bytes:
    if dtype == "int4":
        return _pack_int4(array)
    if array.dtype.name != dtype:
        raise ValueError(f"an array of {array.dtype.name} cannot be stored as {dtype}")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes()


def _pack_int4(array: np.ndarray) -> bytes:
    """Two values per byte, the low half first."""
    values = np.append(array.reshape(-1), np.zeros(array.size % 2, array.dtype)).astype(np.uint8)
    low, high = values[0::2] & 15, values[1::2] & 15
    return (low | (high << 4)).astype(np.uint8).tobytes()


# --- writing ------------------------------------------------------------------------------------


def _write(subgraphs: Sequence[SubgraphRecord], description: str) -> bytes:
    builder = flatbuffers.Builder(1024)
    codes = _operator_codes(subgraphs)
    # Buffer 0 is empty by convention: what a tensor without content refers to.
    contents = [b""] + [t.content for s in subgraphs for t in s.tensors if t.content]
    numbers = iter(range(1, len(contents)))
    written = [_write_subgraph(builder, s, codes, numbers) for s in subgraphs]
    root = _table(
        builder,
        "Model",
        version=VERSION,
        operator_codes=_offsets(builder, [_write_code(builder, c) for c in codes]),
        subgraphs=_offsets(builder, written),
        description=builder.CreateString(description),
        buffers=_offsets(builder, [_write_buffer(builder, c) for c in contents]),
    )
    builder.Finish(root, IDENTIFIER)
    return bytes(builder.Output())


def _operator_codes(subgraphs: Sequence[SubgraphRecord]) -> dict[OperatorCode, int]:
    """Every kind of operator with its number, in order of first use."""
    used = dict.fromkeys(o.code for s in subgraphs for o in s.operators)
    return {code: number for number, code in enumerate(used)}


def _write_code(builder: flatbuffers.Builder, code: OperatorCode) -> int:
    number = _members("BuiltinOperator")[code.type]
    custom = {"custom_code": builder.CreateString(code.custom)} if code.type == CUSTOM else {}
    return _table(
        builder,
        "OperatorCode",
        deprecated_builtin_code=min(number, WIDE_CODE),
        builtin_code=number,
        version=code.version,
        **custom,
    )


def _write_buffer(builder: flatbuffers.Builder, content: bytes) -> int:
    if not content:
        return _table(builder, "Buffer")
    return _table(builder, "Buffer", data=_bytes(builder, content, CONSTANT_ALIGNMENT))


def _write_subgraph(
    builder: flatbuffers.Builder,
    subgraph: SubgraphRecord,
    codes: Mapping[OperatorCode, int],
    buffers: Iterator[int],
) -> int:
    """`buffers` gives the numbers of the contents, in the order of the tensors that have one."""
    tensors = [
        _write_tensor(builder, t, next(buffers) if t.content else 0) for t in subgraph.tensors
    ]
    operators = [_write_operator(builder, o, codes[o.code]) for o in subgraph.operators]
    return _table(
        builder,
        "SubGraph",
        tensors=_offsets(builder, tensors),
        inputs=_array(builder, subgraph.inputs, np.int32),
        outputs=_array(builder, subgraph.outputs, np.int32),
        operators=_offsets(builder, operators),
        name=builder.CreateString(subgraph.name),
    )


def _write_tensor(builder: flatbuffers.Builder, tensor: TensorRecord, buffer: int) -> int:
    fields = {"shape": _array(builder, tensor.shape, np.int32)}
    if tensor.signature is not None:
        fields["shape_signature"] = _array(builder, tensor.signature, np.int32)
    if tensor.scales:
        fields["quantization"] = _table(
            builder,
            "QuantizationParameters",
            scale=_array(builder, tensor.scales, np.float32),
            zero_point=_array(builder, tensor.zero_points, np.int64),
            quantized_dimension=tensor.axis,
        )
    return _table(
        builder,
        "Tensor",
        name=builder.CreateString(tensor.name),
        type=_members("TensorType")[tensor.type],
        buffer=buffer,
        is_variable=tensor.variable,
        has_rank=True,
        **fields,
    )


def _write_operator(builder: flatbuffers.Builder, operator: OperatorRecord, code: int) -> int:
    fields = _write_options(builder, operator)
    if operator.custom_options:
        fields["custom_options"] = _bytes(builder, operator.custom_options)
    if operator.intermediates:
        fields["intermediates"] = _array(builder, operator.intermediates, np.int32)
    return _table(
        builder,
        "Operator",
        opcode_index=code,
        inputs=_array(builder, operator.inputs, np.int32),
        outputs=_array(builder, operator.outputs, np.int32),
        **fields,
    )


# --- options ------------------------------------------------------------------------------------


def options_table(operator_type: str) -> str | None:
    """The options table of a kind of operator; None where the schema has none."""
    wanted = SHARED_OPTIONS.get(operator_type, operator_type.replace("_", "") + "Options").lower()
    unions = (*_members("BuiltinOptions"), *_members("BuiltinOptions2"))
    return next((name for name in unions if name.lower() == wanted), None)


def _write_options(builder: flatbuffers.Builder, operator: OperatorRecord) -> dict[str, int]:
    """The fields of the operator that hold its options: the second union is the newer one."""
    table = options_table(operator.code.type)
    if table is None and operator.options:
        raise ValueError(f"operator {operator.code.type} has no options in the schema")
    if table is None or operator.options is None:
        return {}
    values = {n: _option(builder, table, n, v) for n, v in operator.options.items()}
    union = "" if table in _members("BuiltinOptions") else "2"
    kind = _members(f"BuiltinOptions{union}")[table]
    names = (f"builtin_options{'_2' if union else ''}{suffix}" for suffix in ("_type", ""))
    return dict(zip(names, (kind, _table(builder, table, **values)), strict=True))


def _option(
    builder: flatbuffers.Builder, table: str, name: str, value: OptionValue
) -> int | float | bool:
    """A scalar as it is; strings and vectors are written, their place is returned."""
    if isinstance(value, str):
        text: int = builder.CreateString(value)
        return text
    if isinstance(value, (bool, int, float, np.integer, np.floating)):
        return value
    if name in FLOAT_VECTORS:
        return _array(builder, value, np.float32)
    probe = _VectorProbe()
    _generated(table, "Start", name, "Vector")(probe, 0)
    return _array(builder, value, VECTOR_TYPES[probe.size])


class _VectorProbe:
    """Stands in for the builder under a generated function, which tells it the element's size."""

    size = 0

    def StartVector(self, size: int, _count: int, _alignment: int) -> None:
        self.size = size


# --- flatbuffers --------------------------------------------------------------------------------


def _table(builder: flatbuffers.Builder, name: str, /, **fields: int | float | bool) -> int:
    """Write a table through the generated functions; fields go by their schema names."""
    # Which tables share a layout differs between versions of flatbuffers: here none do.
    builder.vtables.clear()
    _generated(name, "Start")(builder)
    for key, value in fields.items():
        _generated(name, "Add", key)(builder, value)
    end: int = _generated(name, "End")(builder)
    return end


@cache
def _generated(table: str, verb: str, key: str = "", suffix: str = "") -> Callable[..., Any]:
    """`Conv2DOptionsAddStrideH` from ("Conv2DOptions", "Add", "stride_h")."""
    functions = vars(import_module(f"tflite.{table}"))
    prefix = f"{table}{verb}".lower()
    wanted = prefix + key.replace("_", "").lower() + suffix.lower()
    found: Callable[..., Any] | None
    found = next((f for name, f in functions.items() if name.lower() == wanted), None)
    if found is not None:
        return found
    known = sorted(n[len(prefix) :] for n in functions if n.lower().startswith(prefix))
    raise ValueError(f"{table} has no {key!r} to {verb.lower()}; known: {', '.join(known)}")


@cache
def _members(enumeration: str) -> Mapping[str, int]:
    found = vars(getattr(import_module(f"tflite.{enumeration}"), enumeration))
    return {name: value for name, value in found.items() if isinstance(value, int)}


def _array(builder: flatbuffers.Builder, values: Sequence[float] | np.ndarray, dtype: type) -> int:
    vector: int = builder.CreateNumpyVector(np.asarray(values, dtype).reshape(-1))
    return vector


def _offsets(builder: flatbuffers.Builder, offsets: Sequence[int]) -> int:
    builder.StartVector(4, len(offsets), 4)
    for offset in reversed(offsets):
        builder.PrependUOffsetTRelative(offset)
    vector: int = builder.EndVector()
    return vector


def _bytes(builder: flatbuffers.Builder, content: bytes, alignment: int = 1) -> int:
    builder.StartVector(1, len(content), alignment)
    builder.head -= len(content)
    builder.Bytes[builder.head : builder.head + len(content)] = content
    vector: int = builder.EndVector()
    return vector
