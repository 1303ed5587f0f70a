"""Convert, build, run, compare: does the C do what the source runtime does?"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nacre.build import Toolchain, build_runner, run_samples, write_files
from nacre.emit.example import LEAST_MAGNITUDE, float_tolerance
from nacre.emit.module import module_files
from nacre.golden import Golden
from nacre.ir import Array
from nacre.program import Program

# A step more or less, in real numbers, is one up to rounding.
SLACK = 1 + 1e-4


@dataclass(frozen=True)
class OutputResult:
    """One output over all samples: how many values are wrong, and the worst difference."""

    name: str
    signature: str
    wrong: int
    total: int
    worst: float


def verify_program(
    program: Program, golden: Golden, toolchain: Toolchain, tolerance: float
) -> list[OutputResult]:
    """Build the module, run it where the toolchain says, and compare every output."""
    with tempfile.TemporaryDirectory(prefix="nacre-verify-") as name:
        folder = Path(name)
        write_files(folder, module_files(program))
        runner = build_runner(program.prefix, folder, toolchain)
        ours = run_samples(program, runner, toolchain, golden.inputs)
    return compare(program, ours, golden, tolerance)


def compare(
    program: Program, ours: list[list[Array]], golden: Golden, tolerance: float
) -> list[OutputResult]:
    results = []
    for j, key in enumerate(program.outputs):
        tensor = program.tensor(key)
        pairs = [(a[j], b[j]) for a, b in zip(ours, golden.outputs, strict=True)]
        limit = tolerance or (golden.steps[j] * SLACK if golden.steps else 0.0)
        counts = [_differences(a, b, limit, float_tolerance(program)) for a, b in pairs]
        shape = ",".join(str(d) for d in tensor.shape)
        results.append(
            OutputResult(
                name=tensor.name,
                signature=f"{tensor.dtype.value}[{shape}]",
                wrong=sum(w for w, _ in counts),
                total=sum(a.size for a, _ in pairs),
                worst=max(d for _, d in counts),
            )
        )
    return results


def _differences(
    ours: Array, theirs: Array, tolerance: float, fraction: float
) -> tuple[int, float]:
    """Values beyond the tolerance, or for floats the fraction; and the largest difference."""
    if ours.dtype.kind not in "fc":
        distance = np.abs(ours.astype(np.int64) - theirs.astype(np.int64))
        return int((distance > tolerance).sum()), float(distance.max(initial=0))
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        distance = np.where(same, 0.0, np.abs(ours - theirs))
    largest = float(np.abs(theirs[np.isfinite(theirs)]).max(initial=0.0))
    limit = tolerance or fraction * max(largest, LEAST_MAGNITUDE)
    wrong = ~(distance <= limit)
    return int(wrong.sum()), float(np.nanmax(distance, initial=0.0))
