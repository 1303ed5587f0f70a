"""Attribute rules: who matches what, which rule wins, and what to say when none matches.

Precedence from low to high: (*, no id), (type, no id), (*, id), (type, id); among equals the
later rule wins. Attributes merge.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from nacre.config.schema import OperatorRule, Scalar, TensorRule
from nacre.errors import ConfigError

ANY = "*"


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

    def matches(self, kind: str, ids: Collection[str]) -> bool:
        if self.type not in (ANY, kind.upper()):
            return False
        return not self.ids or any(i in ids for i in self.ids)


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


def resolve(rules: Iterable[Rule], kind: str, ids: Collection[str]) -> dict[str, Setting]:
    """The merged attributes of one entity."""
    merged: dict[str, Setting] = {}
    for rule in sorted(rules, key=lambda r: r.specificity):  # stable: later wins among equals
        if rule.matches(kind, ids):
            merged |= {name: Setting(v, rule.label) for name, v in rule.attributes.items()}
    return merged


@dataclass(frozen=True)
class Known:
    """What rules may speak of: `what` in words, ids with their names, types here and anywhere."""

    what: str
    names: Mapping[str, str]
    here: frozenset[str]
    anywhere: frozenset[str]
    model: str


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
    rules: Iterable[Rule], entities: Collection[tuple[str, Collection[str]]], known: Known
) -> list[str]:
    """Notes on rules whose ids exist, but nothing that they could move: they change nothing."""
    notes = []
    for rule in rules:
        if not any(_is_known(i, known) for i in rule.ids):
            continue
        named = {kind.upper() for kind, ids in entities if any(i in ids for i in rule.ids)}
        if not named:
            notes.append(f"{rule.label}: changes nothing: its {known.what} needs no memory here")
        elif rule.type not in (ANY, *named):
            found = ", ".join(sorted(named))
            notes.append(
                f"{rule.label}: changes nothing: it is for {rule.type}, its {known.what} is {found}"
            )
    return notes


def _is_known(key: str, known: Known) -> bool:
    return key in known.names or key in known.names.values()


def _unknown_id(rule: Rule, key: str, known: Known) -> str:
    by_word = {name: i for i, name in known.names.items() if name} | {i: i for i in known.names}
    near = difflib.get_close_matches(key, by_word, n=2, cutoff=0.4)
    shown = ", ".join(f'"{w}"' if by_word[w] == w else f'"{w}" ({by_word[w]})' for w in near)
    hint = f"\n  closest: {shown}" if near else ""
    return (
        f'{rule.label}: no {known.what} has the id "{key}".{hint}\n'
        f"  `nacre inspect {known.model}` lists ids."
    )


def _unknown_type(rule: Rule, known: Known) -> str:
    near = difflib.get_close_matches(rule.type, known.anywhere, n=2, cutoff=0.4)
    hint = f"closest: {', '.join(near)}" if near else f"known: {', '.join(sorted(known.anywhere))}"
    return f'{rule.label}: "{rule.type}" is not a type of {known.what}.\n  {hint}'
