"""What `check-image` prints."""

from __future__ import annotations

from nacre.image import Finding, ImageCheck
from nacre.residency import Json
from nacre.text import table


def image_text(check: ImageCheck) -> str:
    lines = [f"{check.image}  plan {check.plan_hash}", ""]
    rows = [["symbol", "memory", "address", ""]]
    rows += [
        [f.symbol, f.memory.upper(), _address(f), f.problem or _verdict(f)] for f in check.findings
    ]
    lines += [table(rows), ""]
    if check.mismatch is not None:
        lines.append(f"  {check.mismatch}")
    wrong = sum(f.problem is not None for f in check.findings)
    total, checked = len(check.findings), sum(f.expected is not None for f in check.findings)
    if wrong:
        lines.append(f"  {wrong} of {total} symbols are not where the plan put them")
    elif checked < total:
        lines.append(
            f"  {checked} of {total} symbols checked; the others have no address on this target: "
            "give `base` in a target file of your own"
        )
    elif check.ok:
        lines.append(f"  all {total} symbols are where the plan put them")
    return "\n".join(lines)


def _address(finding: Finding) -> str:
    return "-" if finding.address is None else f"0x{finding.address:08x}"


def _verdict(finding: Finding) -> str:
    return "ok" if finding.expected is not None else "not checked: the target gives no address"


def image_json(check: ImageCheck) -> dict[str, Json]:
    return {
        "ok": check.ok,
        "plan_hash": check.plan_hash,
        "mismatch": check.mismatch,
        "symbols": [
            {
                "symbol": f.symbol,
                "memory": f.memory,
                "address": f.address,
                "expected": None if f.expected is None else list(f.expected),
                "problem": f.problem,
            }
            for f in check.findings
        ],
    }
