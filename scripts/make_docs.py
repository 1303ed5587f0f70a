"""Writes the generated pages of docs/ again."""

from __future__ import annotations

from pathlib import Path

from nacre.report.configuration import configuration_page
from nacre.report.operators import operators_page

DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = {"CONFIGURATION.md": configuration_page, "OPERATORS.md": operators_page}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
