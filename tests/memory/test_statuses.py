"""Every status of the C interface, provoked by a C program on the host and on a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.nets import chain_net, gate_net
from memory.programs import HERE, PLACES, emit_for, require, run_test, toolchain_of
from nacre.emit.module import STATUSES
from support.modules import build_and_run, emit, module_sources

STAGED = {
    "type": "constant",
    "attributes": {"memory": "MRAM", "constant_destination_memory": "DTCM"},
}
COLD = {"id": "weights_2", "attributes": {"memory": "MRAM", "constant_destination_memory": None}}
# What the interface promises; codes are for ever.
CODES = (0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 100, 101, 200)


@pytest.mark.parametrize("place", PLACES)
def test_every_status(place: str, tmp_path: Path) -> None:
    memory = {"allocate_arenas": False, "tensors": [STAGED, COLD]}
    module = emit_for(place, gate_net(), tmp_path, memory=memory)
    names = [f"(void *)(uintptr_t){r.name}" for r in module.program.regions]
    assert [r.name for r in module.program.regions][-1] == "arena_const_mram"
    defines = [f"ARENAS={','.join(names)}"]
    printed = run_test(module, "statuses.c", gate_net(), toolchain_of(place), defines)
    assert "failed" not in printed
    words = dict(line.split(" ", 1) for line in printed["status"])
    assert tuple(int(code) for code in words)[:-1] == CODES
    assert len(set(words.values())) == len(CODES) + 1
    assert words["0"] == "ok"
    assert words["99"] == "unknown status"


def test_codes_are_those_promised() -> None:
    assert tuple(s.code for s in STATUSES) == CODES


def test_null_blob(tmp_path: Path) -> None:
    """No generated table holds a NULL, but an image may be linked with the source at address 0."""
    require("gcc")
    module = emit(chain_net().data, tmp_path, memory={"tensors": [STAGED]})
    assert not any(r.is_cold for r in module.program.regions)
    sources = [s for s in module_sources(tmp_path) if s.name != "net_constants.c"]
    flags = ["-O0", "-no-pie", "-fno-pie", "-Wl,--defsym,net_arena_const_dtcm__source=0"]
    printed = build_and_run(tmp_path, [*sources, HERE / "null_blob.c"], [tmp_path, HERE], *flags)
    assert printed == "seen a staged constant has no source\n"
