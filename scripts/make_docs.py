"""Writes the generated pages of docs/ again."""

from __future__ import annotations

from pathlib import Path

from nacre.planfile.header import plan_header, status_source
from nacre.planfile.page import format_page
from nacre.report.configuration import configuration_page
from nacre.report.operators import operators_page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
RUNTIME = ROOT / "src" / "nacre" / "csrc" / "runtime"
PAGES = {
    "CONFIGURATION.md": configuration_page,
    "OPERATORS.md": operators_page,
    "PLAN_FORMAT.md": format_page,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
    (RUNTIME / "nacre_plan.h").write_text(plan_header(), encoding="utf-8")
    (RUNTIME / "status.c").write_text(status_source(), encoding="utf-8")
