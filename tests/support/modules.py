"""Emitting, building and running C modules in tests."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nacre.build import Toolchain, build_runner, run_samples, write_files
from nacre.config.load import parse_config
from nacre.emit.module import module_files
from nacre.frontends.tflite.importer import import_model
from nacre.golden import Golden
from nacre.ir import Graph
from nacre.program import Program
from support.execute import program_of

GCC = Toolchain("host", "gcc", ("-O1",))
SANITIZED = Toolchain(
    "host",
    "gcc",
    ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DNACRE_POISON"),
    ("-fsanitize=address,undefined", "-lm"),
)


@dataclass(frozen=True, eq=False)
class Module:
    """A module on disk and the program that it came from."""

    program: Program
    graph: Graph
    folder: Path


def emit(
    data: bytes, folder: Path, golden: Golden | None = None, name: str = "net", **settings: object
) -> Module:
    """Write the module of a TFLite model; `settings` is the configuration as a tree."""
    config = parse_config(settings)  # type: ignore[arg-type]
    graph = import_model(data, name, litert=config.numerics == "litert")
    program = program_of(graph, config)
    write_files(folder, module_files(program, golden))
    return Module(program, graph, folder)


def run_module(
    module: Module, samples: list[list[np.ndarray]], toolchain: Toolchain = GCC
) -> list[list[np.ndarray]]:
    """Build the module and run the samples in order."""
    runner = build_runner(module.program.prefix, module.folder, toolchain)
    return run_samples(module.program, runner, toolchain, samples)


def build_and_run(folder: Path, sources: list[Path], includes: list[Path], *flags: str) -> str:
    """Compile a test program with warnings as errors, run it, return what it printed."""
    made = folder / "test_program"
    command = ["gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", *flags]
    command += [f"-I{i}" for i in includes] + [str(s) for s in sources] + ["-o", str(made), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([str(made)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def module_sources(folder: Path) -> list[Path]:
    """The .c files of a module, without its example."""
    return [p for p in sorted(folder.rglob("*.c")) if "example" not in p.relative_to(folder).parts]
