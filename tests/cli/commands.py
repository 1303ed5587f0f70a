"""Runs the command line in this process, and remembers what folders held."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from click.testing import CliRunner

from nacre.cli import main

SOURCE = Path(__file__).parents[2] / "src"
# Other processes find nacre too, wherever they run.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(SOURCE)}
PROGRAM = (sys.executable, "-c", "from nacre.cli import main; main(prog_name='nacre')")


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


def nacre(*arguments: object) -> Ended:
    """`nacre ARGUMENTS…`; an exception that is no exit is a bug, and is raised again."""
    result = CliRunner().invoke(main, [str(a) for a in arguments], prog_name="nacre")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Ended(result.exit_code, result.stdout, result.stderr)


def nacre_process(*arguments: object) -> Ended:
    """The same as a process of its own."""
    command = [*PROGRAM, *(str(a) for a in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=False)
    return Ended(done.returncode, done.stdout, done.stderr)


def snapshot(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: content of files, None for folders."""
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() if p.is_file() else None
        for p in sorted(folder.rglob("*"))
    }
