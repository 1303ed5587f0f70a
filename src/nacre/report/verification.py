"""What `verify` prints."""

from __future__ import annotations

from nacre.build import Toolchain
from nacre.golden import Golden
from nacre.residency import Json
from nacre.text import number, table
from nacre.verification import OutputResult


def verification_text(
    toolchain: Toolchain, golden: Golden, results: list[OutputResult], cost: str = ""
) -> str:
    """One line per output, the verdict, and after it what a run costs."""
    close = any(golden.steps) and any(r.worst for r in results)
    relation = "within a step of" if close else "equal to"
    rows = [
        [
            toolchain.where, toolchain.label, f"{len(golden.inputs)} samples",
            f"output {r.signature}",
            f"{number(r.total - r.wrong)}/{number(r.total)} {relation} {golden.oracle}", _worst(r),
        ]
        for r in results
    ]  # fmt: skip
    return f"{table(rows)}\n  {_verdict(sum(r.wrong for r in results), close)}{cost}"


def _verdict(wrong: int, close: bool) -> str:
    if wrong == 0:
        return "equal up to a step" if close else "equal"
    return f"MISMATCH: {number(wrong)} value{' differs' if wrong == 1 else 's differ'}"


def _worst(result: OutputResult) -> str:
    return f"worst difference {result.worst:g}" if result.worst else ""


def verification_json(golden: Golden, results: list[OutputResult]) -> dict[str, Json]:
    return {
        "ok": not any(r.wrong for r in results),
        "oracle": golden.oracle,
        "outputs": [
            {"name": r.name, "wrong": r.wrong, "total": r.total, "worst": r.worst} for r in results
        ],
    }
