"""`memory.keep_inputs`: a run leaves its inputs alone; without it they may be overwritten."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from memory.nets import Net, chain_net, gate_net, keyword_net
from memory.programs import run_test, toolchain_of
from support.modules import Module, emit

KEEPS = "Inputs keep their content over a run."
MAY_CHANGE = "A run may overwrite its inputs"


def emitted(net: Net, keep: bool, folder: Path) -> Module:
    return emit(net.data, folder, memory={"keep_inputs": keep})


@pytest.mark.parametrize("net_of", [chain_net, gate_net, keyword_net])
def test_inputs_are_unchanged(net_of: Callable[[], Net], tmp_path: Path) -> None:
    module = emitted(net_of(), True, tmp_path)
    assert run_test(module, "inputs.c", net_of(), toolchain_of("host"))["changed"] == ["0"]
    assert KEEPS in (tmp_path / "README.md").read_text()


def test_inputs_may_change_without_it(tmp_path: Path) -> None:
    """A chain of equal layers needs two buffers; keeping the input needs a third."""
    lost = emitted(chain_net(), False, tmp_path / "lost")
    kept = emitted(chain_net(), True, tmp_path / "kept")
    assert kept.program.scratch_bytes - lost.program.scratch_bytes == 48
    samples = str(len(chain_net().inputs))
    assert run_test(lost, "inputs.c", chain_net(), toolchain_of("host"))["changed"] == [samples]
    assert MAY_CHANGE in (tmp_path / "lost" / "README.md").read_text()
    header = (tmp_path / "lost" / "net.h").read_text()
    assert "Inputs may be overwritten by net_model_run; " in header
