"""Forms and a budget -> Analysis: does it fit, in how many stages, at what cost."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.fit import code_estimate
from nacre.ir import TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.stages.budget import Staged
from nacre.stages.facts import Stage, stages
from nacre.stages.offsets import extended, planned_steps
from nacre.stages.plan import Traffic
from nacre.stages.request import EFFORT_OF_SPREAD, Budget, Forms
from nacre.stages.spread import spread


@dataclass(frozen=True)
class Flash:
    """Read-only bytes: constants as packed, and an estimate of code and tables."""

    constants: int
    code: int
    limit: int | None

    @property
    def total(self) -> int:
        return self.constants + self.code

    @property
    def fits(self) -> bool:
        return self.limit is None or self.total <= self.limit


@dataclass(frozen=True, eq=False)
class Analysis:
    """What a budget leads to. `staged` is None when nothing fits the fast memory."""

    graph: LoweredGraph
    budget: Budget
    staged: Staged | None
    stages: tuple[Stage, ...]
    flash: Flash
    # Bytes of fast memory that are enough, variables included.
    smallest_budget: int | None
    # The step that stands in the way when nothing fits.
    blocker: Step | None

    @property
    def fits(self) -> bool:
        return self.fits_fast and self.fits_slow and self.flash.fits

    @property
    def fits_fast(self) -> bool:
        return self.staged is not None

    @property
    def fits_slow(self) -> bool:
        if self.staged is None:
            return False
        return all(self.staged.peak(m) <= most for m, most in self.budget.items[1:])

    @property
    def fast_peak(self) -> int:
        return self.peaks[0]

    @property
    def slow_peak(self) -> int:
        """Bytes of all slower memories."""
        return sum(self.peaks[1:])

    @property
    def peaks(self) -> tuple[int, ...]:
        """Bytes of each memory of the budget."""
        if self.staged is None:
            return (0,) * len(self.budget.memories)
        fast, *slower = (self.staged.peak(m) for m in self.budget.memories)
        return (fast + self.budget.reserved, *slower)

    @property
    def bands(self) -> int:
        return sum(stage.bands for stage in self.stages if stage.bands > 1)

    @property
    def traffic(self) -> Traffic:
        return Traffic() if self.staged is None else self.staged.plan.traffic


@dataclass(frozen=True)
class Point:
    """One budget of a sweep; the figures are those of a plan, None when nothing fits."""

    budget: int
    cost: int | None
    stages: int = 0
    bands: int = 0
    fast_peak: int = 0
    slow_peak: int = 0
    activation_bytes: int = 0
    weight_bytes: int = 0


def analyse(forms: Forms, flash: int | None) -> Analysis:
    budget = forms.budget
    staged = forms.plan(budget.fast) if budget.fast > 0 else None
    if staged is not None:
        staged = spread(staged, budget.memories, budget.sizes, EFFORT_OF_SPREAD)
    graph = forms.stagers[0].graph if staged is None else staged.graph
    blocked = staged is None and budget.fast > 0
    blocker = forms.stagers[-1].blocker(budget.fast) if blocked else None
    found = () if staged is None else stages(staged)
    sizes = _flash(graph, staged, flash)
    return Analysis(graph, budget, staged, found, sizes, forms.smallest(), blocker)


def sweep_point(forms: Forms, budget: int) -> Point:
    fast = budget - forms.budget.reserved
    staged = forms.plan(fast) if fast > 0 else None
    if staged is None:
        return Point(budget, None)
    found, traffic, memories = stages(staged), staged.plan.traffic, staged.memories
    return Point(
        budget, staged.cost, len(found), sum(s.bands for s in found if s.bands > 1),
        staged.peak(memories.fast) + forms.budget.reserved, staged.peak(memories.slow),
        traffic.activations, traffic.weights,
    )  # fmt: skip


def sweep_budgets(low: int, high: int, count: int) -> list[int]:
    """Budgets from low to high, evenly spaced by ratio, rounded to what is easy to read."""
    found = []
    for n in range(count):
        exact = low * (high / low) ** (n / max(1, count - 1))
        step = max(1, 1 << max(0, int(exact).bit_length() - 6))
        found.append(min(high, max(low, round(exact / step) * step)))
    return sorted(dict.fromkeys([low, *found, high]))


def _flash(graph: LoweredGraph, staged: Staged | None, limit: int | None) -> Flash:
    whole = graph if staged is None else extended(graph, staged.plan)
    steps = graph.steps if staged is None else tuple(planned_steps(staged.plan))
    code = code_estimate((call.kernel for step in steps for call in step.calls), len(steps))
    constants = [t for t in whole.tensors.values() if t.kind is TensorKind.CONSTANT]
    return Flash(sum(-(-t.size // 16) * 16 for t in constants), code, limit)
