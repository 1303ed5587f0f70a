"""Local search over orders: move a buffer that reaches too high, or one below it, and place again.

Late acceptance: a candidate counts as good when it is no worse than the current order, or than the
order of `HISTORY` steps ago. Seeded and counted in steps, never in seconds, so that the same
problem gives the same offsets on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from nacre.planner.greedy import Linked, Placement
from nacre.planner.instance import FREE, height_of

HISTORY = 24

# (height, bytes above the target summed over buffers): compared in this order.
Cost = tuple[int, int]


@dataclass
class _Search:
    """The state of one climb; `order` holds the free buffers, `offsets` all of them."""

    engine: Linked
    target: int
    order: list[int]
    offsets: list[int]
    cost: Cost


def improve(engine: Linked, order: list[int], target: int, budget: int, seed: int = 1) -> Placement:
    """The best placement met within `budget` elementary steps; stops at the target height."""
    start = engine.place(order, tight=False)
    search = _Search(engine, target, list(order), list(start.offsets), (0, 0))
    search.cost = _cost(search, search.offsets)
    best, best_height = tuple(search.offsets), search.cost[0]
    history = [search.cost] * HISTORY
    random = Random(seed)
    step, spent = 0, 0
    while best_height > target and spent < budget and len(order) > 1:
        order_now, changed = _neighbour(search, random)
        offsets, work = _replace(search, order_now, changed)
        cost = _cost(search, offsets)
        if cost <= search.cost or cost <= history[step % HISTORY]:
            search.order, search.offsets, search.cost = order_now, offsets, cost
            if cost[0] < best_height:
                best, best_height = tuple(offsets), cost[0]
        history[step % HISTORY] = search.cost
        step, spent = step + 1, spent + work + len(order)
    return Placement(best, best_height)


def _cost(search: _Search, offsets: list[int]) -> Cost:
    target, excess, height = search.target, 0, 0
    for at, size in zip(offsets, search.engine.instance.sizes, strict=True):
        end = at + size
        if end > target:
            excess += end - target
            height = max(height, end)
    return (height or height_of(search.engine.instance, offsets), excess)


def _neighbour(search: _Search, random: Random) -> tuple[list[int], int]:
    """Another order, and the first position at which it differs.

    A buffer that ends above the target, or a neighbour of it, goes somewhere earlier or swaps.
    """
    order = list(search.order)
    where = {buffer: position for position, buffer in enumerate(order)}
    chosen = _culprit(search, random)
    if chosen not in where or where[chosen] == 0:
        chosen = order[random.randrange(1, len(order))]
    here = where[chosen]
    there = random.randrange(here)
    if random.random() < 0.5:
        order.insert(there, order.pop(here))
    else:
        order[here], order[there] = order[there], order[here]
    return order, there


def _culprit(search: _Search, random: Random) -> int:
    sizes, target = search.engine.instance.sizes, search.target
    high = [i for i, at in enumerate(search.offsets) if at + sizes[i] > target]
    chosen = high[random.randrange(len(high))]
    around = search.engine.lists[chosen]
    if around and random.random() < 0.5:
        return around[random.randrange(len(around))][0]
    return chosen


def _replace(search: _Search, order: list[int], changed: int) -> tuple[list[int], int]:
    """Offsets for an order that differs from the current one from `changed` on, and the work."""
    offsets = list(search.offsets)
    work = 0
    for i in order[changed:]:
        offsets[i] = FREE
    for i in order[changed:]:
        offsets[i] = search.engine.offset_of(i, offsets, tight=False)
        work += len(search.engine.lists[i]) + 4
    return offsets, work
