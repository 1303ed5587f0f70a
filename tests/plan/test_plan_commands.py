"""compile, inspect, run and codegen, as a user meets them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from cli.commands import nacre
from nacre.planfile.write import plan_file
from nacre.runtime import PlanRunner
from plan.plans import EXAMPLE, needs_boards, program_for, same_bits, samples_for


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    made = tmp_path / "dscnn.ncr"
    ended = nacre("compile", EXAMPLE, "-o", made)
    assert ended.code == 0, ended.err
    assert "arena 0" in ended.out and "nacre run" in ended.out
    return made


def test_compile_writes_what_the_library_writes(plan: Path) -> None:
    assert plan.read_bytes() == plan_file(program_for(EXAMPLE))


def test_compile_as_json(tmp_path: Path) -> None:
    ended = nacre("compile", EXAMPLE, "-o", tmp_path / "x.ncr", "--compress", "lz4", "--json")
    said = json.loads(ended.out)
    assert said["file_bytes"] == (tmp_path / "x.ncr").stat().st_size
    assert said["sound"] and said["kernels"]
    assert said["arenas"][0]["bytes"] >= said["fast_reserved"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--xip", "--compress", "lz4"], "read in place, or unpacked"),
        (["-o", "plan.bin"], "ends in .ncr"),
        (["-f", "1K"], "the budget is 1 024"),
    ],
)
def test_compile_mistakes(arguments: list[str], says: str, tmp_path: Path) -> None:
    given = arguments if "-o" in arguments else [*arguments, "-o", str(tmp_path / "x.ncr")]
    ended = nacre("compile", EXAMPLE, *given)
    assert ended.code != 0
    assert says in ended.err


def test_inspect(plan: Path) -> None:
    ended = nacre("inspect", plan)
    assert ended.code == 0
    assert "plan file 1.0" in ended.out and "conv2d_s8" in ended.out
    said = json.loads(nacre("inspect", plan, "--json").out)
    assert [r["kind"] for r in said["regions"]] == ["scratch", "constant"]
    assert said["inputs"][0]["type"] == "int8"


def test_inspect_of_a_damaged_file(plan: Path) -> None:
    content = bytearray(plan.read_bytes())
    content[-20] ^= 1
    plan.write_bytes(content)
    assert "DAMAGED" in nacre("inspect", plan).out
    ended = nacre("run", plan)
    assert ended.code == 1
    assert "checksum does not match" in ended.err


def test_codegen_refuses_a_damaged_file(plan: Path, tmp_path: Path) -> None:
    content = bytearray(plan.read_bytes())
    content[-20] ^= 1
    plan.write_bytes(content)
    ended = nacre("codegen", plan, "-o", tmp_path / "firmware")
    assert ended.code == 1 and "checksum does not match" in ended.err
    assert not (tmp_path / "firmware").exists()


def test_run_asks_for_the_shape(plan: Path, tmp_path: Path) -> None:
    (inputs,) = samples_for(program_for(EXAMPLE), 1)
    value = inputs[0]
    np.save(tmp_path / "turned.npy", np.ascontiguousarray(value.swapaxes(1, 2)))
    np.save(tmp_path / "one.npy", value[0])
    np.savez(tmp_path / "x.npz", other=value)
    turned = nacre("run", plan, "--input", tmp_path / "turned.npy")
    assert turned.code == 2 and "is asked for" in turned.err
    assert nacre("run", plan, "--input", tmp_path / "one.npy").code == 0
    archive = nacre("run", plan, "--input", tmp_path / "x.npz")
    assert archive.code == 2 and "holds 'other'; inputs:" in archive.err


def test_run(plan: Path, tmp_path: Path) -> None:
    program = program_for(EXAMPLE)
    (inputs,) = samples_for(program, 1)
    np.save(tmp_path / "x.npy", inputs[0])
    ended = nacre("run", plan, "--input", tmp_path / "x.npy", "-o", tmp_path / "y.npy")
    assert ended.code == 0, ended.err
    assert same_bits([np.load(tmp_path / "y.npy")], PlanRunner(plan.read_bytes()).run(inputs))


def test_run_by_name_and_from_an_archive(plan: Path, tmp_path: Path) -> None:
    program = program_for(EXAMPLE)
    (inputs,) = samples_for(program, 1)
    name = PlanRunner(plan.read_bytes()).inputs[0].name
    np.save(tmp_path / "x.npy", inputs[0])
    np.savez(tmp_path / "x.npz", **{name: inputs[0]})
    by_name = nacre("run", plan, "--input", f"{name}={tmp_path / 'x.npy'}", "--json")
    archive = nacre("run", plan, "--input", tmp_path / "x.npz", "--json")
    assert by_name.code == archive.code == 0, by_name.err + archive.err
    assert json.loads(by_name.out) == json.loads(archive.out)


def test_run_mistakes(plan: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((1, 2), np.float32))
    wrong = nacre("run", plan, "--input", tmp_path / "x.npy")
    assert wrong.code == 2
    assert "is asked for, float32[1, 2] was given" in wrong.err
    assert "nothing is given" in nacre("run", plan).err
    assert "no input 'y'" in nacre("run", plan, "--input", f"y={tmp_path / 'x.npy'}").err
    assert "there is no such file" in nacre("run", tmp_path / "other.ncr").err


def test_codegen_example_builds_and_runs(plan: Path, tmp_path: Path) -> None:
    folder = tmp_path / "firmware"
    ended = nacre("codegen", plan, "-o", folder)
    assert ended.code == 0, ended.err
    sources = [str(p) for p in folder.rglob("*.c") if "example" not in p.relative_to(folder).parts]
    program = folder / "example.out"
    command = [
        *("gcc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror"),
        *(f"-I{folder}", f"-I{folder / 'example'}", *sources),
        *(str(folder / "example" / "host" / "main.c"), "-o", str(program), "-lm"),
    ]
    subprocess.run(command, check=True)
    (inputs,) = samples_for(program_for(EXAMPLE), 1)
    (folder / "in.bin").write_bytes(inputs[0].tobytes())
    subprocess.run([program, "plan/dscnn.ncr"], cwd=folder, check=True, capture_output=True)
    ours = PlanRunner(plan.read_bytes()).run(inputs)
    assert (folder / "out.bin").read_bytes() == b"".join(v.tobytes() for v in ours)


def test_codegen_has_a_partition_for_the_plan(plan: Path, tmp_path: Path) -> None:
    folder = tmp_path / "firmware"
    assert nacre("codegen", plan, "-o", folder).code == 0
    table = (folder / "example" / "esp-idf" / "partitions.csv").read_text()
    rows = [[cell.strip() for cell in row.split(",")] for row in table.splitlines()]
    size = next(int(row[4], 16) for row in rows if row[0] == "plan")
    assert size >= 2 * plan.stat().st_size and size % (1 << 16) == 0
    assert "esp_partition_mmap" in (folder / "example/esp-idf/main/main.c").read_text()


def test_codegen_of_the_runtime_alone(plan: Path, tmp_path: Path) -> None:
    by_plan = json.loads(nacre("codegen", "--runtime", plan, "-o", tmp_path / "a", "--json").out)
    by_name = json.loads(
        nacre("codegen", "--runtime", "conv2d_s8,softmax_s8", "-o", tmp_path / "b", "--json").out
    )
    assert by_name["kernels"] == ["conv2d_s8", "conv_finish_s8", "softmax_s8"]
    assert set(by_name["kernels"]) < set(by_plan["kernels"])
    assert not [f for f in by_name["files"] if "depthwise" in f and f.endswith(".c")]


def test_codegen_mistakes(plan: Path, tmp_path: Path) -> None:
    unknown = nacre("codegen", "--runtime", "conv9d", "-o", tmp_path / "a")
    assert unknown.code == 2
    assert "nacre_conv9d" in unknown.err
    assert "one .ncr" in nacre("codegen", plan, plan, "-o", tmp_path / "b").err


@needs_boards
def test_codegen_for_a_board(plan: Path, tmp_path: Path) -> None:
    folder = tmp_path / "firmware"
    ended = nacre("codegen", plan, "--target", "mps3-an547", "-o", folder)
    assert ended.code == 0, ended.err
    readme = (folder / "README.md").read_text()
    commands = readme.split("mps3-an547:\n\n```\n")[1].split("```")[0]
    subprocess.run(["sh", "-ec", commands], cwd=folder, check=True, capture_output=True)
    zeros = [np.zeros(t.shape, t.dtype) for t in PlanRunner(plan.read_bytes()).inputs]
    ours = PlanRunner(plan.read_bytes()).run(zeros)
    assert (folder / "out.bin").read_bytes() == b"".join(v.tobytes() for v in ours)
