"""Counts what a module does while it runs: bytes that copies move, constants that calls read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

from nacre.build import input_stream, write_files
from nacre.emit.module import module_files
from nacre.memory import ArenaRole
from nacre.program import Program
from nacre.stages.plan import Traffic
from support.modules import module_sources

HERE = Path(__file__).parent


def counted(program: Program, sample: list[np.ndarray], folder: Path) -> Traffic:
    """One run of the emitted C; every call of a kernel and every copy reports itself."""
    write_files(folder, module_files(program))
    source = folder / "net.c"
    text = source.read_text()
    mark = "\n/* ---- parameters of the steps ---- */"
    assert text.count(mark) == 1
    source.write_text(text.replace(mark, f'#include "count_calls.h"\n{mark}'))
    (folder / "count_calls.h").write_text(_calls(program))
    (folder / "count_tables.h").write_text(_tables(program))
    (folder / "in.bin").write_bytes(input_stream(program, [sample]))
    made = folder / "count"
    sources = [str(s) for s in (*module_sources(folder), HERE / "count.c")]
    command = ["gcc", "-std=c99", "-O1", "-w", f"-I{folder}", *sources, "-o", str(made), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([str(made)], cwd=folder, capture_output=True, text=True, check=True)
    status, loaded, spilled, weights = map(int, done.stdout.split())
    assert status == 0
    return Traffic(loaded, spilled, weights, program.macs)


def entered(program: Program, sample: list[np.ndarray], folder: Path) -> str:
    """The numbers that one run gives to `on_step`, a line each."""
    write_files(folder, module_files(program))
    (folder / "in.bin").write_bytes(input_stream(program, [sample]))
    made = folder / "entered"
    sources = [str(s) for s in (*module_sources(folder), HERE / "entered.c")]
    command = ["gcc", "-std=c99", "-O1", f"-I{folder}", *sources, "-o", str(made), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([str(made)], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def _calls(program: Program) -> str:
    lines = ["void count_call(const char *arguments);"]
    for kernel in program.kernels:
        lines.append(f"#undef {kernel.name}")
        own = f"net_{kernel.name}(__VA_ARGS__)"
        lines.append(f"#define {kernel.name}(...) (count_call(#__VA_ARGS__), {own})")
    return "\n".join(lines) + "\n"


def _tables(program: Program) -> str:
    (cold,) = [r for r in program.regions if r.role is ArenaRole.constant]
    slots = [s for s in program.slots.values() if s.region == cold.number and s.view_of is None]
    rows = ", ".join(f"{{{s.offset}, {s.size}}}" for s in slots)
    return (
        "typedef struct { unsigned long offset, size; } count_slot_t;\n"
        f"enum {{ MANY = {len(slots)}, count_constants = {len(slots)} }};\n"
        f"static const count_slot_t count_slots[] = {{{rows}}};\n"
        f'#define CONSTANTS "{cold.name.removeprefix("arena_")}"\n'
        f"#define CONSTANTS_REGION {cold.number}\n"
        "#define FAST_REGION 0\n"
    )
