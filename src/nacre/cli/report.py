"""nacre report."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from nacre.cli.options import model_options, request
from nacre.cli.run import (
    guarded,
    json_option,
    progress,
    progress_done,
    show,
    show_json,
)
from nacre.errors import ConfigError

_ENDINGS = (".html", ".htm")


@click.command("report")
@model_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    default=Path("report.html"),
    metavar="FILE.html",
    show_default=True,
    help="The document to write.",
)
@json_option
@guarded
def command(output: Path, as_json: bool, **values: object) -> None:
    """Write the offline document of MODEL: memory map over time, tensors, operators, graph."""
    from nacre.cli.model import compiled
    from nacre.report.conversion import headline
    from nacre.report.document import document
    from nacre.report.document_verdict import memory_lines, verdict

    asked = request(values)
    _check(output)
    _, program = compiled(asked)
    progress(f"writing {output}")
    content = document(program).encode()
    write_file(output, content)
    progress_done()
    if as_json:
        memories = memory_lines(program)
        show_json(
            {
                "path": str(output),
                "bytes": len(content),
                "fits": all(m.fits for m in memories),
                "memories": {m.name.lower(): {"used": m.used, "size": m.size} for m in memories},
            }
        )
    else:
        show(f"{headline(program)}\n  {verdict(program)}\n  {output}")


def write_file(path: Path, content: bytes) -> None:
    """Write beside the file first, then swap: the old document or the new one, never a part."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{path.name}-", dir=path.parent) as folder:
            fresh = Path(folder) / path.name
            fresh.write_bytes(content)
            fresh.replace(path)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None


def _check(path: Path) -> None:
    """Refuse before the work is done what could not be written, or would destroy a model."""
    if path.is_dir():
        raise ConfigError(f"{path}: is a folder; name a file in it: -o {path / 'report.html'}")
    if path.suffix.lower() not in _ENDINGS:
        raise ConfigError(
            f"{path}: the document is HTML; give a name that ends in .html: "
            f"-o {path.with_name(path.name + '.html')}"
        )
