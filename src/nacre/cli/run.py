"""How every command ends: JSON or text on stdout, one clear message and a code on a mistake."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from functools import wraps
from typing import NoReturn, ParamSpec

import click

from nacre.errors import CompileError
from nacre.residency import Json
from nacre.text import printable

P = ParamSpec("P")

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document for machines."
)


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Turn a user's mistake into its message and exit code, without a traceback."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            command(*args, **kwargs)
        except CompileError as error:
            fail(str(error), error.exit_code)
        except BrokenPipeError:  # whoever read the output has left
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        except KeyboardInterrupt:
            fail("interrupted", 1)

    return run


def fail(message: str, code: int) -> NoReturn:
    progress_done()
    click.echo(_lines(message), err=True)
    sys.exit(code)


def show(text: str) -> None:
    """What a person asked for."""
    click.echo(_lines(text))


def show_json(document: Json) -> None:
    click.echo(json.dumps(document, indent=1).replace("\x7f", "\\u007f"))


def show_notes(notes: tuple[str, ...]) -> None:
    """Notes and warnings, on stderr so that stdout stays what was asked for."""
    for note in notes:
        progress_done()
        text = note if note.startswith("warning") else f"note: {note}"
        click.echo(_lines(text), err=True)


def _lines(text: str) -> str:
    """Names come from files: nothing in them may command the terminal."""
    return "\n".join(printable(line) for line in text.split("\n"))


def progress(message: str) -> None:
    """What is going on, on stderr, where a terminal watches."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[2K{printable(message)}", nl=False, err=True)


def progress_done() -> None:
    if sys.stderr.isatty():
        click.echo("\r\x1b[2K", nl=False, err=True)
