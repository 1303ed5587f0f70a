"""The TFLite schema: where the fields of each table are, and the names of its enumerations.

The enumerations and the options tables come from the `tflite` package, imported when first needed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from nacre.frontends.tflite.flatbuffer import Layout
from nacre.ir import DType

IDENTIFIER = b"TFL3"
VERSION = 3


def _layout(names: str) -> Layout:
    """Slots in the order of the names, as the schema declares them."""
    return {name: slot for slot, name in enumerate(names.split())}


MODEL = _layout(
    "version operator_codes subgraphs description buffers metadata_buffer metadata signature_defs"
)
OPERATOR_CODE = _layout("deprecated_builtin_code custom_code version builtin_code")
SUBGRAPH = _layout("tensors inputs outputs operators name")
TENSOR = _layout(
    "shape type buffer name quantization is_variable sparsity shape_signature has_rank"
)
BUFFER = _layout("data offset size")
OPERATOR = _layout(
    "opcode_index inputs outputs builtin_options_type builtin_options custom_options "
    "custom_options_format mutating_variable_inputs intermediates large_custom_options_offset "
    "large_custom_options_size"
)
QUANTIZATION = _layout("min max scale zero_point details_type details quantized_dimension")
SPARSITY = _layout("traversal_order block_map dim_metadata")
DIMENSION = _layout(
    "format dense_size array_segments_type array_segments array_indices_type array_indices"
)
INDEX_VECTOR = _layout("values")
SIGNATURE = _layout("inputs outputs signature_key deprecated_tag subgraph_index")
TENSOR_MAP = _layout("name tensor_index")

DTYPES: Mapping[str, DType] = {
    "FLOAT32": DType.FLOAT32,
    "FLOAT16": DType.FLOAT16,
    "FLOAT64": DType.FLOAT64,
    "COMPLEX64": DType.COMPLEX64,
    "BOOL": DType.BOOL,
    "INT4": DType.INT8,  # two per byte in the file, one per byte once decoded
    "INT8": DType.INT8,
    "UINT8": DType.UINT8,
    "INT16": DType.INT16,
    "UINT16": DType.UINT16,
    "INT32": DType.INT32,
    "UINT32": DType.UINT32,
    "INT64": DType.INT64,
    "UINT64": DType.UINT64,
}

# Operators whose options table is not named after them.
_SHARED_OPTIONS: Mapping[str, str] = {
    "AVERAGE_POOL_2D": "Pool2DOptions",
    "MAX_POOL_2D": "Pool2DOptions",
    "L2_POOL_2D": "Pool2DOptions",
    "L2_NORMALIZATION": "L2NormOptions",
    "MEAN": "ReducerOptions",
    "SUM": "ReducerOptions",
    "REDUCE_PROD": "ReducerOptions",
    "REDUCE_MAX": "ReducerOptions",
    "REDUCE_MIN": "ReducerOptions",
    "REDUCE_ANY": "ReducerOptions",
    "REDUCE_ALL": "ReducerOptions",
    "MAXIMUM": "MaximumMinimumOptions",
    "MINIMUM": "MaximumMinimumOptions",
    "UNIDIRECTIONAL_SEQUENCE_RNN": "SequenceRNNOptions",
    "CONV_3D_TRANSPOSE": "Conv3DOptions",
    "RANDOM_STANDARD_NORMAL": "RandomOptions",
    "RANDOM_UNIFORM": "RandomOptions",
    "MULTINOMIAL": "RandomOptions",
}


@dataclass(frozen=True)
class OptionField:
    """A field of an options table. `code` is a letter of `struct`, or empty for a string."""

    name: str
    slot: int
    code: str
    is_vector: bool
    default: int | float | bool


@cache
def tensor_type_names() -> Mapping[int, str]:
    return _enumeration("TensorType")


@cache
def operator_names() -> Mapping[int, str]:
    return _enumeration("BuiltinOperator")


@cache
def options_names() -> Mapping[int, str]:
    """Names of the options tables by the value of `builtin_options_type`."""
    return {value: name for value, name in _enumeration("BuiltinOptions").items() if value != 0}


@cache
def options_table(operator_type: str) -> str | None:
    """The options table that the schema gives to a kind of operator; None when it has none."""
    if operator_type in _SHARED_OPTIONS:
        return _SHARED_OPTIONS[operator_type]
    wanted = operator_type.replace("_", "").lower() + "options"
    return next((name for name in options_names().values() if name.lower() == wanted), None)


@cache
def option_fields(table: str) -> tuple[OptionField, ...]:
    """The fields of an options table, learned by running the generated getters on a probe."""
    getters = {
        name: value
        for name, value in vars(_generated(table)).items()
        if inspect.isfunction(value) and name != "Init"
    }
    vectors = {name.removesuffix("AsNumpy") for name in getters if name.endswith("AsNumpy")}
    accessors = {v + suffix for v in vectors for suffix in ("AsNumpy", "Length", "IsNone")}
    return tuple(
        _option_field(_generated(table), name, name in vectors)
        for name in getters
        if name not in accessors
    )


def option_layout(table: str) -> Layout:
    return {field.name: field.slot for field in option_fields(table)}


def _enumeration(name: str) -> Mapping[int, str]:
    members = vars(_generated(name)).items()
    return {value: member for member, value in members if isinstance(value, int)}


def _generated(name: str) -> type:
    generated: type = getattr(import_module(f"tflite.{name}"), name)
    return generated


# The letter of `struct` for the type of flatbuffers' scalar descriptions.
_CODES: Mapping[str, str] = {
    "BoolFlags": "?",
    "Int8Flags": "b",
    "Uint8Flags": "B",
    "Int16Flags": "h",
    "Uint16Flags": "H",
    "Int32Flags": "i",
    "Uint32Flags": "I",
    "Int64Flags": "q",
    "Uint64Flags": "Q",
    "Float32Flags": "f",
    "Float64Flags": "d",
}


class _Probe:
    """Stands in for flatbuffers' table under a generated getter, and notes what it reads.

    The names are those that the generated code calls.
    """

    Pos = 0

    def __init__(self, present: bool) -> None:
        self.present = present
        self.slot = -1
        self.code = ""

    def Offset(self, vtable_offset: int) -> int:
        self.slot = (vtable_offset - 4) // 2
        return 4 if self.present else 0

    def Get(self, flags: type, position: int) -> int:
        self.code = _CODES[flags.__name__]
        return position

    def GetVectorAsNumpy(self, flags: type, position: int) -> int:
        return self.Get(flags, position)

    def String(self, _position: int) -> bytes:
        return b""


def _option_field(generated: type, getter: str, is_vector: bool) -> OptionField:
    name = getter + "AsNumpy" if is_vector else getter
    present, absent = _Probe(present=True), _Probe(present=False)
    _run_getter(generated, name, present)
    default = _run_getter(generated, name, absent)
    return OptionField(
        re.sub(r"(?<!^)(?=[A-Z])", "_", getter).lower(),
        present.slot,
        present.code,
        is_vector,
        0 if default is None else default,
    )


def _run_getter(generated: type, name: str, probe: _Probe) -> int | float | bool | None:
    instance = generated()
    instance._tab = probe
    getter: Callable[[], int | float | bool | None] = getattr(instance, name)
    return getter()
