"""The document in a real browser: it draws the plan, and clicking, sorting and filtering work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from nacre.program import Program
from nacre.report.document import document
from report.browser import CHROMIUM, Browser, Page
from report.made_programs import assembled, branches, chain, compiled, hostile

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")

Show = Callable[..., Page]
# Rectangles of one arena: [tensor, x, y, width, height], and the chart's scale.
RECTANGLES = """
(() => {
  const chart = document.querySelector('[data-arena="%d"] svg[tabindex]');
  const value = (e, name) => Number(e.getAttribute(name));
  return {
    width: value(chart, "data-width"), bottom: value(chart, "data-bottom"),
    scale: value(chart, "data-scale"),
    slots: [...chart.querySelectorAll("[data-tensor]")].map((e) =>
      [e.getAttribute("data-tensor"), ...["x", "y", "width", "height"].map((n) => value(e, n))]),
  };
})()
"""
COLUMN = '[...document.querySelectorAll("#%s tbody tr td:nth-child(%d)")].map((e) => e.textContent)'


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    running = Browser(tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens the document of a program; at the end nothing must have gone wrong on the page."""
    pages: list[Page] = []

    def open_page(program: Program, dark: bool = False) -> Page:
        file = tmp_path / f"{len(pages)}.html"
        file.write_text(document(program), encoding="utf-8")
        pages.append(browser.open(file, dark))
        return pages[-1]

    yield open_page
    for page in pages:
        assert page.problems() == []
        asked = {url.split("#")[0] for url in page.requests()}
        assert len(asked) == 1 and asked.pop().startswith("file://")
        page.close()


def rectangles(page: Page, arena: int) -> dict[str, object]:
    found = page.run(RECTANGLES % arena)
    assert isinstance(found, dict)
    return found


def texts(page: Page, table: str, column: int) -> list[str]:
    return [str(text) for text in page.run(COLUMN % (table, column))]


def type_filter(page: Page, table: str, words: str) -> None:
    page.run(
        f'(() => {{ const box = document.querySelector("#{table} input");'
        f"box.value = {json.dumps(words)}; box.dispatchEvent(new Event('input')); }})()"
    )


def marked(page: Page, selector: str) -> list[str]:
    script = f'[...document.querySelectorAll("{selector}")].map((e) => e.textContent)'
    return [str(text) for text in page.run(script)]


@pytest.mark.parametrize("make", [compiled, branches], ids=["compiled", "branches"])
def test_the_map_is_the_plan(show: Show, make: Callable[[], Program]) -> None:
    program = make()
    page = show(program)
    for region in program.regions:
        found = rectangles(page, region.number)
        owners = {
            key: s for key, s in program.slots.items()
            if s.region == region.number and s.view_of is None
        }  # fmt: skip
        assert sorted(slot[0] for slot in found["slots"]) == sorted(owners)
        for key, x, y, width, height in found["slots"]:
            slot = owners[key]
            if found["width"] == 0:  # a bar: addresses to the right
                assert x == pytest.approx(slot.offset * found["scale"])
                assert width == pytest.approx(slot.size * found["scale"])
                continue
            assert x == pytest.approx(slot.lower * found["width"])
            assert width == pytest.approx((slot.upper - slot.lower) * found["width"])
            assert height == pytest.approx(slot.size * found["scale"])
            assert y + height == pytest.approx(found["bottom"] - slot.offset * found["scale"])


def test_heights_are_marked(show: Show) -> None:
    program = branches()
    page = show(program)
    chart = rectangles(page, 0)
    line = 'Number(document.querySelector(\'[data-arena="0"] .time line.%s\').getAttribute("y1"))'
    size = program.regions[0].usage.total_size
    assert page.run(line % "height") == pytest.approx(chart["bottom"] - size * chart["scale"])
    bound = chart["bottom"] - program.lower_bound * chart["scale"]
    assert page.run(line % "bound") == pytest.approx(bound)


def test_bytes_of_two_tensors_are_marked(show: Show) -> None:
    program = branches()
    assert show(program).run('document.querySelectorAll(".shared").length') == 0
    slots = dict(program.slots)
    # 16 bytes in common with the input during step 0, and with c2 during steps 4 and 5.
    slots["a"] = replace(slots["a"], offset=slots["x"].offset + slots["x"].size - 16)
    page = show(replace(program, slots=slots))
    common = page.run(
        '[...document.querySelectorAll(".time .shared")].map((e) =>'
        '["x", "width", "height"].map((n) => Number(e.getAttribute(n))))'
    )
    chart = rectangles(page, 0)
    width, height = chart["width"], 16 * chart["scale"]
    expected = [[0, width, height], [4 * width, 2 * width, height]]
    assert common == [pytest.approx(place) for place in expected]
    page.mouse("mouseMoved", *page.middle('[data-tensor="x"]'))
    assert "shares bytes with" in page.run('document.getElementById("tip").innerText')


def test_both_tables_list_everything(show: Show) -> None:
    program = branches()
    page = show(program)
    assert texts(page, "tensor-table", 1) == list(program.slots)
    assert texts(page, "operator-table", 3) == [s.type for s in program.steps]


def test_a_click_marks_the_tensor_everywhere(show: Show) -> None:
    page = show(branches())
    page.click('[data-tensor="e"]')
    assert page.run('document.querySelector(".slot.marked").getAttribute("data-tensor")') == "e"
    assert [row[:1] for row in marked(page, "#tensor-table tr.marked")] == ["e"]
    assert page.run('document.querySelectorAll(".edge.marked").length') == 1
    edge = 'document.querySelector(".edge.marked").getAttribute("data-edge")'
    assert page.run(edge) == "e"
    steps = '[...document.querySelectorAll("#operator-table tr.touched td:first-child")]'
    assert page.run(f"{steps}.map((e) => e.textContent)") == ["6", "7"]
    assert page.run("location.hash") == "#tensor=e"
    panel = page.run('document.getElementById("selection").textContent')
    assert "name of e" in panel and "steps 6 to 7" in panel and "default" in panel
    page.press("Escape")
    assert page.run('document.querySelectorAll(".marked").length') == 0
    assert page.run('document.getElementById("selection").hidden') is True


def test_a_view_marks_the_rectangle_that_it_shares(show: Show) -> None:
    page = show(branches())
    type_filter(page, "tensor-table", "e.view")
    page.click("#tensor-table tbody tr")
    assert page.run('document.querySelector(".slot.marked").getAttribute("data-tensor")') == "e"


def test_a_step_marks_its_column_and_its_tensors(show: Show) -> None:
    page = show(branches())
    page.click('.node[data-step="6"]')
    assert page.run('document.querySelectorAll(".band").length') == 1
    chart = rectangles(page, 0)
    band = 'Number(document.querySelector(".band").getAttribute("x"))'
    assert page.run(band) == pytest.approx(6 * chart["width"])
    ids = (
        '[...document.querySelectorAll(".slot.touched")].map((e) => e.getAttribute("data-tensor"))'
    )
    assert sorted(page.run(ids)) == ["b2", "c2", "d1", "e"]
    assert "CONCATENATION" in marked(page, "#operator-table tr.marked")[0]


def test_hovering_shows_the_facts(show: Show) -> None:
    page = show(branches())
    page.mouse("mouseMoved", *page.middle('[data-tensor="c1"]'))
    tip = page.run('document.getElementById("tip").innerText')
    slot = branches().slots["c1"]
    for word in ("name of c1", "[1,256]", "int8", str(slot.size), str(slot.offset), "default"):
        assert word in tip
    assert "steps 3 to 7" in tip
    page.mouse("mouseMoved", 2, 2)
    assert page.run('document.getElementById("tip").hidden') is True


def test_columns_sort_both_ways(show: Show) -> None:
    program = branches()
    page = show(program)
    sizes = sorted(s.size for s in program.slots.values())
    button = "#tensor-table th:nth-child(10) button"
    page.click(button)
    assert [int(t) for t in texts(page, "tensor-table", 10)] == sizes
    page.click(button)
    assert [int(t) for t in texts(page, "tensor-table", 10)] == sizes[::-1]
    sort = 'document.querySelector("#tensor-table th:nth-child(10)").getAttribute("aria-sort")'
    assert page.run(sort) == "descending"


def test_ids_sort_as_numbers(show: Show) -> None:
    page = show(chain(14))
    page.click("#tensor-table th:nth-child(1) button")
    ids = [t for t in texts(page, "tensor-table", 1) if t.startswith("t")]
    assert ids == [f"t{n}" for n in range(13)]


def test_the_filter_wants_every_word(show: Show) -> None:
    page = show(branches())
    type_filter(page, "tensor-table", "CONSTANT w1")
    assert texts(page, "tensor-table", 1) == ["w1"]
    assert marked(page, "#tensor-table .filter span") == ["1 of 14"]
    type_filter(page, "tensor-table", "no such tensor")
    assert texts(page, "tensor-table", 1) == []
    type_filter(page, "operator-table", "concat")
    assert texts(page, "operator-table", 1) == ["6"]


def test_the_keyboard_walks_through_map_table_and_graph(show: Show) -> None:
    page = show(branches())
    page.run("document.querySelector('[data-arena=\"0\"] svg.time').focus()")
    page.press("ArrowRight")
    page.press("ArrowRight")
    assert page.run("location.hash") == "#tensor=a"
    page.run('document.querySelector("#tensor-table tr.marked").focus()')
    page.press("ArrowDown")
    assert page.run("location.hash") == "#tensor=b1"
    page.run('document.querySelector("#diagram svg").focus()')
    page.press("End")
    assert page.run("location.hash") == "#step=7"


def test_the_graph_has_every_step_and_edge(show: Show) -> None:
    page = show(branches())
    assert page.run('document.querySelectorAll(".node.op").length') == 8
    assert page.run('document.querySelectorAll(".node.end").length') == 3
    assert page.run('document.querySelectorAll(".edge").length') == 12


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_stands_out_in_both_schemes(show: Show, dark: bool) -> None:
    page = show(compiled(), dark)
    colours = page.run(
        "[getComputedStyle(document.body).color,"
        "getComputedStyle(document.querySelector('section')).backgroundColor]"
    )
    ink, paper = ([int(n) for n in c[4:-1].split(",")] for c in colours)
    assert (sum(ink) > sum(paper)) is dark
    assert abs(sum(ink) - sum(paper)) > 400


def test_names_are_shown_and_never_run(show: Show) -> None:
    program = hostile()
    page = show(program)
    assert page.run("window.broken === undefined") is True
    shown = texts(page, "tensor-table", 2)
    # A half of a surrogate pair cannot travel through the protocol as it is.
    expected = [s.tensor.name for s in program.slots.values()]
    pairs = [(a, b) for a, b in zip(shown, expected, strict=True) if "\ud83d" not in b]
    assert len(pairs) == len(expected) - 1 and all(a == b for a, b in pairs)
    page.click(".slot")
    assert page.run('document.querySelectorAll(".slot.marked").length') == 1
    assert page.run('document.querySelectorAll("main script, main b").length') == 0


def test_a_thousand_operators_open_and_answer(show: Show) -> None:
    page = show(chain(1000, constants=4000))
    assert page.run('document.querySelectorAll(".node.op").length') == 1000
    assert page.run('document.querySelectorAll("#tensor-table tbody tr").length') == 400
    page.run('location.hash = "#tensor=w3999"')
    page.run("new Promise((done) => setTimeout(done, 100))")
    assert [row[:5] for row in marked(page, "#tensor-table tr.marked")] == ["w3999"]
    page.click("#operator-table .more")
    assert page.run('document.querySelectorAll("#operator-table tbody tr").length') == 1000


def test_it_prints_every_row(show: Show) -> None:
    page = show(chain(500, constants=100))
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert page.run('document.querySelectorAll("#tensor-table tbody tr").length') == 602
    # Back on the screen the map has its own width again.
    assert page.run('Number(document.querySelector("svg.time").dataset.width)') >= 11


def test_a_program_without_steps_is_a_page_too(show: Show) -> None:
    page = show(assembled((), outputs=("x",)))
    assert page.run('document.querySelectorAll(".node.end").length') == 2
