"""nacre convert."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click

from nacre.cli.options import Request, given_options, model_options, request
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
    from nacre.golden import Golden
    from nacre.ir import Graph


@click.command("convert")
@model_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder for the module; default: module.path, else the module's name.",
)
@click.option(
    "-v",
    "--verbose",
    type=click.IntRange(0, 2),
    default=1,
    show_default=True,
    help="0 prints nothing, 2 adds where every tensor lives.",
)
@click.option("--force", is_flag=True, help="Write into a folder that holds other files too.")
@json_option
@guarded
def command(
    output: Path | None, verbose: int, force: bool, as_json: bool, **values: object
) -> None:  # fmt: skip
    """Compile MODEL into a C module."""
    asked = request(values)
    folder = output or _default_folder(asked)
    convert(asked, folder, verbose, force, as_json)


def convert(asked: Request, folder: Path, verbose: int, force: bool, as_json: bool) -> None:
    from nacre.cli.model import imported, planned
    from nacre.emit.module import module_files
    from nacre.emit.write import check_folder, write_module
    from nacre.report.conversion import conversion_json, conversion_text, residency_text

    check_folder(folder, force)
    graph = imported(asked)
    with ThreadPoolExecutor(1) as pool:  # the oracle computes while the plan is made
        vectors = pool.submit(_golden, asked, graph)
        program = planned(asked, graph)
        progress("computing golden vectors")
        golden = vectors.result()
    if golden is not None:
        show_notes(golden.notes)
    files = module_files(program, golden, asked.config.test.tolerance)
    write_module(folder, files, force)
    progress_done()
    if as_json:
        show_json(conversion_json(program))
        return
    if verbose >= 1:
        options = given_options(("output", "verbose", "force", "as_json", "model"))
        show(conversion_text(program, asked.model, folder, files, options))
    if verbose >= 2:
        show("\n" + residency_text(program))


def _golden(asked: Request, graph: Graph) -> Golden | None:
    from nacre.golden import golden_vectors

    if not asked.config.test.enabled:
        return None
    return golden_vectors(graph, asked.model.read_bytes(), asked.config)


def _default_folder(asked: Request) -> Path:
    from nacre.emit.spell import identifier

    if asked.config.module.path is not None:
        return Path(asked.config.module.path)
    return Path(asked.config.module.name or identifier(asked.model.stem))
