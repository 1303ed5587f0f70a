"""The residency report against its published schema."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from nacre.program import Program
from nacre.residency import SCHEMA_VERSION, residency
from report.made_programs import branches, chain, compiled, hostile

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")

PUBLISHED = Path(__file__).parents[2] / "docs" / "residency.schema.json"
Report = dict[str, Any]


def validator() -> Any:
    schema = json.loads(PUBLISHED.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def as_file(program: Program) -> Report:
    return json.loads(json.dumps(residency(program)))


def test_the_package_ships_the_published_schema() -> None:
    shipped = resources.files("nacre.report").joinpath("residency.schema.json").read_bytes()
    assert shipped == PUBLISHED.read_bytes()
    assert json.loads(shipped)["properties"]["schema_version"] == {"const": SCHEMA_VERSION}


@pytest.mark.parametrize("make", [compiled, branches, hostile, lambda: chain(40)])
def test_our_reports_are_valid(make: Callable[[], Program]) -> None:
    assert [e.message for e in validator().iter_errors(as_file(make()))] == []


def test_the_documented_example_is_valid() -> None:
    report = {
        "schema_version": 3, "module_prefix": "aot",
        "plan_hash": "0123456789abcdef", "tensor_layout_hash": "fedcba9876543210",
        "arenas": {
            "scratch": [{"region_id": 0, "memory": "dtcm", "used": 256, "total_size": 256,
                         "alignment": 16}],
            "persistent": [],
            "constant": [{"region_id": 1, "memory": "dtcm", "source_memory": "mram",
                          "kind": "staged", "used": 8704, "total_size": 8704, "alignment": 16,
                          "tensor_count": 2}],
        },
        "tensors": [{"id": "1", "role": "constant", "memory": "dtcm", "source_memory": "mram",
                     "offset": 0, "size": 8192}],
    }  # fmt: skip
    assert [e.message for e in validator().iter_errors(report)] == []


@pytest.mark.parametrize(
    "damage",
    [
        lambda r: r.update(schema_version=2),
        lambda r: r.update(plan_hash="ABC"),
        lambda r: r.pop("tensor_layout_hash"),
        lambda r: r.update(surprise=1),
        lambda r: r["arenas"].pop("persistent"),
        lambda r: r["arenas"]["scratch"][0].update(memory="DTCM"),
        lambda r: r["arenas"]["constant"][0].pop("kind"),
        lambda r: r["tensors"][0].update(offset=-1),
        lambda r: r["tensors"][0].update(role="weights"),
        lambda r: r["tensors"][0].update(size=1.5),
    ],
)
def test_damage_is_found(damage: Callable[[Report], object]) -> None:
    report = copy.deepcopy(as_file(branches()))
    damage(report)
    assert not validator().is_valid(report)
