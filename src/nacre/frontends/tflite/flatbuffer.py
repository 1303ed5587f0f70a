"""FlatBuffers access that checks every offset before it follows it.

A vtable gives, per field, its offset inside the table; strings, vectors and tables are reached
through unsigned offsets relative to where they are stored. All integers are little-endian.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from nacre.errors import ModelError
from nacre.ir import Array

# Field name -> slot in the vtable.
Layout: TypeAlias = Mapping[str, int]

# What one decoded table costs of the reading budget, in bytes: offsets may point many times at
# the same table, and each one becomes a record of its own.
TABLE_COST = 32
TABLE_LIMIT = 200_000

_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")
_HEADER_SIZE = 8
_VTABLE_HEADER_SIZE = 4
_SCALARS = {code: struct.Struct("<" + code) for code in "?bBhHiIqQfd"}


class Budget:
    """A counter that stops a small file from asking for much work; the one mutable thing here."""

    def __init__(self, limit: int, what: str) -> None:
        self.limit = limit
        self.what = what
        self.spent = 0

    def spend(self, amount: int) -> None:
        self.spent += amount
        if self.spent > self.limit:
            raise ModelError(
                f"{self.what} is {self.spent} or more, expected at most {self.limit} in a file of "
                "this size: its parts are used over and over"
            )


@dataclass(frozen=True, eq=False)
class File:
    """The bytes of a file, and how much may be decoded from them."""

    data: bytes
    bytes_read: Budget
    tables: Budget
    bytes_expanded: Budget

    @property
    def size(self) -> int:
        return len(self.data)

    def check_range(self, start: int, size: int, what: str) -> None:
        """Refuse a range that does not lie inside the file."""
        if start < 0 or start + size > self.size:
            raise ModelError(
                f"{what} lies at bytes [{start}, {start + size}), expected inside the file of "
                f"{self.size} bytes: it is damaged or cut short"
            )

    def u16(self, position: int) -> int:
        return int(_U16.unpack_from(self.data, position)[0])

    def u32(self, position: int) -> int:
        return int(_U32.unpack_from(self.data, position)[0])

    def view(self, start: int, count: int, dtype: str, what: str) -> Array:
        """A read-only numpy view on the file, without a copy."""
        kind = np.dtype(dtype).newbyteorder("<")
        self.check_range(start, count * kind.itemsize, what)
        if count == 0:
            return np.empty(0, kind)
        return np.frombuffer(self.data, kind, count, start)

    def table(self, position: int, layout: Layout, label: str) -> Table:
        """The table at `position`, with its vtable checked."""
        self.tables.spend(1)
        self.bytes_read.spend(TABLE_COST)
        self.check_range(position, 4, label)
        vtable = position - int(_I32.unpack_from(self.data, position)[0])
        self.check_range(vtable, _VTABLE_HEADER_SIZE, f"the vtable of {label}")
        vtable_size, table_size = self.u16(vtable), self.u16(vtable + 2)
        if vtable_size < _VTABLE_HEADER_SIZE or vtable_size % 2 or table_size < 4:
            raise ModelError(
                f"the vtable of {label} has the sizes {vtable_size} and {table_size}, "
                "expected both at least 4 and the first one even"
            )
        self.check_range(vtable, vtable_size, f"the vtable of {label}")
        self.check_range(position, table_size, label)
        return Table(self, position, table_size, vtable, vtable_size, layout, label)


@dataclass(frozen=True, eq=False)
class Table:
    """A table whose place in the file is checked; each getter checks what its field points at."""

    file: File
    position: int
    size: int
    vtable: int
    vtable_size: int
    layout: Layout
    label: str

    def has(self, name: str) -> bool:
        return self._offset(name) != 0

    def integer(self, name: str, code: str, default: int = 0) -> int:
        """A scalar; `code` is its letter in the `struct` module."""
        return int(self._scalar(name, code, default))

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self._scalar(name, "B", default))

    def real(self, name: str, default: float) -> float:
        value = float(self._scalar(name, "f", default))
        if not math.isfinite(value):
            raise ModelError(f"{self._what(name)} is {value}, expected a finite number")
        return value

    def text(self, name: str) -> str:
        """A string, with bytes that are not UTF-8 replaced; empty when absent."""
        data = self.array(name, "u1")
        self.file.bytes_read.spend(data.size)
        return data.tobytes().decode("utf-8", errors="replace")

    def array(self, name: str, dtype: str) -> Array:
        """A vector of scalars as a view; empty when absent."""
        start, count = self._vector(name)
        return self.file.view(start, count, dtype, self._what(name))

    def integers(self, name: str, dtype: str = "i4", limit: int | None = None) -> tuple[int, ...]:
        """A vector of integers, refused when longer than `limit`."""
        values = self.array(name, dtype)
        if limit is not None and values.size > limit:
            raise ModelError(
                f"{self._what(name)} has {values.size} entries, expected at most {limit}"
            )
        self.file.bytes_read.spend(values.nbytes)
        return tuple(int(v) for v in values.tolist())

    def reals(self, name: str) -> tuple[float, ...]:
        """A vector of finite numbers."""
        values = self.array(name, "f4")
        if not np.isfinite(values).all():
            raise ModelError(f"{self._what(name)} has a number that is not finite, expected none")
        self.file.bytes_read.spend(values.nbytes)
        return tuple(float(v) for v in values.tolist())

    def table(self, name: str, layout: Layout, label: str = "") -> Table | None:
        """The table that a field points at; None when absent."""
        at = self._field(name, 4)
        if at is None:
            return None
        return self.file.table(at + self.file.u32(at), layout, label or self._what(name))

    def tables(self, name: str, layout: Layout, noun: str) -> TableVector:
        """A vector of tables, called `noun` in messages; empty when absent."""
        start, count = self._vector(name)
        self.file.check_range(start, count * 4, self._what(name))
        return TableVector(self.file, start, count, layout, noun)

    def _scalar(self, name: str, code: str, default: float) -> float:
        scalar = _SCALARS[code]
        at = self._field(name, scalar.size)
        return default if at is None else scalar.unpack_from(self.file.data, at)[0]

    def _vector(self, name: str) -> tuple[int, int]:
        """Where a vector's content starts, and its number of entries."""
        at = self._field(name, 4)
        if at is None:
            return 0, 0
        position = at + self.file.u32(at)
        self.file.check_range(position, 4, self._what(name))
        return position + 4, self.file.u32(position)

    def _field(self, name: str, size: int) -> int | None:
        """The position of a field in the file; None when it has its default."""
        offset = self._offset(name)
        if offset == 0:
            return None
        if offset < 4 or offset + size > self.size:
            raise ModelError(
                f"{self._what(name)} is at offset {offset}, expected inside the table of "
                f"{self.size} bytes"
            )
        return self.position + offset

    def _offset(self, name: str) -> int:
        entry = _VTABLE_HEADER_SIZE + 2 * self.layout[name]
        return self.file.u16(self.vtable + entry) if entry + 2 <= self.vtable_size else 0

    def _what(self, name: str) -> str:
        return f"{self.label}: {name}"


@dataclass(frozen=True, eq=False)
class TableVector:
    """A vector of tables, decoded one by one."""

    file: File
    start: int
    count: int
    layout: Layout
    noun: str

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, index: int) -> Table:
        assert 0 <= index < self.count
        at = self.start + 4 * index
        return self.file.table(at + self.file.u32(at), self.layout, f"{self.noun} {index}")

    def __iter__(self) -> Iterator[Table]:
        return (self[index] for index in range(self.count))


def open_file(data: bytes, identifier: bytes) -> File:
    """Check the header: a root offset, then four bytes that name the format."""
    if len(data) < _HEADER_SIZE:
        raise ModelError(
            f"the file has {len(data)} bytes, expected at least {_HEADER_SIZE}: it is cut short"
        )
    found = data[4:8]
    if found != identifier:
        raise ModelError(
            f"the file identifier is {found!r}, expected {identifier!r}: this is no TFLite model"
        )
    size = len(data)
    return File(
        data,
        Budget(4 * size + 65536, "the number of bytes to decode"),
        Budget(TABLE_LIMIT, "the number of tables to decode"),
        Budget(64 * size + 2**20, "the number of bytes of unpacked constants"),
    )


def root_table(file: File, layout: Layout, label: str) -> Table:
    return file.table(file.u32(0), layout, label)
