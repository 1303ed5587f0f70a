"""Orders in which the exact search tries buffers: which one finds a solution fast differs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from random import Random

from nacre.planner.model import Model

# Per rank, the measures to sort by, largest first: Total live bytes at the fullest slice of its
# life, Width in slices, Area.
RECIPES = ("TW", "AT", "WA", "TA")
# Shares of noise on all measures but T, in rounds.
NOISE = (0.0, 0.1, 0.3, 0.1, 0.5, 0.2)


def ranks(model: Model) -> Iterator[tuple[int, ...]]:
    """An endless stream, the plain recipes first; the same on every machine."""
    measures = _measures(model)
    for seed in count():
        noise = NOISE[seed % len(NOISE)]
        for recipe in RECIPES:
            random = Random(seed)
            blur = [1.0 + noise * (random.random() - 0.5) for _ in range(model.count)]
            yield _rank([_blurred(letter, measures[letter], blur) for letter in recipe])


def _blurred(letter: str, measure: list[int], blur: list[float]) -> list[float]:
    if letter == "T":
        return [float(-value) for value in measure]
    return [-value * share for value, share in zip(measure, blur, strict=True)]


def _rank(columns: list[list[float]]) -> tuple[int, ...]:
    keys = list(zip(*columns, strict=True))
    rank = [0] * len(keys)
    for place, i in enumerate(sorted(range(len(keys)), key=keys.__getitem__)):
        rank[i] = place
    return tuple(rank)


def _measures(model: Model) -> dict[str, list[int]]:
    live = [0] * model.slices
    spans = list(zip(model.first, model.last, strict=True))
    for (first, last), size in zip(spans, model.size, strict=True):
        for t in range(first, last):
            live[t] += size
    width = [last - first for first, last in spans]
    return {
        "T": [max(live[first:last]) for first, last in spans],
        "W": width,
        "A": [w * size for w, size in zip(width, model.size, strict=True)],
    }
