"""`nacre report`: writes the document whole or not at all, and says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from nacre.cli import main
from nacre.compile import compile_model
from nacre.config.schema import Config
from nacre.report.document import document
from report.made_programs import model


@pytest.fixture
def network(tmp_path: Path) -> Path:
    path = tmp_path / "small.tflite"
    path.write_bytes(model())
    return path


def report(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["report", *map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_it_writes_the_document(network: Path, tmp_path: Path) -> None:
    file = tmp_path / "new" / "r.html"
    code, out, err = report(network, "-o", file)
    assert (code, err) == (0, "")
    assert str(file) in out and "Target host sets no limits." in out
    expected = document(compile_model(network, Config()))
    assert file.read_bytes() == expected.encode()
    assert list(file.parent.iterdir()) == [file]


def test_it_replaces_an_older_one(network: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    file.write_text("old")
    assert report(network, "-o", file)[0] == 0
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_options_are_those_of_convert(network: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    rule = "{type: constant, attributes: {memory: MRAM, constant_destination_memory: SRAM}}"
    code, _, err = report(network, "-o", file, "--target", "apollo510", "--memory.tensors", rule)
    assert code == 0, err
    text = file.read_text(encoding="utf-8")
    assert "compiled for apollo510" in text and "constants from MRAM" in text


def test_json_tells_machines(network: Path, tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    code, out, _ = report(network, "-o", file, "--target", "apollo510", "--json")
    answer = json.loads(out)
    assert code == 0 and answer["fits"] is True
    assert answer["bytes"] == file.stat().st_size and answer["path"] == str(file)
    assert answer["memories"]["dtcm"]["used"] > 0


def test_a_folder_is_no_file(network: Path, tmp_path: Path) -> None:
    code, out, err = report(network, "-o", tmp_path)
    assert (code, out) == (2, "")
    assert "is a folder" in err and "report.html" in err


def test_it_never_overwrites_a_model(network: Path) -> None:
    code, _, err = report(network, "-o", network)
    assert code == 2 and "ends in .html" in err
    assert network.read_bytes() == model()


def test_a_path_below_a_file_cannot_be_written(network: Path) -> None:
    code, _, err = report(network, "-o", network / "r.html")
    assert code == 2 and "cannot be written" in err and "Traceback" not in err


def test_a_failed_model_leaves_the_old_document(tmp_path: Path) -> None:
    file = tmp_path / "r.html"
    file.write_text("old")
    code, _, err = report(tmp_path / "missing.tflite", "-o", file)
    assert code == 2 and "missing.tflite" in err
    assert file.read_text() == "old"
