"""Variables have their first values on first use, whatever the buffers held before."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.nets import Net, gate_net, shared_net, streaming_net
from memory.programs import BOARD, PLACES, emit_for, run_test, toolchain_of
from nacre.memory import ArenaRole
from nacre.program import Program

STAGED = {
    "type": "constant",
    "attributes": {"memory": "MRAM", "constant_destination_memory": "SRAM"},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rules", [(), (STAGED,)], ids=["cold", "staged"])
def test_small_network(place: str, rules: tuple[dict, ...], tmp_path: Path) -> None:
    check_fresh_starts(gate_net(), place, rules, tmp_path)


def test_streaming_example(tmp_path: Path) -> None:
    check_fresh_starts(streaming_net(), "host", (), tmp_path)


# Networks whose eight golden outputs differ from run to run: state that is lost shows.
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", ["mww_v2_vad", "mww_v1_okay_nabu"])
def test_wake_word_network(name: str, place: str, tmp_path: Path) -> None:
    check_fresh_starts(shared_net(name), place, (), tmp_path)


def check_fresh_starts(net: Net, place: str, rules: tuple[dict, ...], folder: Path) -> None:
    memory = {"allocate_arenas": False, "tensors": list(rules)}
    module = emit_for(place, net, folder, memory=memory)
    assert len({b"".join(o.tobytes() for o in row) for row in net.outputs}) > 1
    assert module.program.persistent_bytes > 0
    (folder / "example" / "states.h").write_text(states_header(module.program))
    printed = run_test(module, "persistent.c", net, toolchain_of(place))
    assert "failed" not in printed
    assert printed["ran"] == [str(3 * len(net.inputs))]


def test_first_values_that_are_not_zero_are_there(tmp_path: Path) -> None:
    """The network of these tests has both kinds of variables."""
    module = emit_for(BOARD, gate_net(), tmp_path)
    firsts = [first for *_, first in states(module.program)]
    assert len(firsts) == 2
    assert sorted(any(first) for first in firsts) == [False, True]


def states(program: Program) -> list[tuple[int, int, bytes]]:
    """Region, offset and first bytes of every variable."""
    firsts = {(f.region, f.offset): f for f in program.first_values}
    found = []
    for slot in program.slots.values():
        if program.regions[slot.region].role is ArenaRole.persistent and slot.view_of is None:
            first, content = firsts.get((slot.region, slot.offset)), bytes(slot.size)
            if first is not None:
                blob = program.regions[first.source_region].blob
                assert blob is not None
                content = blob[first.source_offset : first.source_offset + first.size]
            found.append((slot.region, slot.offset, content))
    return found


def states_header(program: Program) -> str:
    fields = "int region; size_t offset; size_t size; const uint8_t *first;"
    lines = [f"typedef struct {{ {fields} }} state_t;"]
    rows = []
    for n, (region, offset, first) in enumerate(states(program)):
        content = ", ".join(str(b) for b in first)
        lines.append(f"static const uint8_t first{n}[] = {{{content}}};")
        rows.append(f"{{{region}, {offset}, sizeof first{n}, first{n}}}")
    writable = ", ".join(str(r.number) for r in program.regions if not r.is_cold)
    lines.append(f"static const state_t states[] = {{{', '.join(rows)}}};")
    lines.append(f"static const int writable[] = {{{writable}}};")
    return "\n".join(lines) + "\n"
