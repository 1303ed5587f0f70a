"""solve(problem): offsets for every buffer, as low as the effort allows.

Memories are apart, and so are the sections of time of each. For a section: greedy orders until one
fits the lower bound; then a short exact search; then local search; and, for SEARCH alone, the exact
search again with a clock. All but that last step count work instead of seconds and give the same
offsets on every machine, with or without a C compiler.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from time import monotonic

from nacre.planner.bounds import overlap_bound, plain_bound
from nacre.planner.greedy import Engine, Linked, Placement, engine, orders, pair_count
from nacre.planner.instance import FREE, Instance, clashing_pins, instances, sections, subset
from nacre.planner.local import improve
from nacre.planner.model import Model, build_model
from nacre.planner.problem import Problem, Solution
from nacre.planner.rising import rising_orders
from nacre.planner.search import Bracket, tighten_counted, tighten_timed
from nacre.planner.validate import PlanError, check_problem

# Work that a section may take. A unit is some 0.2 microseconds for greedy and local search, and 2
# for the exact search in Python.
GREEDY_WORK = 2_000_000
LOCAL_WORK = 300_000
EXACT_WORK = 50_000
# Lists of neighbours beyond this are too long for the exact search.
MOST_PAIRS = 4_000_000


class Effort(Enum):
    """How hard to try; the values are those of the configuration key `memory.planner`."""

    GREEDY = "greedy"
    AUTO = "auto"
    SEARCH = "search"


@dataclass(frozen=True)
class Part:
    """A section of a memory with the best placement so far, and a height that none goes below."""

    memory: str
    instance: Instance
    placement: Placement
    lower: int


def solve(problem: Problem, effort: Effort = Effort.AUTO, seconds: float = 60.0) -> Solution:
    """The lowest solution found; it may exceed a capacity, which `validate` then reports.

    `seconds` bounds the effort SEARCH alone.
    """
    check_problem(problem)
    parts: list[Part] = []
    found = instances(problem)
    for name, instance in found.items():
        _check_pins(instance)
        bound = overlap_bound(instance)
        for members in sections(instance):
            parts.append(_solve_quickly(name, subset(instance, members), bound, effort))
    if effort is Effort.SEARCH:
        parts = _search(parts, seconds, problem.capacities or {})
    bounds = {name: plain_bound(instance) for name, instance in found.items()}
    return _solution(problem, parts, bounds)


def _check_pins(instance: Instance) -> None:
    for i, j in clashing_pins(instance):
        raise PlanError(f"buffers {instance.ids[i]!r} and {instance.ids[j]!r} are pinned and clash")


def _solution(problem: Problem, parts: list[Part], bounds: Mapping[str, int]) -> Solution:
    offsets = {b.id: b.offset or 0 for b in problem.buffers}
    for part in parts:
        offsets.update(zip(part.instance.ids, part.placement.offsets, strict=True))
    heights: dict[str, int] = {}
    for b in problem.buffers:
        heights[b.memory] = max(heights.get(b.memory, 0), offsets[b.id] + b.size)
    optimal = all(part.placement.height <= _floor(parts, part.memory) for part in parts)
    return Solution(offsets, heights, bounds, optimal)


def _floor(parts: list[Part], memory: str) -> int:
    """The height that the memory's hardest section needs for certain: no other need be lower."""
    return max(part.lower for part in parts if part.memory == memory)


def _solve_quickly(memory: str, instance: Instance, bound: int, effort: Effort) -> Part:
    best, order, tight, machine = _best_order(instance, bound)
    part = Part(memory, instance, best, bound)
    if best.height <= bound or effort is Effort.GREEDY or not isinstance(machine, Linked):
        return part
    dive = instance.count**2 // 2
    if dive <= EXACT_WORK:
        model = build_model(instance)
        bracket = tighten_counted(model, _bracket(part, model), 2 * dive + 100, EXACT_WORK)
        part = _narrowed(part, model, bracket)
        order, tight = (_by_offset(part), False) if bracket.offsets else (order, tight)
    if part.placement.height > part.lower:
        budget = min(LOCAL_WORK, LOCAL_WORK * instance.count // 50)
        part = _climbed(part, improve(machine, order, part.lower, tight, budget))
    return part


def _by_offset(part: Part) -> list[int]:
    """The order in which first fit gives this placement again, or a lower one."""
    free = (i for i, pin in enumerate(part.instance.pins) if pin == FREE)
    return sorted(free, key=lambda i: (part.placement.offsets[i], i))


def _climbed(part: Part, found: Placement) -> Part:
    return replace(part, placement=found) if found.height < part.placement.height else part


def _best_order(instance: Instance, bound: int) -> tuple[Placement, list[int], bool, Engine]:
    """The best greedy placement, with the order and the kind of fit that gave it."""
    machine = engine(instance)
    tries = _tries(instance)
    order, tight = next(tries)
    best, kept = machine.place(order, tight), (order, tight)
    for spent, (order, tight) in enumerate(tries, start=1):
        if best.height <= bound or spent * machine.work > max(GREEDY_WORK, 2 * machine.work):
            break
        found = machine.place(order, tight)
        if found.height < best.height:
            best, kept = found, (order, tight)
    return best, *kept, machine


def _tries(instance: Instance) -> Iterator[tuple[list[int], bool]]:
    """Orders with a kind of fit, the most promising first."""
    static = orders(instance)
    by_size = next(static)
    yield by_size, False
    yield from ((order, False) for order in rising_orders(instance))
    yield by_size, True
    yield from ((order, tight) for order in static for tight in (False, True))


def _bracket(part: Part, model: Model) -> Bracket:
    return Bracket(-(-part.lower // model.unit), -(-part.placement.height // model.unit))


def _narrowed(part: Part, model: Model, bracket: Bracket) -> Part:
    """The part with what a search has found or proved."""
    if bracket.offsets:
        offsets = tuple(offset * model.unit for offset in bracket.offsets)
        part = replace(part, placement=Placement(offsets, bracket.upper * model.unit))
    if model.complete:
        part = replace(part, lower=max(part.lower, bracket.lower * model.unit))
    return part


def _search(parts: list[Part], seconds: float, capacities: Mapping[str, int]) -> list[Part]:
    """Give the time to the sections that stand out, the highest first."""
    end = monotonic() + seconds
    parts = list(parts)
    todo = sorted(range(len(parts)), key=lambda k: -parts[k].placement.height)
    for done, k in enumerate(todo):
        part = replace(parts[k], lower=_floor(parts, parts[k].memory))
        share = (end - monotonic()) / _waiting(parts, todo[done:])
        if part.placement.height > part.lower and share > 0 and _is_small(part.instance):
            parts[k] = _search_part(part, share, capacities.get(part.memory))
    return parts


def _search_part(part: Part, seconds: float, capacity: int | None) -> Part:
    """The exact search; before it, where that cannot reach every solution, local search too."""
    end = monotonic() + seconds
    model = build_model(part.instance)
    if not model.complete:
        part = _climb(part, monotonic() + seconds / 3)
    goal = None if capacity is None else capacity // model.unit
    bracket = tighten_timed(model, _bracket(part, model), end - monotonic(), goal=goal)
    return _narrowed(part, model, bracket)


def _climb(part: Part, end: float) -> Part:
    machine = Linked.of(part.instance)
    starts = [_by_offset(part), *orders(part.instance)]
    for seed in count(2):
        if monotonic() >= end or part.placement.height <= part.lower:
            break
        order = starts[seed % len(starts)]
        part = _climbed(part, improve(machine, order, part.lower, False, LOCAL_WORK, seed))
    return part


def _waiting(parts: list[Part], left: list[int]) -> int:
    """How many of the parts left are above what their memory needs for certain."""
    above = (parts[k].placement.height > _floor(parts, parts[k].memory) for k in left)
    return max(1, sum(above))


def _is_small(instance: Instance) -> bool:
    return pair_count(instance) <= MOST_PAIRS
