"""nacre targets."""

from __future__ import annotations

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("targets")
@click.argument("name", required=False)
@json_option
@guarded
def command(name: str | None, as_json: bool) -> None:
    """List the targets, or show the memories of one (a name, or the path of a target file)."""
    from nacre.report.targets import target_text, targets_text
    from nacre.targets import load_target, target_names

    if name is not None:
        target = load_target(name)
        if as_json:
            show_json(target.model_dump(mode="json"))
        else:
            show(target_text(target))
        return
    targets = [load_target(known) for known in target_names()]
    if as_json:
        show_json([t.model_dump(mode="json") for t in targets])
    else:
        show(targets_text(targets))
