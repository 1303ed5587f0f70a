"""nacre check-image."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("check-image")
@click.argument("image", type=click.Path(path_type=Path))
@click.argument("module_dir", type=click.Path(path_type=Path))
@json_option
@guarded
def command(image: Path, module_dir: Path, as_json: bool) -> None:
    """Is every symbol of the linked IMAGE where the plan in MODULE_DIR put it? Exit 1 if not."""
    from nacre.image import check_image
    from nacre.report.image import image_json, image_text

    check = check_image(image, module_dir)
    if as_json:
        show_json(image_json(check))
    else:
        show(image_text(check))
    if not check.ok:
        sys.exit(1)
