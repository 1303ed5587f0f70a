"""The segments of a staged program as C: one function each, with a loop over bands of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nacre.emit.bands import Formula, formula_of
from nacre.emit.spell import comment, integer
from nacre.emit.steps import call_texts, params_names, region_variable, step_title
from nacre.program import (
    Address,
    Caller,
    Place,
    Program,
    ProgramAction,
    ProgramBoxMove,
    ProgramMove,
    ProgramRun,
    ProgramSegment,
    ProgramTileGroup,
    ProgramTiles,
    is_idle,
)
from nacre.text import short

INDENT = "    "


@dataclass(frozen=True)
class MoveText:
    """The constant that describes a copy of rows: how many are kept on either side."""

    name: str
    to_rows: int
    from_rows: int
    row_bytes: int
    channel: int


@dataclass(frozen=True)
class BoxText:
    """The constant that describes a copy of boxes."""

    name: str
    planes: int
    lines: int
    line_bytes: int
    plane_pitch: int
    line_pitch: int


@dataclass(frozen=True)
class TableText:
    """Ends of bands that no formula gives."""

    name: str
    ends: str


@dataclass(frozen=True)
class SegmentText:
    """A segment, ready for the template."""

    comment: str
    function: str
    regions: list[int]
    can_fail: bool
    banded: bool
    body: list[str]


@dataclass(frozen=True)
class StagesText:
    """Everything that a staged program adds to its module."""

    moves: list[MoveText]
    boxes: list[BoxText]
    tables: list[TableText]
    segments: list[SegmentText]
    uses: dict[str, bool]


def stages_text(program: Program, apart: frozenset[int]) -> StagesText:
    """`apart`: numbers of the steps whose code is placed elsewhere, in functions of their own."""
    segments = program.segments
    actions = [a for s in segments for a in s.actions]
    moves = [a for a in actions if isinstance(a, ProgramMove)]
    tiles = [a for a in actions if isinstance(a, ProgramTiles)]
    boxes = [
        BoxText(name, b.planes, b.lines, b.line_bytes, b.plane_pitch, b.line_pitch)
        for t in tiles
        for name, b in _boxes(program, t)
    ]
    bodies = [_Body(program, s, apart) for s in segments]
    texts = [
        SegmentText(
            comment(_segment_title(s)),
            f"{program.prefix}_segment{n}",
            _regions(program, s, apart),
            any(_can_fail(a) for a in s.actions),
            s.iterations > 1,
            list(body.lines()),
        )
        for n, (s, body) in enumerate(zip(segments, bodies, strict=True))
    ]
    tables = [
        TableText(_table_name(program, a), ", ".join(map(str, a.ends)))
        for s in segments
        for a in s.actions
        if _has_table(s, a) and not isinstance(a, ProgramTiles)
    ]
    return StagesText(
        [_move_text(program, m) for m in moves if not is_whole(m)],
        boxes,
        tables,
        texts,
        _uses(segments, tables),
    )


def is_whole(move: ProgramMove) -> bool:
    """One copy of all bytes, not of rows."""
    return move.ends == (1,) and not any(isinstance(p, Caller) for p in _sides(move))


def _sides(move: ProgramMove) -> tuple[Place | Caller, Place | Caller]:
    return move.source, move.destination


def _uses(segments: tuple[ProgramSegment, ...], tables: list[TableText]) -> dict[str, bool]:
    """Which of the module's small functions are needed: none may be defined in vain."""
    pairs = [(s, a) for s in segments for a in s.actions]
    moves = [(s, a) for s, a in pairs if isinstance(a, ProgramMove)]
    rows = [a for _, a in moves if not is_whole(a)]
    plain = [a for a in rows if not any(isinstance(p, Caller) for p in _sides(a))]
    tiles = [a for _, a in pairs if isinstance(a, ProgramTiles)]
    boxes = [g for t in tiles for g in t.groups]
    return {
        "copies": bool(moves) or bool(tiles),
        "whole": any(is_whole(a) for _, a in moves),
        "rows": bool(plain),
        "rows_at_once": any(not a.ahead and not a.behind for a in plain),
        "moves": bool(rows),
        "input_rows": any(isinstance(a.source, Caller) for a in rows),
        "output_rows": any(isinstance(a.destination, Caller) for a in rows),
        "load_box": any(g.loads for g in boxes),
        "store_box": any(g.stores for g in boxes),
        "formula": any(s.iterations > 1 and not _has_table(s, a) for s, a in pairs),
        "table": bool(tables),
    }


def _segment_title(segment: ProgramSegment) -> str:
    first, last = segment.first, segment.actions[-1].step
    steps = f"step {first}" if first == last else f"steps {first} to {last}"
    bands = "once" if segment.iterations == 1 else f"in {segment.iterations} bands of rows"
    return f"Segment of {steps}, {bands}"


def _regions(program: Program, segment: ProgramSegment, apart: frozenset[int]) -> list[int]:
    """Regions whose base the function of a segment needs."""
    found: set[int] = set()
    for action in segment.actions:
        if isinstance(action, ProgramMove):
            found |= {p.region for p in _sides(action) if isinstance(p, Place)}
        if isinstance(action, ProgramTiles):
            for group in action.groups:
                for box in (*group.loads, *group.stores):
                    found |= {box.region, box.tile_region}
        if action.step not in apart:
            calls = program.steps[action.step].calls
            arguments = (a for call in calls for a in call.arguments)
            found |= {a.region for a in arguments if isinstance(a, Address)}
    return sorted(found)


def _can_fail(action: ProgramAction) -> bool:
    if isinstance(action, ProgramTiles):
        return any(g.loads or g.stores for g in action.groups)
    return isinstance(action, ProgramMove)


# --- names and constants --------------------------------------------------------------------------


def _move_text(program: Program, move: ProgramMove) -> MoveText:
    kept = [p.rows if isinstance(p, Place) else 0 for p in _sides(move)]
    return MoveText(_move_name(program, move), kept[1], kept[0], move.row_bytes, move.channel)


def _move_name(program: Program, move: ProgramMove) -> str:
    return f"{program.prefix}_move{move.step}"


def _table_name(program: Program, action: ProgramMove | ProgramRun) -> str:
    return f"{program.prefix}_ends{action.step}"


def _has_table(segment: ProgramSegment, action: ProgramAction) -> bool:
    if isinstance(action, ProgramTiles) or segment.iterations == 1:
        return False
    return formula_of(action.ends) is None


def _boxes(program: Program, tiles: ProgramTiles) -> Iterator[tuple[str, ProgramBoxMove]]:
    """Every box of a step with the name of its constant."""
    found = [b for g in tiles.groups for b in (*g.loads, *g.stores)]
    for n, box in enumerate(found):
        yield f"{program.prefix}_box{tiles.step}_{n}", box


def group_function(program: Program, step: int, group: int | None) -> str:
    """The function of a step whose code is placed apart, or of one group of its tiles."""
    return f"{program.prefix}_step{step}" + ("" if group is None else f"_{group}")


# --- the body of a segment's function -------------------------------------------------------------


@dataclass(frozen=True)
class _Body:
    """Lines of C; everything before the loop is indented once, everything in it twice."""

    program: Program
    segment: ProgramSegment
    apart: frozenset[int]

    def lines(self) -> Iterator[str]:
        p, n = self.program.prefix, self.segment.iterations
        if n == 1:
            for action in self.segment.actions:
                yield from ("", f"{INDENT}/* {self._title(action)} */")
                yield from self._action(action, INDENT)
            return
        yield f"{INDENT}{p}_clear(ctx, {self.segment.first});"
        ahead = [a for a in self.segment.actions if isinstance(a, ProgramMove) and a.ahead]
        for move in ahead:
            yield f"{INDENT}/* {self._title(move)}: the rows of the first band */"
            yield from self._started(move, "0", INDENT)
        yield f"{INDENT}for (int32_t i = 0; i < {n}; ++i) {{"
        for number, move in enumerate(ahead):
            yield from self._prefetched(move, first=number == 0)
        for number, action in enumerate(a for a in self.segment.actions if a not in ahead):
            if number or ahead:
                yield ""
            yield f"{INDENT * 2}/* {self._title(action)} */"
            yield from self._banded(action)
        yield f"{INDENT}}}"
        for action in self.segment.actions:
            if isinstance(action, ProgramMove) and action.behind:
                yield from self._checked(f"copy_wait({action.channel})", INDENT)

    def _title(self, action: ProgramAction) -> str:
        if not isinstance(action, ProgramMove):
            return step_title(self.program, self.program.steps[action.step])
        step = self.program.steps[action.step]
        tensor = self.program.slots[step.inputs[0]].tensor
        shape = "x".join(str(d) for d in tensor.shape[1:]) or "1"
        where = " -> ".join(self._side(p) for p in _sides(action))
        name = f'   "{short(step.name)}"' if step.name else ""
        return comment(f"{step.number}  {step.type:<18} {shape}{name}   {where}")

    def _side(self, side: Place | Caller) -> str:
        """`DTCM, a ring of 9 rows`"""
        if isinstance(side, Caller):
            return "the caller"
        memory = self.program.regions[side.region].usage.memory
        return str(memory) if side.rows == 1 else f"{memory} ({side.rows} rows)"

    # --- bands ---

    def _banded(self, action: ProgramAction) -> Iterator[str]:
        """An action of a loop; one that has no rows in some band is skipped there."""
        assert not isinstance(action, ProgramTiles), "tiles do not repeat"
        yield f"{INDENT * 2}rows = {self._rows(action, 'i')};"
        if any(is_idle(action.ends, i) for i in range(self.segment.iterations)):
            yield f"{INDENT * 2}if (rows.begin < rows.end) {{"
            yield from self._action(action, INDENT * 3)
            yield f"{INDENT * 2}}}"
        else:
            yield from self._action(action, INDENT * 2)

    def _rows(self, action: ProgramMove | ProgramRun, i: str) -> str:
        """The rows of iteration i."""
        p, found = self.program.prefix, formula_of(action.ends)
        if found is None:
            return f"{p}_band_of({_table_name(self.program, action)}, {i})"
        return f"{p}_band({i}, {_formula(found)})"

    def _started(self, move: ProgramMove, i: str, indent: str) -> Iterator[str]:
        yield f"{indent}rows = {self._rows(move, i)};"
        yield f"{indent}{self.program.prefix}_enter(ctx, {move.step});"
        yield from self._checked(f"start_rows({self._copy_of(move)})", indent)

    def _prefetched(self, move: ProgramMove, first: bool) -> Iterator[str]:
        """Wait for this band's rows, then let those of the next one come."""
        p = self.program.prefix
        if not first:
            yield ""
        yield f"{INDENT * 2}/* {self._title(move)}: the rows of the next band */"
        yield from self._checked(f"copy_wait({move.channel})", INDENT * 2)
        yield f"{INDENT * 2}rows = {self._rows(move, 'i + 1')};"
        last = self.segment.iterations - 1
        yield f"{INDENT * 2}if (i < {last} && rows.begin < rows.end) {{"
        yield f"{INDENT * 3}{p}_enter(ctx, {move.step});"
        yield from self._checked(f"start_rows({self._copy_of(move)})", INDENT * 3)
        yield f"{INDENT * 2}}}"

    # --- actions ---

    def _action(self, action: ProgramAction, indent: str) -> Iterator[str]:
        if isinstance(action, ProgramTiles):
            yield from self._tiles(action, indent)
            return
        enter = "begin" if self.segment.iterations == 1 else "enter"
        yield f"{indent}{self.program.prefix}_{enter}(ctx, {action.step});"
        if isinstance(action, ProgramMove) and action.behind:
            yield from self._checked(f"copy_wait({action.channel})", indent)
            yield from self._checked(f"start_rows({self._copy_of(action)})", indent)
        elif isinstance(action, ProgramMove):
            yield from self._checked(self._move(action), indent)
        else:
            yield from self._run(action, indent)

    def _run(self, run: ProgramRun, indent: str) -> Iterator[str]:
        step = self.program.steps[run.step]
        banded = self.segment.iterations > 1
        if run.step in self.apart:
            rows = ", rows" if banded else ""
            yield f"{indent}{group_function(self.program, run.step, None)}(ctx{rows});"
            return
        names = params_names(self.program, step)
        yield from call_texts(self.program, step, step.calls, names, indent, banded)

    def _move(self, move: ProgramMove) -> str:
        """The call that does a move to its end."""
        if is_whole(move):
            assert isinstance(move.source, Place) and isinstance(move.destination, Place)
            places = f"{self._at(move.destination)}, {self._at(move.source)}"
            return f"copy({places}, {move.row_bytes})"
        rows = "rows" if self.segment.iterations > 1 else f"(nacre_rows_t){{0, {move.ends[0]}}}"
        name = _move_name(self.program, move)
        if isinstance(move.source, Caller):
            assert isinstance(move.destination, Place)
            place = self._at(move.destination)
            return f"read_rows(ctx, {move.source.number}, &{name}, {place}, {rows})"
        if isinstance(move.destination, Caller):
            place = self._at(move.source)
            return f"write_rows(ctx, {move.destination.number}, &{name}, {place}, {rows})"
        return f"copy_rows({self._copy_of(move, rows)})"

    def _copy_of(self, move: ProgramMove, rows: str = "rows") -> str:
        assert isinstance(move.source, Place) and isinstance(move.destination, Place)
        name = _move_name(self.program, move)
        return f"&{name}, {self._at(move.destination)}, {self._at(move.source)}, {rows}"

    def _at(self, place: Place) -> str:
        return f"{region_variable(self.program, place.region)} + {place.offset}"

    def _checked(self, call: str, indent: str) -> Iterator[str]:
        """A call that may fail."""
        p = self.program.prefix
        yield f"{indent}status = {p}_{call};"
        yield f"{indent}if (status != {p}_status_ok) {{"
        yield f"{indent}{INDENT}return status;"
        yield f"{indent}}}"

    # --- tiles ---

    def _tiles(self, tiles: ProgramTiles, indent: str) -> Iterator[str]:
        step = self.program.steps[tiles.step]
        names = params_names(self.program, step)
        boxes = iter(list(_boxes(self.program, tiles)))
        yield f"{indent}{self.program.prefix}_clear(ctx, {tiles.step});"
        for number, group in enumerate(tiles.groups):
            loads = [next(boxes) for _ in group.loads]
            stores = [next(boxes) for _ in group.stores]
            yield from self._tile_loops(group, indent)
            depth = (group.rows > 1) + (group.columns > 1)
            inner = indent + INDENT * depth
            yield f"{inner}{self.program.prefix}_enter(ctx, {tiles.step});"
            for name, box in loads:
                yield from self._checked(self._box("load_box", name, box, group), inner)
            if tiles.step in self.apart:
                yield f"{inner}{group_function(self.program, tiles.step, number)}(ctx);"
            else:
                yield from call_texts(self.program, step, group.calls, names, inner, banded=False)
            for name, box in stores:
                yield from self._checked(self._box("store_box", name, box, group), inner)
            for level in range(depth - 1, -1, -1):
                yield f"{indent}{INDENT * level}}}"

    def _tile_loops(self, group: ProgramTileGroup, indent: str) -> Iterator[str]:
        if group.rows > 1:
            yield f"{indent}for (int32_t r = 0; r < {group.rows}; ++r) {{"
            indent += INDENT
        if group.columns > 1:
            yield f"{indent}for (int32_t c = 0; c < {group.columns}; ++c) {{"

    def _box(self, function: str, name: str, box: ProgramBoxMove, group: ProgramTileGroup) -> str:
        tensor = f"{region_variable(self.program, box.region)} + {box.offset}"
        if group.rows > 1 and box.row_step:
            tensor += f" + r * {box.row_step}"
        if group.columns > 1 and box.column_step:
            tensor += f" + c * {box.column_step}"
        tile = f"{region_variable(self.program, box.tile_region)} + {box.tile}"
        return f"{function}(&{name}, {tensor}, {tile})"


def _formula(found: Formula) -> str:
    values = (found.step, found.start, found.parts, found.height)
    return ", ".join(integer(v) for v in values)
