"""Which rows an action does in which iteration, as C: a formula where one fits, else a table."""

from __future__ import annotations

from dataclasses import dataclass

# Denominators beyond this are no longer a formula that anybody reads.
MOST_PARTS = 16


@dataclass(frozen=True)
class Formula:
    """end(i) = clamp((step * i + start) / parts, 0, height)"""

    step: int
    start: int
    parts: int
    height: int

    def end(self, iteration: int) -> int:
        # Below zero C's division rounds up, which the clamp hides.
        return min(max(0, (self.step * iteration + self.start) // self.parts), self.height)


def formula_of(ends: tuple[int, ...]) -> Formula | None:
    """The formula that gives exactly these ends, with the fewest parts; None when there is none."""
    height = ends[-1]
    inner = [i for i, end in enumerate(ends) if 0 < end < height]
    for parts in range(1, MOST_PARTS + 1):
        for step in _steps(ends, inner, parts):
            start = _start(ends, step, parts)
            if start is not None:
                return Formula(step, start, parts, height)
    return None


def _steps(ends: tuple[int, ...], inner: list[int], parts: int) -> range:
    """Slopes worth trying: those near the slope between the first and the last inner end."""
    if len(inner) < 2:
        return range(0, parts * ends[-1] + 1)
    first, last = inner[0], inner[-1]
    rise, run = parts * (ends[last] - ends[first]), last - first
    slack = -(-parts // run) + 1
    return range(max(0, rise // run - slack), rise // run + slack + 1)


def _start(ends: tuple[int, ...], step: int, parts: int) -> int | None:
    """The smallest start that fits: all ends are inside [low, high] of what they allow."""
    height = ends[-1]
    low, high = -(1 << 30), 1 << 30
    for i, end in enumerate(ends):
        if end > 0:
            low = max(low, parts * end - step * i)
        if end < height:
            high = min(high, parts * end + parts - 1 - step * i)
    low = max(low, 0) if low <= 0 <= high else low
    return low if low <= high else None
