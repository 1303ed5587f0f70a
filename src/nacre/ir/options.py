"""The named options of an operator, as a frontend decoded them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from nacre.errors import ModelError

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
            raise ModelError(f"{self.table}.{name} is {value!r}, expected an integer")
        return int(value)

    def real(self, name: str, default: float = 0.0) -> float:
        value = self.values.get(name, default)
        if not isinstance(value, (int, float)):
            raise ModelError(f"{self.table}.{name} is {value!r}, expected a number")
        return float(value)

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.values.get(name, default))

    def integers(self, name: str) -> tuple[int, ...]:
        value = self.values.get(name, ())
        if not isinstance(value, tuple):
            raise ModelError(f"{self.table}.{name} is {value!r}, expected a list")
        return tuple(int(v) for v in value)

    def reals(self, name: str) -> tuple[float, ...]:
        value = self.values.get(name, ())
        if not isinstance(value, tuple):
            raise ModelError(f"{self.table}.{name} is {value!r}, expected a list")
        return tuple(float(v) for v in value)

    def text(self, name: str) -> str:
        return str(self.values.get(name, ""))
