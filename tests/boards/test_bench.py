"""Counting instructions: exact to a tick, the same every run, and it adds up."""

from __future__ import annotations

import json
import platform
import re
import shutil
import subprocess
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from cli.commands import nacre
from nacre.bench import (
    MEGAHERTZ,
    Counts,
    bench_board,
    bench_files,
    bench_host,
    bench_sources,
    build_bench,
    code_bytes,
    count,
    evaluate,
    measure,
)
from nacre.build import WARNINGS, Toolchain, compile_all, input_stream, link, write_files
from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.emit.board import board_files
from nacre.errors import BuildError, ConfigError
from nacre.golden import random_inputs
from nacre.image import read_symbols
from nacre.ir import Graph
from nacre.program import Program
from nacre.targets import load_target
from support.shared import model_path, requires_shared

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
EXAMPLE = ROOT / "examples" / "dscnn.tflite"
CALLS = 64  # instructions that a call and two marks may add, generously

needs_boards = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)
needs_valgrind = pytest.mark.skipif(
    not shutil.which("valgrind"), reason="valgrind is not installed"
)


def tick(board: str) -> Fraction:
    return Fraction(1000, MEGAHERTZ[board])


def compiled(target: str, model: Path = EXAMPLE, **settings: object) -> tuple[Graph, Program]:
    config = parse_config({"target": {"name": target}, **settings})  # type: ignore[dict-item]
    graph = import_graph(model, config)
    return graph, compile_graph(graph, config, model.name)


def loop_program(folder: Path, toolchain: Toolchain, *defines: str) -> Path:
    """The program of loop_main.c, for the host or a board."""
    board = {}
    if toolchain.emulator:
        board = {k: v.encode() for k, v in board_files(load_target(toolchain.where)).items()}
    main = {"example/main.c": (HERE / "loop_main.c").read_bytes()}
    write_files(folder, bench_sources(toolchain) | board | main)
    flags = (*toolchain.flags, "-Iexample", *(f"-D{d}" for d in defines))
    objects = compile_all(replace(toolchain, flags=flags), sorted(folder.rglob("*.c")), folder)
    return link(toolchain, objects, folder / "loop.elf")


@needs_boards
@pytest.mark.parametrize("board", MEGAHERTZ)
@pytest.mark.parametrize("period", [0x1000000, 0x1000])
def test_loop_of_known_length(board: str, period: int, tmp_path: Path) -> None:
    toolchain = bench_board(load_target(board))
    turns = 1_000_000
    made = loop_program(
        tmp_path, toolchain, f"LOOP={turns}", f"BENCH_PERIOD={period}", "DEPTH=1000"
    )
    (cost, found), stack = count(made, toolchain)
    rounds = found / tick(board) / period  # each round's interrupt costs a few instructions
    assert cost < 2 * CALLS
    assert abs(found - cost - (1 + 2 * turns)) <= 2 * tick(board) + 16 * rounds
    assert 1000 <= stack <= 1000 + 128


@needs_boards
def test_stack_that_is_used_up_is_said(tmp_path: Path) -> None:
    toolchain = bench_board(load_target("mps2-an386"))
    made = loop_program(tmp_path, toolchain, "LOOP=1", f"DEPTH={16 << 10}")
    with pytest.raises(BuildError, match="used all of the stack"):
        count(made, toolchain)


@needs_valgrind
@pytest.mark.skipif(platform.machine() != "x86_64", reason="the loop is written for x86-64")
def test_loop_on_the_host(tmp_path: Path) -> None:
    turns = 100_000
    toolchain = bench_host()
    between, stack = count(
        loop_program(tmp_path, toolchain, f"LOOP={turns}", "DEPTH=1000"), toolchain
    )
    assert between[0] < CALLS and abs(between[1] - between[0] - (1 + 2 * turns)) < CALLS
    assert 1000 <= stack <= 1000 + 256


def exact_counts(folder: Path, program: Program, built: Path, toolchain: Toolchain) -> Counts:
    """The same intervals as a plugin of QEMU counts them: no clock, no tick."""
    plugin = folder / "count_plugin.so"
    command = ["gcc", *WARNINGS, "-shared", "-fPIC", "-O2", "-o", str(plugin)]
    subprocess.run([*command, str(HERE / "count_plugin.c")], check=True)
    mark = read_symbols(built)["bench_mark"].address
    option = ("-plugin", f"{plugin},at={mark:#x}")
    command = [*toolchain.emulator[:1], *option, *toolchain.emulator[1:], str(built)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    marks = [int(m) for m in re.findall(r"^exact (\d+)", done.stderr, re.MULTILINE)]
    if not marks:
        pytest.skip(f"this QEMU takes no such plugin: {done.stderr.strip()[:200]}")
    between = [Fraction(b - a) for a, b in pairwise(marks)]
    return evaluate(program, between, 0)


@needs_boards
@pytest.mark.slow
@pytest.mark.parametrize("board", ["mps2-an386", "mps3-an547"])
def test_within_a_tick_of_an_exact_count(board: str, tmp_path: Path) -> None:
    toolchain = bench_board(load_target(board))
    graph, program = compiled(board)
    write_files(tmp_path, bench_files(program, toolchain))
    (tmp_path / "in.bin").write_bytes(input_stream(program, random_inputs(graph, 1)))
    built = build_bench(program, tmp_path, toolchain)
    ours = evaluate(program, *count(built.bench, toolchain))
    exact = exact_counts(tmp_path, program, built.bench, toolchain)
    limit = tick(board) * Fraction(33, 32)  # the cost of a mark is the mean of 64
    assert abs(ours.run - exact.run) <= limit
    assert all(abs(a - b) <= limit for a, b in zip(ours.steps, exact.steps, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [
        *(pytest.param(b, marks=needs_boards) for b in MEGAHERTZ),
        pytest.param("host", marks=needs_valgrind),
    ],
)
def test_bench_is_the_same_twice_and_adds_up(place: str) -> None:
    first, second = (nacre("bench", EXAMPLE, "--target", place, "--json") for _ in range(2))
    assert (first.code, first.err) == (0, "")
    assert first == second
    said = json.loads(first.out)
    assert list(said) == [
        "instructions", "arena_bytes", "code_bytes", "weight_bytes", "stack_bytes", "steps",
    ]  # fmt: skip
    assert all(
        list(step)
        == ["number", "ids", "type", "name", "macs", "instructions", "kernel", "kernel_reason"]
        for step in said["steps"]
    )
    _, program = compiled(place)
    assert [s["number"] for s in said["steps"]] == list(range(len(program.steps)))
    assert sum(s["macs"] for s in said["steps"]) == program.macs
    total = sum(s["instructions"] for s in said["steps"])
    assert abs(total - said["instructions"]) <= 0.01 * said["instructions"]
    assert said["arena_bytes"] == program.scratch_bytes + program.persistent_bytes
    assert said["weight_bytes"] == program.constant_bytes
    assert said["instructions"] > program.macs // 16
    assert 0 < said["stack_bytes"] < 4096


@needs_boards
@pytest.mark.slow
def test_bench_for_people() -> None:
    ended = nacre("bench", EXAMPLE, "--target", "mps2-an386")
    assert (ended.code, ended.err) == (0, "")
    for words in (
        "instructions",
        "per MAC",
        "arena bytes",
        "code bytes",
        "weight bytes",
        "CONV_2D",
    ):
        assert words in ended.out


@needs_boards
@pytest.mark.slow
def test_verify_on_a_board_says_what_a_run_costs() -> None:
    golden = ROOT / "examples" / "dscnn_golden.npz"
    ended = nacre("verify", EXAMPLE, "--on", "mps3-an547", "--test.golden", golden)
    assert ended.code == 0, ended.err
    verdict = ended.out.splitlines()[-1]
    assert re.fullmatch(r"  equal · [\d ]+ instructions · stack [\d ]+", verdict), ended.out


@needs_boards
@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [{}, {"memory": {"allocate_arenas": False}},
     {"memory": {"tensors": [{"type": "constant", "attributes": {
         "memory": "MRAM", "constant_destination_memory": "DTCM"}}]}}],
    ids=["internal", "external", "staged"],
)  # fmt: skip
def test_code_bytes_are_those_of_the_symbols(settings: dict[str, object], tmp_path: Path) -> None:
    toolchain = bench_board(load_target("mps3-an547"))
    _, program = compiled("mps3-an547", **settings)
    write_files(tmp_path, bench_files(program, toolchain))
    probe = build_bench(program, tmp_path, toolchain).probe
    listed = subprocess.run(
        ["arm-none-eabi-nm", "--print-size", "--defined-only", str(probe)],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    sizes = {
        name: int(size, 16)
        for size, kind, name in re.findall(r"^\w+ (\w+) ([tTrRdDwW]) (\S+)$", listed, re.MULTILINE)
        if not name.endswith(("__blob", "__source")) and name != "main"
    }
    assert any("conv2d" in name for name in sizes) and any("softmax" in name for name in sizes)
    assert sum(sizes.values()) <= code_bytes(program, probe) <= 1.1 * sum(sizes.values()) + 64


@needs_boards
@pytest.mark.slow
def test_placement_does_not_change_the_count() -> None:
    """Arenas of the application, staged constants: other addresses, the same instructions."""
    toolchain = bench_board(load_target("mps3-an547"))
    rule = {"type": "constant", "attributes": {"constant_destination_memory": "DTCM"}}
    counts = []
    for memory in ({}, {"allocate_arenas": False}, {"tensors": [rule]}):
        graph, program = compiled("mps3-an547", memory=memory)
        counts.append(measure(program, random_inputs(graph, 1)[0], toolchain).instructions)
    assert max(counts) - min(counts) <= 0.001 * counts[0]


@requires_shared
@needs_boards
@pytest.mark.slow
def test_variables_start_fresh_for_each_run() -> None:
    """A streaming network: the run that is counted and the run with marks do the same."""
    graph, program = compiled("mps2-an386", model_path("mww_v2_alexa"))
    assert program.persistent_bytes > 0
    toolchain = bench_board(load_target("mps2-an386"))
    bench = measure(program, random_inputs(graph, 1)[0], toolchain)
    total = sum(cost.instructions for cost in bench.steps)
    assert abs(total - bench.instructions) <= 0.01 * bench.instructions
    assert bench.arena_bytes == program.scratch_bytes + program.persistent_bytes


def test_chip_without_emulator() -> None:
    ended = nacre("bench", EXAMPLE, "--target", "apollo510")
    assert (ended.code, ended.out) == (2, "")
    assert "apollo510" in ended.err and "no emulator" in ended.err and "mps3-an547" in ended.err


@pytest.mark.parametrize(
    ("place", "tool"),
    [("mps3-an547", "arm-none-eabi-gcc"), ("host", "valgrind")],
)
def test_missing_tool(place: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    ended = nacre("bench", EXAMPLE, "--target", place)
    assert (ended.code, ended.out) == (1, "")
    assert tool in ended.err and "Debian has it in the package" in ended.err


@needs_boards
def test_board_with_an_unknown_clock() -> None:
    target = load_target("mps2-an386").model_copy(update={"qemu_machine": "mps2-an511"})
    with pytest.raises(ConfigError, match="the clock of mps2-an511 is not known"):
        bench_board(target)


def snippets() -> list[str]:
    page = (ROOT / "docs" / "bench.md").read_text(encoding="utf-8")
    return re.findall(r"```c\n(.*?)```", page, re.DOTALL)


@needs_boards
@pytest.mark.parametrize("cpu", ["cortex-m4", "cortex-m55"])
def test_snippet_of_the_page_compiles(cpu: str, tmp_path: Path) -> None:
    _, program = compiled("mps3-an547", module={"prefix": "kws"})
    write_files(tmp_path, bench_files(program, bench_board(load_target("mps3-an547"))))
    (found,) = snippets()
    (tmp_path / "profile.c").write_text(found)
    command = ["arm-none-eabi-gcc", f"-mcpu={cpu}", "-mthumb", *WARNINGS, "-O2", "-I."]
    subprocess.run([*command, "-c", "profile.c"], cwd=tmp_path, check=True)
    assert "kws_profile" in read_symbols(tmp_path / "profile.o")
