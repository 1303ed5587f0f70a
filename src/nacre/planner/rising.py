"""Orders by rising offset: always the buffer next that can lie lowest on those taken before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nacre.planner.instance import FREE, Instance, Ints, slice_spans


def rising_orders(instance: Instance) -> Iterator[list[int]]:
    """One order of the free buffers for each way to choose among equally low ones."""
    for rank in _ranks(instance):
        yield _rising(instance, rank)


def _ranks(instance: Instance) -> list[Ints]:
    """By live bytes at the fullest slice, width in slices, and area, largest first."""
    first, last, count = slice_spans(instance)
    sizes = np.array(instance.sizes)
    steps = np.zeros(count + 1, dtype=np.int64)
    np.add.at(steps, first, sizes)
    np.subtract.at(steps, last, sizes)
    live = np.cumsum(steps)
    fullest = np.array([live[a:b].max() for a, b in zip(first, last, strict=True)])
    width = last - first
    area = width * sizes
    keys = ((-width, -fullest), (-area, -fullest), (-fullest, -area), (-area, -width))
    return [np.lexsort(key) for key in keys]


def _rising(instance: Instance, rank: Ints) -> list[int]:
    """Buffers as if each lay on top of all its neighbours taken before; pins do not count here."""
    taken = np.array([instance.pins[i] != FREE for i in rank])
    lowers, uppers = np.array(instance.lowers)[rank], np.array(instance.uppers)[rank]
    steps = np.array(instance.alignments)[rank]
    place = {int(i): k for k, i in enumerate(rank)}
    partners = _partners(instance, place)
    far = np.iinfo(np.int64).max
    heads = np.where(taken, far, 0)
    order = []
    for _ in range(instance.count - int(taken.sum())):
        k = int(heads.argmin())
        i, at = int(rank[k]), int(heads[k])
        order.append(i)
        around = np.flatnonzero((lowers < uppers[k]) & (uppers > lowers[k]))
        kept = [(j, int(heads[j]), gap) for j, gap in partners.get(k, ())]
        top = at + instance.sizes[i]
        heads[around] = np.maximum(heads[around], -(-top // steps[around]) * steps[around])
        for j, head, gap in kept:
            heads[j] = max(head, -(-(at + gap) // int(steps[j])) * int(steps[j]))
        heads[k] = far
    return order


def _partners(instance: Instance, place: dict[int, int]) -> dict[int, list[tuple[int, int]]]:
    """By position: the positions of overlap partners, and their gap when above."""
    partners: dict[int, list[tuple[int, int]]] = {}
    for (below, above), gap in sorted(instance.gaps.items()):
        partners.setdefault(place[below], []).append((place[above], gap))
    return partners
