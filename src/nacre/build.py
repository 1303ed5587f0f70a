"""Builds a module with a real compiler and runs it on given inputs."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nacre.emit.module import environment
from nacre.errors import BuildError
from nacre.ir import Array
from nacre.program import Program

WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror")
SECONDS = 600


@dataclass(frozen=True)
class Compiler:
    """A C compiler for the host and its extra flags."""

    command: str
    flags: tuple[str, ...] = ("-O2",)

    @property
    def label(self) -> str:
        """`gcc 12.2`, as it names itself."""
        done = subprocess.run([self.command, "-dumpfullversion", "-dumpversion"],
                              capture_output=True, text=True, check=False)  # fmt: skip
        return f"{Path(self.command).name} {done.stdout.strip() or '?'}"


def host_compiler(preferred: str | None = None) -> Compiler:
    """The compiler that the user named, or the first of cc, gcc, clang."""
    for name in (preferred,) if preferred else ("cc", "gcc", "clang"):
        if name is not None and shutil.which(name):
            return Compiler(name)
    wanted = preferred or "cc, gcc or clang"
    raise BuildError(f"no C compiler: {wanted} is not on the PATH. Install gcc or clang.")


def build_runner(program: Program, module: Path, compiler: Compiler) -> Path:
    """Compile the module in a folder into a program that maps inputs to outputs."""
    main = module / "runner_main.c"
    main.write_text(environment().get_template("runner.c.j2").render(p=program.prefix))
    sources = sorted(p for p in module.rglob("*.c") if "example" not in p.relative_to(module).parts)
    objects = compile_all(compiler, sources, module)
    runner = module / "runner"
    _run([compiler.command, *compiler.flags, "-o", str(runner), *map(str, objects), "-lm"])
    return runner


def compile_all(compiler: Compiler, sources: Sequence[Path], module: Path) -> list[Path]:
    """Each source to an object, two at a time."""

    def one(source: Path) -> Path:
        made = source.with_suffix(".o")
        _run([compiler.command, *WARNINGS, *compiler.flags, "-I", str(module), "-c",
              str(source), "-o", str(made)])  # fmt: skip
        return made

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, sources))


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = "\n".join(done.stderr.strip().splitlines()[:6])
        raise BuildError(f"the compiler failed: {' '.join(command)}\n{first}")


def run_samples(
    program: Program, runner: Sequence[str], samples: Sequence[Sequence[Array]]
) -> list[list[Array]]:
    """Consecutive runs of one context; one list of outputs per sample."""
    tensors = [program.tensor(key) for key in program.inputs]
    stream = b"".join(
        np.ascontiguousarray(value, tensor.dtype.numpy).tobytes()
        for sample in samples
        for tensor, value in zip(tensors, sample, strict=True)
    )
    command = [*runner, str(len(samples))]
    done = subprocess.run(command, input=stream, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip()
        raise BuildError(f"the built module failed with status {done.returncode}: {said}")
    return _split(program, done.stdout, len(samples))


def _split(program: Program, stream: bytes, samples: int) -> list[list[Array]]:
    results, at = [], 0
    for _ in range(samples):
        row = []
        for key in program.outputs:
            tensor = program.tensor(key)
            value = np.frombuffer(stream, tensor.dtype.numpy, tensor.elements, at)
            row.append(value.reshape(tensor.shape))
            at += tensor.size
        results.append(row)
    return results
