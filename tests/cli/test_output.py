"""What commands print: one JSON document or text on stdout, the rest on stderr; help and codes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from cli.commands import ENVIRONMENT, PROGRAM, Ended, nacre, nacre_process
from cli.models import plain, refused
from nacre import __version__
from nacre.cli import COMMANDS

NOTED = ("--memory.tensors", "{type: persistent, attributes: {memory: SRAM}}")
PLAIN = ("--no-test.enabled",)

# Command lines and the keys that other tools read from their JSON.
DOCUMENTS = {
    "convert": (
        ("convert", "net.tflite", "-o", "new", *PLAIN),
        {"scratch_bytes", "lower_bound", "persistent_bytes", "constant_bytes", "arenas", "order",
         "overlap_saved"},
    ),
    "convert with a note": (("convert", "net.tflite", "-o", "new", *PLAIN, *NOTED), {"arenas"}),
    "verify": (("verify", "net.tflite", "--test.golden", "golden.npz"), {"ok", "outputs"}),
    "report": (("report", "net.tflite", "-o", "r.html"), {"path", "bytes", "fits", "memories"}),
    "diff": (("diff", "a.json", "a.json"), set()),
    "inspect": (
        ("inspect", "net.tflite"), {"format", "inputs", "outputs", "tensors", "operators"}
    ),
    "solve": (("solve", "p.csv"), {"height", "lower_bound", "optimal", "seconds"}),
    "one target": (("targets", "apollo510"), {"name", "core", "memories"}),
}  # fmt: skip
LISTS = {"ops": ("ops",), "targets": ("targets",)}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", ENVIRONMENT["PYTHONPATH"])
    (tmp_path / "net.tflite").write_bytes(plain())
    (tmp_path / "refused.tflite").write_bytes(refused())
    (tmp_path / "p.csv").write_text("id,lower,upper,size\na,0,2,4\nb,1,3,4\n")
    return tmp_path


def convert(*arguments: str) -> Ended:
    return nacre("convert", "net.tflite", *PLAIN, *arguments)


def golden_file() -> None:
    from numpy import savez

    from nacre.compile import import_graph
    from nacre.config.schema import Config
    from nacre.golden import random_inputs
    from nacre.reference import run_reference

    graph = import_graph(Path("net.tflite"), Config())
    (sample,) = random_inputs(graph, 1)
    savez("golden.npz", s0_in0=sample[0], s0_out0=run_reference(graph, sample, {})[0])


def prepare(name: str) -> None:
    """What a command line of DOCUMENTS reads."""
    if name == "verify":
        golden_file()
    if name == "diff":
        assert convert("-o", "old").code == 0
        Path("old/net_residency.json").rename("a.json")


@pytest.mark.parametrize("name", DOCUMENTS)
def test_json_is_one_document(name: str) -> None:
    prepare(name)
    arguments, keys = DOCUMENTS[name]
    ended = nacre(*arguments, "--json")
    assert ended.code == 0, ended.err
    assert keys <= set(json.loads(ended.out))
    assert ended.err == "" or ended.err.startswith("note: ")
    assert ("note" in ended.err) == ("note" in name)


@pytest.mark.parametrize("name", LISTS)
def test_json_of_a_list_is_one_document(name: str) -> None:
    ended = nacre(*LISTS[name], "--json")
    assert (ended.code, ended.err) == (0, "")
    assert len(json.loads(ended.out)) > 5


def test_json_of_verify_lists_outputs() -> None:
    golden_file()
    answer = json.loads(nacre(*DOCUMENTS["verify"][0], "--json").out)
    assert answer["ok"] is True and answer["oracle"] == "golden.npz"
    assert answer["outputs"] == [{"name": "scores", "wrong": 0, "total": 5, "worst": 0}]


def test_json_of_a_conversion_agrees_with_its_report() -> None:
    answer = json.loads(convert("-o", "m", "--json").out)
    report = json.loads(Path("m/net_residency.json").read_text(encoding="utf-8"))
    assert answer["arenas"] == report["arenas"]
    assert answer["scratch_bytes"] == sum(a["total_size"] for a in report["arenas"]["scratch"])
    assert answer["persistent_bytes"] == 0 < answer["lower_bound"]


def test_no_json_on_a_mistake() -> None:
    ended = nacre("convert", "refused.tflite", "--json")
    assert (ended.code, ended.out) == (1, "")
    assert "refused.tflite cannot be converted" in ended.err


def test_json_from_a_process() -> None:
    ended = nacre_process("convert", "net.tflite", *PLAIN, *NOTED, "-o", "m", "--json")
    assert ended.code == 0 and json.loads(ended.out)["scratch_bytes"] > 0
    assert ended.err == "note: memory.tensors[0]: this model has no tensor of type PERSISTENT\n"


# --- help -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("flag", ["-h", "--help"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command: str, flag: str) -> None:
    ended = nacre(command, flag)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"Usage: nacre {command} ")
    assert "--json" in ended.out


@pytest.mark.parametrize("arguments", [[], ["-h"], ["--help"]])
def test_help_lists_the_commands(arguments: list[str]) -> None:
    ended = nacre(*arguments)
    assert (ended.code, ended.err) == (0, "")
    assert all(f"\n  {command} " in ended.out for command in COMMANDS)


def test_version() -> None:
    assert nacre("--version").out == f"nacre, version {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["convrt"], "Did you mean convert?"),
        (["Verify"], "Did you mean verify?"),
        (["xyzzy"], "There is no command 'xyzzy'."),
        (["--jsn"], "No such option"),
        (["convert", "net.tflite", "--targt", "host"], "--target"),
        (["convert", "net.tflite", "--memory.planer", "greedy"], "--memory.planner"),
        (["convert", "net.tflite", "--no-memory.overlp"], "--no-memory.overlap"),
        (["inspect"], "Missing argument 'FILE'"),
        (["inspect", "a", "b"], "unexpected extra argument (b)"),
        (["diff", "a.json"], "Missing argument 'B.json'"),
        (["verify", "net.tflite", "--samples", "many"], "'many' is not a valid integer"),
    ],
)
def test_usage_errors_give_a_hint(arguments: list[str], hint: str) -> None:
    ended = nacre(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert hint in ended.err and "help" in ended.err


# --- how much is said -----------------------------------------------------------------------------


def test_verbosity() -> None:
    quiet, usual, loud = (convert("-o", "m", "-v", level) for level in "012")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    assert "scratch" in usual.out and "arena_const_mram" not in usual.out
    assert loud.out.startswith(usual.out)
    assert "arena_const_mram" in loud.out and '"' not in loud.out
    assert convert("-o", "m").out == usual.out == convert("-o", "m", "--verbose", "1").out


def test_residency_summary_names_shape_and_route() -> None:
    rule = "{type: constant, attributes: {memory: PSRAM, constant_destination_memory: DTCM}}"
    out = convert("-o", "m", "-v", "2", "--memory.tensors", rule).out
    (line,) = [text for text in out.splitlines() if text.startswith("arena_const_dtcm")]
    assert "staged" in line and "PSRAM -> DTCM" in line and "6 tensors" in line


def test_what_to_do_next_can_be_copied() -> None:
    Path("my nets").mkdir()
    Path("net.tflite").rename("my nets/net.tflite")
    ended = nacre("convert", "my nets/net.tflite", *PLAIN, "--target", "apollo510")
    assert "nacre verify 'my nets/net.tflite' --target apollo510" in ended.out
    assert "cmake -S net -B build" in ended.out


def test_reader_that_leaves_gets_no_traceback() -> None:
    """`nacre ops | head -1`."""
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [*PROGRAM, "ops"], stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT, check=False
    )
    os.close(write)
    assert (done.returncode, done.stderr) == (1, b"")
