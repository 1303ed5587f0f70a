"""Lowered graph -> Placed: which memory holds each tensor and each operator's code, and why."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from nacre.config.schema import Config
from nacre.errors import ConfigError
from nacre.ir import Tensor, TensorId, TensorKind
from nacre.lower import LoweredGraph, Step
from nacre.memory import ArenaRole, MemoryType
from nacre.ops import OPERATOR_TYPES
from nacre.rules import Known, Rule, Setting, check_rules, idle_notes, resolve, rules_of
from nacre.targets import Memory, Target
from nacre.text import short

ROLES = {
    TensorKind.SCRATCH: ArenaRole.scratch,
    TensorKind.PERSISTENT: ArenaRole.persistent,
    TensorKind.CONSTANT: ArenaRole.constant,
}
DEFAULT_RULE = "default"
TENSOR_ATTRIBUTES = ("memory", "constant_destination_memory")
OPERATOR_ATTRIBUTES = ("code_placement", "scratch_placement")


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
    # Operator id -> memory of its code.
    code: Mapping[str, MemoryType]
    notes: tuple[str, ...] = ()


def choose(graph: LoweredGraph, target: Target, config: Config, allow_unmatched: bool) -> Choices:
    """Match the rules; mistakes in them are errors that name the rule."""
    tensor_rules = rules_of("memory.tensors", config.memory.tensors)
    operator_rules = rules_of("operators", config.operators)
    _check_tensor_attributes(tensor_rules)
    ids = _tensor_ids(graph)
    entities = [(graph.tensors[key].kind.value, words) for key, words in ids.items()]
    notes = check_rules(tensor_rules, _known_tensors(graph), allow_unmatched)
    notes += idle_notes(tensor_rules, entities, _known_tensors(graph))
    notes += check_rules(operator_rules, _known_operators(graph), allow_unmatched)
    notes += _extra_notes(operator_rules)
    tensors = {
        t.id: resolve(tensor_rules, t.kind.value, ids[t.id])
        for t in graph.tensors.values()
        if t.id not in graph.views
    }
    operators = {
        s.operator.id: resolve(operator_rules, s.operator.type, _operator_ids(s))
        for s in graph.steps
    }
    return Choices(graph, target, tensors, operators, tuple(notes))


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
    _check_single_source(graph, residences)
    code = {s.operator.id: _code_memory(choices, s) for s in graph.steps}
    return Placed(graph, choices.target, residences, code, choices.notes)


def may_share(choices: Choices, a: TensorId, b: TensorId) -> bool:
    """No rule asks for different memories: one tensor may live inside the other."""
    settings = [choices.tensors[choices.graph.storage(key)].get("memory") for key in (a, b)]
    names = {None if s is None else MemoryType(str(s.value)) for s in settings}
    return len(names) == 1


# --- what rules may name --------------------------------------------------------------------------


def _tensor_ids(graph: LoweredGraph) -> dict[TensorId, set[str]]:
    """All words for the bytes of each tensor: ids, names, what it was made from, its views."""
    ids: dict[TensorId, set[str]] = {}
    for tensor in graph.tensors.values():
        words = ids.setdefault(graph.storage(tensor.id), set())
        words |= {tensor.id, *tensor.origins}
        if tensor.name:
            words.add(tensor.name)
    return ids


def _operator_ids(step: Step) -> set[str]:
    return {*step.operator.ids, step.operator.name} - {""}


def _known_tensors(graph: LoweredGraph) -> Known:
    names = dict(graph.source.tensors) | {t.id: t.name for t in graph.tensors.values()}
    kinds = frozenset(k.value.upper() for k in TensorKind)
    here = frozenset(t.kind.value.upper() for t in graph.tensors.values())
    return Known("tensor", names, here, kinds, graph.name)


def _known_operators(graph: LoweredGraph) -> Known:
    names = dict.fromkeys(graph.source.operators, "")
    names |= {s.operator.id: s.operator.name for s in graph.steps}
    here = frozenset(s.operator.type for s in graph.steps) | set(graph.source.operators.values())
    return Known("operator", names, here, OPERATOR_TYPES | here, graph.name)


def _check_tensor_attributes(rules: Iterable[Rule]) -> None:
    for rule in rules:
        for name in rule.attributes:
            if name not in TENSOR_ATTRIBUTES:
                raise ConfigError(
                    f"{rule.label}: {name!r} is not an attribute of tensors; "
                    f"known: {', '.join(TENSOR_ATTRIBUTES)}"
                )
            if name == "constant_destination_memory" and rule.type in ("SCRATCH", "PERSISTENT"):
                raise ConfigError(
                    f"{rule.label}: constant_destination_memory is for constants, "
                    f"the rule is for {rule.type}; use memory"
                )


def _extra_notes(rules: Iterable[Rule]) -> list[str]:
    """Extra operator attributes are kept; one that nobody knows deserves a warning."""
    notes = []
    for rule in rules:
        for name in rule.attributes:
            if name not in OPERATOR_ATTRIBUTES:
                near = difflib.get_close_matches(name, OPERATOR_ATTRIBUTES, n=1, cutoff=0.4)
                hint = f"; closest: {near[0]}" if near else ""
                notes.append(
                    f"warning: {rule.label}: no operator knows the attribute {name!r}{hint}"
                )
    return notes


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
    memory = find_memory(choices.target, setting, "code_placement")
    if not memory.executable:
        raise ConfigError(
            f"{setting.rule}: code cannot run from {memory.name} on {choices.target.name}; "
            f"it can from: {_names(m for m in choices.target.memories if m.executable)}"
        )
    return memory.type


def find_memory(target: Target, setting: Setting, attribute: str) -> Memory:
    found = None
    if isinstance(setting.value, str):
        found = target.memory(MemoryType(setting.value))
    if found is None:
        raise ConfigError(
            f"{setting.rule}: {attribute}: {setting.value!r} is not a memory of {target.name}.\n"
            f"  its memories: {_names(target.memories)}"
        )
    return found


def _names(memories: Iterable[Memory]) -> str:
    return ", ".join(m.name for m in memories)


def _check_single_source(graph: LoweredGraph, residences: Mapping[TensorId, Residence]) -> None:
    """All constants of one destination arena come from one memory: one copy hydrates it."""
    first: dict[MemoryType, TensorId] = {}
    for key, home in residences.items():
        if home.role is not ArenaRole.constant:
            continue
        other = residences[first.setdefault(home.memory, key)]
        if other.source_memory != home.source_memory:
            a, b = graph.tensors[first[home.memory]], graph.tensors[key]
            raise ConfigError(
                f"{home.rule}: constants in {home.memory} would come from two memories: "
                f'{a.id} "{short(a.name)}" from {other.source_memory} ({other.rule}), '
                f'{b.id} "{short(b.name)}" from {home.source_memory} ({home.rule}).\n'
                f"  give both the same memory, or one of them another destination"
            )
