"""Names come from files: whatever they hold, terminals and compilers only see plain text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from cli.commands import Ended, nacre, nacre_process
from cli.models import named
from nacre.build import WARNINGS, host_toolchain
from nacre.text import printable, short

HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "two\nlines\r\x08",
    "*/ #error not a comment /*",
    '"quoted\\" %s %n',
    "\u202egnp.exe",
    "??/\\",
    "größe · 大きさ · \U0001f600",
    "x" * 5000,
    "\x00nul\x7f\x9b31m\u2028",
    "\x1b]0;title\x07",
)
# Files of a module that are made for people's eyes or for compilers.
TEXTS = (".c", ".h", ".md", ".txt", ".ld", ".mk", ".json", ".html", ".yaml")


@pytest.fixture(autouse=True)
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.tflite"
    path.write_bytes(named(*HOSTILE))
    return path


def check_plain(text: str) -> None:
    strange = {c for c in text if c != "\n" and not c.isprintable()}
    assert not strange, f"{strange} in {text[:200]!r}"


def check_output(ended: Ended, code: int = 0) -> None:
    assert ended.code == code, ended.err
    check_plain(ended.out)
    check_plain(ended.err)


def convert(*arguments: str) -> Ended:
    return nacre("convert", "net.tflite", "--no-test.enabled", "-o", "m", *arguments)


def test_inspect() -> None:
    ended = nacre("inspect", "net.tflite")
    check_output(ended)
    assert "\\x1b[31mred\\x1b[0m" in ended.out and "two\\x0alines" in ended.out
    assert "größe · 大きさ" in ended.out
    assert max(len(line) for line in ended.out.splitlines()) < 200
    rows = [line for line in ended.out.splitlines() if " int8 " in line]
    assert len(rows) == 7, "every tensor is one line"


def test_inspect_for_machines() -> None:
    ended = nacre("inspect", "net.tflite", "--json")
    check_output(ended)
    assert ended.out.isascii()
    names = [t["name"] for t in json.loads(ended.out)["tensors"]]
    assert names == [n.encode().decode() for n in HOSTILE]


def test_convert() -> None:
    ended = convert("-v", "2")
    check_output(ended)
    assert max(len(line) for line in ended.out.splitlines()) < 250


@pytest.mark.parametrize(
    "arguments",
    [
        ("--memory.tensors", '{id: "\\e[31mred", attributes: {memory: SRAM}}'),
        ("--memory.tensors", '{id: "2", attributes: {"\\e[1m": SRAM}}'),
        ("--memory.tensors", '{attributes: {memory: "\\e[1m"}}'),
        ("--memory.tensors", '{type: "\\e[1m"}'),
        ("--memory.tensors", "{type: scratch, attributes: {memory: MRAM}}"),
        ("--operators", '{id: "\\e[1m"}'),
        ("--model.outputs", "\x1b[1m"),
        ("--target", "\x1b[1m"),
        ("--module.prefix", "\x1b[1m"),
        ("--config", "\x1b[1m.yaml"),
        ("--test.golden", "\x1b[1m.npz", "--test.enabled"),
        ("--\x1b[1m",),
    ],
)
def test_messages(arguments: tuple[str, ...]) -> None:
    check_output(convert(*arguments), code=2)


def test_messages_about_the_limit() -> None:
    rule = "{type: scratch, attributes: {memory: DTCM}}"
    limit = "{name: DTCM, max_size: 16}"
    check_output(convert("--memory.tensors", rule, "--memory.constraints", limit), code=1)


def test_notes() -> None:
    ended = convert("--operators", '{attributes: {"\\e[1m": 1}}', "--json")
    check_output(ended)
    assert ended.err.startswith("warning: operators[0]: no operator knows")


def test_file_name() -> None:
    strange = Path("\x1b[31m\nnet.tflite")
    Path("net.tflite").rename(strange)
    check_output(nacre("inspect", strange))
    check_output(nacre("convert", strange, "--no-test.enabled", "-o", "m"))
    written = [p.read_bytes() for p in Path("m").glob("*.c")]
    assert len(written) == 2 and not any(b"\x1b" in text for text in written)


def test_file_name_that_is_no_unicode() -> None:
    ended = nacre_process("inspect", b"\xff\xfe.tflite".decode(errors="surrogateescape"))
    assert ended.code == 2 and "Traceback" not in ended.err
    assert "there is no such file" in ended.err


@pytest.mark.parametrize("kind", ["cmake", "zephyr", "esp-idf", "plain"])
def test_module(kind: str) -> None:
    """Every text of the module is printable; the C that is made for it is ASCII."""
    assert convert("--module.type", kind, "--target", "mps3-an547").code == 0
    files = [p for p in Path("m").rglob("*") if p.suffix in TEXTS]
    assert len(files) > 10
    for path in files:
        text = path.read_text(encoding="utf-8")
        check_plain(text.replace("\t", ""))
        assert path.suffix not in (".c", ".h") or "kernels" in path.parts or text.isascii()


def test_module_compiles() -> None:
    assert convert().code == 0
    compiler = host_toolchain().compiler
    for source in sorted(Path("m").glob("*.c")):
        command = [compiler, *WARNINGS, "-I", "m", "-fsyntax-only", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_report() -> None:
    check_output(nacre("report", "net.tflite", "-o", "r.html"))
    check_plain(Path("r.html").read_text(encoding="utf-8").replace("\t", ""))


def test_printable() -> None:
    assert printable("a\x1b\n\x7f\u202e\U0001f600é") == "a\\x1b\\x0a\\x7f\\u202e\U0001f600é"
    assert short("block/conv;block/bias;x") == "block/conv"
    assert short("y" * 50, 40) == "y" * 39 + "…"
    assert len(short("\x1b" * 50, 40)) == 40
