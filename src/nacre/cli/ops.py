"""nacre ops."""

from __future__ import annotations

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("ops")
@json_option
@guarded
def command(as_json: bool) -> None:
    """List the operators that are supported, from the table that the compiler uses."""
    from nacre.report.operators import operators_json, operators_text

    if as_json:
        show_json(operators_json())
    else:
        show(operators_text())
