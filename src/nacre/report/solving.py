"""What `solve` prints and writes."""

from __future__ import annotations

import csv
import io
from pathlib import Path

from nacre.errors import ConfigError
from nacre.planner.csvfile import Solved
from nacre.residency import Json
from nacre.text import number


def solving_text(path: Path, solved: Solved) -> str:
    gap = solved.height - solved.lower_bound
    verdict = "optimal" if solved.optimal else f"not proven optimal, {number(gap)} above the bound"
    return (
        f"{path}  {len(solved.problem.buffers)} buffers\n"
        f"  height {number(solved.height)}   lower bound {number(solved.lower_bound)}   {verdict}\n"
        f"  {solved.seconds:.2f} s"
    )


def solving_json(solved: Solved) -> dict[str, Json]:
    return {
        "height": solved.height,
        "lower_bound": solved.lower_bound,
        "optimal": solved.optimal,
        "seconds": round(solved.seconds, 3),
    }


def write_offsets(path: Path, solved: Solved) -> None:
    """The problem with an offset for every buffer, in the format that `solve` reads."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["id", "lower", "upper", "size", "alignment", "memory", "offset"])
    for b in solved.problem.buffers:
        offset = solved.solution.offsets[b.id]
        writer.writerow([b.id, b.lower, b.upper, b.size, b.alignment, b.memory, offset])
    try:
        path.write_text(text.getvalue(), encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
