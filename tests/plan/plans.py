"""Plan files for tests: compiled, built into firmware, run on the host or a board."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nacre.build import Toolchain, board_toolchain, compile_all, link, run_program, write_files
from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.planfile.codegen import PlanInput, firmware_folder
from nacre.planfile.rules import has_checks
from nacre.planfile.write import plan_file
from nacre.program import Program
from nacre.targets import Target, load_target

needs_boards = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)
EXAMPLE = Path(__file__).parents[2] / "examples" / "dscnn.tflite"


def program_for(path: Path, target: str = "host", budget: str | None = None) -> Program:
    """The program that `nacre compile` would write."""
    memory = {} if budget is None else {"memory": {"budget": budget}}
    config = parse_config({"target": {"name": target}, **memory})
    graph = import_graph(path, config)
    return compile_graph(graph, config, path.name, usable=has_checks)


def samples_for(program: Program, count: int, seed: int = 1) -> list[list[np.ndarray]]:
    """Inputs over the whole range of their types."""
    generator = np.random.default_rng(seed)
    return [[_random(program, key, generator) for key in program.inputs] for _ in range(count)]


def _random(program: Program, key: str, generator: np.random.Generator) -> np.ndarray:
    tensor = program.tensor(key)
    dtype = tensor.dtype.numpy
    if np.issubdtype(dtype, np.integer):
        low, high = tensor.dtype.range
        return generator.integers(low, high, tensor.shape, dtype, endpoint=True)
    return generator.standard_normal(tensor.shape).astype(dtype)


def firmware(program: Program, folder: Path, target: Target) -> bytes:
    """Write the example firmware of a program's plan; the plan."""
    content = plan_file(program)
    write_files(folder, firmware_folder(PlanInput("model.ncr", content), target))
    return content


def build_on_board(folder: Path, toolchain: Toolchain, main: Path) -> Path:
    """Link the runtime and its kernels with one main file and the board's start-up."""
    board = folder / "example" / "board"
    sources = [p for p in folder.rglob("*.c") if "example" not in p.relative_to(folder).parts]
    sources += [p for p in board.glob("*.c") if p.name != "main.c"]
    sources += [p for p in (folder / "example" / "bench").glob("*.c") if main.name == "bench.c"]
    flags = (*toolchain.flags, "-Iexample")
    objects = compile_all(replace(toolchain, flags=flags), sorted([*sources, main]), folder)
    return link(toolchain, objects, folder / "plan.elf")


def run_on_board(
    program: Program, folder: Path, board: str, samples: Sequence[Sequence[np.ndarray]]
) -> list[list[np.ndarray]]:
    """Outputs of consecutive runs of the plan's firmware in QEMU."""
    target = load_target(board)
    firmware(program, folder, target)
    toolchain = board_toolchain(target)
    built = build_on_board(folder, toolchain, folder / "example" / "board" / "main.c")
    stream = b"".join(np.ascontiguousarray(v).tobytes() for s in samples for v in s)
    (folder / "in.bin").write_bytes(stream)
    run_program(built, toolchain)
    return split(program, (folder / "out.bin").read_bytes(), len(samples))


def split(program: Program, stream: bytes, samples: int) -> list[list[np.ndarray]]:
    rows, at = [], 0
    for _ in range(samples):
        row = []
        for key in program.outputs:
            tensor = program.tensor(key)
            value = np.frombuffer(stream, tensor.dtype.numpy, tensor.elements, at)
            row.append(value.reshape(tensor.shape))
            at += tensor.size
        rows.append(row)
    return rows


def same_bits(a: Sequence[np.ndarray], b: Sequence[np.ndarray]) -> bool:
    return all(
        np.ascontiguousarray(x).tobytes() == np.ascontiguousarray(y).tobytes()
        for x, y in zip(a, b, strict=True)
    )
