"""One memory's buffers as columns of integers: what every solver works on.

Pair rule, the same for plain and for overlapping pairs: of two buffers that are alive together
one is the lower, and   offset(upper) - offset(lower) >= gap(lower, upper).
A plain pair has gap(lower, upper) = size(lower); an `Overlap` makes a gap smaller.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import gcd

import numpy as np
import numpy.typing as npt

from nacre.planner.problem import Buffer, Overlap, Problem

Ints = npt.NDArray[np.int64]

FREE = -1


@dataclass(frozen=True)
class Instance:
    """Buffers of one memory, none of size zero; index i is the same buffer in every column."""

    ids: tuple[str, ...]
    sizes: tuple[int, ...]
    lowers: tuple[int, ...]
    uppers: tuple[int, ...]
    alignments: tuple[int, ...]
    # The offset of a pinned buffer, FREE for the others.
    pins: tuple[int, ...]
    # (lower, upper) -> gap, for the pairs that are alive together and may share bytes.
    gaps: Mapping[tuple[int, int], int]

    @property
    def count(self) -> int:
        return len(self.sizes)

    @cached_property
    def grain(self) -> int:
        """Every offset is a multiple of it."""
        return gcd(*self.alignments) if self.alignments else 1


def instances(problem: Problem) -> dict[str, Instance]:
    """One instance per memory, in order of first appearance."""
    members: dict[str, list[Buffer]] = {}
    for buffer in problem.buffers:
        members.setdefault(buffer.memory, []).append(buffer)
    return {name: _instance(group, problem.overlaps) for name, group in members.items()}


def split(instance: Instance) -> list[Instance]:
    """One instance per section of time, in order of time."""
    groups = sections(instance)
    section_of = {i: k for k, group in enumerate(groups) for i in group}
    gaps: list[dict[tuple[int, int], int]] = [{} for _ in groups]
    for (below, above), gap in instance.gaps.items():
        gaps[section_of[below]][below, above] = gap
    return [_subset(instance, group, mine) for group, mine in zip(groups, gaps, strict=True)]


def _subset(
    instance: Instance, chosen: tuple[int, ...], gaps: Mapping[tuple[int, int], int]
) -> Instance:
    place = {old: new for new, old in enumerate(chosen)}
    return Instance(
        ids=tuple(instance.ids[i] for i in chosen),
        sizes=tuple(instance.sizes[i] for i in chosen),
        lowers=tuple(instance.lowers[i] for i in chosen),
        uppers=tuple(instance.uppers[i] for i in chosen),
        alignments=tuple(instance.alignments[i] for i in chosen),
        pins=tuple(instance.pins[i] for i in chosen),
        gaps={(place[below], place[above]): gap for (below, above), gap in gaps.items()},
    )


def height_of(instance: Instance, offsets: Iterable[int]) -> int:
    """Highest byte used."""
    return max((o + s for o, s in zip(offsets, instance.sizes, strict=True)), default=0)


def slice_spans(instance: Instance) -> tuple[Ints, Ints, int]:
    """First and last+1 slice of each buffer, and the number of slices.

    step     0   1   2   3   4        slices are cut where a lifetime begins or ends:
    a        [===========)            inside one, the set of live buffers does not change
    b            [===========)
    slice    |0|---1---|-2-|
    """
    lowers, uppers = np.array(instance.lowers), np.array(instance.uppers)
    cuts = np.unique(np.concatenate([lowers, uppers]))
    return np.searchsorted(cuts, lowers), np.searchsorted(cuts, uppers), max(len(cuts) - 1, 0)


def sections(instance: Instance) -> list[tuple[int, ...]]:
    """Groups of buffers between steps at which nothing is alive: they cannot clash."""
    groups: list[list[int]] = []
    reach = None
    for i in sorted(range(instance.count), key=lambda k: (instance.lowers[k], k)):
        if reach is None or instance.lowers[i] >= reach:
            groups.append([])
            reach = instance.uppers[i]
        groups[-1].append(i)
        reach = max(reach, instance.uppers[i])
    return [tuple(group) for group in groups]


def clashing_pins(instance: Instance) -> Iterator[tuple[int, int]]:
    """Pairs of pinned buffers that are alive together and break the pair rule."""
    pinned = [i for i, pin in enumerate(instance.pins) if pin != FREE]
    for i, j in combinations(pinned, 2):
        alive = instance.lowers[i] < instance.uppers[j] and instance.lowers[j] < instance.uppers[i]
        rise = instance.pins[j] - instance.pins[i]
        up = instance.gaps.get((i, j), instance.sizes[i])
        down = instance.gaps.get((j, i), instance.sizes[j])
        if alive and -down < rise < up:
            yield i, j


def _instance(group: list[Buffer], overlaps: tuple[Overlap, ...]) -> Instance:
    solid = [buffer for buffer in group if buffer.size > 0]
    return Instance(
        ids=tuple(b.id for b in solid),
        sizes=tuple(b.size for b in solid),
        lowers=tuple(b.lower for b in solid),
        uppers=tuple(b.upper for b in solid),
        alignments=tuple(b.alignment for b in solid),
        pins=tuple(FREE if b.offset is None else b.offset for b in solid),
        gaps=_gaps(solid, overlaps),
    )


def _gaps(solid: list[Buffer], overlaps: tuple[Overlap, ...]) -> dict[tuple[int, int], int]:
    index = {buffer.id: i for i, buffer in enumerate(solid)}
    gaps: dict[tuple[int, int], int] = {}
    for overlap in overlaps:
        if overlap.first not in index or overlap.second not in index:
            continue
        f, s = index[overlap.first], index[overlap.second]
        first, second = solid[f], solid[s]
        if first.lower >= second.upper or second.lower >= first.upper:
            continue
        # Above `second` by `ahead`, or its end above `first`'s end by `behind`.
        ahead = second.size if overlap.ahead is None else overlap.ahead
        behind = second.size if overlap.behind is None else overlap.behind
        gaps[s, f] = min(gaps.get((s, f), second.size), ahead)
        gaps[f, s] = min(gaps.get((f, s), first.size), first.size - second.size + behind)
    return gaps
