"""READ_VARIABLE, ASSIGN_VARIABLE: state that lives in the persistent arena between runs."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.ir import Array, Attributes, Node, Shape, Tensor, TensorKind
from nacre.ops.kind import Imported, Lowered, LowerOptions, OpKind, SourceNode
from nacre.ops.moves import COPY_BYTES, copy_call, same_types


@dataclass(frozen=True)
class ReadVariable(Attributes):
    """The value of a variable as it is now; the input is the variable itself."""


@dataclass(frozen=True)
class AssignVariable(Attributes):
    """Inputs: the variable, its new value. No outputs."""


def _read(source: SourceNode) -> Imported:
    return Imported(ReadVariable(), inputs=(0,))


def _assign(source: SourceNode) -> Imported:
    return Imported(AssignVariable(), inputs=(0, 1))


def _infer_read(read: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (variable,) = inputs
    assert variable is not None
    return (variable.shape,)


def _infer_assign(assign: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    return ()


def _check_read(node: Node) -> str | None:
    return _no_variable(node) or same_types(node)


def _check_assign(node: Node) -> str | None:
    variable, value = node.input(0), node.input(1)
    if (variable.shape, variable.dtype) != (value.shape, value.dtype):
        return (
            f"assigns {list(value.shape)} {value.dtype.value} to a variable of "
            f"{list(variable.shape)} {variable.dtype.value}; supported: the same"
        )
    return _no_variable(node)


def _no_variable(node: Node) -> str | None:
    if node.input(0).kind is not TensorKind.PERSISTENT:
        return "the handle does not come from a VAR_HANDLE; supported: one that does"
    return None


def _reference_read(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (variable,) = values
    assert variable is not None
    return (variable.copy(),)


def _reference_assign(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    _, value = values
    assert value is not None
    return (value.copy(),)


def _lower_read(node: Node, options: LowerOptions) -> Lowered:
    return Lowered(copy_call(node.input(0), node.output))


def _lower_assign(node: Node, options: LowerOptions) -> Lowered:
    return Lowered(copy_call(node.input(1), node.input(0)))


READ_VARIABLE = OpKind(
    type="READ_VARIABLE",
    attributes=ReadVariable,
    summary="The value of a variable.",
    supports=("every element type",),
    tflite={"READ_VARIABLE": _read},
    infer=_infer_read,
    check=_check_read,
    reference=_reference_read,
    lower=_lower_read,
    kernels=(COPY_BYTES,),
)
ASSIGN_VARIABLE = OpKind(
    type="ASSIGN_VARIABLE",
    attributes=AssignVariable,
    summary="Gives a variable a new value.",
    supports=("every element type",),
    tflite={"ASSIGN_VARIABLE": _assign},
    infer=_infer_assign,
    check=_check_assign,
    reference=_reference_assign,
    lower=_lower_assign,
    kernels=(COPY_BYTES,),
    mutates=(0,),
    effect=True,
)
