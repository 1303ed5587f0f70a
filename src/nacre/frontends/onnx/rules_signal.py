"""STFT, DFT: spectra. Windows are functions of the standard, made of other operators."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxKind, OnnxSource, axis_of
from nacre.ir import Array, DType, Tensor
from nacre.ops.complex_pairs import ComplexPairs
from nacre.ops.concat import Concat
from nacre.ops.fft import Rfft2d
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.gather import Gather
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.pad import Pad
from nacre.ops.slice import Slice

# Numbers of the matrix of a transform that no fast algorithm does.
MOST_NUMBERS = 1 << 22


def _stft(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    signal = source.input(0)
    if len(signal.shape) == 3 and signal.shape[2] == 1:
        signal = reshaped(emit, signal, *signal.shape[:2])
    if len(signal.shape) != 2:
        raise Refuse(f"a signal of {list(signal.shape)}; supported: real ones, [batch, length, 1]")
    step = int(source.constant(1, "frame_step").reshape(-1)[0])
    window = source.optional(2)
    length = _frame_length(source, window)
    count = (signal.shape[1] - length) // step + 1 if step > 0 else 0
    if length < 1 or count < 1:
        raise Impossible(f"frames of {length}, {step} apart, of {signal.shape[1]} values")
    at = np.arange(count)[:, None] * step + np.arange(length)
    frames = emit.one(Gather(1), (signal, emit.constant(at.astype(np.int32))))
    if window is not None:
        frames = emit.one(Mul(), (frames, reshaped(emit, window, 1, 1, length)))
    return (_spectrum(emit, frames, bool(source.options.integer("onesided", 1))),)


def _frame_length(source: OnnxSource, window: Tensor | None) -> int:
    if source.optional(3) is not None:
        return int(source.constant(3, "frame_length").reshape(-1)[0])
    if window is None:
        raise Refuse("neither window nor frame_length; one of them is required")
    return window.shape[0]


def _spectrum(emit: Emitter, frames: Tensor, onesided: bool) -> Tensor:
    """The transform of real rows, as pairs of floats."""
    length = frames.shape[-1]
    rows = reshaped(emit, frames, *frames.shape[:-1], 1, length)
    values = emit.one(Rfft2d(1, length), (rows,), DType.COMPLEX64)
    pairs = emit.one(ComplexPairs(), (values,), DType.FLOAT32)
    half = reshaped(emit, pairs, *frames.shape[:-1], length // 2 + 1, 2)
    if onesided or length < 3:
        return half
    mirror = np.arange((length - 1) // 2, 0, -1, dtype=np.int32)
    turned = emit.one(Gather(len(half.shape) - 2), (half, emit.constant(mirror)))
    signs = emit.constant(np.array([1, -1], np.float32).reshape((1,) * len(frames.shape) + (2,)))
    other = emit.one(Mul(), (turned, signs))
    return emit.one(Concat(len(half.shape) - 2), (half, other))


def _dft(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, options = source.input(0), source.options
    rank = len(x.shape)
    if rank < 2 or x.shape[-1] not in (1, 2):
        raise Refuse(f"an input of {list(x.shape)}; supported: a last dimension of 1 or 2")
    axis = options.integer("axis", 1)
    if source.opset >= 20:
        axis = -2 if source.optional(2) is None else int(source.constant(2, "the axis").item())
    axis = axis_of(axis, rank)
    if axis == rank - 1:
        raise Refuse(f"axis {axis}, which holds real and imaginary parts; supported: another")
    length = x.shape[axis]
    if source.optional(1) is not None:
        length = int(source.constant(1, "dft_length").reshape(-1)[0])
    order = (*(d for d in range(rank - 1) if d != axis), axis, rank - 1)
    inverse, onesided = bool(options.integer("inverse")), bool(options.integer("onesided"))
    back = inverse and onesided
    if back and source.optional(1) is None:
        length = 2 * (length - 1)
    rows = _fitted(emit, transposed(emit, x, *order), length // 2 + 1 if back else length)
    if back:
        y = _from_half(emit, rows, length)
    elif x.shape[-1] == 1 and not inverse:
        y = _spectrum(emit, reshaped(emit, rows, *rows.shape[:-1]), onesided)
    else:
        y = _by_matrix(emit, rows, inverse, onesided)
    return (transposed(emit, y, *(order.index(d) for d in range(rank))),)


def _fitted(emit: Emitter, x: Tensor, length: int) -> Tensor:
    """The dimension before the last cut, or filled up with zeros."""
    rank, size = len(x.shape), x.shape[-2]
    if length < size:
        kept = (*x.shape[:-2], length, x.shape[-1])
        return emit.one(Slice((0,) * rank, kept, (1,) * rank, kept), (x,))
    if length == size:
        return x
    after = (0,) * (rank - 2) + (length - size, 0)
    return emit.one(Pad((0,) * rank, after), (x,))


def _by_matrix(emit: Emitter, x: Tensor, inverse: bool, onesided: bool) -> Tensor:
    """Every output is a sum over every input; [..., n, 1 or 2] to [..., m, 2]."""
    n, parts = x.shape[-2:]
    m = n // 2 + 1 if onesided else n
    _check_numbers(2 * m * parts * n, n)
    angles = 2 * math.pi * np.outer(np.arange(m), np.arange(n)) / n * (1 if inverse else -1)
    cosines, sines = np.cos(angles), np.sin(angles)
    # Rows: real and imaginary part of each output; columns: those of each input.
    turns = np.stack([cosines, -sines, sines, cosines], axis=-1).reshape(m, n, 2, 2)
    matrix = turns.transpose(0, 2, 1, 3)[..., :parts].reshape(2 * m, parts * n)
    return _product(emit, x, matrix / n if inverse else matrix, (m, 2))


def _from_half(emit: Emitter, x: Tensor, length: int) -> Tensor:
    """The real signal of which [..., length // 2 + 1, 2] is half the spectrum."""
    half = x.shape[-2]
    _check_numbers(2 * half * length, length)
    angles = 2 * math.pi * np.outer(np.arange(length), np.arange(half)) / length
    # All but the first and, of an even number, the last stand for two.
    weights = np.where((np.arange(half) == 0) | (2 * np.arange(half) == length), 1, 2) / length
    matrix = np.stack([np.cos(angles) * weights, -np.sin(angles) * weights], axis=-1)
    return _product(emit, x, matrix.reshape(length, 2 * half), (length, 1))


def _check_numbers(numbers: int, length: int) -> None:
    if numbers > MOST_NUMBERS:
        raise Refuse(f"a transform of {length} complex values; supported: fewer")


def _product(emit: Emitter, x: Tensor, matrix: Array, last: tuple[int, int]) -> Tensor:
    flat = reshaped(emit, x, *x.shape[:-2], x.shape[-2] * x.shape[-1])
    weights = emit.constant(matrix.astype(np.float32))
    y = emit.one(FullyConnected(keep_dimensions=True), (flat, weights, None))
    return reshaped(emit, y, *x.shape[:-2], *last)


SIGNALS: Mapping[str, OnnxKind] = {
    "STFT": OnnxKind(_stft, "float32, real signals; constant frame_step and frame_length"),
    "DFT": OnnxKind(_dft, "float32; constant length and axis"),
}
