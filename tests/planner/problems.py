"""Strategies for problems of every kind, and the optimum of tiny ones by brute force."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from random import Random

from hypothesis import strategies as st

from nacre.planner.problem import Buffer, Overlap, Problem

ALIGNMENTS = (1, 1, 1, 2, 4, 16, 12)


@dataclass(frozen=True)
class Kind:
    """What a problem may contain."""

    most: int = 12
    memories: tuple[str, ...] = ("", "sram")
    aligned: bool = True
    pinned: bool = True
    overlapping: bool = True
    # Below zero, the upper buffer of a pair may start below the lower one.
    least_distance: int = -8


PLAIN = Kind(most=12, aligned=False, pinned=False, overlapping=False)


def problems(kind: Kind = Kind()) -> st.SearchStrategy[Problem]:  # noqa: B008
    """Problems by seed: a draw for each number would take longer than to solve them."""
    return st.builds(
        lambda seed, count: random_problem(Random(seed), kind, count),
        st.integers(0, 2**32),
        st.integers(1, kind.most),
    )


def random_problem(random: Random, kind: Kind, count: int) -> Problem:
    names = [f"b{i}" for i in range(count)]
    tops = dict.fromkeys(kind.memories, 0)
    buffers = tuple(_buffer(random, kind, name, tops) for name in names)
    if not kind.overlapping or count < 2:
        return Problem(buffers)
    pairs = tuple(_overlap(random, kind, names) for _ in range(random.randrange(count)))
    return Problem(buffers, pairs)


def _buffer(random: Random, kind: Kind, name: str, tops: dict[str, int]) -> Buffer:
    lower = random.randrange(12)
    size = random.randrange(0 if kind.overlapping else 1, random.choice((8, 40)))
    alignment = random.choice(ALIGNMENTS) if kind.aligned else 1
    memory = random.choice(kind.memories)
    pin = None
    if kind.pinned and random.random() < 0.2:
        # Above all pinned before, whatever their lifetime: pins never clash.
        pin = -(-(tops[memory] + random.randrange(20)) // alignment) * alignment
        tops[memory] = pin + size
    return Buffer(name, size, lower, lower + random.randrange(1, 9), alignment, memory, pin)


def _overlap(random: Random, kind: Kind, names: list[str]) -> Overlap:
    first, second = random.sample(names, 2)
    distances = [random.choice((None, random.randrange(kind.least_distance, 30))) for _ in "ab"]
    return Overlap(first, second, *distances)


def best_height(problem: Problem) -> int:
    """The least height over all orders: first fit in the right order is optimal.

    Pushed down until no buffer can go lower, an optimal solution is what first fit makes of its
    buffers taken by offset. One memory, and no pair whose gap is below zero.
    """
    return min(
        (_first_fit_height(problem, order) for order in permutations(problem.buffers)), default=0
    )


def _first_fit_height(problem: Problem, order: tuple[Buffer, ...]) -> int:
    placed: dict[str, int] = {b.id: b.offset for b in order if b.offset is not None}
    by_id = {b.id: b for b in order}
    for b in order:
        if b.offset is not None:
            continue
        at = 0
        while any(_clash(problem, b, at, by_id[name], offset) for name, offset in placed.items()):
            at += b.alignment
        placed[b.id] = at
    return max(placed[b.id] + b.size for b in order)


def _clash(problem: Problem, one: Buffer, at: int, other: Buffer, there: int) -> bool:
    if one.lower >= other.upper or other.lower >= one.upper or not one.size or not other.size:
        return False
    if at + one.size <= there or there + other.size <= at:
        return False
    offsets = {one.id: (at, one.size), other.id: (there, other.size)}
    for rule in problem.overlaps:
        if {rule.first, rule.second} != {one.id, other.id}:
            continue
        (first, first_size), (second, second_size) = offsets[rule.first], offsets[rule.second]
        if rule.ahead is not None and first - second >= rule.ahead:
            return False
        if rule.behind is not None and second + second_size - first - first_size >= rule.behind:
            return False
    return True
