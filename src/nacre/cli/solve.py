"""nacre solve."""

from __future__ import annotations

from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, progress, progress_done, show, show_json


@click.command("solve")
@click.argument("problem", type=click.Path(path_type=Path))
@click.option(
    "--time",
    "seconds",
    type=click.FloatRange(0.0),
    default=60.0,
    show_default=True,
    help="Seconds to search at most; the best answer so far is printed.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.csv",
    help="Write the offsets: the problem's rows with a column `offset`.",
)
@json_option
@guarded
def command(problem: Path, seconds: float, output: Path | None, as_json: bool) -> None:
    """Place the buffers of a bare allocation PROBLEM.csv (columns id, lower, upper, size; optional
    alignment, memory, offset) as low as possible."""
    from nacre.planner.csvfile import solve_file
    from nacre.report.solving import solving_json, solving_text, write_offsets

    progress(f"searching, {seconds:g} s at most")
    solved = solve_file(problem, seconds)
    progress_done()
    if output is not None:
        write_offsets(output, solved)
    if as_json:
        show_json(solving_json(solved))
    else:
        show(solving_text(problem, solved))
