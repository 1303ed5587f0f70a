"""The verdict: how full each memory is, and with what."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nacre.memory import ArenaRole, MemoryType
from nacre.program import Program
from nacre.targets import Memory
from nacre.text import number, size

# Units of the bar: one memory's size, or the fullest memory where none has a limit.
BAR_WIDTH = 1000


@dataclass(frozen=True)
class Share:
    """The bytes of one arena in one memory; `begin` and `width` are its piece of the bar."""

    label: str
    role: str
    bytes: int
    begin: float
    width: float

    @property
    def text(self) -> str:
        return f"{self.label} {number(self.bytes)}"


@dataclass(frozen=True)
class MemoryLine:
    """One memory that the program uses."""

    name: str
    used: int
    size: int | None
    shares: tuple[Share, ...]

    @property
    def fits(self) -> bool:
        return self.size is None or self.used <= self.size

    @property
    def text(self) -> str:
        return f"{number(self.used)} bytes of {size(self.size)}" if self.size else _unlimited(self)

    @property
    def percent(self) -> str:
        if not self.size:
            return ""
        share = 100 * self.used / self.size
        return f"{share:.1f} %" if share >= 0.1 or not self.used else "< 0.1 %"


def memory_lines(program: Program) -> tuple[MemoryLine, ...]:
    """The memories that hold anything, in the target's order of speed."""
    found = [(m, list(_contents(program, m))) for m in program.target.memories]
    used = [(m, contents) for m, contents in found if contents]
    totals = [sum(c[2] for c in contents) for _, contents in used]
    return tuple(
        MemoryLine(m.name, total, m.size, _shares(contents, m.size or max(totals)))
        for (m, contents), total in zip(used, totals, strict=True)
    )


def verdict(program: Program) -> str:
    """One sentence."""
    lines = memory_lines(program)
    over = [line for line in lines if not line.fits]
    if over:
        parts = (f"{m.name} by {number(m.used - (m.size or 0))} bytes" for m in over)
        return f"Does not fit {program.target.name}: too large for {', '.join(parts)}."
    if all(line.size is None for line in lines):
        return f"Target {program.target.name} sets no limits."
    return f"Fits {program.target.name}."


def _contents(program: Program, memory: Memory) -> Iterator[tuple[str, str, int]]:
    """(label, role, bytes) of everything that occupies a memory."""
    for region in program.regions:
        usage, role = region.usage, region.role
        staged = role is ArenaRole.constant and usage.is_staged
        if _is(program, usage.memory, memory):
            label = f"constants from {usage.source_memory}" if staged else _LABELS[role]
            yield label, role.value, usage.total_size
        if staged and _is(program, usage.source_memory, memory):
            yield f"source of constants in {usage.memory}", role.value, usage.total_size


_LABELS = {
    ArenaRole.scratch: "scratch",
    ArenaRole.persistent: "persistent",
    ArenaRole.constant: "constants",
}


def _is(program: Program, name: MemoryType, memory: Memory) -> bool:
    return program.target.memory(name) is memory


def _shares(contents: list[tuple[str, str, int]], whole: int) -> tuple[Share, ...]:
    shares, begin = [], 0
    for label, role, count in contents:
        place, width = (round(BAR_WIDTH * n / max(1, whole), 2) for n in (begin, count))
        shares.append(Share(label, role, count, place, width))
        begin += count
    return tuple(shares)


def _unlimited(line: MemoryLine) -> str:
    return f"{number(line.used)} bytes, no limit"
