"""Strategies for problems of every kind, and the optimum of tiny ones by brute force."""

from __future__ import annotations

from itertools import permutations

from hypothesis import strategies as st

from nacre.planner.problem import Buffer, Overlap, Problem

ALIGNMENTS = (1, 1, 1, 2, 4, 16, 12)


@st.composite
def buffers(draw: st.DrawFn, name: str, memories: tuple[str, ...], plain: bool) -> Buffer:
    lower = draw(st.integers(0, 12))
    return Buffer(
        id=name,
        size=draw(st.integers(0 if not plain else 1, 40)),
        lower=lower,
        upper=lower + draw(st.integers(1, 8)),
        alignment=1 if plain else draw(st.sampled_from(ALIGNMENTS)),
        memory=draw(st.sampled_from(memories)),
    )


@st.composite
def overlaps(draw: st.DrawFn, names: list[str], least: int) -> Overlap:
    first, second = draw(st.permutations(names))[:2]
    distance = st.none() | st.integers(least, 30)
    return Overlap(first, second, draw(distance), draw(distance))


@st.composite
def problems(
    draw: st.DrawFn,
    most: int = 12,
    memories: tuple[str, ...] = ("", "sram"),
    plain: bool = False,
    least_distance: int = -8,
    pins: bool = True,
) -> Problem:
    """Alignment, pins, memories and overlaps, unless `plain`."""
    count = draw(st.integers(1, most))
    names = [f"b{i}" for i in range(count)]
    made = [draw(buffers(name, memories, plain)) for name in names]
    if plain:
        return Problem(tuple(made))
    pairs: list[Overlap] = []
    if count > 1:
        pairs = draw(st.lists(overlaps(names, least_distance), max_size=count))
    return Problem(tuple(_with_pins(draw, made) if pins else made), tuple(pairs))


def _with_pins(draw: st.DrawFn, made: list[Buffer]) -> list[Buffer]:
    """Pin a few, at offsets that keep pinned ones of one memory apart whatever their lifetime."""
    tops: dict[str, int] = {}
    pinned = []
    for buffer in made:
        if not draw(st.sampled_from((False, False, False, True))):
            pinned.append(buffer)
            continue
        at = tops.get(buffer.memory, 0) + draw(st.integers(0, 20))
        at = -(-at // buffer.alignment) * buffer.alignment
        tops[buffer.memory] = at + buffer.size
        fields = {**buffer.__dict__, "offset": at}
        pinned.append(Buffer(**fields))
    return pinned


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
