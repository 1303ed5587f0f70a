"""Packed constants: steps in groups, each of which unpacks what it reads into the reserved part.

A group is a run of steps; a segment that repeats is in one group as a whole. The reserved part is
as large as the neediest step, and groups are as long as that allows. What does not shrink, is
small, or is read by the runtime's checks stays in the file and is read in place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nacre.planfile.binary import aligned
from nacre.planfile.constants import Block, Constants, constant_copies, constant_place
from nacre.planfile.rules import rules
from nacre.program import (
    Address,
    Place,
    Program,
    ProgramAction,
    ProgramCall,
    ProgramMove,
    ProgramRun,
    ProgramTiles,
)

# Smaller constants, and those that shrink by less than a sixteenth, are not packed.
SMALLEST = 64
ALIGNMENT = 16


@dataclass(frozen=True)
class Piece:
    """A constant of a region that lies in the file."""

    region: int
    offset: int
    size: int


@dataclass(frozen=True)
class Group:
    """Steps [first, end), the pieces that they read, and where each begins when unpacked."""

    first: int
    end: int
    offsets: dict[Piece, int]

    @property
    def size(self) -> int:
        return max((offset + piece.size for piece, offset in self.offsets.items()), default=0)


def packed_constants(program: Program, room: int | None = None) -> Constants:
    """`room`: bytes that the reserved part may have; larger constants are read in place."""
    pieces = _Pieces(program)
    chosen = _within(program, pieces, _worth_packing(program, pieces), room)
    groups = _groups(program, pieces, chosen)
    blobs, moved = _kept(program, pieces, chosen)
    blocks, packed = _blocks(program, groups)
    unpacked = len(program.regions)
    copies = constant_copies(program)

    def locate(region: int, offset: int, step: int, content: bool) -> tuple[int, int]:
        if content:
            region, offset = constant_place(copies, region, offset, step)
        piece = pieces.find(region, offset)
        if piece is None:
            return region, offset
        if piece in chosen:
            group = next(g for g in groups if g.first <= step < g.end)
            return unpacked, group.offsets[piece] + offset - piece.offset
        return region, moved[piece] + offset - piece.offset

    full = [g for g in groups if g.offsets]
    reserved = aligned(max((g.size for g in full), default=0), ALIGNMENT)
    unpacks = {g.first: [n] for n, g in enumerate(full)}
    return Constants(blobs, blocks, packed, reserved, unpacks, locate)


class _Pieces:
    """The constants in the file, found by address."""

    def __init__(self, program: Program) -> None:
        self._by_region: dict[int, list[Piece]] = {}
        for slot in program.slots.values():
            if program.regions[slot.region].is_cold and slot.view_of is None:
                piece = Piece(slot.region, slot.offset, slot.size)
                self._by_region.setdefault(slot.region, []).append(piece)
        for found in self._by_region.values():
            found.sort(key=lambda p: p.offset)

    def find(self, region: int, offset: int) -> Piece | None:
        found = self._by_region.get(region)
        if not found:
            return None
        return found[max(0, bisect_right([p.offset for p in found], offset) - 1)]

    def all(self) -> Iterator[Piece]:
        for found in self._by_region.values():
            yield from found


def _worth_packing(program: Program, pieces: _Pieces) -> set[Piece]:
    kept = set(_checked(program, pieces))
    return {
        p
        for p in pieces.all()
        if p not in kept
        and p.size >= SMALLEST
        and len(_packed(_bytes(program, p))) < p.size * 15 // 16
    }


def _within(program: Program, pieces: _Pieces, chosen: set[Piece], room: int | None) -> set[Piece]:
    """Without the largest, until what any step reads at once has room."""
    while room is not None and chosen:
        units = _units(program, pieces, chosen)
        neediest = max(units, key=lambda unit: _laid_out(unit[2])[1])
        if _laid_out(neediest[2])[1] <= room:
            break
        chosen = chosen - {max(neediest[2], key=lambda p: (p.size, -p.offset))}
    return chosen


def _checked(program: Program, pieces: _Pieces) -> Iterator[Piece]:
    """What checks and first values read: it must be there before anything is unpacked."""
    copies = constant_copies(program)
    for step, call in _calls(program):
        content = rules()[call.kernel.name].content
        pointers = [a for a in call.arguments if isinstance(a, Address)]
        for number in content:
            place = constant_place(copies, pointers[number].region, pointers[number].offset, step)
            piece = pieces.find(*place)
            if piece is not None:
                yield piece
    for first in program.first_values:
        piece = pieces.find(first.source_region, first.source_offset)
        if piece is not None:
            yield piece


def _calls(program: Program) -> Iterator[tuple[int, ProgramCall]]:
    for segment in program.segments:
        for action in segment.actions:
            for call in _action_calls(program, action):
                yield action.step, call


def _action_calls(program: Program, action: ProgramAction) -> Iterator[ProgramCall]:
    match action:
        case ProgramRun():
            yield from program.steps[action.step].calls
        case ProgramTiles():
            yield from (call for group in action.groups for call in group.calls)


def _groups(program: Program, pieces: _Pieces, chosen: set[Piece]) -> list[Group]:
    """As few groups as the neediest unit's bytes allow."""
    units = _units(program, pieces, chosen)
    limit = max((_laid_out(found)[1] for _, _, found in units), default=0)
    groups: list[Group] = []
    members: dict[Piece, None] = {}
    first = end = 0
    for unit_first, unit_end, found in units:
        together = {**members, **dict.fromkeys(found)}
        if members and _laid_out(together)[1] > limit:
            groups.append(Group(first, end, _laid_out(members)[0]))
            first, together = unit_first, dict.fromkeys(found)
        members, end = together, unit_end
    groups.append(Group(first, len(program.steps) + 1, _laid_out(members)[0]))
    return groups


def _units(
    program: Program, pieces: _Pieces, chosen: set[Piece]
) -> list[tuple[int, int, tuple[Piece, ...]]]:
    """Steps [first, end) that must find their constants at once, with these."""
    units = []
    for segment in program.segments:
        rows = [
            (a.step, a.step + 1, tuple(_reads(program, pieces, a, chosen))) for a in segment.actions
        ]
        if segment.iterations > 1:
            merged = dict.fromkeys(p for _, _, found in rows for p in found)
            rows = [(rows[0][0], rows[-1][1], tuple(merged))]
        units += rows
    return units


def _reads(
    program: Program, pieces: _Pieces, action: ProgramAction, chosen: set[Piece]
) -> Iterator[Piece]:
    places = [
        (a.region, a.offset)
        for call in _action_calls(program, action)
        for a in call.arguments
        if isinstance(a, Address)
    ]
    if isinstance(action, ProgramMove) and isinstance(action.source, Place):
        places.append((action.source.region, action.source.offset))
    found = (pieces.find(*place) for place in places)
    yield from dict.fromkeys(p for p in found if p is not None and p in chosen)


def _laid_out(members: Sequence[Piece] | dict[Piece, None]) -> tuple[dict[Piece, int], int]:
    """Offsets one after another, and their end."""
    offsets, end = {}, 0
    for piece in members:
        offsets[piece] = aligned(end, ALIGNMENT)
        end = offsets[piece] + piece.size
    return offsets, end


def _blocks(program: Program, groups: list[Group]) -> tuple[tuple[Block, ...], bytes]:
    blocks, packed = [], bytearray()
    for group in groups:
        if not group.offsets:
            continue
        content = bytearray(group.size)
        for piece, offset in group.offsets.items():
            content[offset : offset + piece.size] = _bytes(program, piece)
        block = _packed(bytes(content))
        blocks.append(Block(len(packed), len(block), 0, len(content)))
        packed += block
    return tuple(blocks), bytes(packed)


def _kept(
    program: Program, pieces: _Pieces, chosen: set[Piece]
) -> tuple[dict[int, bytes], dict[Piece, int]]:
    """Blobs without what is packed, and where the rest has moved to."""
    blobs: dict[int, bytearray] = {}
    moved = {}
    for piece in pieces.all():
        if piece in chosen:
            continue
        blob = blobs.setdefault(piece.region, bytearray())
        moved[piece] = aligned(len(blob), program.regions[piece.region].usage.alignment)
        blob += bytes(moved[piece] - len(blob)) + _bytes(program, piece)
    kept = {number: bytes(blob) for number, blob in blobs.items()}
    staged = {r.number: r.blob for r in program.regions if r.blob is not None and not r.is_cold}
    return kept | staged, moved


def _bytes(program: Program, piece: Piece) -> bytes:
    blob = program.regions[piece.region].blob
    assert blob is not None
    return blob[piece.offset : piece.offset + piece.size]


def _packed(content: bytes) -> bytes:
    import lz4.block

    packed: bytes = lz4.block.compress(
        content, mode="high_compression", compression=12, store_size=False
    )
    return packed
