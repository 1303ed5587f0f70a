"""Lowered graph -> Placed: which memory holds each tensor and each operator's code, and why."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nacre.config.schema import Config
from nacre.errors import ConfigError
from nacre.ir import Tensor, TensorId, TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.memory import ArenaRole, MemoryType
from nacre.ops import OPERATOR_TYPES
from nacre.rules import (
    Known,
    Rule,
    Setting,
    Words,
    check_rules,
    idle_notes,
    operator_names,
    operator_words,
    resolve,
    rules_of,
)
from nacre.targets import Memory, Target
from nacre.text import printable, short

ROLES = {
    TensorKind.SCRATCH: ArenaRole.scratch,
    TensorKind.PERSISTENT: ArenaRole.persistent,
    TensorKind.CONSTANT: ArenaRole.constant,
}
DEFAULT_RULE = "default"
TENSOR_ATTRIBUTES = ("memory", "constant_destination_memory")
OPERATOR_ATTRIBUTES = ("code_placement", "scratch_placement", "kernel")


@dataclass(frozen=True)
class Residence:
    """Memory of one tensor, and the rule that put it there."""

    role: ArenaRole
    memory: MemoryType
    source_memory: MemoryType
    rule: str = DEFAULT_RULE


@dataclass(frozen=True, eq=False)
class Choices:
    """What the rules say, before defaults: settings per tensor that owns bytes, per operator."""

    graph: LoweredGraph
    target: Target
    tensors: Mapping[TensorId, Mapping[str, Setting]]
    operators: Mapping[str, Mapping[str, Setting]]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Defaults:
    """Memories of scratch and persistent tensors that no rule places."""

    scratch: MemoryType
    persistent: MemoryType


@dataclass(frozen=True, eq=False)
class Placed:
    """The lowered graph with a memory for everything."""

    graph: LoweredGraph
    target: Target
    residences: Mapping[TensorId, Residence]
    # Operator id -> memory of its code, and all that rules say of the operator.
    code: Mapping[str, MemoryType]
    attributes: Mapping[str, Mapping[str, Setting]]
    notes: tuple[str, ...] = ()


def choose(graph: LoweredGraph, target: Target, config: Config, allow_unmatched: bool) -> Choices:
    """Match the rules; mistakes in them are errors that name the rule."""
    tensor_rules = rules_of("memory.tensors", config.memory.tensors)
    operator_rules = rules_of("operators", config.operators)
    _check_tensor_attributes(tensor_rules)
    _check_memories((*tensor_rules, *operator_rules), target)
    tensors = _tensor_words(graph)
    operators = {
        s.operator.id: (s.operator.type, operator_words(s.node, graph.source)) for s in graph.steps
    }
    _check_destinations(tensor_rules, tensors.values())
    model = config.model.path or graph.name
    notes = []
    for rules, entities, known in (
        (tensor_rules, tensors, _known_tensors(graph, model)),
        (operator_rules, operators, _known_operators(graph, model)),
    ):
        notes += check_rules(rules, known, allow_unmatched)
        notes += idle_notes(rules, entities.values(), known)
    return Choices(
        graph,
        target,
        {key: resolve(tensor_rules, *entity) for key, entity in tensors.items()},
        {key: resolve(operator_rules, *entity) for key, entity in operators.items()},
        (*graph.source.notes, *notes, *_extra_notes(operator_rules)),
    )


def place(choices: Choices, defaults: Defaults) -> Placed:
    """Give everything a memory: the rules' where they say so, else the defaults'."""
    graph = choices.graph
    scratch_owner = {key: step for step in graph.steps for key in step.scratch}
    residences = {}
    for tensor in graph.tensors.values():
        owner = graph.tensors[graph.storage(tensor.id)]
        step = scratch_owner.get(owner.id)
        settings = dict(choices.tensors[owner.id])
        if step is not None:
            settings = _scratch_settings(choices, step) | settings
        residences[tensor.id] = _residence(owner, settings, choices.target, defaults)
    _check_single_source(choices, residences)
    code = {s.operator.id: _code_memory(choices, s) for s in graph.steps}
    return Placed(graph, choices.target, residences, code, choices.operators, choices.notes)


def may_share(choices: Choices, a: TensorId, b: TensorId) -> bool:
    """No rule asks for different memories: one tensor may live inside the other."""
    settings = [choices.tensors[choices.graph.storage(key)].get("memory") for key in (a, b)]
    names = {None if s is None else MemoryType(str(s.value)) for s in settings}
    return len(names) == 1


# --- what rules may name --------------------------------------------------------------------------


def _tensor_words(graph: LoweredGraph) -> dict[TensorId, tuple[str, Words]]:
    """Kind of each tensor that owns bytes, and all words for them: ids, names, what it was made
    from, its views."""
    found: dict[TensorId, tuple[str, dict[str, str]]] = {}
    for tensor in graph.tensors.values():
        owner = graph.tensors[graph.storage(tensor.id)]
        kind, words = found.setdefault(owner.id, (owner.kind.value, {}))
        origins = {word for o in tensor.origins for word in (o, graph.source.tensors.get(o, ""))}
        words |= dict.fromkeys({tensor.id, tensor.name, *origins} - {""}, kind)
    return dict(found)


def _known_tensors(graph: LoweredGraph, model: str) -> Known:
    names = dict(graph.source.tensors) | {t.id: t.name for t in graph.tensors.values()}
    kinds = frozenset(k.value.upper() for k in TensorKind)
    here = frozenset(t.kind.value.upper() for t in graph.tensors.values())
    return Known("tensor", names, here, kinds, model, "its tensor needs no memory here")


def _known_operators(graph: LoweredGraph, model: str) -> Known:
    names = dict.fromkeys(graph.source.operators, "")
    names |= {name: "" for s in graph.steps for name in operator_names(s.node)}
    names |= {s.operator.id: s.operator.name for s in graph.steps}
    here = frozenset(s.operator.type for s in graph.steps) | set(graph.source.operators.values())
    gone = "its operator is no step of its own"
    return Known("operator", names, here, OPERATOR_TYPES | here, model, gone)


# --- what rules may say ---------------------------------------------------------------------------


def _check_tensor_attributes(rules: Iterable[Rule]) -> None:
    for rule in rules:
        for name in rule.attributes:
            if name not in TENSOR_ATTRIBUTES:
                raise ConfigError(
                    f"{rule.label}: {name!r} is not an attribute of tensors"
                    f"{_hint(name, TENSOR_ATTRIBUTES, OPERATOR_ATTRIBUTES, 'operators')}.\n"
                    f"  known: {', '.join(TENSOR_ATTRIBUTES)}"
                )
            if name == "constant_destination_memory" and rule.type in ("SCRATCH", "PERSISTENT"):
                raise ConfigError(
                    f"{rule.label}: constant_destination_memory is for constants, "
                    f"the rule is for {rule.type}; use memory"
                )


def _check_destinations(rules: Iterable[Rule], entities: Collection[tuple[str, Words]]) -> None:
    """A rule for certain tensors gives a destination only if one of them is a constant."""
    for rule in rules:
        if not rule.attributes.get("constant_destination_memory"):
            continue
        named = {kind for kind, words in entities if any(i in words for i in rule.ids)}
        if named and TensorKind.CONSTANT.value not in named:
            raise ConfigError(
                f"{rule.label}: constant_destination_memory is for constants, "
                f'"{printable(rule.ids[0])}" is {", ".join(sorted(named))}; use memory'
            )


def _check_memories(rules: Iterable[Rule], target: Target) -> None:
    """Every memory that a rule names exists and can do the job, whether or not it comes to that."""
    for rule in rules:
        for name, value in rule.attributes.items():
            setting = Setting(value, rule.label)
            if name in TENSOR_ATTRIBUTES and (value is not None or name == "memory"):
                find_memory(target, setting, name)
            elif name == "code_placement":
                _code_home(target, setting)
            elif name == "scratch_placement":
                _scratch_home(target, setting)


def _code_home(target: Target, setting: Setting) -> Memory:
    memory = find_memory(target, setting, "code_placement")
    if not memory.executable:
        raise ConfigError(
            f"{setting.rule}: code cannot run from {memory.name} on {target.name}; "
            f"it can from: {_names(m for m in target.memories if m.executable)}"
        )
    return memory


def _scratch_home(target: Target, setting: Setting) -> Memory:
    memory = find_memory(target, setting, "scratch_placement")
    if not memory.writable:
        raise ConfigError(
            f"{setting.rule}: scratch of operators cannot live in {memory.name}: it is read-only."
            f"\n  writable: {_names(target.writable)}"
        )
    return memory


def _extra_notes(rules: Iterable[Rule]) -> list[str]:
    """Extra operator attributes are kept; one that nobody knows deserves a warning."""
    return [
        f"warning: {rule.label}: no operator knows the attribute {name!r}"
        f"{_hint(name, OPERATOR_ATTRIBUTES, TENSOR_ATTRIBUTES, 'memory.tensors')}"
        for rule in rules
        for name in rule.attributes
        if name not in OPERATOR_ATTRIBUTES
    ]


def _hint(name: str, mine: Sequence[str], others: Sequence[str], where: str) -> str:
    """Where an attribute belongs, or the one that it may have meant."""
    if name in others:
        return f"; it belongs to {where}"
    near = difflib.get_close_matches(name, mine, n=1, cutoff=0.4)
    return f"; closest: {near[0]}" if near else ""


# --- memories -------------------------------------------------------------------------------------


def _residence(
    tensor: Tensor, settings: Mapping[str, Setting], target: Target, defaults: Defaults
) -> Residence:
    role = ROLES[tensor.kind]
    chosen = settings.get("memory")
    if role is ArenaRole.constant:
        return _constant_residence(tensor, settings, target)
    if chosen is None:
        memory = defaults.scratch if role is ArenaRole.scratch else defaults.persistent
        return Residence(role, memory, memory)
    found = find_memory(target, chosen, "memory")
    if not found.writable:
        raise ConfigError(
            f'{chosen.rule}: {role.value} tensor {tensor.id} "{short(tensor.name)}" cannot live in '
            f"{found.name}: it is read-only.\n  writable: {_names(target.writable)}"
        )
    return Residence(role, found.type, found.type, chosen.rule)


def _constant_residence(
    tensor: Tensor, settings: Mapping[str, Setting], target: Target
) -> Residence:
    chosen, staged = settings.get("memory"), settings.get("constant_destination_memory")
    source = target.cold if chosen is None else find_memory(target, chosen, "memory")
    rule = DEFAULT_RULE if chosen is None else chosen.rule
    if staged is None or staged.value is None:
        return Residence(ArenaRole.constant, source.type, source.type, rule)
    found = find_memory(target, staged, "constant_destination_memory")
    if found.type != source.type and not found.writable:
        raise ConfigError(
            f'{staged.rule}: constant {tensor.id} "{short(tensor.name)}" cannot be copied to '
            f"{found.name}: it is read-only.\n  writable: {_names(target.writable)}"
        )
    return Residence(ArenaRole.constant, found.type, source.type, staged.rule)


def _scratch_settings(choices: Choices, step: Step) -> dict[str, Setting]:
    """`scratch_placement` of an operator as the `memory` of its scratch."""
    setting = choices.operators[step.operator.id].get("scratch_placement")
    return {} if setting is None else {"memory": setting}


def _code_memory(choices: Choices, step: Step) -> MemoryType:
    setting = choices.operators[step.operator.id].get("code_placement")
    if setting is None:
        return choices.target.cold.type
    return _code_home(choices.target, setting).type


def find_memory(target: Target, setting: Setting, attribute: str) -> Memory:
    found = None
    if isinstance(setting.value, str):
        found = target.memory(MemoryType(setting.value))
    if found is None:
        shown = "null" if setting.value is None else repr(setting.value)
        raise ConfigError(
            f"{setting.rule}: {attribute}: {shown} is not a memory of {target.name}.\n"
            f"  its memories: {_names(target.memories)}"
        )
    return found


def _names(memories: Iterable[Memory]) -> str:
    return ", ".join(m.name for m in memories)


def _check_single_source(choices: Choices, residences: Mapping[TensorId, Residence]) -> None:
    """All constants of one destination arena come from one memory: one copy hydrates it."""
    first: dict[MemoryType, TensorId] = {}
    for key, home in residences.items():
        if home.role is not ArenaRole.constant:
            continue
        other = first.setdefault(home.memory, key)
        if residences[other].source_memory != home.source_memory:
            raise ConfigError(
                f"{home.rule}: constants in {home.memory} would come from two memories: "
                f"{_source_of(choices, other, residences)}, {_source_of(choices, key, residences)}."
                "\n  give both the same memory, or one of them another destination"
            )


def _source_of(choices: Choices, key: TensorId, residences: Mapping[TensorId, Residence]) -> str:
    """`7 "dense/weights" from PSRAM (memory.tensors[1])`"""
    tensor = choices.graph.tensors[key]
    said = choices.tensors[choices.graph.storage(key)].get("memory")
    rule = DEFAULT_RULE if said is None else said.rule
    return f'{tensor.id} "{short(tensor.name)}" from {residences[key].source_memory} ({rule})'
