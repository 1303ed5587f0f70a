"""Plans on emulated boards: the same bits as the C module, and hardly more instructions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from nacre.bench import bench_board, bench_sources, count, measure
from nacre.build import write_files
from nacre.targets import load_target
from plan.plans import (
    build_on_board,
    firmware,
    needs_boards,
    program_for,
    run_on_board,
    same_bits,
    samples_for,
)
from support.execute import Runner
from support.shared import model_path, requires_shared

pytestmark = [pytest.mark.slow, needs_boards, requires_shared]

BOARDS = ("mps2-an386", "mps3-an547")
HERE = Path(__file__).parent


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", ["mlperf_kws_ref_model", "mlperf_vww_96_int8", "mww_v2_okay_nabu"])
def test_plan_gives_the_same_bits(name: str, board: str, tmp_path: Path) -> None:
    program = program_for(model_path(name), board)
    samples = samples_for(program, 3)
    on_board = run_on_board(program, tmp_path, board, samples)
    host = Runner(program_for(model_path(name)))
    for inputs, outputs in zip(samples, on_board, strict=True):
        assert same_bits(outputs, host.run(inputs))


def plan_instructions(name: str, board: str, folder: Path) -> int:
    target = load_target(board)
    toolchain = bench_board(target)
    firmware(program_for(model_path(name), board), folder, target)
    write_files(folder, bench_sources(toolchain))
    shutil.copy(HERE / "bench.c", folder / "example" / "bench.c")
    built = build_on_board(folder, toolchain, folder / "example" / "bench.c")
    between, _ = count(built, toolchain)
    return round(between[0] - between[1])


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("name", ["mlperf_kws_ref_model", "mlperf_vww_96_int8"])
def test_plan_takes_hardly_more_instructions(name: str, board: str, tmp_path: Path) -> None:
    program = program_for(model_path(name), board)
    inputs = [np.zeros(program.tensor(k).shape, program.tensor(k).dtype.numpy)
              for k in program.inputs]  # fmt: skip
    module = measure(program, inputs, bench_board(load_target(board))).instructions
    plan = plan_instructions(name, board, tmp_path)
    assert plan <= 1.02 * module


def test_code_and_memory_of_a_keyword_spotter(tmp_path: Path) -> None:
    """On Cortex-M55 at most 24 KB of code with the kernels, and 512 bytes besides the arenas."""
    target = load_target("mps3-an547")
    firmware(program_for(model_path("mlperf_kws_ref_model"), target.name), tmp_path, target)
    sources = [p for p in tmp_path.rglob("*.c") if "example" not in p.relative_to(tmp_path).parts]
    (tmp_path / "context.c").write_text(
        '#include "runtime/nacre_runtime.h"\nextern nacre_plan_t context;\nnacre_plan_t context;\n'
    )
    functions = ("open", "prepare", "run", "reset_state", "input", "output")
    kept = [f"-Wl,-u,nacre_plan_{f}" for f in functions]
    kept += ["-Wl,-u,nacre_kernels", "-Wl,-u,context", "-Wl,-e,nacre_plan_run"]
    flags = (*target.flags, "-std=gnu99", "-O2", "-ffunction-sections", "-fdata-sections")
    image = tmp_path / "runtime.elf"
    command = [
        *(target.compiler, *flags, f"-I{tmp_path}", "-nostartfiles", "--specs=nano.specs"),
        *("-Wl,--gc-sections", *kept, *map(str, sources), str(tmp_path / "context.c")),
        *("-o", str(image), "-lm"),
    ]
    subprocess.run([str(c) for c in command], check=True, capture_output=True)
    said = subprocess.run(
        ["arm-none-eabi-size", "-A", str(image)], capture_output=True, text=True, check=True
    ).stdout
    sizes = {r.split()[0]: int(r.split()[1]) for r in said.splitlines() if r.startswith(".")}
    assert sizes[".text"] <= 24 << 10
    assert sizes.get(".bss", 0) + sizes.get(".data", 0) <= 512
