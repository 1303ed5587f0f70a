"""Moves: streamed by the caller, late as a DMA engine would do them, failing."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nacre.build import input_stream, write_files
from nacre.emit.module import module_files
from nacre.errors import ConfigError, PlacementError
from nacre.program import Program, ProgramMove
from nacre.stages.ahead import copies_ahead
from nacre.stages.stream import named_ends, streamed
from stages.staging import program_of_plan, run_staged
from stages.test_execution import assert_same, case
from support.execute import Runner
from support.modules import module_sources

HERE = Path(__file__).parent
NAMES = ("chain", "residual", "unet")


def built(program: Program, main: str, folder: Path) -> str:
    """What a C program of this folder prints when it is linked with the module."""
    write_files(folder, module_files(program))
    made = folder / "program"
    flags = ["-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-DNACRE_POISON"]
    flags += ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", f"-I{folder}"]
    sources = [str(s) for s in (*module_sources(folder), HERE / main)]
    subprocess.run(["gcc", *flags, *sources, "-o", str(made), "-lm"], check=True)
    done = subprocess.run([str(made)], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def planned(name: str, parts: int = 3):
    found = case(name)
    staged = found.stager.plan(found.peak // parts)
    assert staged is not None
    return found, staged.plan


# --- copies that run while kernels compute --------------------------------------------------------


@pytest.mark.parametrize("ahead", (False, True), ids=("at once", "ahead"))
@pytest.mark.parametrize("name", NAMES)
def test_copies_may_be_late(name: str, ahead: bool, tmp_path: Path) -> None:
    """A copy may happen any time until it is waited for, and destroys its destination first."""
    found, plan = planned(name)
    if ahead:
        plan = copies_ahead(plan, lambda _: True)
    program = program_of_plan(found.lowered, plan)
    moves = [a for s in program.segments for a in s.actions if isinstance(a, ProgramMove)]
    assert any(m.ahead for m in moves) == any(m.behind for m in moves) == ahead
    (tmp_path / "in.bin").write_bytes(input_stream(program, found.samples[:1]))
    printed = built(program, "late.c", tmp_path)
    status, left, most, channels = map(int, printed.split())
    assert (status, left) == (0, 0)
    assert channels == (1 + max(m.channel for m in moves))
    assert channels > 1 if ahead else channels == 1
    assert most >= 1
    outputs, at = (tmp_path / "out.bin").read_bytes(), 0
    for expected in found.expected[0]:
        assert outputs[at : at + expected.nbytes] == expected.tobytes()
        at += expected.nbytes


def test_copies_ahead_are_taken_where_they_fit() -> None:
    found, plan = planned("chain")
    assert copies_ahead(plan, lambda _: False) is plan
    more = copies_ahead(plan, lambda p: fast_bytes(p) <= fast_bytes(plan) + 1000)
    assert fast_bytes(plan) < fast_bytes(more) <= fast_bytes(plan) + 1000
    runner = Runner(program_of_plan(found.lowered, more))
    assert_same([runner.run(s) for s in found.samples], found.expected)


def fast_bytes(plan) -> int:
    return sum(h.size for h in plan.holdings.values() if h.memory == "DTCM")


# --- rows from and to the caller ------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_streamed_rows_give_the_same(name: str, tmp_path: Path) -> None:
    found, plan = planned(name)
    graph = found.lowered
    program = program_of_plan(graph, streamed(plan, graph, graph.inputs, graph.outputs))
    runner = Runner(program)
    assert_same([runner.run(s) for s in found.samples], found.expected)
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)
    for key in (*graph.inputs, *graph.outputs):
        held = [s for s in program.slots.values() if s.tensor.id == graph.storage(key)]
        assert {program.regions[s.region].usage.memory for s in held} == {"DTCM"}


def test_rows_are_asked_for_once_and_in_order(tmp_path: Path) -> None:
    found, plan = planned("chain")
    graph = found.lowered
    program = program_of_plan(graph, streamed(plan, graph, graph.inputs, graph.outputs))
    assert built(program, "rows.c", tmp_path).splitlines() == [
        "20 a row callback of the context is NULL: in 0 out 0",
        "20 a row callback of the context is NULL: in 0 out 0",
        "0 ok: in 37 out 1",
        f"21 a row callback returned an error: in {first_band(program)} out 0",
    ]


def first_band(program: Program) -> int:
    moves = (a for s in program.segments for a in s.actions if isinstance(a, ProgramMove))
    return next(m.ends[0] for m in moves if program.steps[m.step].name == "x")


def test_streams_by_id_or_name() -> None:
    graph = case("branches").lowered
    x, (a, b) = graph.inputs[0], graph.outputs
    assert named_ends(graph, graph.inputs, ("x",), "k") == (x,)
    assert named_ends(graph, graph.outputs, (b, a), "k") == (a, b)
    assert named_ends(graph, graph.outputs, ("*",), "k") == (a, b)
    assert named_ends(graph, graph.outputs, (), "k") == ()
    with pytest.raises(ConfigError, match=r"k: 'z' is none of .*\* is all of them"):
        named_ends(graph, graph.inputs, ("z",), "k")


def test_a_tensor_that_is_used_twice_cannot_be_streamed() -> None:
    found, plan = planned("branches")
    graph = found.lowered
    once = streamed(plan, graph, graph.inputs, ())
    assert len(once.holdings) == len(plan.holdings) - 1
    twice = next(h.id for h in plan.holdings.values() if h.tensor == graph.inputs[0])
    moves = [s for s in plan.segments if any(twice in str(a) for a in s.actions)]
    with pytest.raises(PlacementError, match="cannot be streamed: the plan uses it 2 times"):
        streamed(replace(plan, segments=(*plan.segments, moves[0])), graph, graph.inputs, ())


def test_a_copy_that_fails_ends_the_run(tmp_path: Path) -> None:
    found, plan = planned("unet")
    program = program_of_plan(found.lowered, plan)
    text = '#include "net.h"\n#include <stdio.h>\n'
    text += "static net_model_context_t ctx;\nstatic int left;\n"
    text += "int32_t net_copy_async(void *d, const void *s, size_t n, uint32_t c)\n"
    text += "{ (void)d; (void)s; (void)n; (void)c; return left-- > 0 ? 0 : 77; }\n"
    text += "int main(void) { if (net_model_init(&ctx)) return 1;\n"
    text += "for (left = 0; left < 4;) { const int from = left;\n"
    text += 'printf("%ld ", (long)net_model_run(&ctx)); left = from + 1; } return 0; }\n'
    main = tmp_path / "fails.c"
    folder = tmp_path / "module"
    folder.mkdir()
    main.write_text(text)
    assert built(program, str(main), folder) == "77 77 77 77 "
    assert np.array_equal(Runner(program).run(found.samples[0])[0], found.expected[0][0])
