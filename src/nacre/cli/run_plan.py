"""nacre run."""

from __future__ import annotations

from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, progress, progress_done, show, show_json


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="[NAME=]X.npy",
    help="An input, by name or in order; repeatable. Or one .npz with all of them.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="Y.npy",
    help="Write the output here; several outputs go into one .npz.",
)
@json_option
@guarded
def command(file: Path, inputs: tuple[str, ...], output: Path | None, as_json: bool) -> None:
    """Run the plan FILE once on this machine's build of the C runtime."""
    from nacre.cli.options import check_file
    from nacre.planfile.values import read_inputs, write_outputs
    from nacre.report.plan_run import run_json, run_text
    from nacre.runtime import PlanRunner

    check_file(file)
    progress("building the runtime")
    runner = PlanRunner(file.read_bytes())
    values = read_inputs(inputs, runner.inputs)
    progress(f"running {file}")
    results = runner.run(values)
    progress_done()
    if output is not None:
        write_outputs(output, runner.outputs, results)
    if as_json:
        show_json(run_json(runner, results))
    else:
        show(run_text(file, runner, results, output))
