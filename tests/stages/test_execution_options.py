"""Options that change what a staged module looks like, not what it computes."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from nacre.build import board_toolchain, build_runner, run_samples, write_files
from nacre.compile import compile_graph
from nacre.config.load import parse_config
from nacre.emit.module import module_files
from nacre.errors import ConfigError
from nacre.frontends.tflite.importer import import_model
from nacre.program import Program
from nacre.targets import load_target
from stages.staged_nets import NETS
from stages.staging import program_of_plan, run_staged, stager_of
from stages.test_execution import assert_same, case
from support.execute import Runner

BOARD = "mps3-an547"


def compiled(name: str, target: str = "host", **settings: object) -> Program:
    """A third of what the network needs, and 1 MiB of slow memory."""
    memory = {"budget": [case(name).peak // 3, 1 << 20], **settings.pop("memory", {})}
    tree = {"memory": memory, "module": {"prefix": "net"}, "target": {"name": target}, **settings}
    return compile_graph(import_model(NETS[name](), "net"), parse_config(tree), "net.tflite")


def test_the_application_may_own_the_arenas(tmp_path: Path) -> None:
    found = case("residual")
    program = compiled("residual", memory={"allocate_arenas": False})
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)


def test_constants_may_be_hydrated(tmp_path: Path) -> None:
    found = case("residual")
    rule = {"memory": "MRAM", "constant_destination_memory": "SRAM"}
    program = compiled("residual", memory={"tensors": [{"type": "constant", "attributes": rule}]})
    assert any(r.usage.is_staged for r in program.regions)
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)


def test_inputs_may_be_kept() -> None:
    found = case("unet")
    stager = stager_of(found.lowered, keep_inputs=True)
    staged = stager.plan(found.peak // 3)
    assert staged is not None
    program = program_of_plan(found.lowered, staged.plan, staged.solution, keep_inputs=True)
    runner = Runner(program)
    for sample, expected in zip(found.samples, found.expected, strict=True):
        assert_same([runner.run(sample)], [expected])
        slot = program.slots[program.inputs[0]]
        kept = runner.arenas[slot.region][slot.offset : slot.offset + slot.size]
        np.testing.assert_array_equal(kept.view(np.int8), sample[0].reshape(-1))


def test_rules_that_place_scratch_are_named() -> None:
    rule = {"type": "scratch", "attributes": {"memory": "PSRAM"}}
    program = compiled("chain", memory={"tensors": [rule]})
    assert any("memory.tensors[0]: not followed for" in note for note in program.notes)
    rules = {s.rule for s in program.slots.values()}
    assert rules == {"budget", "default"}


@pytest.mark.parametrize("key", ("stream_inputs", "stream_outputs"))
def test_streams_need_a_budget(key: str) -> None:
    config = parse_config({"memory": {key: ["*"]}})
    with pytest.raises(ConfigError, match=rf"memory\.{key}: needs a memory\.budget"):
        compile_graph(import_model(NETS["chain"](), "net"), config, "net.tflite")


def test_streams_need_no_slow_memory() -> None:
    found = case("chain")
    memory = {"budget": [found.peak], "stream_inputs": ["*"], "stream_outputs": ["*"]}
    program = compiled("chain", memory=memory)
    assert [r.name for r in program.regions] == ["arena_dtcm", "arena_const_mram"]
    runner = Runner(program)
    assert_same([runner.run(s) for s in found.samples], found.expected)


def test_prefetch_stays_inside_the_budget(tmp_path: Path) -> None:
    found = case("chain")
    program = compiled("chain", memory={"prefetch": True, "budget": [found.peak // 2, 1 << 20]})
    assert program.regions[0].usage.total_size <= found.peak // 2
    assert_same(run_staged(program, found.samples, tmp_path), found.expected)


@pytest.mark.slow
@pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)
@pytest.mark.parametrize("name", ("chain", "unet"))
def test_code_may_be_placed(name: str, tmp_path: Path) -> None:
    """Steps in bands and tiles whose code runs from ITCM."""
    found = case(name)
    placement = {"type": "CONV_2D", "attributes": {"code_placement": "ITCM"}}
    depthwise = {"type": "DEPTHWISE_CONV_2D", "attributes": {"code_placement": "ITCM"}}
    program = compiled(name, BOARD, operators=[placement, depthwise])
    write_files(tmp_path, module_files(program))
    assert "nacre_rows_t rows)" in (tmp_path / "net_steps_itcm.c").read_text()
    toolchain = board_toolchain(load_target(BOARD))
    runner = build_runner("net", tmp_path, toolchain)
    assert_same(run_samples(program, runner, toolchain, found.samples), found.expected)
