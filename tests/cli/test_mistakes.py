"""Every mistake of a user: the right exit code, one message with a way out, nothing written."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.commands import nacre, nacre_process, snapshot
from cli.mistakes import MISTAKES, USAGE, Mistake, prepare

MODULE = {
    "net.h": b"old\n",
    "kernels/old.c": b"old\n",
    ".nacre-manifest": b"kernels/old.c\nnet.h\n",
}


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all files that the mistakes speak of, and a module of an earlier conversion."""
    folder = tmp_path_factory.mktemp("mistakes")
    prepare(folder)
    for name, content in MODULE.items():
        (folder / "module" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "module" / name).write_bytes(content)
    return folder


@pytest.fixture(autouse=True)
def inside(prepared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(prepared)
    return prepared


def messages(text: str) -> list[str]:
    """The messages of a stderr: lines that are not indented, without what goes with a refusal."""
    lines = [line for line in text.splitlines() if line and not line.startswith(" ")]
    if lines and lines[0].startswith("Usage: "):
        assert lines[1].startswith("Try 'nacre convert --help'")
        return lines[2:]
    return [line for line in lines if "`nacre ops` lists" not in line]


def check(mistake: Mistake, code: int, out: str, err: str) -> None:
    assert code == mistake.code, err
    assert out == ""
    missing = [words for words in mistake.says if words not in err]
    assert not missing, err
    assert len(messages(err)) == 1, err
    assert "Traceback" not in err and "pydantic" not in err and "Errno" not in err


@pytest.mark.parametrize("folder", ["out", "module"])
@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_explained_and_nothing_is_written(name: str, folder: str, inside: Path) -> None:
    before = snapshot(inside)
    ended = nacre("convert", "-o", folder, *MISTAKES[name].arguments)
    check(MISTAKES[name], ended.code, ended.out, ended.err)
    assert snapshot(inside) == before


@pytest.mark.parametrize("command", ["verify", "report"])
@pytest.mark.parametrize("name", ["unknown nested key", "misspelt tensor", "model refused"])
def test_other_commands_say_the_same(command: str, name: str, inside: Path) -> None:
    before, mistake = snapshot(inside), MISTAKES[name]
    ended = nacre(command, *mistake.arguments)
    check(mistake, ended.code, ended.out, ended.err)
    assert snapshot(inside) == before


@pytest.mark.parametrize("name", ["unknown key", "constraint too small", "target file not UTF-8"])
def test_mistake_in_a_process_of_its_own(name: str, inside: Path) -> None:
    before, mistake = snapshot(inside), MISTAKES[name]
    ended = nacre_process("convert", "-o", "out", *mistake.arguments)
    check(mistake, ended.code, ended.out, ended.err)
    assert snapshot(inside) == before


def test_several_mistakes_are_told_at_once() -> None:
    ended = nacre("convert", "net.tflite", "--memory.planner", "best", "--test.tolerance", "-1")
    assert ended.code == USAGE
    assert [line.split(":")[0] for line in ended.err.splitlines()] == [
        "memory.planner",
        "test.tolerance",
    ]


@pytest.mark.parametrize("inner", ["taken", "taken/below"])
def test_output_folder_that_is_a_file(inner: str, inside: Path) -> None:
    before = snapshot(inside)
    ended = nacre("convert", "net.tflite", "--no-test.enabled", "-o", inner)
    assert ended.code == USAGE and ended.out == ""
    assert inner in ended.err and "-o" in ended.err and len(ended.err.splitlines()) == 1
    assert snapshot(inside) == before


def test_output_folder_of_others(inside: Path) -> None:
    before = snapshot(inside)
    ended = nacre("convert", "net.tflite", "--no-test.enabled", "-o", "stranger")
    assert ended.code == USAGE and ended.out == ""
    assert "stranger: holds files that nacre did not write (notes.txt)" in ended.err
    assert "--force" in ended.err
    assert snapshot(inside) == before


def test_unwritable_folder(inside: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise PermissionError(13, "Permission denied")

    before = snapshot(inside)
    monkeypatch.setattr("nacre.emit.write.tempfile.mkdtemp", refuse)
    for folder in ("out/below", "module"):
        ended = nacre("convert", "net.tflite", "--no-test.enabled", "-o", folder)
        assert ended.code == USAGE and ended.out == ""
        assert f"{folder}: cannot be written: Permission denied" in ended.err
        assert "-o" in ended.err
    assert snapshot(inside) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["inspect", "gone.tflite"], "gone.tflite: there is no such file; closest: net.tflite"),
        (["inspect", "folder.tflite"], "folder.tflite: is a folder"),
        (["inspect", "net.tflite", "--subgraph", "4"], "--subgraph 4: the file has subgraphs 0"),
        (["targets", "apolo510"], "'apolo510' is not a target.\n  closest: apollo510"),
        (["targets", "gone.yaml"], "there is no file gone.yaml"),
        (["diff", "gone.json", "also_gone.json"], "gone.json"),
        (["diff", "t_list.yaml", "t_list.yaml"], "t_list.yaml"),
        (["check-image", "gone.elf", "stranger"], "stranger"),
        (["report", "net.tflite", "-o", "stranger"], "-o stranger/report.html"),
        (["report", "net.tflite", "-o", "net.tflite"], "-o net.tflite.html"),
        (["verify", "net.tflite", "--samples", "0"], "'--samples'"),
        (["verify", "net.tflite", "--on", "mps3"], "--on: 'mps3' is not a target"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_mistakes_of_other_commands(arguments: list[str], says: str, inside: Path) -> None:
    before = snapshot(inside)
    ended = nacre(*arguments)
    assert (ended.code, ended.out) == (USAGE, "")
    assert says in ended.err
    assert snapshot(inside) == before


@pytest.mark.parametrize("name", ["empty.tflite", "words.tflite", "cut.tflite", "net.bin"])
def test_inspect_refuses_what_is_no_model(name: str) -> None:
    ended = nacre("inspect", name)
    assert (ended.code, ended.out) == (1, "")
    assert ended.err.startswith(f"{name}: ") and len(ended.err.splitlines()) == 1
