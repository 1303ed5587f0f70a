"""SignalFilterBankSpectralSubtraction, SignalPCAN, SignalFilterBankLog: noise, gain, logarithm."""

from __future__ import annotations

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
    SourceNode,
    State,
    attributes,
    meaning,
    read,
    write,
)
from nacre.ops.signal.common import options_of, same_shape, table, type_objection

MASK = (1 << 32) - 1
MOST_CHANNELS = 1 << 12
INT32_MAX = (1 << 31) - 1


@dataclass(frozen=True)
class SpectralSubtraction(Attributes):
    """Smoothing factors are fractions of `bits` bits; odd channels use the alternate ones."""

    channels: int = 1
    smoothing: int = 0
    one_minus_smoothing: int = 0
    alternate_smoothing: int = 0
    alternate_one_minus_smoothing: int = 0
    min_signal_remaining: int = 0
    smoothing_bits: int = 0
    bits: int = 0
    clamping: bool = False


@dataclass(frozen=True)
class SubtractionParams(Params):
    c_type: ClassVar[str] = "nacre_signal_subtraction_params_t"
    channels: int = meaning("values")
    smoothing: int = meaning("weight of the signal in the estimate, even channels")
    one_minus_smoothing: int = meaning("weight of the old estimate, even channels")
    alternate_smoothing: int = meaning("weight of the signal in the estimate, odd channels")
    alternate_one_minus_smoothing: int = meaning("weight of the old estimate, odd channels")
    min_signal_remaining: int = meaning("share of the signal that is always left")
    smoothing_bits: int = meaning("fraction bits of the estimate")
    bits: int = meaning("fraction bits of the weights")
    clamping: int = meaning("1: the estimate is never kept above the signal")


SUBTRACTION = Kernel("nacre_signal_subtraction_u32", SubtractionParams)


def _subtraction_from_tflite(source: SourceNode) -> Imported:
    options = options_of(source, 1, 2)

    def number(name: str) -> int:
        return options.integer(name, 0, INT32_MAX)

    subtraction = SpectralSubtraction(
        channels=options.integer("num_channels", 1, MOST_CHANNELS),
        smoothing=number("smoothing"),
        one_minus_smoothing=number("one_minus_smoothing"),
        alternate_smoothing=number("alternate_smoothing"),
        alternate_one_minus_smoothing=number("alternate_one_minus_smoothing"),
        min_signal_remaining=number("min_signal_remaining"),
        smoothing_bits=options.integer("smoothing_bits", 0, 31),
        bits=options.integer("spectral_subtraction_bits", 0, 31),
        clamping=options.flag("clamping"),
    )
    return Imported(subtraction, inputs=(0,))


def _subtraction_state(subtraction: Attributes) -> tuple[State, ...]:
    assert isinstance(subtraction, SpectralSubtraction)
    return (State("noise_estimate", (subtraction.channels,), DType.UINT32),)


def _infer_subtraction(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return (inputs[0].shape, inputs[0].shape)


def _check_subtraction(node: Node) -> str | None:
    channels = attributes(node, SpectralSubtraction).channels
    if node.input(0).elements != channels:
        return f"{node.input(0).elements} values for {channels} channels"
    return type_objection(node, (DType.UINT32,), (DType.UINT32, DType.UINT32))


def _subtraction_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    s, x, state = attributes(node, SpectralSubtraction), values[0], values[1]
    assert x is not None and state is not None
    signal = [int(v) for v in x.reshape(-1)]
    pairs = [_subtract(s, i, v, int(e)) for i, (v, e) in enumerate(zip(signal, state, strict=True))]
    left, estimate = (
        np.array(column, np.uint32).reshape(x.shape) for column in zip(*pairs, strict=True)
    )
    return (left, estimate, estimate.reshape(state.shape))


def _subtract(s: SpectralSubtraction, channel: int, signal: int, estimate: int) -> tuple[int, int]:
    """What is left of the signal, and the new estimate of the noise."""
    fresh, old = s.smoothing, s.one_minus_smoothing
    if channel % 2:
        fresh, old = s.alternate_smoothing, s.alternate_one_minus_smoothing
    scaled = (signal << s.smoothing_bits) & MASK
    estimate = ((scaled * fresh + estimate * old) >> s.bits) & MASK
    noise = min(estimate, scaled)
    floor = ((signal * s.min_signal_remaining) >> s.bits) & MASK
    left = max((scaled - noise) >> s.smoothing_bits, floor)
    return left, noise if s.clamping else estimate


def _lower_subtraction(node: Node, options: LowerOptions) -> Lowered:
    s, (left, estimate) = attributes(node, SpectralSubtraction), node.outputs
    params = SubtractionParams(
        s.channels, s.smoothing, s.one_minus_smoothing, s.alternate_smoothing,
        s.alternate_one_minus_smoothing, s.min_signal_remaining, s.smoothing_bits, s.bits,
        int(s.clamping),
    )  # fmt: skip
    arguments = (read(node.input(0)), write(node.input(1)), write(left), write(estimate), params)
    return Lowered((Call(SUBTRACTION, arguments),))


SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION = OpKind(
    type="SignalFilterBankSpectralSubtraction",
    attributes=SpectralSubtraction,
    summary="Subtracts a running estimate of the noise, which it keeps between runs.",
    supports=("uint32",),
    tflite={"CUSTOM:SignalFilterBankSpectralSubtraction": _subtraction_from_tflite},
    infer=_infer_subtraction,
    check=_check_subtraction,
    reference=_subtraction_reference,
    lower=_lower_subtraction,
    kernels=(SUBTRACTION,),
    mutates=(1,),
    state=_subtraction_state,
)


# --- per-channel amplitude normalisation ----------------------------------------------------------


@dataclass(frozen=True)
class SignalPcan(Attributes):
    """Automatic gain control: the signal times a gain that follows from its noise."""

    snr_shift: int = 0


@dataclass(frozen=True)
class PcanParams(Params):
    c_type: ClassVar[str] = "nacre_signal_pcan_params_t"
    channels: int = meaning("values")
    snr_shift: int = meaning("bits that signal times gain is shifted down")


PCAN = Kernel("nacre_signal_pcan_u32", PcanParams)
# Entries that the gain's table needs: four per power of two of a 32-bit value.
GAIN_ENTRIES = 125
# Fraction bits of the signal-to-noise ratio, and of the result.
SNR_BITS, PCAN_BITS = 12, 6


def _pcan_from_tflite(source: SourceNode) -> Imported:
    options = options_of(source, 3, 1)
    return Imported(SignalPcan(options.integer("snr_shift", 0, 63)), inputs=(0, 1, 2))


def _check_pcan(node: Node) -> str | None:
    types = (DType.UINT32, DType.UINT32, DType.INT16)
    objection = type_objection(node, types, (DType.UINT32,))
    if objection is not None:
        return objection
    if node.input(2).elements < GAIN_ENTRIES:
        return f"a gain table of {node.input(2).elements} entries; needed: {GAIN_ENTRIES}"
    if node.input(1).elements != node.input(0).elements:
        return f"{node.input(1).elements} noise estimates for {node.input(0).elements} values"
    return None


def _pcan_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, noise, lut = values
    assert x is not None and noise is not None and lut is not None
    shift = attributes(node, SignalPcan).snr_shift
    gains = [_gain(int(n), [int(v) for v in lut.reshape(-1)]) & MASK for n in noise.reshape(-1)]
    ratios = [((int(v) * g) >> shift) & MASK for v, g in zip(x.reshape(-1), gains, strict=True)]
    return (np.array([_shrink(r) for r in ratios], np.uint32).reshape(x.shape),)


def _gain(noise: int, lut: list[int]) -> int:
    """A parabola per power of two: lut holds value, slope and curvature of each."""
    if noise <= 2:
        return lut[noise]
    interval = noise.bit_length()
    value, slope, curvature = lut[4 * interval - 6 : 4 * interval - 3]
    aligned = noise << (11 - interval) if interval < 11 else noise >> (interval - 11)
    fraction = aligned & 0x3FF
    result = int(
        np.int64((((curvature * fraction) >> 5) + (slope << 5)) * fraction).astype(np.int32)
    )
    return int(np.int64(((result + (1 << 14)) >> 15) + value).astype(np.int16))


def _shrink(ratio: int) -> int:
    """x^2 / 4 below 2, x - 1 above."""
    if ratio < 2 << SNR_BITS:
        return (ratio * ratio) >> (2 + 2 * SNR_BITS - PCAN_BITS)
    return (ratio >> (SNR_BITS - PCAN_BITS)) - (1 << PCAN_BITS)


def _lower_pcan(node: Node, options: LowerOptions) -> Lowered:
    x, noise, lut = (node.input(i) for i in range(3))
    params = PcanParams(x.elements, attributes(node, SignalPcan).snr_shift)
    call = Call(PCAN, (read(x), read(noise), read(lut), write(node.output), params))
    return Lowered((call,))


SIGNAL_PCAN = OpKind(
    type="SignalPCAN",
    attributes=SignalPcan,
    summary="Per-channel amplitude normalisation: automatic gain control by the noise.",
    supports=("uint32 with an int16 gain table",),
    tflite={"CUSTOM:SignalPCAN": _pcan_from_tflite},
    infer=same_shape,
    check=_check_pcan,
    reference=_pcan_reference,
    lower=_lower_pcan,
    kernels=(PCAN,),
    in_place=lambda _: (0, 1),
)


# --- logarithm ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SignalLog(Attributes):
    """y = min(32767, output_scale * ln(x << correction_bits))."""

    output_scale: int = 1
    correction_bits: int = 0


@dataclass(frozen=True)
class LogParams(Params):
    c_type: ClassVar[str] = "nacre_signal_log_params_t"
    channels: int = meaning("values")
    output_scale: int = meaning("what the natural logarithm is multiplied by")
    correction_bits: int = meaning("bits that the input is shifted up")


LOG = Kernel("nacre_signal_log_u32", LogParams)
LOG_SEGMENTS = 128
# ln 2 in 16 fraction bits.
LN_2 = 45426


def log_table() -> Array:
    """log2(1 + f) - f at f = i / 128, in 16 fraction bits; one more entry to interpolate to."""
    f = np.arange(LOG_SEGMENTS + 1) / LOG_SEGMENTS
    values = np.floor((np.log2(1.0 + f) - f) * 65536.0 + 0.5)
    return np.append(values, 0.0).astype(np.uint16)


def _log_from_tflite(source: SourceNode) -> Imported:
    options = options_of(source, 1, 1)
    scale = options.integer("output_scale", 0, INT32_MAX)
    return Imported(SignalLog(scale, options.integer("input_correction_bits", 0, 31)), inputs=(0,))


def _check_log(node: Node) -> str | None:
    return type_objection(node, (DType.UINT32,), (DType.INT16,))


def _log_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    log, x = attributes(node, SignalLog), values[0]
    assert x is not None
    lut = [int(v) for v in log_table()]
    scaled = [(int(v) << log.correction_bits) & MASK for v in x.reshape(-1)]
    logs = [_log(v, log.output_scale, lut) if v > 1 else 0 for v in scaled]
    return (np.minimum(logs, 32767).astype(np.int16).reshape(x.shape),)


def _log(x: int, scale: int, lut: list[int]) -> int:
    whole = x.bit_length() - 1
    fraction = ((x - (1 << whole)) << 16) >> whole
    segment = fraction >> 9
    low, high = lut[segment], lut[segment + 1]
    between = ((high - low) * (fraction - (segment << 9))) >> 16
    log2 = (whole << 16) + fraction + low + between
    natural = ((LN_2 * log2 + (1 << 15)) >> 16) & MASK
    return ((scale * natural + (1 << 15)) & MASK) >> 16


def _lower_log(node: Node, options: LowerOptions) -> Lowered:
    log, x, y = attributes(node, SignalLog), node.input(0), node.output
    lut = table(node, "logarithms", log_table(), DType.UINT16)
    params = LogParams(x.elements, log.output_scale, log.correction_bits)
    return Lowered((Call(LOG, (read(x), read(lut), write(y), params)),), (lut,))


SIGNAL_FILTER_BANK_LOG = OpKind(
    type="SignalFilterBankLog",
    attributes=SignalLog,
    summary="Scaled natural logarithms.",
    supports=("uint32 to int16",),
    tflite={"CUSTOM:SignalFilterBankLog": _log_from_tflite},
    infer=same_shape,
    check=_check_log,
    reference=_log_reference,
    lower=_lower_log,
    kernels=(LOG,),
)
