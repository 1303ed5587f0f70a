"""The fixed-point Fourier transform of the signal operators, in numpy, bit for bit.

Decimation in time with radix 4, one radix-2 stage innermost for odd powers of two. Every stage
divides its inputs by its radix first, so nothing overflows; products round half up.
"""

from __future__ import annotations

import numpy as np

from nacre.ir import Array


def twiddles(length: int, bits: int) -> Array:
    """exp(-2 pi i k / length) for k < length in fractions of `bits` bits, as pairs."""
    return _rounded(-2.0 * np.pi * np.arange(length) / length, bits)


def split_twiddles(half: int, bits: int) -> Array:
    """-i exp(-pi i k / half) for k from 1 to half / 2, as pairs."""
    return _rounded(-np.pi * (np.arange(1, half // 2 + 1) / half + 0.5), bits)


def _rounded(angles: Array, bits: int) -> Array:
    largest = float((1 << bits) - 1)
    pairs = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    return np.asarray(np.floor(0.5 + largest * pairs), np.int64)


def digit_reversed(length: int) -> Array:
    """Where sample n starts: its base-4 digits reversed, a last digit of base 2 where needed."""
    places, count = np.zeros(1, np.int64), 1
    for radix in reversed(radices(length)):
        places = (np.arange(radix)[None, :] * count + places[:, None]).reshape(-1)
        count *= radix
    return np.asarray(places)


def radices(length: int) -> list[int]:
    """Outermost first."""
    found = []
    while length > 1:
        found.append(4 if length % 4 == 0 else 2)
        length //= found[-1]
    return found


def real_transform(frame: Array, length: int, bits: int) -> Array:
    """length real values become length / 2 + 1 complex ones, as pairs; wrapping as int64 allows."""
    half = length // 2
    padded = np.zeros(length, np.int64)
    padded[: frame.size] = frame
    spectrum = np.zeros((half, 2), np.int64)
    spectrum[digit_reversed(half)] = padded.reshape(half, 2)
    turns = twiddles(half, bits)
    size = 1
    for radix in reversed(radices(half)):
        spectrum = _stage(spectrum, size, radix, turns, bits)
        size *= radix
    return _separate(spectrum, bits)


def _stage(x: Array, size: int, radix: int, turns: Array, bits: int) -> Array:
    """Groups of `radix` transforms of `size` values become one each."""
    parts = _divide(x.reshape(-1, radix, size, 2), radix, bits)
    step = len(turns) // (radix * size)
    k = np.arange(size) * step
    a = parts[:, 0]
    b = [_multiply(parts[:, j], turns[j * k], bits) for j in range(1, radix)]
    if radix == 2:
        joined = [a + b[0], a - b[0]]
    else:
        s, d, t, u = a + b[1], a - b[1], b[0] + b[2], b[0] - b[2]
        turned = np.stack([u[..., 1], -u[..., 0]], axis=-1)
        joined = [s + t, d + turned, s - t, d - turned]
    return _wrap(np.stack(joined, axis=1), bits).reshape(-1, 2)


def _separate(z: Array, bits: int) -> Array:
    """The two halves that share the packed transform, apart."""
    half = len(z)
    y = np.zeros((half + 1, 2), np.int64)
    first = _divide(z[0], 2, bits)
    y[0, 0], y[half, 0] = first[0] + first[1], first[0] - first[1]
    k = np.arange(1, half // 2 + 1)
    front = _divide(z[k], 2, bits)
    back = _divide(z[half - k] * np.array([1, -1]), 2, bits)
    even, odd = _wrap(front + back, bits), _wrap(front - back, bits)
    turned = _multiply(odd, split_twiddles(half, bits), bits)
    # Sums are 32 bits wide whatever the element, and wrap there.
    y[k] = (even + turned).astype(np.int32) >> 1
    y[half - k] = ((even - turned) * np.array([1, -1])).astype(np.int32) >> 1
    return _wrap(y, bits)


def _divide(x: Array, divisor: int, bits: int) -> Array:
    return _round(_wide(x) * (((1 << bits) - 1) // divisor), bits)


def _multiply(x: Array, w: Array, bits: int) -> Array:
    a, b = _wide(x), _wide(w)
    re = a[..., 0] * b[..., 0] - a[..., 1] * b[..., 1]
    im = a[..., 0] * b[..., 1] + a[..., 1] * b[..., 0]
    return _round(np.stack([re, im], axis=-1), bits)


def _wide(x: Array) -> Array:
    return x.astype(np.int64)


def _round(product: Array, bits: int) -> Array:
    return np.asarray((product + (1 << (bits - 1))) >> bits)


def _wrap(x: Array, bits: int) -> Array:
    """What storing in bits + 1 bits keeps."""
    return x.astype(np.int16 if bits == 15 else np.int32).astype(np.int64)
