"""nacre inspect."""

from __future__ import annotations

from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("inspect")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--subgraph",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Which subgraph to list.",
)
@json_option
@guarded
def command(file: Path, subgraph: int, as_json: bool) -> None:
    """List what is inside FILE: ids, kinds, shapes, quantization, operators, refusals."""
    from nacre.cli.options import check_file
    from nacre.inspection import inspect_file
    from nacre.report.inspection import inspection_json, inspection_text

    check_file(file)
    inspection = inspect_file(file, subgraph)
    if as_json:
        show_json(inspection_json(inspection))
    else:
        show(inspection_text(inspection))
