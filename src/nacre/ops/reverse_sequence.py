"""REVERSE_SEQUENCE: sequences of different lengths backwards."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    attributes,
    meaning,
    read,
    write,
)
from nacre.ops.moves import axis_of, same_types


@dataclass(frozen=True)
class ReverseSequence(Attributes):
    """Inputs: the sequences, their lengths; what follows a sequence stays where it is."""

    sequence: int = 0
    batch: int = 1


@dataclass(frozen=True)
class ReverseSequenceParams(Params):
    c_type: ClassVar[str] = "nacre_reverse_sequence_params_t"
    outer: int = meaning("slices before both dimensions")
    first: int = meaning("length of the first dimension")
    middle: int = meaning("slices between the dimensions")
    second: int = meaning("length of the second dimension")
    run: int = meaning("bytes of a slice")
    batch_first: int = meaning("1: the first dimension is the batch, 0: the sequence")
    index_bytes: int = meaning("bytes of a length")


REVERSE = Kernel("nacre_reverse_sequence", ReverseSequenceParams)


def _from_tflite(source: SourceNode) -> Imported:
    shape, lengths = source.input(0).shape, source.input(1)
    sequence = axis_of(source.options.integer("seq_dim"), len(shape), "seq_dim")
    batch = axis_of(source.options.integer("batch_dim"), len(shape), "batch_dim")
    if sequence == batch or lengths.shape != (shape[batch],):
        raise Refuse(
            f"seq_dim {sequence}, batch_dim {batch}, lengths {list(lengths.shape)} "
            f"for {list(shape)}; supported: two dimensions, a length per batch"
        )
    return Imported(ReverseSequence(sequence, batch), inputs=(0, 1))


def _infer(reverse: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert x is not None
    return (x.shape,)


def _check(node: Node) -> str | None:
    dtype = node.input(1).dtype
    if dtype not in (DType.INT32, DType.INT64):
        return f"lengths are {dtype.value}; supported: int32, int64"
    return same_types(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    reverse, (x, lengths) = attributes(node, ReverseSequence), values
    assert x is not None and lengths is not None
    y = x.copy()
    source = np.moveaxis(x, (reverse.batch, reverse.sequence), (0, 1))
    target = np.moveaxis(y, (reverse.batch, reverse.sequence), (0, 1))
    for b, length in enumerate(np.clip(lengths, 0, source.shape[1])):
        target[b, :length] = source[b, :length][::-1]
    return (y,)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    reverse, x, lengths = attributes(node, ReverseSequence), node.input(0), node.input(1)
    first, second = sorted((reverse.sequence, reverse.batch))
    params = ReverseSequenceParams(
        outer=math.prod(x.shape[:first]),
        first=x.shape[first],
        middle=math.prod(x.shape[first + 1 : second]),
        second=x.shape[second],
        run=math.prod(x.shape[second + 1 :]) * x.dtype.size,
        batch_first=int(reverse.batch == first),
        index_bytes=lengths.dtype.size,
    )
    return Lowered((Call(REVERSE, (read(x), read(lengths), write(node.output), params)),))


REVERSE_SEQUENCE = OpKind(
    type="REVERSE_SEQUENCE",
    attributes=ReverseSequence,
    summary="The first elements of each sequence backwards, as many as its length says.",
    supports=("every element type; any number of dimensions; lengths int32, int64",),
    tflite={"REVERSE_SEQUENCE": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(REVERSE,),
)
