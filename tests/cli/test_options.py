"""Every key is an option; default < file < option; paths mean what their reader expects."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args, get_origin

import click
import pytest
from pydantic import BaseModel

from cli.commands import nacre
from cli.models import plain
from nacre.cli import main
from nacre.cli.options import request
from nacre.config.load import RULE_LISTS, child_model, load_config
from nacre.config.schema import Config
from nacre.errors import ConfigError

WITH_MODEL = ("convert", "verify", "report", "analyze")


def keys(model: type[BaseModel] = Config, prefix: str = "") -> list[tuple[str, type | None]]:
    """Dotted name and type of every key, as the schema has them."""
    found: list[tuple[str, type | None]] = []
    for key, field in model.model_fields.items():
        name, below = f"{prefix}{key}", child_model(model, key)
        if below is not None and name not in RULE_LISTS:
            found += keys(below, f"{name}.")
        else:
            found.append((name, field.annotation))
    return found


def value_of(config: Config, name: str) -> object:
    value: object = config
    for part in name.split("."):
        value = getattr(value, part)
    return value


# Values of keys whose type does not tell what may stand there: one that is not the default, and
# another one.
GIVEN: dict[str, tuple[object, object]] = {
    "model.path": ("other.tflite", "net.tflite"),
    "model.subgraph": (3, 0),
    "model.outputs": (("4", "scores"), ("4",)),
    "model.input_shapes": ({"x": (1, 3)}, {"x": (1, 4)}),
    "model.dims": ({"n": 3}, {"n": 4}),
    "module.path": ("there", "here"),
    "module.name": ("kws", "vww"),
    "module.prefix": ("kws", "vww"),
    "target.name": ("apollo510", "host"),
    "target.tensor_alignment": (64, 16),
    "memory.budget": ((1 << 18, 8 << 20), (1 << 18,)),
    "memory.budget_memories": (("DTCM", "PSRAM"), ("DTCM",)),
    "memory.flash": (4 << 20, 2 << 20),
    "memory.stream_inputs": (("4", "image"), ("4",)),
    "memory.stream_outputs": (("9", "scores"), ("9",)),
    "test.golden": ("golden.npz", "other.npz"),
    "test.tolerance": (2.5, 0.0),
    "test.samples": (7, 2),
}


def values() -> dict[str, tuple[object, object]]:
    """Every key but the rules with two values; flags and choices have theirs from the schema."""
    found = dict(GIVEN)
    for name, kind in keys():
        choices = get_args(kind)
        if kind is bool:
            found[name] = (not value_of(Config(), name), value_of(Config(), name))
        elif get_origin(kind) is Literal:
            found[name] = (choices[-1], choices[0])
    return found


RULES = {
    "memory.tensors": "{id: '4', attributes: {memory: SRAM}}",
    "memory.constraints": "{name: SRAM, max_size: 64K, arena_alignment: 32}",
    "operators": "{type: CONV_2D, attributes: {code_placement: SRAM}}",
}


def spelled(name: str, value: object) -> list[str]:
    """An option as a user types it."""
    flag = name.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{flag}" if value else f"--no-{flag}"]
    return [f"--{flag}", _text(value)]


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value) if isinstance(value[0], str) else "+".join(map(str, value))
    if isinstance(value, dict):
        ((name, size),) = value.items()
        return f"{name}:{'x'.join(map(str, size))}" if isinstance(size, tuple) else f"{name}={size}"
    return str(value)


def configuration(*arguments: str) -> Config:
    """What `nacre convert` makes of its arguments."""
    command = main.get_command(click.Context(main), "convert")
    assert command is not None
    context = command.make_context("convert", list(arguments))
    return request(context.params).config


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("net.tflite", "other.tflite", "below/net.tflite", "below/other.tflite"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(plain())
    return tmp_path


def test_every_key_has_a_value_here() -> None:
    assert {name for name, _ in keys()} == {*values(), *RULES}, "add it to GIVEN"


@pytest.mark.parametrize("command", WITH_MODEL)
def test_every_key_is_an_option(command: str) -> None:
    found = main.get_command(click.Context(main), command)
    assert found is not None
    spellings = {s for p in found.params for s in (*p.opts, *p.secondary_opts)}
    for name, kind in keys():
        flag = name.replace("_", "-")
        assert f"--{flag}" in spellings
        assert (f"--no-{flag}" in spellings) == (kind is bool)
    text = nacre(command, "--help").out
    assert all(f"--{name.replace('_', '-')}" in text for name, _ in keys())


@pytest.mark.parametrize("name", values())
def test_option_over_file_over_default(name: str) -> None:
    value, other = values()[name]
    assert value != value_of(Config(), name)
    section, _, key = name.rpartition(".")
    content = list(value) if isinstance(value, tuple) else value
    Path("c.yaml").write_text(json.dumps({section: {key: content}} if section else {key: content}))
    model = () if name == "model.path" else ("net.tflite",)
    assert value_of(configuration(*model, "--config", "c.yaml"), name) == value
    assert value_of(configuration(*model, *spelled(name, value)), name) == value
    found = configuration(*model, "--config", "c.yaml", *spelled(name, other))
    assert value_of(found, name) == other


@pytest.mark.parametrize("name", RULES)
def test_rules_of_options_follow_those_of_the_file(name: str) -> None:
    section, _, key = name.rpartition(".")
    rule = RULES[name]
    Path("c.yaml").write_text(
        f"{section}: {{{key}: [{rule}]}}\n" if section else f"{key}: [{rule}]\n"
    )
    arguments = ["net.tflite", "--config", "c.yaml", f"--{name}", rule.replace("SRAM", "DTCM")]
    found = value_of(configuration(*arguments, f"--{name}", rule), name)
    assert isinstance(found, tuple) and len(found) == 3
    assert "DTCM" in str(found[1]) and found[0] == found[2]


@pytest.mark.parametrize(
    ("text", "size"),
    [("65536", 65536), ("64K", 65536), ("64k", 65536), ("64 KiB", 65536), ("1M", 1 << 20),
     ("2G", 2 << 30), ("0", 0), ("1MB", 1 << 20)],
)  # fmt: skip
def test_sizes(text: str, size: int) -> None:
    config = load_config(None, {"memory.constraints": [{"name": "SRAM", "max_size": text}]})
    assert config.memory.constraints[0].max_size == size


@pytest.mark.parametrize("text", ["", "K", "1.5K", "-1", "64T", "0x40", "6 4", "٣", "1e3", "∞"])
def test_sizes_that_are_none(text: str) -> None:
    with pytest.raises(ConfigError, match=r"max_size: .* is not a size; write it like"):
        load_config(None, {"memory.constraints": [{"name": "SRAM", "max_size": text}]})


# --- paths ----------------------------------------------------------------------------------------


def test_paths_of_a_file_are_relative_to_it() -> None:
    Path("below/mine.yaml").write_text("name: mine\ncore: cortex-m4\nmemories: [{name: RAM}]\n")
    Path("below/c.yaml").write_text(
        "model: {path: net.tflite}\nmodule: {path: out}\ntarget: {name: mine.yaml}\n"
        "test: {enabled: false}\n"
    )
    ended = nacre("convert", "--path", "below/c.yaml")
    assert ended.code == 0, ended.err
    assert Path("below/out/net.h").is_file()
    report = json.loads(Path("below/out/net_residency.json").read_text(encoding="utf-8"))
    assert {t["memory"] for t in report["tensors"]} == {"ram"}


def test_paths_of_options_are_relative_to_the_working_folder() -> None:
    Path("below/c.yaml").write_text("test: {enabled: false}\nmodule: {path: out}\n")
    ended = nacre(
        "convert", "--config", "below/c.yaml", "--model.path", "net.tflite", "--module.path", "here"
    )
    assert ended.code == 0, ended.err
    assert Path("here/net.h").is_file() and not Path("below/out").exists()


def test_absolute_paths_stay(tmp_path: Path) -> None:
    config = {"module": {"path": str(tmp_path / "x")}, "target": {"name": "apollo510"}}
    Path("below/c.yaml").write_text(json.dumps(config))
    found = configuration("net.tflite", "--config", "below/c.yaml")
    assert (found.module.path, found.target.name) == (str(tmp_path / "x"), "apollo510")


def test_output_folder_over_module_path_over_name() -> None:
    arguments = ["convert", "net.tflite", "--no-test.enabled", "--module.name", "kws"]
    assert nacre(*arguments).code == 0 and Path("kws/kws.h").is_file()
    assert nacre(*arguments, "--module.path", "p").code == 0 and Path("p/kws.h").is_file()
    assert nacre(*arguments, "--module.path", "q", "-o", "r").code == 0
    assert Path("r/kws.h").is_file() and not Path("q").exists()


# --- forms that YAML allows -----------------------------------------------------------------------


def test_blank_sections_say_nothing() -> None:
    Path("c.yaml").write_text(
        "memory:\n  tensors:\n  constraints:\nmodule:\noperators:\ntensors:\n"
    )
    assert configuration("net.tflite", "--config", "c.yaml").memory == Config().memory


def test_empty_file_says_nothing() -> None:
    Path("c.yaml").write_text("# nothing yet\n")
    assert configuration("net.tflite", "--config", "c.yaml").module == Config().module


def test_platform_is_another_word_for_target() -> None:
    Path("c.yaml").write_text("platform: {name: apollo510}\n")
    assert configuration("net.tflite", "--config", "c.yaml").target.name == "apollo510"


@pytest.mark.parametrize("text", ["[4, scores]", "['4', scores]", "'4, scores'"])
def test_outputs_as_lists_and_numbers(text: str) -> None:
    Path("c.yaml").write_text(f"model: {{outputs: {text}}}\n")
    found = configuration("net.tflite", "--config", "c.yaml")
    assert found.model.outputs == ("4", "scores")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("memory: &m {tensors: [*m]}\n", "nested too deeply, or refers to itself"),
        ("a: " + "[" * 5000, "nested too deeply"),
        ("module: {name: 2024-13-45}\n", "not valid YAML"),
        ("? [a, b]\n: c\n", "not valid YAML"),
        ("--- 1\n--- 2\n", "not valid YAML"),
        ("memory: {tensors: [{id: []}]}\n", "memory.tensors[0].id: expected an id"),
        ("memory: {tensors: [{id: ['']}]}\n", "memory.tensors[0].id: expected an id"),
        ("memory: {tensors: [{id: true}]}\n", "memory.tensors[0].id: expected an id"),
        ("module: {name: no}\n", "module.name: expected text; put it in quotes (found false)"),
        ("module: {name: 7}\n", "module.name: expected text; put it in quotes (found 7)"),
        ("target: apollo510\n", "target: expected the keys name, tensor_alignment"),
    ],
)
def test_forms_that_are_refused(text: str, says: str) -> None:
    Path("c.yaml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        configuration("net.tflite", "--config", "c.yaml")
    assert says in str(caught.value) and len(str(caught.value).splitlines()) == 1
