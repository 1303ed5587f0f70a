"""Decodes operators: their kind, tensors and options."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.errors import ModelError
from nacre.frontends.tflite import schema
from nacre.frontends.tflite.flatbuffer import Table
from nacre.frontends.tflite.records import FileOperator, Options, OptionValue
from nacre.frontends.tflite.schema import OptionField

_CUSTOM = "CUSTOM"
# Inputs and outputs of the operators that say where variables are: all of them must be there.
_VARIABLE_OPERATORS = {"VAR_HANDLE": (0, 1), "READ_VARIABLE": (1, 1), "ASSIGN_VARIABLE": (2, 0)}


@dataclass(frozen=True)
class OperatorCode:
    """A kind of operator that the file uses."""

    type: str
    custom_code: str
    version: int


def read_operator_code(table: Table) -> OperatorCode:
    """Old files have the one-byte code alone, new ones both: the larger counts."""
    code = max(table.integer("deprecated_builtin_code", "b"), table.integer("builtin_code", "i"))
    if code < 0:
        raise ModelError(f"{table.label}: builtin_code is {code}, expected 0 or more")
    # A code that the schema does not know yet is a sound model that we do not support.
    return OperatorCode(
        schema.operator_names().get(code, f"BUILTIN_{code}"),
        table.text("custom_code"),
        table.integer("version", "i", 1),
    )


def read_operator(
    table: Table, index: int, codes: tuple[OperatorCode, ...], tensors: int
) -> FileOperator:
    kind = table.integer("opcode_index", "I")
    if kind >= len(codes):
        raise ModelError(
            f"{table.label}: opcode_index is {kind}, expected below the {len(codes)} of the file"
        )
    code = codes[kind]
    inputs = read_indices(table, "inputs", tensors, lowest=-1)
    outputs = read_indices(table, "outputs", tensors)
    _check_variable_operator(table, code.type, inputs, outputs)
    return FileOperator(
        index=index,
        type=code.type,
        custom_code=code.custom_code if code.type == _CUSTOM else "",
        version=code.version,
        inputs=inputs,
        outputs=outputs,
        options=_read_options(table, code.type),
        custom_options=_read_custom_options(table),
        intermediates=read_indices(table, "intermediates", tensors, lowest=-1),
    )


def read_indices(table: Table, name: str, tensors: int, lowest: int = 0) -> tuple[int, ...]:
    """Tensor indices, where -1 stands for an absent tensor if `lowest` allows it."""
    indices = table.integers(name)
    wrong = [i for i in indices if not lowest <= i < tensors]
    if wrong:
        raise ModelError(
            f"{table.label}: {name} has the tensor {wrong[0]}, "
            f"expected {lowest} or more and below the {tensors} of the subgraph"
        )
    return indices


def _check_variable_operator(
    table: Table, operator_type: str, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> None:
    expected = _VARIABLE_OPERATORS.get(operator_type)
    if expected is not None and (expected != (len(inputs), len(outputs)) or -1 in inputs):
        raise ModelError(
            f"{table.label}: {operator_type} has {len(inputs)} inputs ({inputs.count(-1)} absent) "
            f"and {len(outputs)} outputs, expected {expected[0]} and {expected[1]}"
        )


def _read_options(table: Table, operator_type: str) -> Options:
    """The options that belong to the operator; a table of another kind counts as absent."""
    found = schema.options_names().get(table.integer("builtin_options_type", "B"))
    name = schema.options_table(operator_type) or found
    if name is None:
        return Options("")
    options = None
    if name == found:
        layout = schema.option_layout(name)
        options = table.table("builtin_options", layout, f"the {name} of {table.label}")
    fields = schema.option_fields(name)
    return Options(name, {field.name: _option_value(options, field) for field in fields})


def _option_value(options: Table | None, field: OptionField) -> OptionValue:
    if field.is_vector:
        return _option_vector(options, field)
    if field.code == "":
        return options.text(field.name) if options else ""
    if options is None:
        return field.default
    if field.code == "f":
        return options.real(field.name, float(field.default))
    if field.code == "?":
        return options.flag(field.name, bool(field.default))
    return options.integer(field.name, field.code, int(field.default))


def _option_vector(options: Table | None, field: OptionField) -> OptionValue:
    if options is None:
        return ()
    if field.code == "f":
        return options.reals(field.name)
    return options.integers(field.name, field.code)


def _read_custom_options(table: Table) -> bytes:
    inside = table.array("custom_options", "u1")
    start = table.integer("large_custom_options_offset", "Q")
    size = table.integer("large_custom_options_size", "Q")
    if inside.size == 0 and start > 1 and size > 1:
        inside = table.file.view(start, size, "u1", f"the custom options of {table.label}")
    table.file.bytes_read.spend(inside.size)
    return inside.tobytes()
