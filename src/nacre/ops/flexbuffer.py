"""Options of custom operators: a flexbuffer map from names to numbers, read with suspicion."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ops.kind import Refuse

# More entries than any operator has; what a damaged file claims may be any number.
MOST_ENTRIES = 64


@dataclass(frozen=True)
class CustomOptions:
    """The numbers of a map; every getter names what is missing or out of range."""

    values: Mapping[str, int | float]

    def integer(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number, low <= value <= high."""
        value = self.real(name, default)
        if value != int(value) or not low <= value <= high:
            raise Refuse(f"option {name} is {value:g}; supported: integers from {low} to {high}")
        return int(value)

    def real(self, name: str, default: float | None = None) -> float:
        value = self.values.get(name, default)
        if value is None:
            raise Refuse(f"option {name} is missing; it is required")
        if value != value or value in (float("inf"), float("-inf")):
            raise Refuse(f"option {name} is {value}; supported: finite numbers")
        return value

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.values.get(name, default))


def decode_options(data: bytes) -> CustomOptions:
    """The map of a custom operator; entries that are no numbers are left out."""
    try:
        return CustomOptions(_numbers(data))
    except _UNREADABLE as error:
        raise Refuse("the custom options cannot be read as a flexbuffer map") from error


# All that the decoder raises on damaged bytes.
_UNREADABLE = (ValueError, TypeError, LookupError, AssertionError, OverflowError, struct.error)


def _numbers(data: bytes) -> dict[str, int | float]:
    from flatbuffers import flexbuffers

    entries = flexbuffers.GetRoot(data).AsMap
    if len(entries) > MOST_ENTRIES:
        raise ValueError(f"{len(entries)} entries")
    found: dict[str, int | float] = {}
    for key, value in zip(entries.Keys, entries.Values, strict=True):
        if value.IsBool or value.IsInt:
            found[key.AsKey] = value.AsInt
        elif value.IsFloat:
            found[key.AsKey] = value.AsFloat
    return found
