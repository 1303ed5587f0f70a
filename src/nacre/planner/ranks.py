"""Orders in which the exact search tries buffers: which one finds a solution fast differs."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from nacre.planner.model import Model

# Per rank, the measures to sort by, largest first: Total live bytes at the fullest slice of its
# life, Width in slices, Area, Size. Then a share of noise on the first measure.
RECIPES = ("TW", "AT", "TWA", "WAT", "TAW", "SW")
NOISE = (0.0, 0.2, 1.0, 0.5)


def ranks(model: Model) -> Iterator[tuple[int, ...]]:
    """An endless stream, the plain recipes first; the same on every machine."""
    measures = _measures(model)
    seed = 0
    while True:
        noise = NOISE[seed % len(NOISE)] if seed else 0.0
        for recipe in RECIPES:
            random = Random(seed)
            blur = [1.0 + noise * (random.random() - 0.5) for _ in range(model.count)]
            yield _rank(model.count, [measures[letter] for letter in recipe], blur)
        seed += 1


def _rank(count: int, columns: list[list[int]], blur: list[float]) -> tuple[int, ...]:
    def key(i: int) -> tuple[float, ...]:
        return (-columns[0][i] * blur[i], *(-column[i] for column in columns[1:]), i)

    rank = [0] * count
    for place, i in enumerate(sorted(range(count), key=key)):
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
        "S": list(model.size),
    }
