"""Where the constants of a plan are: in the file, or packed and unpacked per group of steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from nacre.program import Place, Program, ProgramMove


@dataclass(frozen=True)
class Block:
    """Packed bytes [source, source + packed), for `size` bytes at `offset` of the reserved part."""

    source: int
    packed: int
    offset: int
    size: int


@dataclass(frozen=True, eq=False)
class Constants:
    """Bytes that stay as they are by region, packed blocks, and where a pointer finds its bytes."""

    blobs: Mapping[int, bytes]
    blocks: tuple[Block, ...]
    packed: bytes
    reserved: int
    # Step -> the blocks that are unpacked before it.
    unpacks: dict[int, list[int]]
    locate: Callable[[int, int, int, bool], tuple[int, int]]


def constants_of(program: Program, compress: bool, room: int | None = None) -> Constants:
    if compress:
        from nacre.planfile.groups import packed_constants

        return packed_constants(program, room)
    blobs = {r.number: r.blob for r in program.regions if r.blob is not None}
    return Constants(blobs, (), b"", 0, {}, in_place(program))


def in_place(program: Program) -> Callable[[int, int, int, bool], tuple[int, int]]:
    """Pointers as the program has them; content that is checked is read where it is constant."""
    copies = constant_copies(program)

    def locate(region: int, offset: int, step: int, content: bool) -> tuple[int, int]:
        if not content:
            return region, offset
        return constant_place(copies, region, offset, step)

    return locate


@dataclass(frozen=True)
class Copy:
    """Constants that a move brought to `place` at a step."""

    step: int
    source: Place
    place: Place

    @property
    def size(self) -> int:
        return self.place.rows * self.place.row_bytes


def constant_copies(program: Program) -> list[Copy]:
    """Moves of constants into working memory."""
    moves = [a for s in program.segments for a in s.actions if isinstance(a, ProgramMove)]
    return [
        Copy(m.step, m.source, m.destination)
        for m in moves
        if isinstance(m.source, Place)
        and isinstance(m.destination, Place)
        and program.regions[m.source.region].blob is not None
    ]


def constant_place(copies: list[Copy], region: int, offset: int, step: int) -> tuple[int, int]:
    """The constant that a pointer finds at a step: where it is stored, not where it was copied."""
    for copy in reversed(copies):
        inside = copy.place.offset <= offset < copy.place.offset + copy.size
        if copy.step < step and copy.place.region == region and inside:
            return copy.source.region, copy.source.offset + offset - copy.place.offset
    return region, offset
