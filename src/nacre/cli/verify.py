"""nacre verify."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nacre.cli.options import model_options, request
from nacre.cli.run import (
    guarded,
    json_option,
    progress,
    progress_done,
    show,
    show_json,
    show_notes,
)

if TYPE_CHECKING:
    from nacre.ir import Array
    from nacre.program import Program


@click.command("verify")
@model_options
@click.option(
    "--on",
    "where",
    default="host",
    metavar="host|TARGET",
    show_default=True,
    help="Where to run the module.",
)
@click.option(
    "--samples",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    help="How many inputs to try, in order, from a fresh state.",
)
@json_option
@guarded
def command(where: str, samples: int, as_json: bool, **values: object) -> None:
    """Convert MODEL, build it with the real compiler, run it, and compare with the source
    runtime. Exit 1 on a mismatch."""
    from nacre.build import board_toolchain, host_toolchain
    from nacre.cli.model import compiled
    from nacre.golden import golden_vectors
    from nacre.report.verification import verification_json, verification_text
    from nacre.targets import load_target
    from nacre.verification import verify_program

    asked = request(values)
    if where == "host":
        toolchain = host_toolchain(os.environ.get("CC"))
    else:
        toolchain = board_toolchain(load_target(where, "--on"))
        asked = asked.on_target(where)
    graph, program = compiled(asked)
    progress("asking the source runtime")
    golden = golden_vectors(graph, asked.model.read_bytes(), asked.config, samples)
    show_notes(golden.notes)
    progress("building and running the module")
    results = verify_program(program, golden, toolchain, asked.config.test.tolerance)
    if as_json:
        progress_done()
        show_json(verification_json(golden, results))
    else:
        counted = where != "host" and not any(r.wrong for r in results)
        cost = _cost(program, golden.inputs[0]) if counted else ""
        progress_done()
        show(verification_text(toolchain, golden, results, cost))
    if any(r.wrong for r in results):
        sys.exit(1)


def _cost(program: Program, inputs: Sequence[Array]) -> str:
    """Instructions and stack of one inference; nothing where they cannot be counted."""
    from nacre.bench import bench_board, measure
    from nacre.errors import CompileError
    from nacre.report.bench import cost_text

    progress("counting instructions")
    try:
        return cost_text(measure(program, inputs, bench_board(program.target, "--on")))
    except CompileError as error:
        show_notes((f"the instructions were not counted: {error}",))
        return ""
