"""`analyze --plot`: the curve of a sweep, budget against bytes, as an SVG picture."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nacre.stages.analysis import Point
from nacre.text import number, size

WIDTH, HEIGHT = 860, 440
LEFT, RIGHT, TOP, BOTTOM = 92, 24, 48, 52
# Colour-blind safe: total, activations, constants.
COLOURS = {"sum": "#0b3c5d", "moved": "#d95f02", "constants": "#1b9e77"}
CURVES: dict[str, Callable[[Point], int]] = {
    "constants": lambda p: p.weight_bytes,
    "moved": lambda p: p.activation_bytes,
    "sum": lambda p: p.activation_bytes + p.weight_bytes,
}


@dataclass(frozen=True)
class Axes:
    """Both axes are logarithmic: ranges in bytes."""

    low: float
    high: float
    least: float
    most: float

    def x(self, budget: float) -> float:
        span = math.log(self.high / self.low) or 1.0
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(budget / self.low) / span

    def y(self, value: float) -> float:
        span = math.log(self.most / self.least) or 1.0
        part = math.log(max(value, self.least) / self.least) / span
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part


def plot_svg(points: Sequence[Point], title: str) -> str:
    """Steps that go down: bytes per inference over fast memory."""
    found = [p for p in points if p.cost is not None]
    axes = axes_of(points, found)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" fill="#222222">{_escaped(title)}</text>',
        *_grid(axes),
        *(_curve(axes, found, name, value) for name, value in CURVES.items()),
        *_legend(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def axes_of(points: Sequence[Point], found: Sequence[Point]) -> Axes:
    budgets = [p.budget for p in points] or [1]
    values = [v for p in found for v in (p.activation_bytes, p.weight_bytes) if v > 0]
    totals = [p.activation_bytes + p.weight_bytes for p in found]
    least, most = min(values, default=1), max(totals, default=2)
    return Axes(min(budgets), max(budgets), least / 1.2, max(most * 1.2, least * 2))


def _grid(axes: Axes) -> list[str]:
    lines = []
    for budget, label in budget_marks(axes):
        x = axes.x(budget)
        lines.append(_rule(x, TOP, x, HEIGHT - BOTTOM))
        lines.append(_label(x, HEIGHT - BOTTOM + 18, label, "middle"))
    for value, label in value_marks(axes):
        y = axes.y(value)
        lines.append(_rule(LEFT, y, WIDTH - RIGHT, y))
        lines.append(_label(LEFT - 8, y + 4, label, "end"))
    middle = (LEFT + WIDTH - RIGHT) / 2
    lines.append(_label(middle, HEIGHT - 12, "fast memory", "middle"))
    lines.append(_label(LEFT, TOP - 8, "bytes per inference", "start"))
    return lines


def budget_marks(axes: Axes) -> list[tuple[int, str]]:
    """Where to rule the axis of budgets, in words: powers of two."""
    return [(budget, size(budget)) for budget in _powers(axes.low, axes.high, 2)]


def value_marks(axes: Axes) -> list[tuple[int, str]]:
    """Where to rule the axis of bytes: 1, 2 and 5 times powers of ten."""
    tens = _powers(axes.least / 10, axes.most, 10)
    marks = [part * ten for ten in tens for part in (1, 2, 5)]
    return [(mark, number(mark)) for mark in marks if axes.least <= mark <= axes.most]


def _powers(low: float, high: float, base: int) -> list[int]:
    first, last = math.ceil(math.log(low, base) - 1e-9), math.floor(math.log(high, base) + 1e-9)
    return [base**n for n in range(max(0, first), last + 1)]


def _rule(x1: float, y1: float, x2: float, y2: float) -> str:
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
        'stroke="#dddddd" stroke-width="1"/>'
    )


def _label(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" fill="#555555" text-anchor="{anchor}">{text}</text>'


def _curve(axes: Axes, found: Sequence[Point], name: str, value: Callable[[Point], int]) -> str:
    """A step function: a plan holds until the next budget."""
    path = []
    for n, point in enumerate(found):
        x, y = axes.x(point.budget), axes.y(value(point))
        path.append(f"M{x:.1f},{y:.1f}" if n == 0 else f"H{x:.1f}V{y:.1f}")
    return f'<path d="{"".join(path)}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>'


def _legend() -> list[str]:
    parts = []
    for n, (name, colour) in enumerate(COLOURS.items()):
        x = WIDTH - RIGHT - 110 * (len(COLOURS) - n)
        parts.append(f'<rect x="{x}" y="16" width="14" height="4" fill="{colour}"/>')
        parts.append(_label(x + 20, 23, name, "start"))
    return parts


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
