"""SignalFilterBank, SignalFilterBankSquareRoot: energies of overlapping bands."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
    read,
    write,
)
from nacre.ops.signal.common import expect_arity, options_of, same_shape, type_objection

MOST_CHANNELS = 1 << 12


@dataclass(frozen=True)
class SignalFilterBank(Attributes):
    """Each bin goes to two neighbouring channels: weighted to one, unweighted to the next."""

    channels: int = 1


@dataclass(frozen=True)
class SignalFilterBankSquareRoot(Attributes):
    """Rounded root, scaled down by a number of bits known at run time."""


@dataclass(frozen=True)
class FilterBankParams(Params):
    c_type: ClassVar[str] = "nacre_signal_filter_bank_params_t"
    channels: int = meaning("channels of the result; the tables have one more")


@dataclass(frozen=True)
class SquareRootParams(Params):
    c_type: ClassVar[str] = "nacre_signal_square_root_params_t"
    channels: int = meaning("values")


FILTER_BANK = Kernel("nacre_signal_filter_bank_u32", FilterBankParams)
SQUARE_ROOT = Kernel("nacre_signal_square_root_u64", SquareRootParams)
# Weights, unweights, first bin, first weight and number of bins of each channel.
TABLES = (1, 2, 3, 4, 5)


def _bank_from_tflite(source: SourceNode) -> Imported:
    channels = options_of(source, 6, 1).integer("num_channels", 1, MOST_CHANNELS)
    return Imported(SignalFilterBank(channels), inputs=(0, *TABLES))


def _infer_bank(bank: Attributes, _: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(bank, SignalFilterBank)
    return ((bank.channels,),)


def _check_bank(node: Node) -> str | None:
    objection = type_objection(node, (DType.UINT32, *(DType.INT16,) * 5), (DType.UINT64,))
    if objection is not None:
        return objection
    if not all(node.input(i).is_constant for i in TABLES):
        return "the tables of the filter bank are computed at run time; supported: constants"
    rows = attributes(node, SignalFilterBank).channels + 1
    weights, unweights, *starts = (node.input(i).constant.reshape(-1) for i in TABLES)
    if any(len(s) < rows for s in starts):
        return f"tables of {[len(s) for s in starts]} entries for {rows - 1} channels"
    bins, first, widths = (s[:rows].astype(np.int64) for s in starts)
    inside = (bins >= 0) & (first >= 0) & (bins + widths <= node.input(0).elements)
    inside &= first + widths <= min(weights.size, unweights.size)
    if not (inside | (widths <= 0)).all():
        return f"channel {int(np.argmin(inside))} of the filter bank reads outside its tables"
    return None


def _bank_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    rows = attributes(node, SignalFilterBank).channels + 1
    x, weights, unweights, bins, first, widths = (_flat(v) for v in values)
    sums, carried = [], 0
    for i in range(rows):
        width = max(0, widths[i])
        part = x[bins[i] : bins[i] + width]
        span = slice(first[i], first[i] + width)
        sums.append(carried + sum(a * b for a, b in zip(weights[span], part, strict=True)))
        carried = sum(a * b for a, b in zip(unweights[span], part, strict=True))
    wrapped = [s % (1 << 64) for s in sums[1:]]
    return (np.array(wrapped, np.uint64),)


def _flat(value: Array | None) -> list[int]:
    assert value is not None
    return [int(v) for v in value.reshape(-1)]


def _lower_bank(node: Node, options: LowerOptions) -> Lowered:
    params = FilterBankParams(attributes(node, SignalFilterBank).channels)
    tables = (read(node.input(i)) for i in TABLES)
    call = Call(FILTER_BANK, (read(node.input(0)), *tables, write(node.output), params))
    return Lowered((call,))


SIGNAL_FILTER_BANK = OpKind(
    type="SignalFilterBank",
    attributes=SignalFilterBank,
    summary="Sums of weighted energies over overlapping bands.",
    supports=("uint32 to uint64 with int16 weights",),
    tflite={"CUSTOM:SignalFilterBank": _bank_from_tflite},
    infer=_infer_bank,
    check=_check_bank,
    reference=_bank_reference,
    lower=_lower_bank,
    kernels=(FILTER_BANK,),
    cost=lambda node: Cost(macs=2 * node.input(1).elements),
)


# --- square root ----------------------------------------------------------------------------------


def _root_from_tflite(source: SourceNode) -> Imported:
    expect_arity(source, 2, 1)
    return Imported(SignalFilterBankSquareRoot(), inputs=(0, 1))


def _check_root(node: Node) -> str | None:
    bits = node.input(1)
    if bits.elements != 1:
        return f"the bits are {list(bits.shape)}; supported: one number"
    return type_objection(node, (DType.UINT64, DType.INT32), (DType.UINT32,))


def rounded_root(value: int) -> int:
    """The nearest root; 0xffff and 0xffffffff are never rounded up."""
    root = isqrt(value)
    rounds_up = value - root * root > root and root not in (0xFFFF, 0xFFFFFFFF)
    return root + 1 if rounds_up else root


def _root_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, bits = values[0], values[1]
    assert x is not None and bits is not None
    shift = int(bits.reshape(-1)[0])
    roots = [rounded_root(int(v)) >> shift if 0 <= shift < 32 else 0 for v in x.reshape(-1)]
    return (np.array(roots, np.uint32).reshape(x.shape),)


def _lower_root(node: Node, options: LowerOptions) -> Lowered:
    x, bits, y = node.input(0), node.input(1), node.output
    params = SquareRootParams(y.elements)
    return Lowered((Call(SQUARE_ROOT, (read(x), read(bits), write(y), params)),))


SIGNAL_FILTER_BANK_SQUARE_ROOT = OpKind(
    type="SignalFilterBankSquareRoot",
    attributes=SignalFilterBankSquareRoot,
    summary="Rounded square roots, scaled down by the bits that the frame was scaled up.",
    supports=("uint64 to uint32",),
    tflite={"CUSTOM:SignalFilterBankSquareRoot": _root_from_tflite},
    infer=same_shape,
    check=_check_root,
    reference=_root_reference,
    lower=_lower_root,
    kernels=(SQUARE_ROOT,),
)
