"""The recipes for packing tensors, built and run on the host and on a board with real memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.nets import gate_net
from memory.programs import BOARD, PLACES, emit_for, run_test, toolchain_of
from nacre.build import build_program, run_program
from nacre.golden import Golden
from nacre.image import check_image, read_symbols
from nacre.ir import Tensor
from nacre.memory import MemoryType
from nacre.program import Region
from nacre.targets import load_target
from support.modules import Module, emit

pytestmark = pytest.mark.parametrize("place", PLACES)

Facts = dict[str, list[str]]


def constants(memory: str, destination: str | None = None, ids: list[str] | None = None) -> dict:
    attributes = {"memory": memory, "constant_destination_memory": destination}
    return {"type": "constant", "id": ids, "attributes": attributes}


def arenas(role: str, memory: str) -> dict:
    return {"type": role, "attributes": {"memory": memory}}


def test_stage_all(place: str, tmp_path: Path) -> None:
    rules = [constants("MRAM", "DTCM"), arenas("scratch", "SRAM"), arenas("persistent", "SRAM")]
    module = emit_for(place, gate_net(), tmp_path, memory={"tensors": rules})
    assert shapes(module) == {
        "arena_sram": ("SRAM", "SRAM"),
        "arena_persistent_sram": ("SRAM", "SRAM"),
        "arena_const_dtcm": ("DTCM", "MRAM"),
    }
    printed = run_test(module, "recipe.c", gate_net(), toolchain_of(place))
    check_addresses(module, place, printed)
    assert len(printed["source"]) == 1


def test_mix_cold_and_staged(place: str, tmp_path: Path) -> None:
    """Weights come from a read-only memory and run from DTCM; the rest is read in place."""
    source = "QSPI" if place == BOARD else "PSRAM"
    rules = [constants("MRAM"), constants(source, "DTCM", ["weights_0", "weights_1"])]
    rules += [arenas("scratch", "SRAM"), arenas("persistent", "DTCM")]
    module = emit_for(place, gate_net(), tmp_path, memory={"tensors": rules})
    assert shapes(module) == {
        "arena_sram": ("SRAM", "SRAM"),
        "arena_persistent_dtcm": ("DTCM", "DTCM"),
        "arena_const_dtcm": ("DTCM", source),
        "arena_const_mram": ("MRAM", "MRAM"),
    }
    defines = ["READ_ONLY"] if place == BOARD else []
    printed = run_test(module, "recipe.c", gate_net(), toolchain_of(place), defines)
    check_addresses(module, place, printed)
    staged = next(r.number for r in module.program.regions if r.usage.is_staged)
    origins = {
        o for s in module.program.slots.values() if s.region == staged for o in words(s.tensor)
    }
    assert {"weights_0", "weights_1"} == origins & {f"weights_{n}" for n in range(9)}


@pytest.mark.parametrize("staged", [False, True])
def test_arenas_of_the_caller(place: str, staged: bool, tmp_path: Path) -> None:
    rules = [constants("MRAM"), arenas("scratch", "DTCM"), arenas("persistent", "SRAM")]
    if staged:
        rules.append(constants("MRAM", "SRAM", ["weights_0", "weights_2"]))
    memory = {"allocate_arenas": False, "tensors": rules}
    module = emit_for(place, gate_net(), tmp_path, memory=memory)
    sidecars = {p.name: p.read_bytes() for p in tmp_path.glob("*.bin")}
    cold = next(r for r in module.program.regions if r.is_cold)
    assert sidecars == {"net_arena_const_mram__blob.bin": cold.blob}
    assert staged == (tmp_path / "net_constants.c").exists()
    (tmp_path / "example" / "buffers.h").write_text(buffers_header(module, place))
    printed = run_test(module, "recipe.c", gate_net(), toolchain_of(place), ["BUFFERS"])
    assert len(printed.get("source", [])) == staged
    check_ranges(module, place, [int(a, 16) for a in printed["arena"]])


def test_example_of_a_caller_with_arenas(place: str, tmp_path: Path) -> None:
    """The shipped example passes with buffers of its own, on a board in the planned memories."""
    net = gate_net()
    memory = {"allocate_arenas": False, "tensors": [constants("MRAM"), arenas("scratch", "SRAM")]}
    golden = Golden(net.inputs, net.outputs, "TFLite Micro")
    module = emit(net.data, tmp_path, golden, target={"name": place}, memory=memory)
    made = build_program(tmp_path, "main.c", toolchain_of(place))
    assert run_program(made, toolchain_of(place)).splitlines()[-1] == "PASS"
    if place == BOARD:
        symbols = read_symbols(made)
        check_ranges(module, place, [symbols[r.name].address for r in module.program.regions])


def test_dma_override(place: str, tmp_path: Path) -> None:
    """A strong hydrate_constants replaces the weak one and finds all it needs in the blob table."""
    rules = [constants("MRAM", "DTCM"), constants("MRAM", "SRAM", ["weights_1"])]
    module = emit_for(place, gate_net(), tmp_path, memory={"tensors": rules})
    printed = run_test(module, "recipe.c", gate_net(), toolchain_of(place), ["DMA"])
    check_addresses(module, place, printed)
    staged = [r for r in module.program.regions if r.usage.is_staged]
    assert printed["blob"] == [f"{r.number} {r.usage.total_size}" for r in staged]
    assert printed["transfers"] == ["2"]


def test_stronger_alignment(place: str, tmp_path: Path) -> None:
    """Constraints align arenas and every slot; a staged blob obeys those of both its memories."""
    limits = {"DTCM": 32, "SRAM": 128, "PSRAM": 64}
    constraints = [{"name": n, "arena_alignment": a} for n, a in limits.items()]
    rules = [
        constants("MRAM"),
        constants("PSRAM", "DTCM", ["weights_0", "bias_0", "bias_1", "weights_1"]),
    ]
    rules += [arenas("scratch", "SRAM"), arenas("persistent", "DTCM")]
    memory = {"constraints": constraints, "tensors": rules}
    module = emit_for(place, gate_net(), tmp_path, memory=memory)
    wanted = {
        "arena_sram": 128,
        "arena_persistent_dtcm": 32,
        "arena_const_dtcm": 64,
        "arena_const_mram": 16,
    }
    assert {r.name: r.usage.alignment for r in module.program.regions} == wanted
    for slot in (s for s in module.program.slots.values() if s.view_of is None):
        assert slot.offset % wanted[module.program.regions[slot.region].name] == 0, slot.tensor.id
    header = (tmp_path / "net.h").read_text()
    assert all(f"#define net_{name}_alignment {a}\n" in header for name, a in wanted.items())
    printed = run_test(module, "recipe.c", gate_net(), toolchain_of(place))
    check_addresses(module, place, printed)
    addresses = [int(a, 16) for a in printed["arena"]]
    assert all(
        a % wanted[r.name] == 0 for a, r in zip(addresses, module.program.regions, strict=True)
    )
    assert int(printed["source"][0], 16) % 64 == 0


# --- buffers of an application --------------------------------------------------------------------


def buffers_header(module: Module, place: str) -> str:
    """Buffers with the macros of the header; cold constants come from the module's .bin."""
    regions, target = module.program.regions, load_target(place)
    lines = []
    for r in regions:
        if r.is_cold and place == BOARD:
            lines.append(_INCBIN)
            continue
        memory = target.memory(r.usage.memory)
        section = None if memory is None or r.is_cold else memory.sections.bss
        place_it = f', section("{section}")' if section else ""
        attributes = f"__attribute__((aligned(net_{r.name}_alignment){place_it}))"
        lines.append(f"static uint8_t {r.name}[net_{r.name}_size] {attributes};")
    lines.append("static void bind_buffers(void)\n{")
    if place != BOARD:
        lines.append(_LOAD)
    # Everything but the last region is bound: the context must not become ready yet.
    binds = [
        f"CHECK_STATUS(net_bind_arena(net_{r.name}, (void *)(uintptr_t){r.name}, "
        f"net_{r.name}_size), 0);"
        for r in regions
    ]
    lines += [
        *binds[:-1],
        "CHECK_STATUS(net_model_init(&(net_model_context_t){0}), 10);",
        binds[-1],
    ]
    return "\n".join([*lines, "}"]) + "\n"


_INCBIN = """__asm__(".pushsection .rodata.nacre_mram, \\"a\\", %progbits\\n"
        ".balign 16\\n"
        "arena_const_mram: .incbin \\"net_arena_const_mram__blob.bin\\"\\n"
        ".popsection\\n");
extern const uint8_t arena_const_mram[];"""

_LOAD = """    FILE *const file = fopen("net_arena_const_mram__blob.bin", "rb");
    CHECK(file != NULL && fread(arena_const_mram, 1, sizeof arena_const_mram, file)
                              == sizeof arena_const_mram);
    CHECK(file != NULL && fgetc(file) == EOF);"""


# --- what the plan says, what the image and the running program say -------------------------------


def shapes(module: Module) -> dict[str, tuple[str, str]]:
    """Arena -> memory and source memory."""
    return {
        r.name: (str(r.usage.memory), str(r.usage.source_memory)) for r in module.program.regions
    }


def check_addresses(module: Module, place: str, printed: Facts) -> None:
    """Every arena and source is at one address in plan, image and running program."""
    assert printed["ran"] == [str(len(gate_net().inputs))]
    addresses = [int(a, 16) for a in printed["arena"]]
    sources = [int(a, 16) for a in printed.get("source", [])]
    staged = [r for r in module.program.regions if r.usage.is_staged]
    assert len(sources) == len(staged)
    if place != BOARD:
        return
    image = module.folder / "recipe.elf"
    check_ranges(module, place, addresses)
    symbols = read_symbols(image)
    assert addresses == [symbols[symbol_of(r)].address for r in module.program.regions]
    assert sources == [symbols[f"net_{r.name}__source"].address for r in staged]
    for region, address in zip(staged, sources, strict=True):
        assert in_memory(place, region.usage.source_memory, address, region.usage.total_size)
    assert check_image(image, module.folder).ok


def check_ranges(module: Module, place: str, addresses: list[int]) -> None:
    assert len(addresses) == len(module.program.regions)
    for region, address in zip(module.program.regions, addresses, strict=True):
        assert address % region.usage.alignment == 0
        if place == BOARD:
            assert in_memory(place, region.usage.memory, address, region.usage.total_size)


def in_memory(place: str, name: MemoryType, address: int, size: int) -> bool:
    memory = load_target(place).memory(name)
    assert memory is not None and memory.base is not None and memory.size is not None
    return memory.base <= address and address + size <= memory.base + memory.size


def words(tensor: Tensor) -> set[str]:
    """The tensors of the file that a packed constant was made from, by name."""
    return {tensor.name, *tensor.origins}


def symbol_of(region: Region) -> str:
    return f"net_{region.name}{'__blob' if region.is_cold else '_buffer'}"
