"""Builds C test programs around emitted modules, on the host and for an emulated board."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from memory.nets import Net
from nacre.build import QEMU, Toolchain, board_toolchain, build_program, run_program
from nacre.emit.spell import byte_lines
from nacre.targets import load_target
from support.modules import GCC, Module, emit

HERE = Path(__file__).parent
BOARD = "mps3-an547"
PLACES = ("host", BOARD)


def toolchain_of(place: str) -> Toolchain:
    """The compiler of a place; a test without the tools is skipped."""
    if place == "host":
        require("gcc")
        return GCC
    require("arm-none-eabi-gcc", QEMU)
    return board_toolchain(load_target(place))


def require(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not on the PATH")


def emit_for(place: str, net: Net, folder: Path, **settings: object) -> Module:
    """The module `net` of a network, for a place."""
    return emit(net.data, folder, target={"name": place}, **settings)


def build_test(
    module: Module,
    program: str,
    net: Net,
    toolchain: Toolchain,
    defines: Sequence[str] = (),
) -> Path:
    """Compile a C file of this folder with a module; it finds the vectors in net_vectors.h."""
    example = module.folder / "example"
    example.mkdir(exist_ok=True)
    (example / program).write_bytes((HERE / program).read_bytes())
    (example / "check.h").write_bytes((HERE / "check.h").read_bytes())
    (example / "net_vectors.h").write_text(vectors_header(net, "net"))
    flags = (*toolchain.flags, *(f"-D{d}" for d in defines))
    return build_program(module.folder, program, replace(toolchain, flags=flags))


def run_test(
    module: Module, program: str, net: Net, toolchain: Toolchain, defines: Sequence[str] = ()
) -> dict[str, list[str]]:
    """Build and run; what the program printed."""
    return facts(run_program(build_test(module, program, net, toolchain, defines), toolchain))


def facts(printed: str) -> dict[str, list[str]]:
    """Lines `word value…` as word -> values of each such line, in order."""
    found: dict[str, list[str]] = {}
    for line in printed.splitlines():
        word, _, value = line.partition(" ")
        found.setdefault(word, []).append(value)
    return found


def vectors_header(net: Net, prefix: str) -> str:
    """The samples as bytes: <prefix>_vector_inputs[i], <prefix>_vector_outputs[i]."""
    rows = {"inputs": net.inputs, "outputs": net.outputs}
    lines = ["#include <stdint.h>", f"#define {prefix}_samples {len(net.inputs)}"]
    for word, values in rows.items():
        blobs = [b"".join(array.tobytes() for array in row) for row in values]
        lines.append(
            f"static const uint8_t {prefix}_vector_{word}[{prefix}_samples][{len(blobs[0])}] = {{"
        )
        lines += ["{\n" + byte_lines(blob) + "\n}," for blob in blobs]
        lines.append("};")
    return "\n".join(lines) + "\n"
