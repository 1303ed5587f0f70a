"""Programs with a budget for the tests: planned, assembled, built and run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from nacre.assemble import Names
from nacre.build import Toolchain, build_runner, run_samples, write_files
from nacre.config.schema import Config
from nacre.emit.module import module_files
from nacre.ir import Graph
from nacre.lifetimes import Alignment
from nacre.lower import LoweredGraph, lower
from nacre.memory import MemoryType
from nacre.ops.kind import LowerOptions
from nacre.passes import simplify
from nacre.place import Defaults, choose, place
from nacre.planner.problem import Solution
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate
from nacre.program import Program
from nacre.stages.assemble import assemble_stages
from nacre.stages.budget import StageOptions, Stager
from nacre.stages.build import Memories
from nacre.stages.offsets import stage_problem
from nacre.stages.plan import StagePlan
from nacre.targets import load_target
from support.modules import SANITIZED

DTCM, SRAM, PSRAM = MemoryType("DTCM"), MemoryType("SRAM"), MemoryType("PSRAM")


def lowered_of(graph: Graph, target: str = "host") -> LoweredGraph:
    return lower(simplify(graph), LowerOptions(features=load_target(target).features))


def stager_of(lowered: LoweredGraph, slow: MemoryType | None = PSRAM, **options: bool) -> Stager:
    return Stager(lowered, StageOptions(Memories(DTCM, slow), Alignment(16, {}), **options))


def program_of_plan(
    lowered: LoweredGraph,
    plan: StagePlan,
    solution: Solution | None = None,
    target: str = "host",
    keep_inputs: bool = False,
) -> Program:
    """The program of a plan that a planner or a test has made."""
    alignment = Alignment(16, {})
    if solution is None:
        problem = stage_problem(plan, lowered, alignment, overlap=True, keep_inputs=keep_inputs)
        solution = solve(problem, Effort.AUTO)
        validate(problem, solution)
    found = load_target(target)
    choices = choose(lowered, found, Config(), allow_unmatched=False)
    placed = place(choices, Defaults(DTCM, DTCM))
    names = Names("net", "net", "net.tflite", "tflm", "cmake", True, keep_inputs, True)
    return assemble_stages(placed, plan, alignment, solution, names)


def run_staged(
    program: Program,
    samples: list[list[np.ndarray]],
    folder: Path,
    toolchain: Toolchain = SANITIZED,
) -> list[list[np.ndarray]]:
    """Build the module and run the samples in order."""
    write_files(folder, module_files(program))
    runner = build_runner(program.prefix, folder, toolchain)
    return run_samples(program, runner, toolchain, samples)
