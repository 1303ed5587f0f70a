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
from nacre.planner.greedy import Linked, Placement, engine, orders, pair_count
from nacre.planner.instance import FREE, Instance, clashing_pins, instances, split
from nacre.planner.local import improve
from nacre.planner.model import Model, build_model
from nacre.planner.problem import Problem, Solution
from nacre.planner.rising import rising_orders
from nacre.planner.search import Bracket, tighten_counted, tighten_timed
from nacre.planner.validate import PlanError, check_problem

# Work that a section may take. A unit is some 0.2 microseconds for greedy and local search, and 2
# for the exact search in Python.
GREEDY_WORK = 400_000
LOCAL_WORK = 300_000
EXACT_WORK = 50_000
# Lists of neighbours: beyond these lengths they are not made, for AUTO and for SEARCH.
FEW_PAIRS = 100_000
MOST_PAIRS = 1_000_000


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
    found = instances(problem)
    parts = [part for name, instance in found.items() for part in _greedy_parts(name, instance)]
    if effort is not Effort.GREEDY:
        parts = _improved(parts)
    if effort is Effort.SEARCH:
        parts = _search(parts, seconds, problem.capacities or {})
    bounds = {name: plain_bound(instance) for name, instance in found.items()}
    return _solution(problem, parts, bounds)


def _solution(problem: Problem, parts: list[Part], bounds: Mapping[str, int]) -> Solution:
    offsets = {b.id: b.offset or 0 for b in problem.buffers}
    for part in parts:
        offsets.update(zip(part.instance.ids, part.placement.offsets, strict=True))
    heights: dict[str, int] = {}
    for b in problem.buffers:
        heights[b.memory] = max(heights.get(b.memory, 0), offsets[b.id] + b.size)
    return Solution(offsets, heights, bounds, optimal=not _standing_out(parts))


def _standing_out(parts: list[Part]) -> list[int]:
    """Parts that might have to become lower for their memory to do so, the highest first."""
    floors = _floors(parts)
    out = [k for k, part in enumerate(parts) if part.placement.height > floors[part.memory]]
    return sorted(out, key=lambda k: -parts[k].placement.height)


def _floors(parts: list[Part]) -> dict[str, int]:
    """Per memory, what its hardest section needs for certain: no other need be lower."""
    floors: dict[str, int] = {}
    for part in parts:
        floors[part.memory] = max(part.lower, floors.get(part.memory, 0))
    return floors


def _greedy_parts(memory: str, instance: Instance) -> Iterator[Part]:
    for i, j in clashing_pins(instance):
        raise PlanError(f"buffers {instance.ids[i]!r} and {instance.ids[j]!r} are pinned and clash")
    bound = overlap_bound(instance)
    for section in split(instance):
        yield Part(memory, section, _best_greedy(section, bound), bound)


def _improved(parts: list[Part]) -> list[Part]:
    """Share the counted work among the parts that stand out."""
    todo = _standing_out(parts)
    parts = list(parts)
    for k in todo:
        part = replace(parts[k], lower=_floors(parts)[parts[k].memory])
        if part.placement.height > part.lower and _is_small(part.instance, FEW_PAIRS):
            parts[k] = _improve(part, len(todo))
    return parts


def _improve(part: Part, share: int) -> Part:
    """A short exact search, then local search from what that has found."""
    instance = part.instance
    dive = instance.count**2 // 2
    if dive * share <= EXACT_WORK:
        model = build_model(instance)
        limits = (2 * dive + 100, EXACT_WORK // share)
        part = _narrowed(part, model, tighten_counted(model, _bracket(part, model), *limits))
    if part.placement.height <= part.lower:
        return part
    budget = min(LOCAL_WORK, LOCAL_WORK * instance.count // 50) // share
    return _climbed(part, improve(Linked.of(instance), _by_offset(part), part.lower, budget))


def _by_offset(part: Part) -> list[int]:
    """The order in which first fit gives this placement again, or a lower one."""
    free = (i for i, pin in enumerate(part.instance.pins) if pin == FREE)
    return sorted(free, key=lambda i: (part.placement.offsets[i], i))


def _climbed(part: Part, found: Placement) -> Part:
    return replace(part, placement=found) if found.height < part.placement.height else part


def _best_greedy(instance: Instance, bound: int) -> Placement:
    """The lowest of some greedy placements; at least three, and no more once the bound is met."""
    machine = engine(instance)
    best: Placement | None = None
    for done, (order, tight) in enumerate(_tries(instance)):
        if best is not None and best.height <= bound:
            break
        if best is not None and done >= 3 and done * machine.work > GREEDY_WORK:
            break
        found = machine.place(order, tight)
        best = found if best is None or found.height < best.height else best
    assert best is not None
    return best


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
    """Give the time to the parts that stand out, the highest first."""
    end = monotonic() + seconds
    todo = _standing_out(parts)
    parts = list(parts)
    for done, k in enumerate(todo):
        part = replace(parts[k], lower=_floors(parts)[parts[k].memory])
        share = (end - monotonic()) / (len(todo) - done)
        if (
            part.placement.height > part.lower
            and share > 0
            and _is_small(part.instance, MOST_PAIRS)
        ):
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
        part = _climbed(part, improve(machine, order, part.lower, LOCAL_WORK, seed))
    return part


def _is_small(instance: Instance, pairs: int) -> bool:
    return pair_count(instance) <= pairs
