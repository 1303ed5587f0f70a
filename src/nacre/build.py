"""Builds a module with a real compiler and runs it on given inputs, here or on a board."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from nacre.cmsis_nn import cmsis_nn_folder, cmsis_nn_sources
from nacre.emit.environment import environment
from nacre.errors import BuildError, ConfigError
from nacre.ir import Array
from nacre.program import Program
from nacre.targets import Target

WARNINGS = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror")
SECONDS = 600
QEMU = "qemu-system-arm"


@dataclass(frozen=True)
class Toolchain:
    """How to compile, link and run for one place."""

    where: str
    compiler: str
    flags: tuple[str, ...] = ("-O2",)
    link: tuple[str, ...] = ("-lm",)
    # What runs the program; empty on the host.
    emulator: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """`gcc 12.2.0`, as it names itself."""
        command = [self.compiler, "-dumpfullversion", "-dumpversion"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return f"{Path(self.compiler).name} {done.stdout.strip() or '?'}"


def host_toolchain(preferred: str | None = None) -> Toolchain:
    """The compiler that the user named, or the first of cc, gcc, clang."""
    for words in (shlex.split(preferred),) if preferred else (["cc"], ["gcc"], ["clang"]):
        toolchain = _host(words)
        if shutil.which(toolchain.compiler):
            return toolchain
    wanted = preferred or "cc, gcc or clang"
    raise BuildError(f"no C compiler: {wanted} is not on the PATH. Install gcc or clang.")


def _host(words: list[str]) -> Toolchain:
    """CC may be a name, a name with flags (`gcc -m32`), or a launcher (`ccache gcc`)."""
    compiler = [word for word in words if not word.startswith("-")][-1:]
    flags = tuple(word for word in words if word.startswith("-"))
    return Toolchain("host", "".join(compiler), ("-O2", *flags), (*flags, "-lm"))


def board_toolchain(target: Target, option: str = "--on") -> Toolchain:
    """Cross compiler and QEMU for a target that nacre can run itself; `option` asked for it."""
    if target.qemu_machine is None or target.compiler is None:
        raise ConfigError(
            f"{option} {target.name}: no emulator runs it; supported: host, and the QEMU boards "
            "mps2-an385, mps2-an386, mps2-an500, mps3-an547"
        )
    for tool, package in ((target.compiler, "gcc-arm-none-eabi"), (QEMU, "qemu-system-arm")):
        if shutil.which(tool) is None:
            raise BuildError(f"{tool} is not on the PATH. Debian has it in the package {package}.")
    script = f"example/board/{target.name}.ld"
    return Toolchain(
        where=target.name,
        compiler=target.compiler,
        flags=("-O2", *target.flags),
        link=(*target.flags, "-nostartfiles", "--specs=nano.specs", "-T", script, "-lm"),
        emulator=(
            QEMU, "-M", target.qemu_machine, "-nographic", "-monitor", "none", "-serial", "none",
            "-semihosting-config", "enable=on,target=native", "-kernel",
        ),
    )  # fmt: skip


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def build_runner(prefix: str, module: Path, toolchain: Toolchain) -> Path:
    """Compile the module in a folder into a program that maps in.bin to out.bin."""
    external, streams = ((module / "example" / h).is_file() for h in ("arenas.h", "streams.h"))
    text = (
        environment()
        .get_template("runner.c.j2")
        .render(p=prefix, external=external, streams=streams)
    )
    (module / "example").mkdir(exist_ok=True)
    (module / "example" / "runner.c").write_text(text, encoding="utf-8")
    return build_program(module, "runner.c", toolchain)


def build_program(module: Path, main: str, toolchain: Toolchain) -> Path:
    """Compile the module with one main file of its example folder, and link."""
    toolchain, library = with_libraries(module, toolchain)
    sources = [p for p in module.rglob("*.c") if p.relative_to(module).parts[0] != "example"]
    sources.append(module / "example" / main)
    if toolchain.emulator:
        sources += sorted((module / "example" / "board").glob("*.c"))
    objects = compile_all(toolchain, sorted(sources), module) + library
    return link(toolchain, objects, module / Path(main).with_suffix(".elf").name)


def with_libraries(module: Path, toolchain: Toolchain) -> tuple[Toolchain, list[Path]]:
    """The objects of libraries that a module calls, and the toolchain that knows their headers."""
    if not any(module.rglob("cmsis_*.c")):
        return toolchain, []
    folder = cmsis_nn_folder()
    library = _compile_cmsis_nn(folder, module / "cmsis-nn", toolchain)
    flags = (*toolchain.flags, "-isystem", str(folder / "Include"))
    return replace(toolchain, flags=flags, link=(*toolchain.link, "-Wl,--gc-sections")), library


def _compile_cmsis_nn(folder: Path, made: Path, toolchain: Toolchain) -> list[Path]:
    """The library's objects, with its own idea of warnings; the linker drops what is not called."""
    made.mkdir(exist_ok=True)
    command = [toolchain.compiler, *toolchain.flags, "-ffunction-sections", "-w", "-c"]

    def one(source: Path) -> Path:
        object_file = made / f"{source.stem}.o"
        include = f"-I{folder / 'Include'}"
        _run([*command, include, str(source), "-o", str(object_file)], made)
        return object_file

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, cmsis_nn_sources(folder)))


def compile_all(toolchain: Toolchain, sources: Sequence[Path], module: Path) -> list[Path]:
    """Each source to an object, two at a time."""

    def one(source: Path) -> Path:
        made = source.with_suffix(".o")
        command = [toolchain.compiler, *WARNINGS, *toolchain.flags, "-I.", "-c"]
        _run([*command, source.relative_to(module).as_posix(), "-o", str(made)], module)
        return made

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(one, sources))


def link(toolchain: Toolchain, objects: Sequence[Path], made: Path) -> Path:
    """Objects of a module's folder to a program in it."""
    names = [o.relative_to(made.parent).as_posix() for o in objects]
    _run([toolchain.compiler, "-o", made.name, *names, *toolchain.link], made.parent)
    return made


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = "\n".join(done.stderr.strip().splitlines()[:6])
        raise BuildError(f"the compiler failed: {' '.join(command)}\n{first}")


def run_program(program: Path, toolchain: Toolchain) -> str:
    """Run a built program in its folder; what it printed."""
    command = [*toolchain.emulator, str(program)]
    try:
        done = subprocess.run(
            command, cwd=program.parent, capture_output=True, timeout=SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BuildError(f"the built module did not end within {SECONDS} s") from None
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        raise BuildError(f"the built module failed with status {done.returncode}: {said}")
    return done.stdout.decode(errors="replace")


def run_samples(
    program: Program, runner: Path, toolchain: Toolchain, samples: Sequence[Sequence[Array]]
) -> list[list[Array]]:
    """Consecutive runs of one context; one list of outputs per sample."""
    (runner.parent / "in.bin").write_bytes(input_stream(program, samples))
    run_program(runner, toolchain)
    return _split(program, (runner.parent / "out.bin").read_bytes(), len(samples))


def input_stream(program: Program, samples: Sequence[Sequence[Array]]) -> bytes:
    """The inputs of all samples in order, as the module reads them; one byte each without any."""
    if not program.inputs:
        return bytes(len(samples))
    tensors = [program.tensor(key) for key in program.inputs]
    return b"".join(
        np.ascontiguousarray(value, tensor.dtype.numpy).tobytes()
        for sample in samples
        for tensor, value in zip(tensors, sample, strict=True)
    )


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
