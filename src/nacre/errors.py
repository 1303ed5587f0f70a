"""What is the user's problem, as exceptions. A bug of ours is an `assert`, never one of these."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.text import one_line

# Refused operators that a message names.
MOST_NAMED = 100


class CompileError(Exception):
    """Base of everything a user can cause and mend; `exit_code` is what the command returns."""

    exit_code = 1


class ModelError(CompileError):
    """The model file is damaged, or asks for something that no model may ask for."""


class ConfigError(CompileError):
    """An option, a configuration key or a rule is wrong."""

    exit_code = 2


class PlacementError(CompileError):
    """Something does not fit the memory it was asked to live in."""


class BuildError(CompileError):
    """The C compiler, or the program that it made, failed."""


@dataclass(frozen=True)
class Refusal:
    """One operator that cannot be compiled: what it is, what was found, what would work."""

    operator: str
    type: str
    reason: str


class RefusedModel(CompileError):
    """The model is sound but uses operators that nacre does not support."""

    def __init__(
        self, refusals: tuple[Refusal, ...], operator_count: int, model: str = "the model"
    ) -> None:
        self.refusals = refusals
        self.operator_count = operator_count
        super().__init__(_refusal_text(refusals, operator_count, model))


def _refusal_text(refusals: tuple[Refusal, ...], operator_count: int, model: str) -> str:
    one = len(refusals) == 1
    rows = [_row(r) for r in refusals[:MOST_NAMED]]
    ids, width = (max(len(row[column]) for row in rows) for column in (0, 1))
    more = len(refusals) - len(rows)
    lines = [
        f"{model} cannot be converted: {len(refusals)} operator{' is' if one else 's are'} "
        "not supported.",
        "",
        *(f"  op {id:<{ids}}  {type:<{width}}  {reason}" for id, type, reason in rows),
        *([f"  and {more} more"] if more else []),
        "",
        f"{_fine_text(operator_count - len(refusals))}`nacre ops` lists what is supported.",
    ]
    return "\n".join(lines)


def _row(refusal: Refusal) -> tuple[str, str, str]:
    return one_line(refusal.operator), one_line(refusal.type), one_line(refusal.reason, 1000)


def _fine_text(count: int) -> str:
    if count < 2:
        return "The other operator is fine. " if count else ""
    return f"The other {count} operators are fine. "
