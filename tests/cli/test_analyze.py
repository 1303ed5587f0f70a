"""`nacre analyze`: the verdict first, stages, sweep, plot, trace; JSON with stable keys."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ElementTree
import zlib
from pathlib import Path

import pytest

from cli.commands import nacre
from stages.staged_nets import NETS

KEYS = {
    "fits", "stages", "bands", "fast_peak", "slow_peak", "activation_bytes", "weight_bytes",
    "macs", "extra_macs", "smallest_budget",
}  # fmt: skip


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "net.tflite"
    path.write_bytes(NETS["residual"]())
    return path


def document(*arguments: object) -> dict:
    return json.loads(nacre("analyze", *arguments, "--json").out)


def test_verdict_comes_first(model: Path) -> None:
    ended = nacre("analyze", model, "-m", "1M+1M")
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith("net.tflite  ")
    assert lines[1].startswith("  fits: runs whole")


def test_stages_are_listed(model: Path) -> None:
    ended = nacre("analyze", model, "-m", "4K+1M")
    assert ended.code == 0
    assert "fits in " in ended.out and "cascade" in ended.out
    assert "DTCM" in ended.out and "SRAM" in ended.out and "read-only" in ended.out


def test_json_keys(model: Path) -> None:
    found = document(model, "-m", "4K+1M")
    assert set(found) >= KEYS
    assert found["fits"] is True
    assert found["fast_peak"] <= 4096
    assert found["stages"] == len(found["segments"])
    moved = sum(s["loaded_bytes"] + s["spilled_bytes"] for s in found["segments"])
    assert moved == found["activation_bytes"]
    assert sum(s["weight_bytes"] for s in found["segments"]) == found["weight_bytes"]


def test_what_does_not_fit_names_operator_and_smallest_budget(model: Path) -> None:
    ended = nacre("analyze", model, "-m", "64")
    assert ended.code == 1
    assert "does not fit DTCM: op 0 CONV_2D; smallest budget that fits: " in ended.out
    found = document(model, "-m", "64")
    assert found["fits"] is False and found["stages"] is None and found["blocker"] == "0"
    smallest = found["smallest_budget"]
    assert document(model, "-m", smallest)["fits"] is True
    assert document(model, "-m", smallest - 1)["fits"] is False


def test_convert_refuses_with_the_same_figures(model: Path, tmp_path: Path) -> None:
    ended = nacre("convert", model, "-m", "64", "-o", tmp_path / "out")
    smallest = document(model, "-m", "64")["smallest_budget"]
    assert ended.code == 1
    assert "64 bytes are not enough without a slow memory" in ended.err
    assert f"smallest budget that works: -m {smallest}" in ended.err


def test_slow_memory_that_is_too_small(model: Path) -> None:
    ended = nacre("analyze", model, "-m", "4K+1K")
    assert ended.code == 1
    assert "does not fit SRAM: it needs " in ended.out


def test_a_third_memory_takes_the_rest(model: Path) -> None:
    two = document(model, "-m", "4K+1M")
    three = document(model, "-m", f"4K+{two['slow_peak'] - 1000}+1M")
    assert three["fits"] is True
    names, peaks = zip(*((m["name"], m["peak"]) for m in three["memories"]), strict=True)
    assert names == ("dtcm", "sram", "psram")
    assert peaks[1] <= two["slow_peak"] - 1000 and peaks[2] > 0
    assert three["activation_bytes"] == two["activation_bytes"]


def test_memories_of_the_budget(model: Path) -> None:
    found = document(model, "-m", "4K+1M", "--memory.budget-memories", "DTCM,PSRAM")
    assert [m["name"] for m in found["memories"]] == ["dtcm", "psram"]
    ended = nacre("analyze", model, "-m", "4K+1M", "--memory.budget-memories", "DTCM,MRAM")
    assert ended.code == 2 and "'MRAM' is not a writable memory of host" in ended.err


def test_flash_limit(model: Path) -> None:
    assert nacre("analyze", model, "-m", "1M+1M", "-f", "4M").code == 0
    ended = nacre("analyze", model, "-m", "1M+1M", "-f", "1K")
    assert ended.code == 1
    assert "does not fit the read-only memory" in ended.out


def test_convert_takes_the_flash_limit(model: Path, tmp_path: Path) -> None:
    assert nacre("convert", model, "-f", "4M", "-o", tmp_path / "fits").code == 0
    ended = nacre("convert", model, "-m", "4K+1M", "-f", "1K", "-o", tmp_path / "out")
    assert ended.code == 1
    assert "memory.flash: needs about " in ended.err and "would fit: -f " in ended.err


def test_without_a_budget_the_target_says(model: Path) -> None:
    assert document(model)["stages"] == 1
    ended = nacre("analyze", model, "-m", "1K+1K+1K+1K+1K")
    assert ended.code == 2 and "5 memories, host has 3" in ended.err


def test_sweep_is_monotone(model: Path) -> None:
    points = document(model, "-m", "1M+1M", "--sweep", "1K:64K:60")["sweep"]
    assert len(points) >= 60
    assert points[0]["budget"] == 1024 and points[-1]["budget"] == 65536
    costs = [p["cost"] for p in points if p["fits"]]
    assert costs == sorted(costs, reverse=True)
    text = nacre("analyze", model, "-m", "1M+1M", "--sweep", "1K:64K:4").out
    assert "budget" in text and "65 536" in text


@pytest.mark.parametrize("text", ["8K", "8K:1K", "a:b", "0:1K", "1K:2K:0", "1K:2K:3:4"])
def test_bad_sweeps(model: Path, text: str) -> None:
    ended = nacre("analyze", model, "--sweep", text)
    assert ended.code == 2
    assert "write it like 8K:1M" in ended.err


def test_plot_is_a_picture(model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    assert nacre("analyze", model, "--sweep", "1K:64K:5", "--plot", picture).code == 0
    root = ElementTree.parse(picture).getroot()
    assert root.tag.endswith("svg")
    assert sum(e.tag.endswith("path") for e in root.iter()) == 3


def test_plot_as_pixels(model: Path, tmp_path: Path) -> None:
    picture = tmp_path / "curve.png"
    assert nacre("analyze", model, "--sweep", "1K:64K:5", "--plot", picture).code == 0
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    begin = data.index(b"IDAT") + 4
    pixels = zlib.decompress(
        data[begin : begin + struct.unpack(">I", data[begin - 8 : begin - 4])[0]]
    )
    assert len(pixels) == height * (3 * width + 1)
    assert len(set(pixels)) > 8


def test_plot_wants_a_sweep_and_a_name(model: Path) -> None:
    assert "give --sweep" in nacre("analyze", model, "--plot", "x.svg").err
    ended = nacre("analyze", model, "--sweep", "1K:2K", "--plot", "x.jpg")
    assert ended.code == 2 and "x.svg" in ended.err


def test_trace_lists_what_moves(model: Path) -> None:
    found = document(model, "-m", "4K+1M", "--trace")
    events = found["trace"]
    loads = sum(e["bytes"] for e in events if e["event"] == "load")
    boxes = sum(e["bytes"] * e["times"] for e in events if e["event"] == "load box")
    spills = sum(e["bytes"] for e in events if e["event"] == "spill")
    stores = sum(e["bytes"] * e["times"] for e in events if e["event"] == "spill box")
    assert loads + boxes + spills + stores == found["activation_bytes"]
    assert {"segment", "load", "spill", "step", "advance"} <= {e["event"] for e in events}
    text = nacre("analyze", model, "-m", "4K+1M", "--trace").out
    assert "segment 0: " in text and "  advance" in text
