"""The document as text: complete, self-contained, reproducible, and safe from any name."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from nacre.compile import compile_model
from nacre.config.schema import Config
from nacre.emit.module import module_files
from nacre.memory import ArenaRole
from nacre.program import Address, Program
from nacre.report.document import document, json_island
from nacre.report.document_facts import facts, live_bytes, roles
from nacre.report.document_uses import uses
from nacre.report.document_verdict import BAR_WIDTH, memory_lines, verdict
from nacre.targets import load_target
from report.made_programs import HOSTILE, branches, chain, compiled, hostile
from support.shared import MODELS, requires_shared

NETWORKS = (
    "mlperf_kws_ref_model", "mlperf_vww_96_int8", "mlperf_pretrainedResnet_quant", "mww_v2_alexa",
)  # fmt: skip


class _Page(HTMLParser):
    """Tags with their attributes, and the text of styles and scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.inside = ""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.inside = tag
        if tag in ("script", "style"):
            self.raw.append((tag, dict(attrs), ""))

    def handle_data(self, data: str) -> None:
        if self.inside in ("script", "style"):
            tag, attributes, text = self.raw[-1]
            self.raw[-1] = (tag, attributes, text + data)

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside.removeprefix(tag)

    def island(self) -> object:
        return next(json.loads(text) for _, a, text in self.raw if a.get("id") == "data")


def test_the_same_program_gives_the_same_bytes() -> None:
    assert document(branches()) == document(branches())
    assert document(compiled()) == document(compiled())


def test_every_module_carries_it() -> None:
    assert module_files(compiled())["docs/index.html"] == document(compiled()).encode()


@pytest.mark.parametrize("program", [compiled(), branches(), hostile()], ids=lambda p: p.name)
def test_it_asks_for_nothing_from_outside(program: Program) -> None:
    text = document(program)
    for tag, attributes in _Page(text).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base"), tag
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith("#")
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
    addresses = set(re.findall(r"https?://[^\"'`\s)]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "url(" not in text and "@import" not in text


def test_the_policy_allows_its_own_style_and_script_only() -> None:
    page = _Page(document(hostile()))
    policy = next(a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a)
    assert policy is not None
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    inline = [text for _, a, text in page.raw if a.get("type") != "application/json"]
    assert len(inline) == 2
    digests = {hashlib.sha256(text.encode()).digest() for text in inline}
    assert allowed == {base64.b64encode(d).decode() for d in digests}
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy


def test_names_stay_names() -> None:
    text = document(hostile())
    page = _Page(text)
    assert [tag for tag, _ in page.tags].count("script") == 2
    assert "<b>" not in text and "<!--" not in text.removeprefix("<!doctype html>")
    island = page.island()
    assert isinstance(island, dict)
    names = {t["name"] for t in island["tensors"]}
    assert set(HOSTILE) <= names


def test_no_text_of_an_island_can_end_it() -> None:
    value = {"</script>": "<!--<script>&amp;\u2028\u2029\ud800]]>"}
    text = json_island(value)
    assert not set("<>&\u2028\u2029") & set(text) and text.isascii()
    assert json.loads(text) == value


def test_the_island_holds_the_plan() -> None:
    program = compiled()
    island = facts(program)
    tensors = island["tensors"]
    assert isinstance(tensors, list)
    for found, (key, slot) in zip(tensors, program.slots.items(), strict=True):
        assert isinstance(found, dict)
        place = (found["id"], found["region"], found["offset"], found["size"])
        assert place == (key, slot.region, slot.offset, slot.size)
        assert (found["lower"], found["upper"]) == (slot.lower, slot.upper)
    steps = island["steps"]
    assert isinstance(steps, list) and len(steps) == len(program.steps)


def test_roles_follow_the_owner_of_the_bytes() -> None:
    found = roles(branches())
    assert found["x"] == "input" and found["y"] == "output" and found["c1"] == "output"
    assert found["a"] == found["e"] == found["e.view"] == "activation"
    assert found["state"] == "variable" and found["w0"] == "constant"


def test_operator_scratch_has_its_own_role() -> None:
    program = branches()
    extra = replace(program.slots["a"], tensor=replace(program.tensor("a"), id="op0.scratch0"))
    assert roles(replace(program, slots={**program.slots, "op0.scratch0": extra}))[
        "op0.scratch0"
    ] == "workspace"  # fmt: skip


def test_live_bytes_count_views_once() -> None:
    program = branches()
    live = live_bytes(program, program.regions[0])
    for step, total in enumerate(live):
        alive = [
            s for s in program.slots.values()
            if s.region == 0 and s.view_of is None and s.lower <= step < s.upper
        ]  # fmt: skip
        assert total == sum(s.size for s in alive)
    assert max(live) == program.lower_bound


def test_a_step_uses_what_its_calls_point_at() -> None:
    program = compiled()
    for step, found in zip(program.steps, uses(program), strict=True):
        pointed = {
            key
            for call in step.calls
            for a in call.arguments
            if isinstance(a, Address)
            for key, s in program.slots.items()
            if s.region == a.region and s.offset <= a.offset < s.offset + max(1, s.size)
            and s.lower <= step.number < s.upper and s.view_of is None
        }  # fmt: skip
        assert pointed <= set(found)
        assert {t for t in (*step.inputs, *step.outputs) if t in program.slots} <= set(found)


# --- the verdict ----------------------------------------------------------------------------------


def test_staged_constants_take_both_memories() -> None:
    lines = {m.name: m for m in memory_lines(branches())}
    sizes = {r.role: r.usage.total_size for r in branches().regions}
    assert lines["DTCM"].used == sizes[ArenaRole.scratch] + sizes[ArenaRole.constant]
    assert lines["SRAM"].used == sizes[ArenaRole.persistent]
    assert lines["MRAM"].used == sizes[ArenaRole.constant]
    assert verdict(branches()) == "Target host sets no limits."
    assert all(
        s.begin >= 0 and s.begin + s.width <= BAR_WIDTH for m in lines.values() for s in m.shares
    )


@pytest.mark.parametrize(("room", "words"), [(0, "Fits board."), (-1, "Does not fit board:")])
def test_the_verdict_is_exact_to_the_byte(room: int, words: str) -> None:
    program = branches()
    used = next(m.used for m in memory_lines(program) if m.name == "DTCM")
    memories = tuple(
        m.model_copy(update={"size": used + room}) if m.name == "DTCM" else m
        for m in program.target.memories
    )
    target = program.target.model_copy(update={"name": "board", "memories": memories})
    tight = replace(program, target=target)
    assert verdict(tight).startswith(words)
    line = next(m for m in memory_lines(tight) if m.name == "DTCM")
    assert line.fits is (room == 0)
    assert ("over" in document(tight).split("<caption>")[1].split("</table>")[0]) is (room != 0)


def test_a_percentage_of_nearly_nothing_is_not_nothing() -> None:
    target = load_target("apollo510")
    lines = memory_lines(replace(compiled(), target=target))
    assert [m.percent for m in lines if m.used and m.percent.startswith("0.0")] == []


# --- size -----------------------------------------------------------------------------------------


@requires_shared
@pytest.mark.parametrize("name", NETWORKS)
def test_real_networks_stay_small(name: str) -> None:
    program = compile_model(MODELS / "nets" / f"{name}.tflite", Config())
    text = document(program)
    assert len(text.encode()) < 160_000
    assert all(f'"{key}"' in text for key in program.inputs)


def test_a_thousand_operators_stay_below_two_megabytes() -> None:
    assert len(document(chain(1000, constants=4000)).encode()) < 2_000_000
