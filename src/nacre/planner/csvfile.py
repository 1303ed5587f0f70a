"""Allocation problems as CSV files: one buffer a line, times half-open, sizes in bytes.

id,lower,upper,size[,alignment][,memory][,offset]
b1,0,3,4
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

from nacre.errors import ConfigError
from nacre.planner.problem import Buffer, Problem, Solution
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate

REQUIRED = ("id", "lower", "upper", "size")
OPTIONAL = ("alignment", "memory", "offset")


@dataclass(frozen=True)
class Solved:
    """A solved file. With several memories, height and bound are those of the highest one."""

    problem: Problem
    solution: Solution
    height: int
    lower_bound: int
    # No lower height exists in any of the memories.
    optimal: bool
    seconds: float


def solve_file(path: Path, seconds: float = 60.0) -> Solved:
    """Read, search for so many seconds at most, validate."""
    problem = read_problem(path)
    start = monotonic()
    solution = solve(problem, Effort.SEARCH, seconds)
    validate(problem, solution)
    highest = max(solution.heights, key=lambda name: solution.heights[name])
    return Solved(
        problem=problem,
        solution=solution,
        height=solution.heights[highest],
        lower_bound=solution.lower_bounds[highest],
        optimal=solution.optimal,
        seconds=monotonic() - start,
    )


def read_problem(path: Path) -> Problem:
    """The problem in a file; `ConfigError` with the line and the value found if it is none."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as text: {error}") from error
    buffers: list[Buffer] = []
    lines: dict[str, int] = {}
    for row in _rows(path, text):
        buffer = _buffer(row)
        if buffer.id in lines:
            raise row.error(f"the id {buffer.id!r} is already that of line {lines[buffer.id]}")
        lines[buffer.id] = row.line
        buffers.append(buffer)
    if not buffers:
        raise ConfigError(f"{path}: there is no buffer in it, only the line of column names")
    _check_pins(path, buffers, lines)
    return Problem(tuple(buffers))


@dataclass(frozen=True)
class _Row:
    path: Path
    line: int
    values: Mapping[str, str]

    def error(self, what: str) -> ConfigError:
        return ConfigError(f"{self.path}, line {self.line}: {what}")

    def whole(self, column: str, otherwise: int | None = None) -> int:
        text = self.values.get(column, "")
        if not text and otherwise is not None:
            return otherwise
        try:
            return int(text)
        except ValueError:
            raise self.error(f"{column} must be a whole number, found {text!r}") from None


def _rows(path: Path, text: str) -> Iterator[_Row]:
    reader = csv.reader(text.splitlines())
    names = [name.strip().lower() for name in next(reader, [])]
    _check_columns(path, names)
    for cells in reader:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(names):
            raise ConfigError(
                f"{path}, line {reader.line_num}: {len(cells)} values for {len(names)} columns"
            )
        values = dict(zip(names, (cell.strip() for cell in cells), strict=True))
        yield _Row(path, reader.line_num, values)


def _check_columns(path: Path, names: list[str]) -> None:
    if not any(names):
        raise ConfigError(f"{path}: the file is empty; its first line must be {','.join(REQUIRED)}")
    for name in REQUIRED:
        if name not in names:
            raise ConfigError(f"{path}, line 1: the column {name!r} is missing, found {names}")
    for name in names:
        if name not in REQUIRED + OPTIONAL:
            raise ConfigError(
                f"{path}, line 1: unknown column {name!r}; known are {[*REQUIRED, *OPTIONAL]}"
            )
        if names.count(name) > 1:
            raise ConfigError(f"{path}, line 1: the column {name!r} is there twice")


def _buffer(row: _Row) -> Buffer:
    pin = row.whole("offset") if row.values.get("offset") else None
    buffer = Buffer(
        id=row.values["id"],
        size=row.whole("size"),
        lower=row.whole("lower"),
        upper=row.whole("upper"),
        alignment=row.whole("alignment", otherwise=1),
        memory=row.values.get("memory", ""),
        offset=pin,
    )
    if wrong := _complaint(buffer):
        raise row.error(wrong)
    return buffer


def _complaint(buffer: Buffer) -> str | None:
    pin = buffer.offset
    checks = (
        (not buffer.id, "id is empty"),
        (buffer.size < 0, f"size must not be negative, found {buffer.size}"),
        (
            buffer.upper <= buffer.lower,
            f"upper must be above lower, found lower {buffer.lower} and upper {buffer.upper}",
        ),
        (buffer.alignment < 1, f"alignment must be at least 1, found {buffer.alignment}"),
        (pin is not None and pin < 0, f"offset must not be negative, found {pin}"),
        (
            pin is not None and buffer.alignment > 0 and pin % buffer.alignment > 0,
            f"offset must be a multiple of the alignment {buffer.alignment}, found {pin}",
        ),
    )
    return next((text for wrong, text in checks if wrong), None)


def _check_pins(path: Path, buffers: list[Buffer], lines: Mapping[str, int]) -> None:
    """Pinned buffers that clash have no solution: the file's fault, so it is said here."""
    pinned = [(b, b.offset) for b in buffers if b.offset is not None and b.size]
    for k, (one, at) in enumerate(pinned):
        for other, there in pinned[:k]:
            together = one.lower < other.upper and other.lower < one.upper
            shared = at < there + other.size and there < at + one.size
            if one.memory == other.memory and together and shared:
                raise ConfigError(
                    f"{path}, line {lines[one.id]}: {one.id!r} at offset {at} clashes with "
                    f"{other.id!r} at offset {there} in line {lines[other.id]}"
                )
