"""Rules from file and options: which one wins, whom they reach, and what is noted about them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.commands import Ended, nacre
from cli.models import plain
from nacre.compile import compile_model
from nacre.config.load import load_config
from nacre.program import Program

FIRST, SECOND = "memory.tensors[0]", "memory.tensors[1]"
DEFAULT = ("dtcm", "default")


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.tflite"
    path.write_bytes(plain())
    return path


def convert(*arguments: str) -> Ended:
    # So small a network does not pay for fast kernels, which would pack its weights.
    options = ("--target", "apollo510", "--optimize", "size", "--no-test.enabled", "-o", "net")
    return nacre("convert", "net.tflite", *options, *arguments)


def tensor_rules(*rules: str) -> list[str]:
    return [word for rule in rules for word in ("--memory.tensors", rule)]


def operator_rules(*rules: str) -> list[str]:
    return [word for rule in rules for word in ("--operators", rule)]


def homes(*arguments: str) -> dict[str, tuple[str, str, str]]:
    """Tensor id -> source, memory and rule, as the residency report of a conversion has them."""
    ended = convert(*arguments)
    assert ended.code == 0, ended.err
    report = json.loads(Path("net/net_residency.json").read_text(encoding="utf-8"))
    return {t["id"]: (t["source_memory"], t["memory"], t["rule"]) for t in report["tensors"]}


def home(tensor: str, *rules: str) -> tuple[str, str]:
    return homes(*tensor_rules(*rules))[tensor][1:]


def compiled(*rules: str) -> Program:
    """The program for operator rules on a chip with ITCM."""
    options = {
        "target.name": "apollo510",
        "operators": [json.loads(r) for r in rules],
    }
    return compile_model(Path("net.tflite"), load_config(None, options))


# The output of the fused activation: scratch, id 4, name relu/out.
PRECEDENCE = {
    "nothing": ([], DEFAULT),
    "all": (["{attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "star and null": (["{type: '*', id: null, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "type over all": (
        ["{type: scratch, attributes: {memory: SRAM}}", "{attributes: {memory: PSRAM}}"],
        ("sram", FIRST),
    ),
    "id over type": (
        ["{id: '4', attributes: {memory: SRAM}}", "{type: scratch, attributes: {memory: PSRAM}}"],
        ("sram", FIRST),
    ),
    "type and id over id": (
        ["{type: scratch, id: '4', attributes: {memory: SRAM}}",
         "{id: '4', attributes: {memory: PSRAM}}"],
        ("sram", FIRST),
    ),
    "later over earlier, all": (
        ["{attributes: {memory: PSRAM}}", "{attributes: {memory: SRAM}}"], ("sram", SECOND)
    ),
    "later over earlier, type": (
        ["{type: scratch, attributes: {memory: PSRAM}}",
         "{type: scratch, attributes: {memory: SRAM}}"],
        ("sram", SECOND),
    ),
    "later over earlier, id": (
        ["{id: '4', attributes: {memory: PSRAM}}", "{id: relu/out, attributes: {memory: SRAM}}"],
        ("sram", SECOND),
    ),
    "bare number": (["{id: 4, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "name": (["{id: relu/out, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "list": (["{id: [input, 4], attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "list of others": (["{id: [input, scores], attributes: {memory: SRAM}}"], DEFAULT),
    "any case of type": (["{type: sCRAtch, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "any case of memory": (["{id: '4', attributes: {memory: sram}}"], ("sram", FIRST)),
    "alias of a memory": (["{id: '4', attributes: {memory: ssram}}"], ("sram", FIRST)),
    "its view": (["{id: flat, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "what fusing merged into it": (["{id: '3', attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "its name": (["{id: conv/out, attributes: {memory: SRAM}}"], ("sram", FIRST)),
    "another type": (["{type: constant, attributes: {memory: SRAM}}"], DEFAULT),
    "another type with its id": (
        ["{type: constant, id: '4', attributes: {memory: SRAM}}"], DEFAULT
    ),
}  # fmt: skip


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", PRECEDENCE)
def test_precedence(name: str) -> None:
    rules, expected = PRECEDENCE[name]
    cold = "{type: constant, id: [1, 2, 7, 8], attributes: {memory: MRAM}}"
    assert home("4", *rules, cold) == expected


@pytest.mark.usefixtures("model")
def test_options_come_after_the_file() -> None:
    Path("c.yaml").write_text(
        "tensors: [{id: '4', attributes: {memory: PSRAM}}]\n"
        "memory: {tensors: [{type: scratch, attributes: {memory: DTCM}}]}\n"
    )
    assert homes("--config", "c.yaml")["4"][1:] == ("psram", SECOND)
    rule = tensor_rules("{id: relu/out, attributes: {memory: SRAM}}")
    assert homes("--config", "c.yaml", *rule)["4"][1:] == ("sram", "memory.tensors[2]")


@pytest.mark.usefixtures("model")
def test_attributes_merge() -> None:
    found = homes(
        *tensor_rules(
            "{type: constant, attributes: {memory: PSRAM}}",
            "{attributes: {constant_destination_memory: DTCM}}",
            "{id: dense/weights, attributes: {constant_destination_memory: null}}",
        )
    )
    assert found["7"] == ("psram", "psram", FIRST)
    assert found["op3.bias"] == found["op0.weights"] == ("psram", "dtcm", SECOND)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("word", ["1", "conv/kernel", "op0.weights"])
def test_constants_answer_to_the_ids_that_they_were_made_from(word: str) -> None:
    assert home("op0.weights", f"{{id: {word!r}, attributes: {{memory: SRAM}}}}") == ("sram", FIRST)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    ("rule", "memory"),
    [
        ('{"id": "0"}', "ITCM"),
        ('{"id": "1"}', "ITCM"),
        ('{"id": ["1"], "type": "relu"}', "ITCM"),
        ('{"id": "1", "type": "CONV_2D"}', "ITCM"),
        ('{"id": "relu/out"}', "ITCM"),
        ('{"type": "conv_2d"}', "ITCM"),
        ('{"type": "FULLY_CONNECTED"}', "MRAM"),
        ('{"type": "RELU"}', "MRAM"),
        ('{"id": "3"}', "MRAM"),
    ],
)
def test_fused_operator_answers_to_its_parts(rule: str, memory: str) -> None:
    whole = json.dumps(json.loads(rule) | {"attributes": {"code_placement": "ITCM"}})
    codes = {step.type: str(step.code) for step in compiled(whole).steps}
    assert codes["CONV_2D"] == memory


@pytest.mark.usefixtures("model")
def test_operator_rules_have_the_same_precedence() -> None:
    def rule(memory: str, **which: str) -> str:
        return json.dumps({**which, "attributes": {"code_placement": memory}})

    by_id = rule("ITCM", id="3")
    codes = {s.type: str(s.code) for s in compiled(by_id, rule("SRAM")).steps}
    assert codes == {"CONV_2D": "SRAM", "FULLY_CONNECTED": "ITCM"}
    both = rule("SRAM", id="3", type="FULLY_CONNECTED")
    codes = {s.type: str(s.code) for s in compiled(both, by_id).steps}
    assert codes == {"CONV_2D": "MRAM", "FULLY_CONNECTED": "SRAM"}


# --- rules that miss ------------------------------------------------------------------------------


UNMATCHED = {
    "tensor": (tensor_rules("{id: wieghts, attributes: {memory: SRAM}}"), 'the id "wieghts"'),
    "kind": (tensor_rules("{type: constants, attributes: {memory: SRAM}}"), '"CONSTANTS"'),
    "operator": (operator_rules("{id: '44', attributes: {code_placement: ITCM}}"), 'the id "44"'),
    "type": (operator_rules("{type: CONV2D, attributes: {code_placement: ITCM}}"), '"CONV2D"'),
}


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", UNMATCHED)
def test_unmatched_rule_is_an_error_or_a_warning(name: str) -> None:
    arguments, says = UNMATCHED[name]
    assert convert(*arguments).code == 2
    assert not Path("net").exists()
    ended = convert(*arguments, "--allow-unmatched")
    assert ended.code == 0 and ended.err.startswith("warning: ") and says in ended.err
    assert "Nothing was written" not in ended.err
    assert Path("net/net.h").is_file()


@pytest.mark.usefixtures("model")
def test_the_ids_that_match_still_do() -> None:
    rule = tensor_rules("{id: [relu/out, gone], attributes: {memory: SRAM}}")
    assert homes(*rule, "--allow-unmatched")["4"][1:] == ("sram", FIRST)


NOTES = {
    "kind that the model does not have": (
        tensor_rules("{type: persistent, attributes: {memory: SRAM}}"),
        "note: memory.tensors[0]: this model has no tensor of type PERSISTENT",
    ),
    "operator type that the model does not have": (
        operator_rules("{type: SOFTMAX, attributes: {code_placement: ITCM}}"),
        "note: operators[0]: this model has no operator of type SOFTMAX",
    ),
    "tensor that was folded away": (
        tensor_rules("{id: shape, attributes: {memory: SRAM}}"),
        "note: memory.tensors[0]: changes nothing: its tensor needs no memory here",
    ),
    "operator that is a view": (
        operator_rules("{id: '2', attributes: {code_placement: ITCM}}"),
        "note: operators[0]: changes nothing: its operator is no step of its own",
    ),
    "type of fused operators": (
        operator_rules("{type: RELU, attributes: {code_placement: ITCM}}"),
        "note: operators[0]: changes nothing: RELU became part of other operators",
    ),
    "id of another type": (
        operator_rules("{type: RELU, id: '3', attributes: {code_placement: ITCM}}"),
        "note: operators[0]: changes nothing: it is for RELU, its operator is FULLY_CONNECTED",
    ),
    "attribute that nobody knows": (
        operator_rules("{attributes: {code_placment: ITCM}}"),
        "warning: operators[0]: no operator knows the attribute 'code_placment'; "
        "closest: code_placement",
    ),
    "attribute that is like no other": (
        operator_rules("{attributes: {xyz: 1}}"),
        "warning: operators[0]: no operator knows the attribute 'xyz'",
    ),
    "attribute of tensors": (
        operator_rules("{attributes: {memory: SRAM}}"),
        "warning: operators[0]: no operator knows the attribute 'memory'; "
        "it belongs to memory.tensors",
    ),
}  # fmt: skip


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", NOTES)
def test_rule_without_effect_is_noted(name: str) -> None:
    arguments, note = NOTES[name]
    ended = convert(*arguments, "--json")
    assert ended.code == 0
    assert ended.err == f"{note}\n"
    assert json.loads(ended.out)["scratch_bytes"] > 0
