"""nacre compile."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from nacre.cli.options import Request, model_options, request
from nacre.cli.run import (
    guarded,
    json_option,
    progress,
    progress_done,
    show,
    show_json,
    show_notes,
)
from nacre.errors import ConfigError

if TYPE_CHECKING:
    from nacre.config.schema import Config
    from nacre.program import Program


@click.command("compile")
@model_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="FILE.ncr",
    help="The plan file; default: the model's name.",
)
@click.option("--xip", is_flag=True, help="Read constants in place from the mapped file (default).")
@click.option(
    "--compress",
    type=click.Choice(["lz4"]),
    help="Pack constants; steps unpack theirs into a reserved part of the fast memory.",
)
@click.option("--strip", is_flag=True, help="Leave out the names that are for people.")
@json_option
@guarded
def command(
    output: Path | None,
    xip: bool,
    compress: str | None,
    strip: bool,
    as_json: bool,
    **values: object,
) -> None:
    """Compile MODEL into a plan file for the C runtime."""
    if xip and compress:
        raise ConfigError("--xip and --compress: constants are read in place, or unpacked")
    asked = request(values)
    made = output or Path(asked.model.with_suffix(".ncr").name)
    if made.suffix != ".ncr":
        raise ConfigError(f"-o {made}: a plan file ends in .ncr")
    compile_plan(asked, made, compress is not None, strip, as_json)


def compile_plan(asked: Request, made: Path, compress: bool, strip: bool, as_json: bool) -> None:
    from nacre.cli.model import imported
    from nacre.compile import compile_graph
    from nacre.planfile.fitting import fitting_plan
    from nacre.planfile.read import read_plan
    from nacre.planfile.rules import has_checks
    from nacre.report.plan import plan_json, plan_summary

    graph = imported(asked)
    progress(f"planning {len(graph.operators)} operators")

    programs: list[Program] = []

    def planned(config: Config) -> Program:
        name, allow = asked.model.name, asked.allow_unmatched
        programs.append(compile_graph(graph, config, name, allow, has_checks))
        return programs[-1]

    content = fitting_plan(planned, asked.config, compress, not strip)
    show_notes(programs[-1].notes)
    try:
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_bytes(content)
    except OSError as error:
        raise ConfigError(f"{made}: cannot be written: {error.strerror}") from None
    progress_done()
    plan = read_plan(content, str(made))
    if as_json:
        show_json(plan_json(plan, len(content)))
    else:
        show(plan_summary(plan, made, len(content)))
