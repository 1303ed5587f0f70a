"""Segments of a Program as the tables of a plan: actions, arguments, parameters, row ends."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields

from nacre.ops.kind import Params, Span
from nacre.planfile.binary import pack, words
from nacre.planfile.layout import (
    ACTION,
    ACTION_KINDS,
    BOX,
    LOOP,
    MOVE,
    NONE,
    OFFSET_BITS,
    SEGMENT,
)
from nacre.planfile.rules import rules
from nacre.program import (
    Address,
    Caller,
    Place,
    Program,
    ProgramAction,
    ProgramArgument,
    ProgramBoxMove,
    ProgramCall,
    ProgramMove,
    ProgramRun,
    ProgramSegment,
    ProgramTileGroup,
    ProgramTiles,
)

FIRST_OF_STEP = 1
BACKWARD = 2
# Region and offset of the file for those of the program; `content`: the check reads the bytes.
Locate = Callable[[int, int, int, bool], tuple[int, int]]


@dataclass
class Tables:
    """The tables as they grow: the one mutable value of the writer."""

    kernels: list[str]
    segments: list[bytes] = field(default_factory=list)
    actions: list[bytes] = field(default_factory=list)
    arguments: list[int] = field(default_factory=list)
    params: bytearray = field(default_factory=bytearray)
    params_at: dict[bytes, int] = field(default_factory=dict)
    ends: list[int] = field(default_factory=list)
    ends_at: dict[tuple[int, ...], int] = field(default_factory=dict)
    moves: list[bytes] = field(default_factory=list)
    boxes: list[bytes] = field(default_factory=list)
    loops: list[tuple[ProgramTileGroup, int]] = field(default_factory=list)


def tables_of(
    program: Program, locate: Locate, unpacks: dict[int, list[int]]
) -> tuple[Tables, bytes]:
    """All tables, and the records of the loops; `unpacks`: blocks that a step begins with."""
    tables = Tables([k.name for k in program.kernels])
    for segment in program.segments:
        blocks = [b for a in segment.actions for b in unpacks.get(a.step, [])]
        if segment.iterations > 1 and blocks:
            # What repeats does rows only: constants are unpacked before it.
            with _segment(tables, 1):
                _unpack(tables, blocks, segment.first)
        with _segment(tables, segment.iterations):
            for action in segment.actions:
                if segment.iterations == 1:
                    _unpack(tables, unpacks.get(action.step, []), action.step)
                _action(tables, program, segment, action, locate)
    return tables, _loops(tables, locate)


@contextmanager
def _segment(tables: Tables, iterations: int) -> Iterator[None]:
    """The actions that are added meanwhile."""
    first = len(tables.actions)
    yield
    count = len(tables.actions) - first
    values = {"first": first, "count": count, "iterations": iterations}
    tables.segments.append(pack(SEGMENT, values))


def _unpack(tables: Tables, blocks: list[int], step: int) -> None:
    for block in blocks:
        tables.actions.append(_record("unpack", block, step))


def _action(
    tables: Tables, program: Program, segment: ProgramSegment, action: ProgramAction, locate: Locate
) -> None:
    match action:
        case ProgramMove():
            _move(tables, action, locate)
        case ProgramTiles():
            for n, group in enumerate(action.groups):
                tables.loops.append((group, action.step))
                loop = len(tables.loops) - 1
                flags = FIRST_OF_STEP if n == 0 else 0
                tables.actions.append(_record("loop", loop, action.step, flags))
        case ProgramRun():
            _run(tables, program, segment, action, locate)


def _run(
    tables: Tables, program: Program, segment: ProgramSegment, action: ProgramRun, locate: Locate
) -> None:
    step = program.steps[action.step]
    ends = NONE if segment.iterations == 1 else _ends(tables, action.ends)
    for n, call in enumerate(step.calls):
        flags = (FIRST_OF_STEP if n == 0 else 0) | (BACKWARD if step.backward else 0)
        end = None if segment.iterations == 1 else max(action.ends)
        _call(tables, call, action.step, locate, flags, ends, end)


def _call(
    tables: Tables,
    call: ProgramCall,
    step: int,
    locate: Locate,
    flags: int = 0,
    ends: int = NONE,
    end: int | None = None,
) -> None:
    """`end`: the rows of all iterations together, where the segment repeats."""
    first = len(tables.arguments)
    content = rules()[call.kernel.name].content
    pointer = 0
    for argument in call.arguments:
        if isinstance(argument, Address):
            tables.arguments.append(_pointer(argument, step, locate, pointer in content))
            pointer += 1
        else:
            tables.arguments += _argument(tables, argument, end)
    windowed = any(isinstance(a, Span) for a in call.arguments)
    target = tables.kernels.index(call.kernel.name)
    tables.actions.append(_record("call", target, step, flags, first, ends if windowed else NONE))


def _pointer(address: Address, step: int, locate: Locate, content: bool) -> int:
    region, offset = locate(address.region, address.offset, step, content)
    assert 0 <= offset < 1 << OFFSET_BITS
    return region << OFFSET_BITS | offset


def _argument(tables: Tables, argument: ProgramArgument, end: int | None) -> list[int]:
    match argument:
        case Params():
            return [_params(tables, argument)]
        case Span():
            return [0, end] if end is not None else [argument.begin, argument.end]
        case float():
            return list(struct.unpack("<I", struct.pack("<f", argument)))
        case int():
            return [argument]
        case _:
            raise AssertionError(argument)


def _params(tables: Tables, params: Params) -> int:
    content = params_bytes(params)
    if content not in tables.params_at:
        tables.params_at[content] = len(tables.params)
        tables.params += content
    return tables.params_at[content]


def params_bytes(params: Params) -> bytes:
    """A parameter struct as C has it on a little-endian machine."""
    parts = []
    for f in fields(params):
        value = getattr(params, f.name)
        many = value if isinstance(value, tuple) else (value,)
        parts += [struct.pack("<f" if isinstance(v, float) else "<i", v) for v in many]
    return b"".join(parts)


def _ends(tables: Tables, ends: tuple[int, ...]) -> int:
    if ends not in tables.ends_at:
        tables.ends_at[ends] = len(tables.ends)
        tables.ends += ends
    return tables.ends_at[ends]


def _move(tables: Tables, move: ProgramMove, locate: Locate) -> None:
    ends = _ends(tables, move.ends)
    number = next((e.number for e in (move.source, move.destination) if isinstance(e, Caller)), 0)
    tables.moves.append(
        pack(
            MOVE,
            {
                "source": _end_of_move(move.source, move.step, locate),
                "source_ring": move.source.rows if isinstance(move.source, Place) else 0,
                "destination": _end_of_move(move.destination, move.step, locate),
                "destination_ring": (
                    move.destination.rows if isinstance(move.destination, Place) else 0
                ),
                "row_bytes": move.row_bytes,
                "rows": max(move.ends),
                "tensor": number,
            },
        )
    )
    target = len(tables.moves) - 1
    tables.actions.append(_record("move", target, move.step, FIRST_OF_STEP, 0, ends))


def _end_of_move(end: Place | Caller, step: int, locate: Locate) -> int:
    if isinstance(end, Caller):
        return NONE
    region, offset = locate(end.region, end.offset, step, False)
    return region << OFFSET_BITS | offset


def _loops(tables: Tables, locate: Locate) -> bytes:
    """The actions of all loops, behind those of the segments."""
    records = []
    for group, step in tables.loops:
        first = len(tables.actions)
        for load in group.loads:
            _box(tables, load, step, locate, store=False)
        for call in group.calls:
            _call(tables, call, step, locate)
        for store in group.stores:
            _box(tables, store, step, locate, store=True)
        count = len(tables.actions) - first
        values = {"first": first, "count": count, "rows": group.rows, "columns": group.columns}
        records.append(pack(LOOP, values))
    return b"".join(records)


def _box(tables: Tables, box: ProgramBoxMove, step: int, locate: Locate, store: bool) -> None:
    whole_region, whole = locate(box.region, box.offset, step, False)
    tile_region, tile = locate(box.tile_region, box.tile, step, False)
    tables.boxes.append(
        pack(
            BOX,
            {
                "whole": whole_region << OFFSET_BITS | whole,
                "tile": tile_region << OFFSET_BITS | tile,
                "store": int(store),
                "row_step": box.row_step,
                "column_step": box.column_step,
                "planes": box.planes,
                "lines": box.lines,
                "line_bytes": box.line_bytes,
                "plane_pitch": box.plane_pitch,
                "line_pitch": box.line_pitch,
            },
        )
    )
    tables.actions.append(_record("box", len(tables.boxes) - 1, step))


def _record(
    kind: str, target: int, step: int, flags: int = 0, arguments: int = 0, ends: int = NONE
) -> bytes:
    return pack(
        ACTION,
        {
            "kind": ACTION_KINDS.number(kind),
            "flags": flags,
            "target": target,
            "arguments": arguments,
            "ends": ends,
            "step": step,
        },
    )


def arguments_bytes(tables: Tables) -> bytes:
    return words(tables.arguments)
