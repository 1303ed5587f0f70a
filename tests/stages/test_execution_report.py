"""Reports of staged programs: several arenas over time, holdings by their own names."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from nacre.emit.poison import dead_bytes
from nacre.frontends.tflite.importer import import_model
from nacre.memory import ArenaRole
from nacre.program import Program, ProgramMove, ProgramRun
from nacre.report.conversion import conversion_json, conversion_text, residency_text
from nacre.report.document import document
from nacre.report.document_facts import facts, live_bytes
from nacre.report.document_words import overview
from nacre.residency import residency
from nacre.residency import tensor_layout_hash as layout_hash
from report.test_schema import as_file, validator
from stages.staged_nets import NETS
from stages.test_execution import case, program_at
from support.execute import program_of


def unet() -> Program:
    found = case("unet")
    program = program_at(found, found.peak // 4)
    assert program is not None
    return program


def test_a_program_without_a_budget_is_one_segment() -> None:
    program = program_of(import_model(NETS["unet"](), "net"))
    (segment,) = program.segments
    assert segment.iterations == 1 and not program.is_staged
    assert segment.actions == tuple(ProgramRun(n) for n in range(len(program.steps)))
    assert program.executions == tuple(range(len(program.steps)))
    assert "stages" not in conversion_json(program)
    assert "stages" not in dict(overview(program))


def test_every_action_is_a_step() -> None:
    program = unet()
    actions = [a for s in program.segments for a in s.actions]
    assert [a.step for a in actions] == list(range(len(program.steps)))
    moves = [program.steps[a.step] for a in actions if isinstance(a, ProgramMove)]
    assert {m.type for m in moves} == {"LOAD", "SPILL"}
    assert not any(m.calls or m.macs for m in moves)


def test_residency_has_every_holding_once() -> None:
    program = unet()
    report = residency(program)
    assert [e.message for e in validator().iter_errors(as_file(program))] == []
    ids = [entry["id"] for entry in report["tensors"]]
    assert len(ids) == len(set(ids)) == len(program.slots)
    memories = [arena["memory"] for arena in report["arenas"]["scratch"]]
    assert memories == ["dtcm", "psram"]
    assert layout_hash(program) == report["tensor_layout_hash"]


def test_holdings_that_are_alive_together_are_apart() -> None:
    """In segments that repeat no two holdings share a byte at the same step."""
    program = unet()
    for segment in (s for s in program.segments if s.iterations > 1):
        steps = range(segment.first, segment.first + len(segment.actions))
        for step in steps:
            alive = [s for s in scratch(program) if s.lower <= step < s.upper]
            ordered = sorted(alive, key=lambda s: (s.region, s.offset))
            for a, b in pairwise(ordered):
                assert a.region != b.region or a.offset + a.size <= b.offset


def scratch(program: Program):
    return [
        s
        for s in program.slots.values()
        if program.regions[s.region].role is ArenaRole.scratch and s.view_of is None
    ]


def test_the_document_knows_the_segments() -> None:
    program = unet()
    found = facts(program)
    known = {t["id"] for t in found["tensors"]}
    assert all(set(step["uses"]) <= known for step in found["steps"])
    repeating = [s for s in program.segments if s.iterations > 1]
    assert found["segments"] == [[s.first, len(s.actions), s.iterations] for s in repeating]
    assert repeating
    assert sum(arena["live"] is not None for arena in found["arenas"]) == 2
    for region in program.regions[:2]:
        assert max(live_bytes(program, region)) > 0
    assert "segments," in dict(overview(program))["stages"]
    assert "<title>" in document(program)


def test_conversion_says_what_moves() -> None:
    program = unet()
    moved = program.traffic
    assert moved is not None
    text = conversion_text(program, Path("net.tflite"), Path("net"), [])
    assert f"stages {len(program.segments)}, " in text
    assert "live-bytes bound" not in text
    said = conversion_json(program)
    assert said["stages"] == len(program.segments)
    assert said["activation_bytes"] == moved.loaded + moved.spilled
    assert said["weight_bytes"] == moved.weights
    assert "@DTCM" in residency_text(program)


def test_nothing_is_overwritten_inside_a_loop() -> None:
    program = unet()
    inside = {
        step
        for s in program.segments
        if s.iterations > 1
        for step in range(s.first + 1, s.first + len(s.actions))
    }
    assert inside and not inside & {d.step for d in dead_bytes(program)}
    assert {d.region for d in dead_bytes(program)} == {0, 1}
