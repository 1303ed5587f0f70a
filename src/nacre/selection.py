"""Graph -> Selection: which kernel runs each operator, by cost, and why.

An operator has its portable kernel and any number of variants. Those that the target, the provider
and the operator allow are candidates, cheapest first; a rule with `kernel: NAME` leaves one.
The planner may later strike candidates that cost too much scratch: see nacre.allowance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from nacre.config.schema import Config
from nacre.errors import ConfigError
from nacre.ir import Graph, Node
from nacre.ops import kind_of
from nacre.ops.kind import Estimate, LowerOptions, Variant
from nacre.rules import Rule, Setting, operator_words, resolve, rules_of
from nacre.targets import Target
from nacre.text import number, printable

ATTRIBUTE = "kernel"
PORTABLE_NAME = "portable"
PROVIDERS = ("cmsis-nn",)

# What a byte of code is worth in instructions of one inference.
CODE_WEIGHT: Mapping[str, int] = {"size": 64, "balanced": 2, "speed": 0}
# Bytes of the portable kernels that are far from a kilobyte.
PORTABLE_CODE: Mapping[str, int] = {"DEPTHWISE_CONV_2D": 6500, "CONV_2D": 1600, "ADD": 1500}


@dataclass(frozen=True)
class Choice:
    """A candidate: a variant, or None for the portable kernel; and why it comes to be used."""

    variant: Variant | None
    reason: str


@dataclass(frozen=True, eq=False)
class Selection:
    """Operator id -> its candidates, best first; the first one is used."""

    candidates: Mapping[str, tuple[Choice, ...]]

    def choice(self, node: Node) -> Choice:
        found = self.candidates.get(node.id)
        return ONLY_ONE if found is None else found[0]

    def can_strike(self, operator: str) -> bool:
        return len(self.candidates.get(operator, ())) > 1

    def strike(self, operator: str, reason: str) -> Selection:
        """Without the candidate that an operator uses now."""
        now, after, *rest = self.candidates[operator]
        assert now.variant is not None
        kept = (replace(after, reason=f"{now.variant.name} {reason}"), *rest)
        return Selection(MappingProxyType({**self.candidates, operator: kept}))

    def only(self, usable: Callable[[Variant], bool]) -> Selection:
        """Without variants that are not usable, unless a rule asks for one."""
        kept = {
            key: tuple(c for c in found if c.variant is None or usable(c.variant)) or found
            for key, found in self.candidates.items()
        }
        return Selection(MappingProxyType(kept))

    @property
    def smallest(self) -> Selection:
        """The last candidate of every operator: the portable kernel where no rule forbids it."""
        return Selection({key: found[-1:] for key, found in self.candidates.items()})


ONLY_ONE = Choice(None, "the only kernel")
PORTABLE = Selection(MappingProxyType({}))


def select(graph: Graph, target: Target, config: Config) -> Selection:
    """The candidates of every operator that has more than its portable kernel, or a rule."""
    rules = rules_of("operators", config.operators)
    alike = Counter(operator.type for operator in graph.operators)
    found: dict[str, tuple[Choice, ...]] = {}
    for node in graph.nodes():
        given = _given(node, graph, rules)
        if given is not None:
            found[node.id] = (_by_rule(node, given, target, config),)
        elif kind_of(node.operator).variants:
            found[node.id] = _by_cost(node, target, config, alike[node.operator.type])
    return Selection(MappingProxyType(found))


# --- by cost --------------------------------------------------------------------------------------


def _by_cost(node: Node, target: Target, config: Config, alike: int) -> tuple[Choice, ...]:
    """Operators of one type are taken to share the code of a kernel: `alike` of them."""
    weight = Fraction(CODE_WEIGHT[config.kernels.optimize], alike)
    portable = portable_estimate(node)
    limit = _score(portable, weight)
    ranked, reasons = [], []
    for variant in kind_of(node.operator).variants:
        reason = _obstacle(variant, node, target, config) or _reserve(variant, config)
        estimate = variant.estimate(node) if reason is None else portable
        if reason is not None:
            reasons.append(f"{variant.name}: {reason}")
        elif variant.isa in PROVIDERS or _score(estimate, weight) < limit:
            first = variant.isa not in PROVIDERS
            ranked.append((first, _score(estimate, weight), variant, estimate))
        else:
            reasons.append(f"{variant.name}: does not pay for its code")
    ranked.sort(key=lambda row: row[:2])
    choices = [Choice(v, _reason(v, estimate)) for _, _, v, estimate in ranked]
    if ranked and ranked[0][2].isa in PROVIDERS:
        # Who asks for a provider gets it, whatever it costs.
        return (choices[0],)
    return (*choices, Choice(None, "; ".join(reasons) or "least scratch"))


def _score(estimate: Estimate, weight: Fraction) -> Fraction:
    return estimate.instructions + weight * estimate.code_bytes


def _reason(variant: Variant, estimate: Estimate) -> str:
    if variant.isa in PROVIDERS:
        return f"provided by {variant.isa}"
    return f"least cost: about {number(estimate.instructions)} instructions"


def portable_estimate(node: Node) -> Estimate:
    """A rough figure for the portable kernels on a core without vectors."""
    outputs = sum(t.elements for t in node.outputs)
    macs = kind_of(node.operator).cost(node).macs
    code = PORTABLE_CODE.get(node.operator.type, 1024)
    return Estimate(instructions=4 * macs + 16 * outputs, code_bytes=code)


def _obstacle(variant: Variant, node: Node, target: Target, config: Config) -> str | None:
    """Why a variant is no candidate."""
    if variant.isa in PROVIDERS:
        if config.kernels.provider != variant.isa:
            return f"kernels.provider is {config.kernels.provider}"
    elif variant.isa not in target.features:
        return f"{target.name} has no {variant.isa}"
    return variant.objection(node)


def _reserve(variant: Variant, config: Config) -> str | None:
    """Why a variant that applies is left to rules."""
    large = variant.speed_only and config.kernels.optimize != "speed"
    return "its constants are large: for speed" if large else None


# --- by rule --------------------------------------------------------------------------------------


def _given(node: Node, graph: Graph, rules: tuple[Rule, ...]) -> Setting | None:
    words = operator_words(node, graph.source)
    return resolve(rules, node.operator.type, words).get(ATTRIBUTE)


def _by_rule(node: Node, given: Setting, target: Target, config: Config) -> Choice:
    variants = kind_of(node.operator).variants
    obstacles = {v.name: _obstacle(v, node, target, config) for v in variants}
    reason = f"asked for by {given.rule}"
    for variant in variants:
        if variant.name == given.value and obstacles[variant.name] is None:
            return Choice(variant, reason)
    portable = _portable_name(node)
    if given.value in (PORTABLE_NAME, portable):
        return Choice(None, reason)
    why = obstacles.get(str(given.value))
    fault = "is not a kernel of" if why is None else "does not apply to"
    applying = [portable, *(name for name, obstacle in obstacles.items() if obstacle is None)]
    raise ConfigError(
        f"{given.rule}: kernel: {printable(str(given.value))!r} {fault} {node.operator.type} "
        f"{node.id}{'' if why is None else f': {why}'}.\n  those that apply: {', '.join(applying)}"
    )


def _portable_name(node: Node) -> str:
    kind = kind_of(node.operator)
    if kind.is_view:
        return PORTABLE_NAME
    calls = kind.lower(node, LowerOptions()).calls
    return calls[-1].kernel.name.removeprefix("nacre_") if calls else PORTABLE_NAME
