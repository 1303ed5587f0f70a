"""`nacre diff` and what it reads: the same layout, drift, and files that are no reports."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from nacre.cli import main
from nacre.residency import residency
from report.made_programs import branches

Report = dict[str, Any]


def base() -> Report:
    return json.loads(json.dumps(residency(branches())))


def changed(change: Callable[[Report], object]) -> Report:
    report = copy.deepcopy(base())
    change(report)
    return report


def tensor(report: Report, key: str) -> dict[str, Any]:
    return next(t for t in report["tensors"] if t["id"] == key)


def diff(
    tmp_path: Path, after: object, *options: str, before: object = None
) -> tuple[int, str, str]:
    for name, value in (("a.json", base() if before is None else before), ("b.json", after)):
        text = value if isinstance(value, str) else json.dumps(value)
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / "a.json"), str(tmp_path / "b.json")]
    result = CliRunner().invoke(main, ["diff", *files, *options])
    return result.exit_code, result.stdout, result.stderr


def test_the_same_layout(tmp_path: Path) -> None:
    code, out, err = diff(tmp_path, base())
    assert (code, err) == (0, "") and "the same layout" in out


def test_keys_and_order_do_not_matter(tmp_path: Path) -> None:
    report = dict(reversed(list(base().items())))
    report["tensors"] = report["tensors"][::-1]
    assert diff(tmp_path, report)[0] == 0


def test_prefix_and_rule_are_notes(tmp_path: Path) -> None:
    report = changed(
        lambda r: (r.update(module_prefix="other"), tensor(r, "a").update(rule="mine"))
    )
    code, out, _ = diff(tmp_path, report)
    assert code == 0
    assert "module_prefix made -> other" in out and "tensor a: rule default -> mine" in out


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda r: tensor(r, "a").update(offset=4096), ["a", "moved", "[4 096, 4 288)"]),
        (lambda r: tensor(r, "a").update(size=7), ["a", "resized"]),
        (lambda r: tensor(r, "w0").update(memory="sram"), ["w0", "moved", "sram from mram"]),
        (lambda r: tensor(r, "a").update(role="persistent"), ["a", "moved", "persistent dtcm"]),
        (lambda r: r["tensors"].remove(tensor(r, "c2")), ["c2", "removed"]),
        (lambda r: r["tensors"].append(tensor(r, "a") | {"id": "z"}), ["z", "added"]),
        (lambda r: r["arenas"]["scratch"][0].update(total_size=2216),
         ["scratch dtcm", "grown", "1 216 -> 2 216", "+1 000"]),
        (lambda r: r["arenas"]["scratch"][0].update(total_size=1000), ["shrunk", "(-216)"]),
        (lambda r: r["arenas"]["scratch"][0].update(alignment=64), ["alignment 16 -> 64"]),
        (lambda r: r["arenas"]["scratch"][0].update(region_id=9), ["region 0 -> 9"]),
        (lambda r: r["arenas"]["constant"][0].update(kind="cold"), ["kind staged -> cold"]),
        (lambda r: r["arenas"]["persistent"].clear(), ["persistent sram", "removed", "96 bytes"]),
        (lambda r: r["arenas"]["persistent"].append(
            r["arenas"]["persistent"][0] | {"memory": "psram", "region_id": 3}),
         ["persistent psram", "added"]),
        (lambda r: r.update(plan_hash="0" * 16), ["plan_hash", "-> 0000000000000000"]),
        (lambda r: r.update(tensor_layout_hash="1" * 16), ["tensor_layout_hash"]),
    ],
)  # fmt: skip
def test_drift(tmp_path: Path, change: Callable[[Report], object], words: list[str]) -> None:
    code, out, err = diff(tmp_path, changed(change))
    assert (code, err) == (1, "")
    assert "the layout has changed" in out
    assert all(word in out for word in words), out


def test_drift_for_machines(tmp_path: Path) -> None:
    def change(report: Report) -> None:
        tensor(report, "a")["offset"] = 4096
        report["arenas"]["scratch"][0]["total_size"] = 4288
        report["plan_hash"] = "0" * 16

    code, out, _ = diff(tmp_path, changed(change), "--json")
    answer = json.loads(out)
    assert code == 1 and answer["equal"] is False
    assert [(c["id"], c["change"]) for c in answer["tensors"]] == [("a", "moved")]
    before, after = answer["tensors"][0]["before"], answer["tensors"][0]["after"]
    assert before["offset"] == tensor(base(), "a")["offset"] and after["offset"] == 4096
    assert [(c["arena"], c["change"]) for c in answer["arenas"]] == [("scratch dtcm", "grown")]
    assert answer["hashes"]["plan_hash"]["after"] == "0" * 16
    same = json.loads(diff(tmp_path, base(), "--json")[1])
    assert same == {"equal": True, "hashes": {}, "arenas": [], "tensors": [], "notes": []}


def test_a_long_list_is_cut_and_counted(tmp_path: Path) -> None:
    def change(report: Report) -> None:
        report["tensors"] += [tensor(report, "a") | {"id": f"z{n}"} for n in range(50)]

    _, out, _ = diff(tmp_path, changed(change))
    assert "50 added" in out and "and 20 more" in out and len(out.splitlines()) < 45


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[]", "no schema_version"),
        ("3", "no schema_version"),
        ("{}", "no schema_version"),
        ('{"schema_version": 2}', "schema_version is 2; supported: 3"),
        ('{"schema_version": "3"}', 'schema_version is "3"; supported: 3'),
        ('{"schema_version": 3}', "module_prefix"),
        (changed(lambda r: r["arenas"].pop("constant")), "arenas.constant"),
        (changed(lambda r: r["tensors"][0].update(offset=-1)), "tensors.0.offset"),
        (changed(lambda r: r["tensors"][0].update(offset="0")), "tensors.0.offset"),
        (changed(lambda r: r["tensors"][0].update(size=True)), "tensors.0.size"),
        (changed(lambda r: r["tensors"].append(r["tensors"][0])), "comes twice"),
        (
            changed(lambda r: r["arenas"]["scratch"].append(r["arenas"]["scratch"][0])),
            "comes twice",
        ),
    ],
)
def test_a_file_that_is_no_report(tmp_path: Path, content: object, words: str) -> None:
    code, out, err = diff(tmp_path, content)
    assert (code, out) == (2, "")
    assert "b.json" in err and words in err and "Traceback" not in err
    assert diff(tmp_path, base(), before=content)[0] == 2


def test_a_missing_file_and_one_that_is_no_text(tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(json.dumps(base()))
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\xff\xfe\x00")
    for path, words in ((tmp_path / "none.json", "cannot be read"), (bad, "not UTF-8")):
        result = CliRunner().invoke(main, ["diff", str(good), str(path)])
        assert result.exit_code == 2 and words in result.stderr and path.name in result.stderr


def test_the_reports_of_the_first_tool_are_understood(tmp_path: Path) -> None:
    """Without tensor_count in scratch arenas and without rules."""
    report = base()
    del report["arenas"]["scratch"][0]["tensor_count"]
    for entry in report["tensors"]:
        del entry["rule"]
    assert diff(tmp_path, report, before=copy.deepcopy(report))[0] == 0
