"""What `run` prints: the outputs, and what it took."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nacre.ir import Array
from nacre.residency import Json
from nacre.runtime import PlanRunner
from nacre.text import number, short, table

SHOWN = 8


def run_text(file: Path, runner: PlanRunner, values: Sequence[Array], output: Path | None) -> str:
    rows = [
        [
            short(t.name) or f"output {n}",
            f"{t.dtype}[{','.join(str(d) for d in t.shape)}]",
            _first(value),
        ]
        for n, (t, value) in enumerate(zip(runner.outputs, values, strict=True))
    ]
    arenas = " + ".join(number(size) for size in runner.arena_bytes if size) or "0"
    moved = f" · moved {number(runner.moved_bytes)}" if runner.moved_bytes else ""
    copied = runner.constant_bytes
    unpacked = f" · constants copied or unpacked {number(copied)}" if copied else ""
    head = f"{file}  arenas {arenas} bytes{moved}{unpacked}"
    written = [f"  {output}"] if output is not None else []
    return "\n".join([head, "", table(rows) if rows else "  no outputs", *written])


def run_json(runner: PlanRunner, values: Sequence[Array]) -> dict[str, Json]:
    return {
        "outputs": [
            {
                "name": t.name,
                "type": t.dtype,
                "shape": list(t.shape),
                "first": [_plain(v) for v in value.reshape(-1)[:SHOWN]],
            }
            for t, value in zip(runner.outputs, values, strict=True)
        ],
        "arena_bytes": list(runner.arena_bytes),
        "moved_bytes": runner.moved_bytes,
        "constant_bytes": runner.constant_bytes,
    }


def _first(value: Array) -> str:
    flat = value.reshape(-1)
    words = [f"{v:.6g}" if np.issubdtype(flat.dtype, np.floating) else str(v) for v in flat[:SHOWN]]
    return " ".join(words) + (" …" if flat.size > SHOWN else "")


def _plain(value: object) -> Json:
    if isinstance(value, np.complexfloating):
        return str(value)
    if isinstance(value, np.floating):
        return float(value) if np.isfinite(value) else str(value)
    return bool(value) if isinstance(value, np.bool_) else int(str(value))
