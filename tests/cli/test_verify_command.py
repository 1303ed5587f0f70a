"""`nacre verify`: what it compares with, what it says of a mismatch, and what it needs."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from cli.commands import ENVIRONMENT, nacre
from cli.models import plain
from nacre.compile import import_graph
from nacre.config.schema import Config
from nacre.golden import REFERENCES, random_inputs, read_golden
from nacre.oracles import is_installed
from nacre.reference import run_reference

WITH_GOLDEN = ("verify", "net.tflite", "--test.golden", "golden.npz")


@pytest.fixture(autouse=True)
def golden(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, np.ndarray]:
    """A golden file of three samples; its arrays."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    monkeypatch.delenv("CC", raising=False)
    Path("net.tflite").write_bytes(plain())
    graph = import_graph(Path("net.tflite"), Config())
    arrays = {}
    for i, sample in enumerate(random_inputs(graph, 3)):
        (output,) = run_reference(graph, sample, {})
        arrays |= {f"s{i}_in0": sample[0], f"s{i}_out0": output}
    np.savez("golden.npz", **arrays)
    return arrays


def wrong(golden: dict[str, np.ndarray], *changes: int) -> None:
    """Change values of the second sample by so much."""
    output = golden["s1_out0"].copy().reshape(-1)
    for n, change in enumerate(changes):
        output[n] = output[n] + change if output[n] < 100 else output[n] - change
    np.savez("golden.npz", **{**golden, "s1_out0": output.reshape(1, 5)})


def test_equal() -> None:
    ended = nacre(*WITH_GOLDEN)
    assert (ended.code, ended.err) == (0, "")
    assert "3 samples" in ended.out and "15/15 equal to golden.npz" in ended.out
    assert ended.out.splitlines()[-1] == "  equal"


def test_one_wrong_value(golden: dict[str, np.ndarray]) -> None:
    wrong(golden, 7)
    ended = nacre(*WITH_GOLDEN)
    assert (ended.code, ended.err) == (1, "")
    assert "14/15 equal" in ended.out and "worst difference 7" in ended.out
    assert ended.out.splitlines()[-1] == "  MISMATCH: 1 value differs"


def test_several_wrong_values_for_machines(golden: dict[str, np.ndarray]) -> None:
    wrong(golden, 2, 9, 1)
    ended = nacre(*WITH_GOLDEN, "--json")
    assert ended.code == 1
    answer = json.loads(ended.out)
    assert answer["ok"] is False
    assert answer["outputs"] == [{"name": "scores", "wrong": 3, "total": 15, "worst": 9}]


def test_tolerance(golden: dict[str, np.ndarray]) -> None:
    wrong(golden, 2, 3)
    ended = nacre(*WITH_GOLDEN, "--test.tolerance", "2")
    assert ended.code == 1 and "MISMATCH: 1 value differs" in ended.out
    ended = nacre(*WITH_GOLDEN, "--test.tolerance", "3")
    assert ended.code == 0 and "worst difference 3" in ended.out


def test_verify_writes_nothing() -> None:
    before = sorted(Path().iterdir())
    assert nacre(*WITH_GOLDEN).code == 0
    assert sorted(Path().iterdir()) == before


# --- who is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize("numerics", ["tflm", "litert"])
def test_source_runtime(numerics: str) -> None:
    if not is_installed(numerics):
        pytest.skip(f"{numerics} is not installed")
    ended = nacre("verify", "net.tflite", "--numerics", numerics, "--samples", "2")
    label = {"tflm": "TFLite Micro", "litert": "LiteRT reference kernels"}[numerics]
    assert (ended.code, ended.err) == (0, "")
    assert f"2 samples   output int8[1,5]   10/10 equal to {label}" in ended.out


def test_without_runtimes_the_references_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nacre.oracles.is_installed", lambda _: False)
    ended = nacre("verify", "net.tflite", "--samples", "2")
    assert ended.code == 0 and f"10/10 equal to {REFERENCES}" in ended.out
    assert ended.err.splitlines() == [
        "note: TFLite Micro: not installed; pip install 'nacre[oracles]' has it",
        "note: LiteRT reference kernels: not installed; pip install 'nacre[oracles]' has it",
        f"note: compared with {REFERENCES}",
    ]
    answer = json.loads(nacre("verify", "net.tflite", "--json").out)
    assert answer["ok"] is True and answer["oracle"] == REFERENCES


def test_part_of_a_model_is_compared_with_the_references() -> None:
    ended = nacre("verify", "net.tflite", "--model.outputs", "relu/out")
    assert ended.code == 0 and f"equal to {REFERENCES}" in ended.out
    assert "note: the source runtimes only run whole models\n" in ended.err


def test_golden_of_both_runtimes(golden: dict[str, np.ndarray]) -> None:
    """The collection's files have LiteRT's outputs, and beside them TFLite Micro's."""
    other = {f"s{i}_tflm_out0": golden[f"s{i}_out0"] ^ 1 for i in range(3)}
    np.savez("golden.npz", **golden, **other)
    graph = import_graph(Path("net.tflite"), Config())
    for numerics, expected in (("tflm", other["s0_tflm_out0"]), ("litert", golden["s0_out0"])):
        found = read_golden(Path("golden.npz"), graph, numerics)
        np.testing.assert_array_equal(found.outputs[0][0], expected)


def test_golden_may_leave_out_dimensions_of_one(golden: dict[str, np.ndarray]) -> None:
    np.savez("golden.npz", **{name: a.squeeze().astype(np.float64) for name, a in golden.items()})
    assert nacre(*WITH_GOLDEN).code == 0


# --- compilers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_compiler_from_the_environment(compiler: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    monkeypatch.setenv("CC", compiler)
    ended = nacre(*WITH_GOLDEN)
    assert ended.code == 0 and f"host   {compiler} " in ended.out


def test_compiler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    ended = nacre(*WITH_GOLDEN)
    assert (ended.code, ended.out) == (1, "")
    assert "no C compiler: no-such-cc is not on the PATH" in ended.err


def test_compiler_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "false")
    ended = nacre(*WITH_GOLDEN)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith("the compiler failed: false ")


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A PATH with nothing on it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.mark.usefixtures("empty_path")
def test_no_compiler_at_all() -> None:
    ended = nacre(*WITH_GOLDEN)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "no C compiler: cc, gcc or clang is not on the PATH. Install gcc or clang.\n"
    )


def test_missing_cross_compiler_and_emulator(empty_path: Path) -> None:
    ended = nacre(*WITH_GOLDEN, "--on", "mps3-an547")
    assert (ended.code, ended.out) == (1, "")
    assert "arm-none-eabi-gcc is not on the PATH" in ended.err
    assert "package gcc-arm-none-eabi" in ended.err
    fake = empty_path / "arm-none-eabi-gcc"
    fake.write_text("#!/bin/sh\n")
    os.chmod(fake, 0o755)  # noqa: PTH101
    ended = nacre(*WITH_GOLDEN, "--on", "mps3-an547")
    assert ended.code == 1 and "qemu-system-arm is not on the PATH" in ended.err


def test_unknown_place() -> None:
    ended = nacre(*WITH_GOLDEN, "--on", "mps3-an574")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("--on: 'mps3-an574' is not a target.\n  closest: mps3-an547")


@pytest.mark.parametrize("chip", ["apollo510", "stm32h743"])
def test_chip_without_emulator(chip: str) -> None:
    ended = nacre(*WITH_GOLDEN, "--on", chip)
    assert (ended.code, ended.out) == (2, "")
    assert f"--on {chip}: no emulator runs it; supported: host, and the QEMU boards" in ended.err


def test_on_a_board() -> None:
    if shutil.which("arm-none-eabi-gcc") is None or shutil.which("qemu-system-arm") is None:
        pytest.skip("needs arm-none-eabi-gcc and qemu-system-arm")
    ended = nacre(*WITH_GOLDEN, "--on", "mps3-an547")
    assert ended.code == 0, ended.err
    assert "mps3-an547   arm-none-eabi-gcc" in ended.out and "15/15 equal" in ended.out
