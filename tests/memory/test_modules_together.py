"""Two modules in one program, two contexts of one module in two threads."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from memory.nets import Net, gate_net, shared_net, streaming_net
from memory.programs import BOARD, HERE, PLACES, require, run_test, toolchain_of, vectors_header
from nacre.build import build_program, run_program
from support.modules import GCC, emit, module_sources

PLACED = [
    {"type": "scratch", "attributes": {"memory": "DTCM"}},
    {"type": "persistent", "attributes": {"memory": "SRAM"}},
]
STAGED = {
    "type": "constant",
    "attributes": {"memory": "MRAM", "constant_destination_memory": "DTCM"},
}


@pytest.mark.parametrize("place", PLACES)
def test_same_network_twice_shares_scratch(place: str, tmp_path: Path) -> None:
    """Two modules with the same kernels link, and neither disturbs the other's state."""
    check_together(gate_net(), gate_net(), place, tmp_path)


def test_examples_share_scratch(tmp_path: Path) -> None:
    check_together(streaming_net(), gate_net(), "host", tmp_path)


def test_wake_words_share_scratch(tmp_path: Path) -> None:
    check_together(shared_net("mww_v2_vad"), shared_net("mww_v1_okay_nabu"), BOARD, tmp_path)


def check_together(one: Net, two: Net, place: str, folder: Path) -> None:
    """Interleaved runs give what each network gives by itself."""
    nets = {"one": one, "two": two}
    for name, net in nets.items():
        emit(net.data, folder / name, name=name, target={"name": place}, memory={"tensors": PLACED})
        (folder / name / f"{name}_vectors.h").write_text(vectors_header(net, name))
    if place == BOARD:
        shutil.copytree(folder / "one" / "example" / "board", folder / "example" / "board")
    for name in nets:
        shutil.rmtree(folder / name / "example", ignore_errors=True)
    (folder / "example").mkdir(exist_ok=True)
    for name in ("together.c", "check.h"):
        (folder / "example" / name).write_bytes((HERE / name).read_bytes())
    toolchain = toolchain_of(place)
    flags = (*toolchain.flags, "-Ione", "-Itwo")
    made = build_program(folder, "together.c", replace(toolchain, flags=flags))
    assert run_program(made, toolchain) == f"ran {len(one.inputs) + len(two.inputs)}\n"


@pytest.mark.parametrize("sanitizer", ["none", "thread"])
@pytest.mark.parametrize("staged", [False, True], ids=["cold", "staged"])
def test_two_threads(staged: bool, sanitizer: str, tmp_path: Path) -> None:
    require("gcc")
    rules = [*PLACED, STAGED] if staged else PLACED
    module = emit(gate_net().data, tmp_path, memory={"tensors": rules})
    own = [f"net_{r.name}" for r in module.program.regions if not r.is_cold]
    assert len(own) == 2 + staged
    extra = ("-pthread", "-D_POSIX_C_SOURCE=200809L")
    link = ("-pthread", "-lm")
    if sanitizer == "thread":
        require_thread_sanitizer(tmp_path)
        extra, link = (*extra, "-fsanitize=thread"), (*link, "-fsanitize=thread")
    toolchain = replace(GCC, flags=(*GCC.flags, *extra), link=link)
    printed = run_test(module, "threads.c", gate_net(), toolchain, [f"OWN={','.join(own)}"])
    assert printed["ran"] == [str(2 * 25 * len(gate_net().inputs))]


def require_thread_sanitizer(folder: Path) -> None:
    """Skip where the sanitizer is not installed or cannot run (it wants its address layout)."""
    source = folder / "probe.txt"
    source.write_text("int main(void) { return 0; }\n")
    command = ["gcc", "-x", "c", "-fsanitize=thread", str(source), "-o", str(folder / "probe")]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("gcc has no thread sanitizer here")
    if subprocess.run([str(folder / "probe")], capture_output=True, check=False).returncode != 0:
        pytest.skip("programs with the thread sanitizer do not start here")


def test_every_global_symbol_is_prefixed(tmp_path: Path) -> None:
    """Nothing that a module defines can clash with an application or another module."""
    require("arm-none-eabi-gcc", "arm-none-eabi-nm")
    toolchain = toolchain_of(BOARD)
    rules = [{"type": "FULLY_CONNECTED", "attributes": {"code_placement": "ITCM"}}]
    emit(gate_net().data, tmp_path, name="clock", target={"name": BOARD}, operators=rules)
    for source in module_sources(tmp_path):
        made = source.with_suffix(".o")
        command = [toolchain.compiler, *toolchain.flags, "-I.", "-c", str(source), "-o", str(made)]
        subprocess.run(command, cwd=tmp_path, check=True)
        listed = subprocess.run(
            ["arm-none-eabi-nm", "--defined-only", "--extern-only", str(made)],
            capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        names = [line.split()[-1] for line in listed.splitlines()]
        assert names and all(name.startswith("clock_") for name in names), names
