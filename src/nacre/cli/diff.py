"""nacre diff."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("diff")
@click.argument("before", metavar="A.json", type=click.Path(path_type=Path))
@click.argument("after", metavar="B.json", type=click.Path(path_type=Path))
@json_option
@guarded
def command(before: Path, after: Path, as_json: bool) -> None:
    """Compare two residency reports. Exit 0 when the layout is the same, 1 when it has changed,
    2 when a file is not a report."""
    from nacre.report.diff import difference, difference_json, difference_text, read_residency

    found = difference(read_residency(before), read_residency(after))
    if as_json:
        show_json(difference_json(found))
    else:
        show(difference_text((str(before), str(after)), found))
    if found.drift:
        sys.exit(1)
