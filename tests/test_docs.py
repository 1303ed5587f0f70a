"""Generated pages are fresh, links in the documents lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nacre.planfile.page import format_page
from nacre.report.configuration import configuration_page
from nacre.report.operators import operators_page

ROOT = Path(__file__).parents[1]
PAGES = {
    "CONFIGURATION.md": configuration_page,
    "OPERATORS.md": operators_page,
    "PLAN_FORMAT.md": format_page,
}
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", PAGES)
def test_generated_page_is_fresh(name: str) -> None:
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), f"docs/{name} is stale: run `make docs`"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if not (path.parent / link).exists()]
    assert not missing
