"""Attribute rules: who matches what, which rule wins, and what to say when none matches.

Precedence from low to high: (*, no id), (type, no id), (*, id), (type, id); among equals the
later rule wins. Attributes merge.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from nacre.config.schema import OperatorRule, Scalar, TensorRule
from nacre.errors import ConfigError
from nacre.ir import Node, Source
from nacre.text import printable, short

ANY = "*"

# The ids and names of one entity, each with the type that it has in the file: the parts of a fused
# operator may be of other types than what they became.
Words: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Rule:
    """One rule of a list; `label` is how messages and the report call it."""

    label: str
    type: str
    ids: tuple[str, ...]
    attributes: Mapping[str, Scalar]

    @property
    def specificity(self) -> int:
        return 2 * bool(self.ids) + (self.type != ANY)

    def matches(self, kind: str, words: Words) -> bool:
        if not self.ids:
            return self.type in (ANY, kind.upper())
        return any(
            i in words and self.type in (ANY, kind.upper(), words[i].upper()) for i in self.ids
        )


@dataclass(frozen=True)
class Setting:
    """A value that a rule gave, and which rule."""

    value: Scalar
    rule: str


def rules_of(name: str, items: Sequence[TensorRule | OperatorRule]) -> tuple[Rule, ...]:
    """The rules of a configuration list, in their order."""
    return tuple(
        Rule(f"{name}[{n}]", item.type.upper(), _ids(item.id), dict(item.attributes))
        for n, item in enumerate(items)
    )


def _ids(value: str | tuple[str, ...] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def resolve(rules: Iterable[Rule], kind: str, words: Words) -> dict[str, Setting]:
    """The merged attributes of one entity."""
    merged: dict[str, Setting] = {}
    for rule in sorted(rules, key=lambda r: r.specificity):  # stable: later wins among equals
        if rule.matches(kind, words):
            merged |= {name: Setting(v, rule.label) for name, v in rule.attributes.items()}
    return merged


def operator_words(node: Node, source: Source) -> Words:
    """All words for an operator: the ids of its parts, its names."""
    kind = node.operator.type
    ids = {key: source.operators.get(key, kind) for key in node.operator.ids}
    return dict.fromkeys(operator_names(node), kind) | ids


def operator_names(node: Node) -> set[str]:
    """What it makes gives an operator its names; fusing may have added to them."""
    return {node.operator.name, *(t.name for t in node.outputs)} - {""}


@dataclass(frozen=True)
class Known:
    """What rules may speak of: `what` in words, ids with their names, types here and anywhere.

    `gone` says why something of the file may be no more.
    """

    what: str
    names: Mapping[str, str]
    here: frozenset[str]
    anywhere: frozenset[str]
    model: str
    gone: str


def check_rules(rules: Iterable[Rule], known: Known, allow_unmatched: bool) -> list[str]:
    """Notes on rules that match nothing; an unknown id or type is an error, or a warning."""
    notes, errors = [], []
    for rule in rules:
        errors += [_unknown_id(rule, i, known) for i in rule.ids if not _is_known(i, known)]
        if rule.type not in (ANY, *known.anywhere):
            errors.append(_unknown_type(rule, known))
        elif rule.type not in (ANY, *known.here):
            notes.append(f"{rule.label}: this model has no {known.what} of type {rule.type}")
    if errors and not allow_unmatched:
        raise ConfigError("\n".join(errors) + "\n  Nothing was written.")
    return notes + [f"warning: {e}" for e in errors]


def idle_notes(
    rules: Iterable[Rule], entities: Collection[tuple[str, Words]], known: Known
) -> list[str]:
    """Notes on rules that are sound but find nothing that they could move."""
    return [
        f"{rule.label}: changes nothing: {_idle_reason(rule, entities, known)}"
        for rule in rules
        if _is_sound(rule, known) and not any(rule.matches(*entity) for entity in entities)
    ]


def _is_sound(rule: Rule, known: Known) -> bool:
    """Other notes have been made on the rest."""
    return rule.type in (ANY, *known.here) and all(_is_known(i, known) for i in rule.ids)


def _idle_reason(rule: Rule, entities: Collection[tuple[str, Words]], known: Known) -> str:
    named = {kind.upper() for kind, words in entities if any(i in words for i in rule.ids)}
    if named:
        return f"it is for {rule.type}, its {known.what} is {', '.join(sorted(named))}"
    return known.gone if rule.ids else f"{rule.type} became part of other {known.what}s"


def _is_known(key: str, known: Known) -> bool:
    return key in known.names or key in known.names.values()


def _unknown_id(rule: Rule, key: str, known: Known) -> str:
    near = difflib.get_close_matches(key, _words(known), n=2, cutoff=0.4)
    shown = ", ".join(_with_id(word, _words(known)[word]) for word in near)
    hint = f"\n  closest: {shown}" if near else ""
    return (
        f'{rule.label}: no {known.what} has the id "{printable(key)}".{hint}\n'
        f"  `nacre inspect {known.model}` lists ids."
    )


def _words(known: Known) -> dict[str, str]:
    """Every id and name -> its id; a name that several have stands for the first of them."""
    words = {i: i for i in known.names}
    for key, name in known.names.items():
        if name:
            words.setdefault(name, key)
    return words


def _with_id(word: str, key: str) -> str:
    return f'"{short(word)}"' if word == key else f'"{short(word)}" ({key})'


def _unknown_type(rule: Rule, known: Known) -> str:
    near = difflib.get_close_matches(rule.type, known.anywhere, n=2, cutoff=0.5)
    hint = f"closest: {', '.join(near)}" if near else f"known: {', '.join(sorted(known.anywhere))}"
    return f'{rule.label}: "{printable(rule.type)}" is not a type of {known.what}.\n  {hint}'
