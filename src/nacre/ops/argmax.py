"""ARG_MAX, ARG_MIN: where the largest or smallest value along an axis is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import boxed
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    SourceNode,
    Span,
    attributes,
    meaning,
    read,
)
from nacre.ops.reduce import SUFFIXES, resolved_axes


@dataclass(frozen=True)
class ArgExtreme(Attributes):
    """`axis` is not negative; it vanishes unless `keep_dims`. The first of equal values wins."""

    axis: int = 0
    keep_dims: bool = False


@dataclass(frozen=True)
class ArgMax(ArgExtreme):
    """Index of the largest value."""


@dataclass(frozen=True)
class ArgMin(ArgExtreme):
    """Index of the smallest value."""


@dataclass(frozen=True)
class ArgParams(Params):
    c_type: ClassVar[str] = "nacre_arg_params_t"
    outer: int = meaning("values of the axes before")
    size: int = meaning("values along the axis")
    inner: int = meaning("values of the axes behind")
    index_words: int = meaning("32-bit words of an index: 1, or 2 with the upper one zero")


TYPES = (DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.FLOAT32)
KERNELS: dict[type[Attributes], dict[DType, Kernel]] = {
    ArgMax: {t: Kernel(f"nacre_arg_max_{SUFFIXES[t]}", ArgParams) for t in TYPES},
    ArgMin: {t: Kernel(f"nacre_arg_min_{SUFFIXES[t]}", ArgParams) for t in TYPES},
}


def _from_tflite(kind: type[ArgExtreme]) -> Callable[[SourceNode], Imported]:
    def rule(source: SourceNode) -> Imported:
        axes = source.constant(1, "the axis")
        found = resolved_axes(axes.reshape(-1)[:1], len(source.input(0).shape))
        return Imported(kind(axis=found[0] if found else 0), inputs=(0,))

    return rule


def _infer(arg: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(arg, ArgExtreme) and x is not None
    kept = (1,) if arg.keep_dims else ()
    return ((*x.shape[: arg.axis], *kept, *x.shape[arg.axis + 1 :]),)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if x.dtype not in TYPES:
        return f"input is {x.dtype.value}; supported: {', '.join(t.value for t in TYPES)}"
    if y.dtype not in (DType.INT32, DType.INT64):
        return f"output is {y.dtype.value}; supported: int32, int64"
    if not x.shape or x.elements == 0:
        return f"input has shape {list(x.shape)}; supported: at least one axis, none empty"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    arg, x = attributes(node, ArgExtreme), values[0]
    assert x is not None
    find = np.argmax if isinstance(arg, ArgMax) else np.argmin
    found = np.asarray(find(x, axis=arg.axis))
    return (found.astype(node.output.dtype.numpy).reshape(node.output.shape),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    arg, x, y = attributes(node, ArgExtreme), node.input(0), node.output
    params = ArgParams(
        prod(x.shape[: arg.axis]), x.shape[arg.axis], prod(x.shape[arg.axis + 1 :]),
        y.dtype.size // 4,
    )  # fmt: skip
    kernel = KERNELS[type(arg)][x.dtype]
    target = Pointer(y.id, DType.INT32, const=False, alignment=y.dtype.alignment)
    return Lowered((Call(kernel, (read(x), target, params)),))


def _cost(node: Node) -> Cost:
    return Cost(macs=node.input(0).elements)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    arg, size = attributes(node, ArgExtreme), node.input(0).shape[attributes(node, ArgExtreme).axis]
    after = box[arg.axis + (1 if arg.keep_dims else 0) :]
    return boxed(node, box, [(0, (*box[: arg.axis], Span(0, size), *after))])


def _row(type: str, kind: type[ArgExtreme], summary: str) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=(
            f"{', '.join(t.value for t in TYPES)} with int32 or int64 indices",
            "the axis is a constant; the first of equal values wins",
        ),
        tflite={type: _from_tflite(kind)},
        infer=_infer,
        check=_check,
        reference=_reference,
        lower=_lower,
        kernels=tuple(KERNELS[kind].values()),
        cost=_cost,
        box=_box,
    )


ARG_MAX = _row("ARG_MAX", ArgMax, "Index of the largest value along an axis.")
ARG_MIN = _row("ARG_MIN", ArgMin, "Index of the smallest value along an axis.")
