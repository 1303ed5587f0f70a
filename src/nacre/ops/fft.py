"""RFFT2D, COMPLEX_ABS, REAL, IMAG: spectra of real signals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2, prod
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.kind import (
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Refuse,
    Scratch,
    SourceNode,
    attributes,
    derived_id,
    meaning,
    read,
    write,
)


@dataclass(frozen=True)
class Rfft2d(Attributes):
    """Transform of the last two axes, cut or filled up with zeros to height x width."""

    height: int = 1
    width: int = 1


@dataclass(frozen=True)
class ComplexAbs(Attributes):
    """Magnitude."""


@dataclass(frozen=True)
class RealPart(Attributes):
    """Real part."""


@dataclass(frozen=True)
class ImaginaryPart(Attributes):
    """Imaginary part."""


@dataclass(frozen=True)
class RfftParams(Params):
    c_type: ClassVar[str] = "nacre_rfft_params_t"
    images: int = meaning("images, one after another")
    input_h: int = meaning("rows of an input image")
    input_w: int = meaning("values of an input row")
    height: int = meaning("rows of a transformed image; missing input rows are zero")
    length: int = meaning("values of a row that is transformed; missing ones are zero")


@dataclass(frozen=True)
class FftColumnsParams(Params):
    c_type: ClassVar[str] = "nacre_fft_columns_params_t"
    images: int = meaning("images, one after another")
    height: int = meaning("rows of an image, transformed downwards")
    width: int = meaning("complex values of a row")


@dataclass(frozen=True)
class CountParams(Params):
    c_type: ClassVar[str] = "nacre_complex_params_t"
    count: int = meaning("complex values")


RFFT = Kernel("nacre_rfft_f32", RfftParams, helpers=("nacre_fft_f32",))
RDFT = Kernel("nacre_rdft_f32", RfftParams)
FFT_COLUMNS = Kernel("nacre_fft_columns_f32", FftColumnsParams, helpers=("nacre_fft_f32",))
DFT_COLUMNS = Kernel("nacre_dft_columns_f32", FftColumnsParams)
PARTS: dict[type[Attributes], tuple[Kernel, Callable[[Array], Array]]] = {
    ComplexAbs: (Kernel("nacre_complex_abs_f32", CountParams), np.abs),
    RealPart: (Kernel("nacre_complex_real_f32", CountParams), np.real),
    ImaginaryPart: (Kernel("nacre_complex_imag_f32", CountParams), np.imag),
}


# --- transform ------------------------------------------------------------------------------------


def _from_tflite(source: SourceNode) -> Imported:
    lengths = source.constant(1, "the lengths of the transform").reshape(-1).tolist()
    if len(lengths) != 2 or min(lengths) < 1:
        raise Refuse(f"lengths of the transform are {lengths}; expected two, each at least 1")
    if len(source.input(0).shape) < 2:
        raise Refuse(f"input has shape {list(source.input(0).shape)}; expected two axes or more")
    return Imported(Rfft2d(*lengths), inputs=(0,))


def _infer(rfft: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(rfft, Rfft2d) and x is not None
    return ((*x.shape[:-2], rfft.height, rfft.width // 2 + 1),)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if (x.dtype, y.dtype) != (DType.FLOAT32, DType.COMPLEX64):
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: float32 to complex64"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    rfft, x = attributes(node, Rfft2d), values[0]
    assert x is not None
    spectrum = np.fft.rfft2(x.astype(np.float64), s=(rfft.height, rfft.width), axes=(-2, -1))
    return (spectrum.astype(np.complex64),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    rfft, x, y = attributes(node, Rfft2d), node.input(0), node.output
    images = prod(x.shape[:-2])
    params = RfftParams(images, x.shape[-2], x.shape[-1], rfft.height, rfft.width)
    fast = _power_of_two(rfft.width) and rfft.width >= 4
    turns = _twiddles(node, "row_twiddles", rfft.width, rfft.width // 2 if fast else rfft.width)
    rows = Call(RFFT if fast else RDFT, (read(x), read(turns), write(y), params))
    if rfft.height == 1:
        return Lowered((rows,), (turns,))
    columns, constants, scratch = _lower_columns(node, images)
    return Lowered((rows, columns), (turns, *constants), scratch)


def _lower_columns(node: Node, images: int) -> tuple[Call, tuple[Tensor, ...], tuple[Scratch, ...]]:
    """Transform downwards, one column after another, each gathered in scratch."""
    height, y = attributes(node, Rfft2d).height, node.output
    fast = _power_of_two(height)
    turns = _twiddles(node, "column_twiddles", height, height // 2 if fast else height)
    work = Scratch(derived_id(node, "scratch0"), DType.COMPLEX64.size * height)
    call = Call(
        FFT_COLUMNS if fast else DFT_COLUMNS,
        (
            read(turns), write(y), FftColumnsParams(images, height, y.shape[-1]),
            Pointer(work.id, DType.FLOAT32, const=False),
        ),
    )  # fmt: skip
    return call, (turns,), (work,)


def _power_of_two(length: int) -> bool:
    return length & (length - 1) == 0


def twiddles(length: int, count: int) -> Array:
    """exp(-2 pi i k / length) for k below count, as pairs of floats; quarter turns are exact."""
    angles = -2.0 * np.pi * np.arange(count) / length
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.where(np.abs(pairs) < 1e-12, 0.0, pairs).astype(np.float32)


def _twiddles(node: Node, what: str, length: int, count: int) -> Tensor:
    data = twiddles(length, count)
    return Tensor(
        derived_id(node, what), f"{node.output.name} {what.replace('_', ' ')}", data.shape,
        DType.FLOAT32, TensorKind.CONSTANT, data=data,
    )  # fmt: skip


def _cost(node: Node) -> Cost:
    """Two per butterfly input and stage, the usual 5 N log2 N / 2 in multiply-accumulates."""
    rfft = attributes(node, Rfft2d)
    points = max(2, rfft.height * rfft.width)
    return Cost(macs=int(prod(node.input(0).shape[:-2]) * points * log2(points)))


RFFT2D = OpKind(
    type="RFFT2D",
    attributes=Rfft2d,
    summary="Fourier transform of real signals over the last two axes.",
    supports=(
        "float32 to complex64",
        "lengths are constants; powers of two use a fast transform, others a direct one",
    ),
    tflite={"RFFT2D": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(RFFT, RDFT, FFT_COLUMNS, DFT_COLUMNS),
    cost=_cost,
)


# --- parts of complex numbers ---------------------------------------------------------------------


def _part_rule(kind: Attributes) -> Callable[[SourceNode], Imported]:
    return lambda _: Imported(kind, inputs=(0,))


def _infer_part(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return (inputs[0].shape,)


def _check_part(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if (x.dtype, y.dtype) != (DType.COMPLEX64, DType.FLOAT32):
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: complex64 to float32"
    return None


def _part_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = values[0]
    assert x is not None
    return (PARTS[type(node.operator.attributes)][1](x).astype(np.float32),)


def _lower_part(node: Node, options: LowerOptions) -> Lowered:
    kernel = PARTS[type(node.operator.attributes)][0]
    params = CountParams(node.output.elements)
    return Lowered((Call(kernel, (read(node.input(0)), write(node.output), params)),))


def _part(type: str, kind: Attributes, summary: str) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind.__class__,
        summary=summary,
        supports=("complex64 to float32",),
        tflite={type: _part_rule(kind)},
        infer=_infer_part,
        check=_check_part,
        reference=_part_reference,
        lower=_lower_part,
        kernels=(PARTS[kind.__class__][0],),
        cost=lambda node: Cost(macs=node.output.elements),
    )


COMPLEX_ABS = _part("COMPLEX_ABS", ComplexAbs(), "Magnitude of complex numbers.")
REAL = _part("REAL", RealPart(), "Real part of complex numbers.")
IMAG = _part("IMAG", ImaginaryPart(), "Imaginary part of complex numbers.")
