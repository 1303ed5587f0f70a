"""What a module promises of its text: clean compilers, clean sanitizers, the same bytes again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory.nets import EXAMPLE_FOLDER, Net, chain_net, gate_net, keyword_net
from memory.programs import BOARD, emit_for, require, toolchain_of
from nacre.emit.board import board_files
from nacre.targets import Target, load_target, target_names
from support.modules import SANITIZED, emit, module_sources, run_module

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Werror")
STAGED = {
    "type": "constant",
    "attributes": {"memory": "MRAM", "constant_destination_memory": "DTCM"},
}
COLD = {"id": "weights_1", "attributes": {"constant_destination_memory": None}}
# Each kind of module that the templates can make.
SHAPES: dict[str, dict[str, object]] = {
    "cold": {},
    "staged": {"tensors": [STAGED]},
    "mixed": {"tensors": [STAGED, COLD]},
    "external": {"allocate_arenas": False, "tensors": [STAGED, COLD]},
    "in_ram": {"tensors": [{"type": "constant", "attributes": {"memory": "SRAM"}}]},
    "kept": {"keep_inputs": True},
}
VENDORS = tuple(n for n in target_names() if n != "host" and not load_target(n).qemu_machine)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("shape", SHAPES)
def test_compiles_clean(shape: str, compiler: str, tmp_path: Path) -> None:
    require(compiler)
    emit(gate_net().data, tmp_path, memory=SHAPES[shape])
    for level in ("-O0", "-O2"):
        command = [compiler, *STRICT, "-Wpedantic", level, "-I.", "-fsyntax-only"]
        subprocess.run([*command, *map(str, module_sources(tmp_path))], cwd=tmp_path, check=True)


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("net_of", [keyword_net, chain_net])
def test_networks_compile_clean(net_of: Callable[[], Net], compiler: str, tmp_path: Path) -> None:
    require(compiler)
    emit(net_of().data, tmp_path)
    command = [compiler, *STRICT, "-Wpedantic", "-O1", "-I.", "-fsyntax-only"]
    subprocess.run([*command, *map(str, module_sources(tmp_path))], cwd=tmp_path, check=True)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_header_in_cpp(compiler: str, tmp_path: Path) -> None:
    """A C++ program includes the header, links with the C module and reads its tables."""
    require(compiler, "gcc")
    emit(gate_net().data, tmp_path, memory=SHAPES["mixed"])
    (tmp_path / "app.cpp").write_text(
        '#include "net.h"\n'
        "static net_model_context_t ctx;\n"
        "int main() {\n"
        "    return net_model_init(&ctx) == net_status_ok && net_num_constant_blobs == 1 ? 0 : 1;\n"
        "}\n"
    )
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror", "-std=c++11"]
    subprocess.run([compiler, *warnings, "-c", "app.cpp"], cwd=tmp_path, check=True)
    sources = [str(s.relative_to(tmp_path)) for s in module_sources(tmp_path)]
    for source in sources:
        made = source.replace("/", "_") + ".o"
        subprocess.run(["gcc", *STRICT, "-I.", "-c", source, "-o", made], cwd=tmp_path, check=True)
    objects = [str(p) for p in sorted(tmp_path.glob("*.o"))]
    subprocess.run([compiler, *objects, "-lm", "-o", "app"], cwd=tmp_path, check=True)
    subprocess.run([str(tmp_path / "app")], check=True)


@pytest.mark.parametrize("shape", SHAPES)
def test_sanitizers_are_silent(shape: str, tmp_path: Path) -> None:
    require("gcc")
    net = gate_net()
    module = emit(net.data, tmp_path, memory=SHAPES[shape])
    results = run_module(module, [list(row) for row in net.inputs], SANITIZED)
    for ours, theirs in zip(results, net.outputs, strict=True):
        np.testing.assert_array_equal(ours[0], theirs[0])


def test_bytes_are_the_same_again(tmp_path: Path) -> None:
    """Two conversions in two folders and two processes with other hash seeds."""
    found = []
    for seed in ("1", "2"):
        folder = tmp_path / f"somewhere{seed}"
        folder.mkdir()
        rule = "{type: constant, attributes: {memory: MRAM, constant_destination_memory: DTCM}}"
        command = [sys.executable, "-c", "from nacre.cli import main; main()", "convert"]
        command += [os.path.relpath(EXAMPLE_FOLDER / "dscnn.tflite", folder), "-o", "out"]
        command += ["--target", BOARD, "--memory.tensors", rule]
        environment = os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True)
        made = folder / "out"
        found.append({p.relative_to(made): p.read_bytes() for p in made.rglob("*") if p.is_file()})
    assert len(found[0]) > 10
    assert found[0] == found[1]
    assert not any(str(tmp_path).encode() in content for content in found[0].values())


@pytest.mark.parametrize("name", VENDORS)
def test_linker_fragment_names_every_section(name: str, tmp_path: Path) -> None:
    """Whatever memory a rule names, the section in the C is in the fragment, under that memory."""
    target = load_target(name)
    cold, executable = target.cold.name, [m.name for m in target.memories if m.executable]
    listed = sections_by_memory(board_files(target).get(f"linker/{name}.ld", ""))
    seen: set[str] = set()
    for memory in target.memories:
        kinds = ("constant", "scratch", "persistent") if memory.writable else ("constant",)
        rules = [{"type": kind, "attributes": {"memory": memory.name}} for kind in kinds]
        code = memory.name if memory.name in executable else cold
        operators = [{"type": "FULLY_CONNECTED", "attributes": {"code_placement": code}}]
        folder = tmp_path / memory.name
        emit_for(name, gate_net(), folder, memory={"tensors": rules}, operators=operators)
        used = sections_of(folder)
        assert used == expected_sections(target, memory.name, code)
        by_memory = set(listed.get(memory.name, ())) | set(listed.get(code, ()))
        by_memory |= set(listed.get(target.data[0].name, ()))
        assert used <= by_memory
        seen |= used
        compile_for(target, folder)
    assert bool(seen) == bool(listed)


def expected_sections(target: Target, memory: str, code: str) -> set[str]:
    by_name = {m.name: m for m in target.memories}
    home, default = by_name[memory], target.data[0]
    writable = home.sections.bss if home.writable else default.sections.bss
    constants = home.sections.data if home.writable else home.sections.rodata
    return {s for s in (writable, constants, by_name[code].sections.code) if s}


def sections_of(folder: Path) -> set[str]:
    """The sections that the C of a module names."""
    texts = [p.read_text() for p in folder.rglob("*.[ch]") if "example" not in p.parts]
    return {s for text in texts for s in re.findall(r'NET_SECTION\("([^"]+)"\)', text)}


def sections_by_memory(fragment: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    memory = ""
    for line in fragment.splitlines():
        heading, entry = re.fullmatch(r"/\* (\w+) \*/", line), re.match(r"KEEP\(\*\((\S+) ", line)
        if heading:
            memory = heading[1]
        elif entry:
            found.setdefault(memory, []).append(entry[1])
    return found


def compile_for(target: Target, folder: Path) -> None:
    """The compiler must not find code and data, or const and not, in one section."""
    if not target.core.startswith("cortex-m"):
        return
    toolchain_of(BOARD)
    command = ["arm-none-eabi-gcc", *STRICT, f"-mcpu={target.core}", "-mthumb", "-I.", "-S"]
    for source in ("net.c", "net_constants.c", *[p.name for p in folder.glob("net_steps_*.c")]):
        subprocess.run([*command, source, "-o", os.devnull], cwd=folder, check=True)
