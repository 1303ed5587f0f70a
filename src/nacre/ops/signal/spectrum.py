"""SignalRfft, SignalEnergy: the spectrum of a frame and its energy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.fft import RFFT, RfftParams
from nacre.ops.fft import twiddles as float_twiddles
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
from nacre.ops.signal.common import options_of, table, type_objection
from nacre.ops.signal.fixed_fft import real_transform, split_twiddles, twiddles

SHORTEST, LONGEST = 4, 1 << 15


@dataclass(frozen=True)
class SignalRfft(Attributes):
    """Frames along the last axis, filled up with zeros to `length`."""

    length: int = 4


@dataclass(frozen=True)
class SignalEnergy(Attributes):
    """Squared magnitude of the bins [begin, end); zero elsewhere."""

    begin: int = 0
    end: int = 0


@dataclass(frozen=True)
class SignalRfftParams(Params):
    c_type: ClassVar[str] = "nacre_signal_rfft_params_t"
    frames: int = meaning("frames, one after another")
    frame: int = meaning("samples of a frame; zeros follow up to the length")
    length: int = meaning("samples of a transform: a power of two, at least 4")


@dataclass(frozen=True)
class EnergyParams(Params):
    c_type: ClassVar[str] = "nacre_signal_energy_params_t"
    bins: int = meaning("complex values")
    begin: int = meaning("first bin that counts")
    end: int = meaning("the bin behind the last that counts")


RFFT_S16 = Kernel("nacre_signal_rfft_s16", SignalRfftParams)
RFFT_S32 = Kernel("nacre_signal_rfft_s32", SignalRfftParams)
ENERGY = Kernel("nacre_signal_energy_s16", EnergyParams)
# Fixed-point types with their fraction bits.
FIXED = {DType.INT16: (RFFT_S16, 15), DType.INT32: (RFFT_S32, 31)}
RFFT_TYPES = (DType.INT16, DType.INT32, DType.FLOAT32)


def _rfft_from_tflite(source: SourceNode) -> Imported:
    length = options_of(source, 1, 1).integer("fft_length", SHORTEST, LONGEST)
    return Imported(SignalRfft(length), inputs=(0,))


def _infer_rfft(rfft: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(rfft, SignalRfft) and x is not None
    return ((*x.shape[:-1], rfft.length + 2),)


def _check_rfft(node: Node) -> str | None:
    x, y, length = node.input(0), node.output, attributes(node, SignalRfft).length
    if x.dtype not in RFFT_TYPES or y.dtype is not x.dtype:
        names = ", ".join(t.value for t in RFFT_TYPES)
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: both one of {names}"
    if length & (length - 1):
        return f"fft_length is {length}; supported: powers of two"
    if not x.shape or x.shape[-1] > length:
        return f"frames of shape {list(x.shape)} with a transform of {length}"
    return None


def _rfft_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, length = values[0], attributes(node, SignalRfft).length
    assert x is not None
    frames = x.reshape(-1, x.shape[-1])
    if x.dtype == np.float32:
        spectra = np.fft.rfft(frames.astype(np.float64), n=length).astype(np.complex64)
        return (spectra.view(np.float32).reshape(node.output.shape),)
    bits = FIXED[node.input(0).dtype][1]
    rows = [real_transform(frame.astype(np.int64), length, bits) for frame in frames]
    return (np.stack(rows).astype(x.dtype).reshape(node.output.shape),)


def _lower_rfft(node: Node, options: LowerOptions) -> Lowered:
    x, y, length = node.input(0), node.output, attributes(node, SignalRfft).length
    frames = x.elements // x.shape[-1]
    if x.dtype is DType.FLOAT32:
        turns = table(node, "twiddles", float_twiddles(length, length // 2), DType.FLOAT32)
        params = RfftParams(frames, 1, x.shape[-1], 1, length)
        return Lowered((Call(RFFT, (read(x), read(turns), write(y), params)),), (turns,))
    kernel, bits = FIXED[x.dtype]
    pairs = np.concatenate([twiddles(length // 2, bits), split_twiddles(length // 2, bits)])
    turns = table(node, "twiddles", pairs, x.dtype)
    fixed = SignalRfftParams(frames, x.shape[-1], length)
    return Lowered((Call(kernel, (read(x), read(turns), write(y), fixed)),), (turns,))


def _rfft_cost(node: Node) -> Cost:
    length = attributes(node, SignalRfft).length
    return Cost(macs=node.output.elements // (length + 2) * length * length.bit_length())


SIGNAL_RFFT = OpKind(
    type="SignalRfft",
    attributes=SignalRfft,
    summary="Fourier transform of frames; the result is pairs of real and imaginary parts.",
    supports=("int16, int32, float32", "lengths that are powers of two, 4 to 32768"),
    tflite={"CUSTOM:SignalRfft": _rfft_from_tflite},
    infer=_infer_rfft,
    check=_check_rfft,
    reference=_rfft_reference,
    lower=_lower_rfft,
    kernels=(RFFT_S16, RFFT_S32, RFFT),
    cost=_rfft_cost,
)


# --- energy ---------------------------------------------------------------------------------------


def _energy_from_tflite(source: SourceNode) -> Imported:
    options = options_of(source, 1, 1)
    bins = source.input(0).elements // 2
    begin = options.integer("start_index", 0, bins)
    return Imported(SignalEnergy(begin, options.integer("end_index", begin, bins)), inputs=(0,))


def _infer_energy(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return ((inputs[0].elements // 2,),)


def _check_energy(node: Node) -> str | None:
    return type_objection(node, (DType.INT16,), (DType.UINT32,))


def _energy_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    energy, x = attributes(node, SignalEnergy), values[0]
    assert x is not None
    squares = np.square(x.reshape(-1, 2).astype(np.int64)).sum(axis=1)
    result = np.zeros(len(squares), np.uint32)
    result[energy.begin : energy.end] = squares[energy.begin : energy.end]
    return (result,)


def _lower_energy(node: Node, options: LowerOptions) -> Lowered:
    energy, x, y = attributes(node, SignalEnergy), node.input(0), node.output
    params = EnergyParams(y.elements, energy.begin, energy.end)
    return Lowered((Call(ENERGY, (read(x), write(y), params)),))


SIGNAL_ENERGY = OpKind(
    type="SignalEnergy",
    attributes=SignalEnergy,
    summary="Squared magnitude of a range of complex values; zero outside of it.",
    supports=("int16 to uint32",),
    tflite={"CUSTOM:SignalEnergy": _energy_from_tflite},
    infer=_infer_energy,
    check=_check_energy,
    reference=_energy_reference,
    lower=_lower_energy,
    kernels=(ENERGY,),
    cost=lambda node: Cost(macs=2 * node.output.elements),
)
