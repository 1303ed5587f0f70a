"""Builds a module, runs it in QEMU or under callgrind, and counts what it takes."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import resources
from itertools import pairwise
from pathlib import Path

from nacre.build import (
    Toolchain,
    board_toolchain,
    compile_all,
    host_toolchain,
    input_stream,
    link,
    run_program,
    with_libraries,
    write_files,
)
from nacre.emit.environment import environment
from nacre.emit.module import module_files
from nacre.emit.stage_facts import streams
from nacre.errors import BuildError, ConfigError
from nacre.image import read_symbols
from nacre.ir import Array
from nacre.memory import ArenaRole
from nacre.program import Program, ProgramStep
from nacre.report.document_uses import uses
from nacre.targets import Target

# Unused functions leave the image, as in a release build.
FLAGS = ("-O3", "-ffunction-sections", "-fdata-sections")
# Under `-icount shift=0` an instruction takes a nanosecond; SysTick counts at the core's clock.
MEGAHERTZ = {"mps2-an385": 25, "mps2-an386": 25, "mps2-an500": 25, "mps3-an547": 32}
# Marks that are made to learn what a mark costs.
CALIBRATION = 65
VALGRIND = "valgrind"
# Sections of the probe's image that hold code, read-only and initialised data.
_COUNTED = (".text", ".rodata", ".data", ".ARM.ex")


@dataclass(frozen=True)
class StepCost:
    """What one step takes. `bytes` are those of the tensors, constants and scratch it touches."""

    step: ProgramStep
    instructions: int
    bytes: int


@dataclass(frozen=True, eq=False)
class Bench:
    """One warm inference, and the bytes that the module needs."""

    program: Program
    toolchain: Toolchain
    instructions: int
    steps: tuple[StepCost, ...]
    # Code, read-only and initialised data that the module adds to an image; no weights.
    code_bytes: int
    stack_bytes: int

    @property
    def arena_bytes(self) -> int:
        """Scratch, with that of the operators, and variables."""
        return self.program.scratch_bytes + self.program.persistent_bytes

    @property
    def weight_bytes(self) -> int:
        return self.program.constant_bytes


@dataclass(frozen=True)
class Counts:
    """What the measuring program said; instructions may be fractions of a tick's."""

    run: Fraction
    steps: tuple[Fraction, ...]
    stack: int


def bench_board(target: Target, option: str = "--target") -> Toolchain:
    """Cross compiler and a QEMU that counts, for a board that nacre knows."""
    toolchain = board_toolchain(target, option)
    if target.qemu_machine not in MEGAHERTZ:
        raise ConfigError(
            f"{option} {target.name}: the clock of {target.qemu_machine} is not known; "
            f"supported: host, {', '.join(MEGAHERTZ)}"
        )
    emulator = (*toolchain.emulator[:1], "-icount", "shift=0", *toolchain.emulator[1:])
    return replace(toolchain, flags=(*FLAGS, *target.flags), emulator=emulator)


def bench_host(preferred: str | None = None) -> Toolchain:
    """The host's compiler; callgrind counts."""
    if shutil.which(VALGRIND) is None:
        raise BuildError(
            "valgrind is not on the PATH; its callgrind counts the instructions on the host. "
            "Debian has it in the package valgrind."
        )
    # Symbols are bound at the start: the first call of a function would count as the network's.
    return replace(host_toolchain(preferred), flags=FLAGS, link=("-Wl,-z,now", "-lm"))


def measure(program: Program, inputs: Sequence[Array], toolchain: Toolchain) -> Bench:
    """Build the module and count one inference of these inputs."""
    with tempfile.TemporaryDirectory(prefix="nacre-bench-") as name:
        folder = Path(name)
        write_files(folder, bench_files(program, toolchain))
        (folder / "in.bin").write_bytes(input_stream(program, [inputs]))
        built = build_bench(program, folder, toolchain)
        counts = evaluate(program, *count(built.bench, toolchain))
        code = code_bytes(program, built.probe)
    touched = [sum(program.slots[t].size for t in step) for step in uses(program)]
    steps = zip(program.steps, counts.steps, touched, strict=True)
    return Bench(
        program=program,
        toolchain=toolchain,
        instructions=round(counts.run),
        steps=tuple(StepCost(s, max(0, round(n)), size) for s, n, size in steps),
        code_bytes=code,
        stack_bytes=counts.stack,
    )


@dataclass(frozen=True)
class Built:
    """The program that measures, and the smallest one that uses the module."""

    bench: Path
    probe: Path


def bench_sources(toolchain: Toolchain) -> dict[str, bytes]:
    """The C that counts where the toolchain's programs run."""
    names = ("bench.h", "stack.c", "systick.c" if toolchain.emulator else "callgrind.c")
    csrc = resources.files("nacre").joinpath("csrc", "bench")
    return {f"example/bench/{name}": csrc.joinpath(name).read_bytes() for name in names}


def bench_files(program: Program, toolchain: Toolchain) -> dict[str, bytes]:
    """The module with the programs that measure it."""
    files = module_files(program) | bench_sources(toolchain)
    for name in ("bench", "probe"):
        text = environment().get_template(f"{name}.c.j2").render(
            p=program.prefix, external=not program.allocate_arenas, marks=CALIBRATION,
            streams=streams(program),
        )  # fmt: skip
        files[f"example/{name}.c"] = text.encode()
    return files


def build_bench(program: Program, folder: Path, toolchain: Toolchain) -> Built:
    """Compile everything once, link it twice."""
    toolchain, library = with_libraries(folder, toolchain)
    marks = 2 + CALIBRATION + len(program.executions) + 1
    flags = (*toolchain.flags, f"-DBENCH_MARKS={marks}", "-Iexample")
    example = folder / "example"
    around = [example / "bench.c", *example.glob("bench/*.c"), *example.glob("board/*.c")]
    sources = [p for p in folder.rglob("*.c") if p.relative_to(folder).parts[0] != "example"]
    sources += [*around, example / "probe.c"]
    objects = compile_all(replace(toolchain, flags=flags), sorted(sources), folder)
    bare = [o for o in objects if example not in o.parents] + library
    main = [source.with_suffix(".o") for source in sorted(around)]
    return Built(
        link(toolchain, [*bare, *main], folder / "bench.elf"),
        link(_probing(toolchain), [*bare, example / "probe.o"], folder / "probe.elf"),
    )


def _probing(toolchain: Toolchain) -> Toolchain:
    """Links without start-up, without a board's script and without what is not called."""
    cpu = tuple(f for f in toolchain.flags if f.startswith("-m"))
    specs = ("--specs=nano.specs", "--specs=nosys.specs") if toolchain.emulator else ()
    alone = ("-nostartfiles", "-Wl,--gc-sections", "-Wl,--entry=main")
    return replace(toolchain, link=(*cpu, *specs, *alone, "-lm"))


def count(built: Path, toolchain: Toolchain) -> tuple[list[Fraction], int]:
    """Instructions between successive marks, and the stack of a run."""
    if not toolchain.emulator:
        return _count_host(built, toolchain)
    said = run_program(built, toolchain)
    machine = toolchain.emulator[toolchain.emulator.index("-M") + 1]
    marks = [int(m, 16) for m in re.findall(r"^mark ([0-9a-f]{16})", said, re.MULTILINE)]
    tick = Fraction(1000, MEGAHERTZ[machine])
    return [(after - before) * tick for before, after in pairwise(marks)], _stack(said)


def _count_host(built: Path, toolchain: Toolchain) -> tuple[list[Fraction], int]:
    """Callgrind writes one file before each mark; the first holds what came before them all."""
    file = built.parent / "callgrind"
    options = ("--tool=callgrind", f"--callgrind-out-file={file}", "--dump-before=bench_mark")
    said = run_program(built, replace(toolchain, emulator=(VALGRIND, *options)))
    dumps = {int(p.name.split(".")[1]): p for p in built.parent.glob("callgrind.*")}
    return [Fraction(_total(dumps[n])) for n in sorted(dumps)[1:]], _stack(said)


def _total(dump: Path) -> int:
    found = re.search(r"^totals: (\d+)", dump.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise BuildError("callgrind wrote a file without a total; is this valgrind 3.13 or later?")
    return int(found[1])


def _stack(said: str) -> int:
    found = re.search(r"^stack (\d+)", said, re.MULTILINE)
    assert found is not None, said
    depth = int(found[1])
    if depth >= 0xFFFFFFFF:
        raise BuildError("the network used all of the stack that the measuring program has")
    return depth


def evaluate(program: Program, between: list[Fraction], stack: int) -> Counts:
    """Sort the intervals as the measuring program made them, and take off what a mark costs."""
    marks = 2 + CALIBRATION + len(program.executions) + 1
    assert len(between) == marks - 1, f"{len(between) + 1} marks, expected {marks}"
    idle = between[2 : 1 + CALIBRATION]
    cost = sum(idle, Fraction(0)) / len(idle)
    # A step in bands is entered once per band.
    steps = [Fraction(0)] * len(program.steps)
    for number, taken in zip(program.executions, between[2 + CALIBRATION :], strict=True):
        steps[number] += taken - cost
    return Counts(between[0] - cost, tuple(steps), stack)


def code_bytes(program: Program, probe: Path) -> int:
    """Code, read-only and initialised data of the probe, less the blobs and the probe's main."""
    symbols = read_symbols(probe)
    blobs = [
        f"{program.prefix}_{region.name}{ending}"
        for region in program.regions
        if region.role is ArenaRole.constant
        for ending in ("__blob", "__source")
    ]
    left_out = [symbols[name].size for name in ("main", *blobs) if name in symbols]
    return _section_bytes(probe) - sum(left_out)


def _section_bytes(image: Path) -> int:
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        sections = [
            s["sh_size"]
            for s in ELFFile(file).iter_sections()
            if s.name.startswith(_COUNTED) and s["sh_type"] != "SHT_NOBITS"
        ]
    return int(sum(sections))
