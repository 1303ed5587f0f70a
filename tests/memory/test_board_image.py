"""A keyword network on a board: weights, scratch and code where the plan put them, or a report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from memory.nets import Net, chain_net, keyword_net, shared_net
from memory.programs import BOARD, build_test, emit_for, facts, run_test, toolchain_of
from nacre.build import run_program
from nacre.cli import main
from nacre.errors import BuildError
from nacre.image import check_image, read_symbols
from nacre.residency import plan_hash
from nacre.targets import load_target
from support.modules import Module, emit

ITCM = {"attributes": {"code_placement": "ITCM"}}


def kws_net() -> Net:
    return shared_net("mlperf_kws_ref_model").first(2)


def bundled_net() -> Net:
    return keyword_net().first(2)


def rules(constants: str, destination: str | None = None) -> list[dict]:
    attributes = {"memory": constants, "constant_destination_memory": destination}
    return [
        {"type": "constant", "attributes": attributes},
        {"type": "scratch", "attributes": {"memory": "DTCM"}},
    ]


def command(image: Path, module: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["check-image", str(image), str(module), *options])


@pytest.mark.parametrize("net_of", [kws_net, bundled_net])
@pytest.mark.parametrize(
    ("constants", "destination"),
    [("MRAM", None), ("QSPI", None), ("MRAM", "DTCM")],
    ids=["cold_mram", "cold_qspi", "staged_dtcm"],
)
def test_keyword_network(
    net_of: Callable[[], Net], constants: str, destination: str | None, tmp_path: Path
) -> None:
    """One operator runs from ITCM; the results are the golden ones and the image is as planned."""
    toolchain = toolchain_of(BOARD)
    code = [{"type": "CONV_2D", "id": "2", **ITCM}]
    settings = {"memory": {"tensors": rules(constants, destination)}, "operators": code}
    module = emit_for(BOARD, net_of(), tmp_path, **settings)
    printed = run_test(module, "recipe.c", net_of(), toolchain)
    assert "failed" not in printed and printed["ran"] == ["2"]
    memories = ["DTCM", destination or constants]
    for memory, address in zip(memories, printed["arena"], strict=True):
        assert inside(memory, int(address, 16))
    image = tmp_path / "recipe.elf"
    check = check_image(image, tmp_path)
    assert check.ok, [f for f in check.findings if f.problem]
    assert_code_in_itcm(module, image)
    assert command(image, tmp_path).exit_code == 0


def test_shared_kernel_is_emitted_once_per_placement(tmp_path: Path) -> None:
    """Two steps with one kernel, one of them in ITCM: two copies, each in its memory."""
    net = chain_net()
    module = emit_for(BOARD, net, tmp_path, operators=[{"id": "1", **ITCM}])
    printed = run_test(module, "recipe.c", net, toolchain_of(BOARD))
    assert "failed" not in printed
    image = tmp_path / "recipe.elf"
    symbols = read_symbols(image)
    assert_code_in_itcm(module, image)
    assert inside("MRAM", symbols["net_nacre_fully_connected_s8"].address)
    assert inside("ITCM", symbols["net_itcm_nacre_fully_connected_s8"].address)


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """Staged weights, scratch in DTCM, one step in ITCM."""
    folder = tmp_path_factory.mktemp("chain")
    memory = {"tensors": rules("MRAM", "SRAM")}
    return emit_for(BOARD, chain_net(), folder, memory=memory, operators=[{"id": "2", **ITCM}])


def build(module: Module, *defines: str) -> Path:
    return build_test(module, "recipe.c", chain_net(), toolchain_of(BOARD), defines)


def test_spoilt_sections_are_reported(chain: Module) -> None:
    """Without the section macro the program still runs, but not where it was planned to."""
    image = build(chain, "NET_SECTION(name)=")
    assert "failed" not in facts(run_program(image, toolchain_of(BOARD)))
    result = command(image, chain.folder)
    assert result.exit_code == 1
    source = read_symbols(image)["net_arena_const_sram_buffer"].address
    line = next(s for s in result.stdout.splitlines() if "net_arena_const_sram_buffer" in s)
    assert f"is at 0x{source:08x}; the plan puts it in SRAM, 0x21000000 to 0x21400000" in line
    step = read_symbols(image)["net_step2"].address
    line = next(s for s in result.stdout.splitlines() if "net_step2" in s)
    assert f"is at 0x{step:08x}; the plan puts it in ITCM, 0x00000000 to 0x00080000" in line
    document = json.loads(command(image, chain.folder, "--json").stdout)
    wrong = {s["symbol"] for s in document["symbols"] if s["problem"]}
    assert not document["ok"] and document["mismatch"] is None
    assert {"net_arena_const_sram_buffer", "net_step2"} <= wrong
    assert "net_arena_dtcm_buffer" not in wrong  # .bss is in DTCM anyway


def test_spoilt_alignment_is_reported(chain: Module) -> None:
    image = build(chain, "NET_ALIGNED(bytes)=", 'INTRUDER=".bss.nacre_dtcm"')
    found = {f.symbol: f for f in check_image(image, chain.folder).findings}
    arena = found["net_arena_dtcm_buffer"]
    assert arena.problem == f"is at 0x{arena.address:08x}; the plan aligns it to 16"


def test_image_of_another_plan_is_reported(chain: Module, tmp_path: Path) -> None:
    other = emit_for(BOARD, chain_net(), tmp_path, memory={"keep_inputs": True})
    image = build_test(other, "recipe.c", chain_net(), toolchain_of(BOARD))
    assert command(image, tmp_path).exit_code == 0
    result = command(image, chain.folder)
    assert result.exit_code == 1
    theirs, ours = (plan_hash(m.program) for m in (other, chain))
    said = f"built from another plan: its hash is {theirs}, the module's {ours}"
    assert said in result.stdout


def test_module_that_is_not_in_the_image(chain: Module, tmp_path: Path) -> None:
    emit(chain_net().data, tmp_path, name="other", target={"name": BOARD})
    result = command(build(chain), tmp_path)
    assert result.exit_code == 1
    assert "no plan hash of this module" in result.stdout
    assert "is not in the image" in result.stdout


def test_no_room_for_the_stack_fails_the_link(tmp_path: Path) -> None:
    """An arena that fills DTCM to the last byte leaves nothing for the board's stack."""
    module = emit_for(BOARD, chain_net(), tmp_path, memory={"tensors": rules("MRAM")})
    text = (tmp_path / "net.c").read_text()
    size = module.program.scratch_bytes
    assert f"_buffer[{size}]" in text
    (tmp_path / "net.c").write_text(text.replace(f"_buffer[{size}]", f"_buffer[{480 << 10}]"))
    build_test(module, "recipe.c", chain_net(), toolchain_of(BOARD))
    (tmp_path / "net.c").write_text(text.replace(f"_buffer[{size}]", f"_buffer[{510 << 10}]"))
    with pytest.raises(BuildError, match="DTCM has no room left for the stack"):
        build_test(module, "recipe.c", chain_net(), toolchain_of(BOARD))


def assert_code_in_itcm(module: Module, image: Path) -> None:
    """Every step and kernel that a rule placed is there, and only those."""
    symbols = read_symbols(image)
    placed = json.loads((module.folder / "net_placement.json").read_text())["symbols"]
    code = [s["symbol"] for s in placed if s["memory"] == "itcm"]
    assert len(code) >= 2
    assert all(inside("ITCM", symbols[name].address) for name in code)
    assert inside("MRAM", symbols["net_model_run"].address)


def inside(memory: str, address: int) -> bool:
    found = next(m for m in load_target(BOARD).memories if m.name == memory)
    assert found.base is not None and found.size is not None
    return found.base <= address < found.base + found.size
