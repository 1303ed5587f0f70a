"""The named options of an operator, as a frontend decoded them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from nacre.errors import ModelError
from nacre.text import one_line

OptionValue: TypeAlias = int | float | bool | str | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True)
class Options:
    """The fields of an operator's options table by schema name (`stride_h`), defaults filled in.

    Absent tables give the schema's defaults too, so a getter never has to invent one.
    """

    table: str
    values: Mapping[str, OptionValue] = field(default_factory=dict)

    def integer(self, name: str, default: int = 0) -> int:
        value = self.values.get(name, default)
        if not isinstance(value, int):
            raise self._wrong(name, "an integer")
        return int(value)

    def real(self, name: str, default: float = 0.0) -> float:
        value = self.values.get(name, default)
        if not isinstance(value, (int, float)):
            raise self._wrong(name, "a number")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.values.get(name, default))

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.values.get(name, ())
        if not isinstance(value, tuple) or not all(isinstance(v, int) for v in value):
            raise self._wrong(name, "a list of integers")
        return tuple(int(v) for v in value)

    def reals(self, name: str) -> tuple[float, ...]:
        value = self.values.get(name, ())
        if not isinstance(value, tuple):
            raise self._wrong(name, "a list")
        return tuple(float(v) for v in value)

    def text(self, name: str) -> str:
        return str(self.values.get(name, ""))

    def _wrong(self, name: str, expected: str) -> ModelError:
        found = one_line(repr(self.values.get(name)))
        return ModelError(f"{one_line(self.table)}.{name} is {found}, expected {expected}")
