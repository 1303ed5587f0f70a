"""What the templates may name of a staged program: its segments, moves and row callbacks."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from nacre.emit.segments import StagesText, group_function, stages_text
from nacre.emit.steps import INDENT, call_texts, params_names, region_variable
from nacre.memory import ArenaRole
from nacre.program import (
    Address,
    Caller,
    Program,
    ProgramAction,
    ProgramCall,
    ProgramMove,
    ProgramStep,
    ProgramTiles,
)

NOTHING: dict[str, bool] = dict.fromkeys(
    ("copies", "whole", "rows", "rows_at_once", "moves", "input_rows", "output_rows", "load_box",
     "store_box", "formula", "table"), False
)  # fmt: skip


def stage_facts(program: Program, apart: frozenset[int]) -> dict[str, object]:
    """Empty lists for a program without a budget."""
    if not program.is_staged:
        return {"segments": [], "uses": NOTHING}
    text = stages_text(program, apart)
    p = len(program.prefix)
    return {
        "segments": [
            asdict(s) | {"bases": region_bases(program, s.regions)} for s in text.segments
        ],
        "first_failing": next((n for n, s in enumerate(text.segments) if s.can_fail), -1),
        "moves": text.moves,
        "boxes": text.boxes,
        "tables": text.tables,
        "uses": text.uses,
        "box_functions": _box_functions(text),
        "loaded": 0 if program.traffic is None else program.traffic.loaded,
        "spilled": 0 if program.traffic is None else program.traffic.spilled,
        "num_channels": 1 + max((a.channel for a in _moves(program)), default=0),
        "streamed_inputs": _streamed(program, "input"),
        "streamed_outputs": _streamed(program, "output"),
        "pad_start_rows": " " * (p + len("static int32_t _start_rows(")),
        "pad_copy_rows": " " * (p + len("static int32_t _copy_rows(")),
        "pad_read_rows": " " * (p + len("static int32_t _read_rows(")),
        "pad_write_rows": " " * (p + len("static int32_t _write_rows(")),
        "pad_copy_async": " " * (p + len("        status = _copy_async(")),
    }


def region_bases(program: Program, numbers: list[int]) -> list[dict[str, str]]:
    """Local variables that hold the bases of arenas."""
    return [
        {
            "name": program.regions[n].name,
            "variable": region_variable(program, n),
            "qualifier": "const " if program.regions[n].role is ArenaRole.constant else "",
        }
        for n in numbers
    ]


def row_bytes(program: Program, kind: str, number: int) -> int | None:
    """Bytes per row of a model input or output that the caller streams; None: it does not."""
    for move in _moves(program):
        side = move.source if kind == "input" else move.destination
        if side == Caller(number):
            return move.row_bytes
    return None


def streams(program: Program) -> bool:
    """Rows of some input or output go through a callback."""
    return any(isinstance(s, Caller) for m in _moves(program) for s in (m.source, m.destination))


@dataclass(frozen=True)
class Unit:
    """A function whose code is placed apart: a step, or one group of its tiles."""

    function: str
    # `, nacre_rows_t rows` for a step that does bands of rows.
    window: str
    calls: list[str]
    bases: list[dict[str, str]]


def apart_units(program: Program, step: ProgramStep) -> list[Unit]:
    """The functions of a step."""
    segment = next(s for s in program.segments if s.first <= step.number <= s.actions[-1].step)
    action = segment.actions[step.number - segment.first]
    banded = segment.iterations > 1
    return [
        Unit(
            group_function(program, step.number, number),
            ", nacre_rows_t rows" if banded else "",
            list(call_texts(program, step, calls, params_names(program, step), INDENT, banded)),
            region_bases(program, _used(calls)),
        )
        for number, calls in _call_groups(step, action)
    ]


def _call_groups(
    step: ProgramStep, action: ProgramAction
) -> list[tuple[int | None, tuple[ProgramCall, ...]]]:
    if isinstance(action, ProgramTiles):
        return [(n, group.calls) for n, group in enumerate(action.groups)]
    return [(None, step.calls)]


def _used(calls: tuple[ProgramCall, ...]) -> list[int]:
    arguments = (a for call in calls for a in call.arguments)
    return sorted({a.region for a in arguments if isinstance(a, Address)})


def _moves(program: Program) -> list[ProgramMove]:
    return [a for s in program.segments for a in s.actions if isinstance(a, ProgramMove)]


def _streamed(program: Program, kind: str) -> str:
    """`input 0, input 1`"""
    count = len(program.inputs if kind == "input" else program.outputs)
    found = [n for n in range(count) if row_bytes(program, kind, n) is not None]
    return ", ".join(f"{kind} {n}" for n in found)


def _box_functions(text: StagesText) -> list[tuple[str, str, str, str]]:
    """Name, destination, source and parameters of the functions that copy boxes."""
    tile = "tile + (size_t)i * (size_t)b->line_bytes"
    found = []
    if text.uses["load_box"]:
        types = "const uint8_t *tensor, uint8_t *tile"
        found.append(("load_box", tile, "tensor + at", types))
    if text.uses["store_box"]:
        types = "uint8_t *tensor, const uint8_t *tile"
        found.append(("store_box", "tensor + at", tile, types))
    return found
