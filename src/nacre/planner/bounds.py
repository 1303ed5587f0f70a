"""Heights that no solution can go below, per memory."""

from __future__ import annotations

from collections import Counter

import numpy as np

from nacre.planner.instance import FREE, Instance, Ints, instances, slice_spans
from nacre.planner.problem import Problem


def lower_bounds(problem: Problem) -> dict[str, int]:
    """Live bytes of the fullest step; pairs that may overlap count in full."""
    return {name: plain_bound(instance) for name, instance in instances(problem).items()}


def overlap_bounds(problem: Problem) -> dict[str, int]:
    """Like `lower_bounds`, less the most that overlapping pairs could share."""
    return {name: overlap_bound(instance) for name, instance in instances(problem).items()}


def plain_bound(instance: Instance) -> int:
    """No solution without overlaps is lower."""
    if not instance.count:
        return 0
    return max(int(_live_bytes(instance).max()), _pinned_top(instance))


def overlap_bound(instance: Instance) -> int:
    """No solution at all is lower."""
    if not instance.gaps:
        return plain_bound(instance)
    live = _live_bytes(instance) - _shareable(instance)
    return max(int(live.max()), _pinned_top(instance), max(instance.sizes))


def _live_bytes(instance: Instance) -> Ints:
    """Per slice. Offsets are multiples of the grain, so all but the top buffer fill whole grains.

    Which one is on top is not known: the one with the most padding saves the most.
    """
    first, last, count = slice_spans(instance)
    padding = -np.array(instance.sizes) % instance.grain
    live = _sum_over(first, last, np.array(instance.sizes) + padding, count)
    if padding.any():
        live -= _max_over(first, last, padding, count)
    return live


def _sum_over(first: Ints, last: Ints, values: Ints, count: int) -> Ints:
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, first, values)
    np.subtract.at(steps, last, values)
    return np.cumsum(steps)[:count]


def _max_over(first: Ints, last: Ints, values: Ints, count: int) -> Ints:
    most = np.zeros(count, dtype=np.int64)
    for i in np.argsort(values, kind="stable"):
        most[first[i] : last[i]] = values[i]  # ascending, so the largest is painted last
    return most


def _pinned_top(instance: Instance) -> int:
    tops = (p + s for p, s in zip(instance.pins, instance.sizes, strict=True) if p != FREE)
    return max(tops, default=0)


def _shareable(instance: Instance) -> Ints:
    """Per slice, the most bytes (in whole grains) that live buffers can have in common.

    Counted in the order of `ranks`: a buffer adds its size, less what it shares with buffers
    already counted, and never less than nothing.
    """
    first, last, count = slice_spans(instance)
    total = np.zeros(count, dtype=np.int64)
    for later, earlier in earlier_partners(instance).items():
        span = slice(int(first[later]), int(last[later]))
        shared = np.zeros(count, dtype=np.int64)
        for other in earlier:
            shared[int(first[other]) : int(last[other])] += shared_bytes(instance, later, other)
        total[span] += np.minimum(shared[span], _whole(instance.sizes[later], instance.grain))
    return total


def earlier_partners(instance: Instance) -> dict[int, list[int]]:
    """Overlap partners that are counted before a buffer; those with many partners come last."""
    pairs = sorted({(min(pair), max(pair)) for pair in instance.gaps})
    degrees = Counter(i for pair in pairs for i in pair)
    earlier: dict[int, list[int]] = {}
    for pair in pairs:
        before, after = sorted(pair, key=lambda i: (degrees[i], i))
        earlier.setdefault(after, []).append(before)
    return earlier


def shared_bytes(instance: Instance, a: int, b: int) -> int:
    """The most bytes, in whole grains, that two buffers of an overlapping pair can share."""
    return max(0, _shared_in_order(instance, a, b), _shared_in_order(instance, b, a))


def _shared_in_order(instance: Instance, below: int, above: int) -> int:
    grain = instance.grain
    gap = max(0, instance.gaps.get((below, above), instance.sizes[below]))
    room = _whole(instance.sizes[below], grain) - _whole(gap, grain)
    return min(room, _whole(instance.sizes[above], grain))


def _whole(size: int, grain: int) -> int:
    return -(-size // grain) * grain
