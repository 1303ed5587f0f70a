"""The curve of a sweep as a PNG picture: lines and a small font, drawn into an array."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nacre.report.analysis_plot import (
    BOTTOM,
    COLOURS,
    CURVES,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Axes,
    axes_of,
    budget_marks,
    value_marks,
)
from nacre.stages.analysis import Point

# 3x5 pixels per letter, rows from the top, three bits each; drawn at twice the size.
_FONT = {
    "0": "75557", "1": "26227", "2": "71747", "3": "71717", "4": "55711", "5": "74717",
    "6": "74757", "7": "71122", "8": "75757", "9": "75717", "K": "55655", "M": "57755",
    "i": "20222", "B": "65656", ".": "00002", " ": "00000", "a": "03556", "b": "44656",
    "c": "03443", "d": "11353", "e": "03563", "f": "12722", "g": "35316", "h": "44655",
    "k": "45665", "l": "22222", "m": "05775", "n": "06555", "o": "02552", "p": "06564",
    "r": "03444", "s": "03616", "t": "27223", "u": "05553", "v": "05552", "w": "05772",
    "x": "05225", "y": "05536", "_": "00007", "-": "00700", "/": "11244",
}  # fmt: skip
_SCALE = 2

Image = NDArray[np.uint8]


def plot_png(points: Sequence[Point], title: str) -> bytes:
    """The same picture as the SVG, in pixels."""
    image = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    found = [p for p in points if p.cost is not None]
    axes = axes_of(points, found)
    _grid(image, axes)
    for name, value in CURVES.items():
        _curve(image, axes, [(p.budget, value(p)) for p in found], _colour(COLOURS[name]))
    _text(image, LEFT, 14, title.lower(), (34, 34, 34))
    for n, name in enumerate(COLOURS):
        x = WIDTH - RIGHT - 110 * (len(COLOURS) - n)
        image[16:20, x : x + 14] = _colour(COLOURS[name])
        _text(image, x + 20, 13, name, (85, 85, 85))
    return _encoded(image)


def _grid(image: Image, axes: Axes) -> None:
    grey, words = (221, 221, 221), (85, 85, 85)
    for budget, label in budget_marks(axes):
        x = round(axes.x(budget))
        image[TOP : HEIGHT - BOTTOM, x] = grey
        _text(image, x - _width(label) // 2, HEIGHT - BOTTOM + 8, label, words)
    for value, label in value_marks(axes):
        y = round(axes.y(value))
        image[y, LEFT : WIDTH - RIGHT] = grey
        _text(image, LEFT - 8 - _width(label), y - 5, label, words)
    _text(image, (LEFT + WIDTH - RIGHT) // 2 - 40, HEIGHT - 22, "fast memory", words)


def _curve(
    image: Image, axes: Axes, values: list[tuple[int, int]], colour: tuple[int, int, int]
) -> None:
    places = [(round(axes.x(b)), round(axes.y(v))) for b, v in values]
    for (x0, y0), (x1, y1) in pairwise(places):
        image[y0 : y0 + 2, x0 : x1 + 2] = colour
        image[min(y0, y1) : max(y0, y1) + 2, x1 : x1 + 2] = colour


def _width(text: str) -> int:
    return len(text) * 4 * _SCALE


def _text(image: Image, x: int, y: int, text: str, colour: tuple[int, int, int]) -> None:
    for letter in text:
        rows = _FONT.get(letter, _FONT["-"])
        for row, bits in enumerate(rows):
            for column in range(3):
                if int(bits) >> (2 - column) & 1:
                    top, left = y + row * _SCALE, x + column * _SCALE
                    image[max(0, top) : top + _SCALE, max(0, left) : left + _SCALE] = colour
        x += 4 * _SCALE


def _colour(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def _encoded(image: Image) -> bytes:
    """PNG, 8 bits per channel, no filter."""
    height, width, _ = image.shape
    lines = np.concatenate((np.zeros((height, 1), np.uint8), image.reshape(height, -1)), axis=1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = (
        (b"IHDR", header),
        (b"IDAT", zlib.compress(lines.tobytes(), 9)),
        (b"IEND", b""),
    )
    parts = [b"\x89PNG\r\n\x1a\n"]
    for kind, data in chunks:
        check = zlib.crc32(kind + data)
        parts.append(struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check))
    return b"".join(parts)
