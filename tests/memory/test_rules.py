"""Rules that place tensors and code: which one wins, what they may say, and what is refused."""

from __future__ import annotations

import pytest

from memory.nets import gate_net
from nacre.config.load import parse_config
from nacre.errors import CompileError, ConfigError, PlacementError
from nacre.frontends.tflite.importer import import_model
from nacre.program import Program
from support.execute import program_of

FIRST, SECOND = "memory.tensors[0]", "memory.tensors[1]"


def rule(type: str | None = None, id: object = None, **attributes: str | None) -> dict:
    kind = {} if type is None else {"type": type}
    return {**kind, "id": id, "attributes": attributes}


def planned(*tensors: dict, target: str = "host", **settings: object) -> Program:
    memory = {"tensors": list(tensors), **settings.pop("memory", {})}
    config = parse_config({"target": {"name": target}, "memory": memory, **settings})
    return program_of(import_model(gate_net().data, "net"), config)


def home(program: Program, name: str) -> tuple[str, str]:
    """Memory and rule of a tensor by its name in the file."""
    slot = next(
        s for s in program.slots.values() if name == s.tensor.name or name in s.tensor.origins
    )
    return str(program.regions[slot.region].usage.memory), slot.rule


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], ("DTCM", "default")),
        ([rule("*", memory="SRAM")], ("SRAM", FIRST)),
        ([rule("scratch", memory="PSRAM"), rule(memory="SRAM")], ("PSRAM", FIRST)),
        ([rule(id="stream_0", memory="PSRAM"), rule("SCRATCH", memory="SRAM")], ("PSRAM", FIRST)),
        ([rule("Scratch", ["3"], memory="psram"), rule(id="3", memory="SRAM")], ("PSRAM", FIRST)),
        ([rule(id=3, memory="PSRAM"), rule(id="stream_0", memory="SRAM")], ("SRAM", SECOND)),
        ([rule("persistent", "3", memory="PSRAM")], ("DTCM", "default")),
    ],
)  # fmt: skip
def test_precedence(rules: list[dict], expected: tuple[str, str]) -> None:
    """(*), (type), (id), (type and id); the later one among equals; any case, number or name."""
    rules = [*rules, rule("constant", memory="MRAM")]
    assert home(planned(*rules), "stream_0") == expected


def test_attributes_of_several_rules_merge() -> None:
    program = planned(
        rule("constant", constant_destination_memory="DTCM"), rule(id="weights_0", memory="PSRAM"),
        rule(id=["weights_1", "bias_1"], constant_destination_memory=None),
        rule("constant", "weights_2", constant_destination_memory="SRAM"),
        rule("constant", "bias_0", memory="PSRAM"), rule("constant", memory="PSRAM"),
    )  # fmt: skip
    usages = {
        (r.name, str(r.usage.source_memory))
        for r in program.regions
        if r.name.startswith("arena_const")
    }
    assert usages == {
        ("arena_const_dtcm", "PSRAM"),
        ("arena_const_sram", "PSRAM"),
        ("arena_const_psram", "PSRAM"),
    }


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ([rule("constnat", memory="MRAM")], ["memory.tensors[0]", "CONSTNAT", "CONSTANT"]),
        ([rule(id="strem_0", memory="SRAM")], ["memory.tensors[0]", '"strem_0"', '"stream_0"']),
        ([rule(memory="HYPERRAM")], ["HYPERRAM", "DTCM, SRAM, PSRAM"]),
        ([rule("scratch", memory="MRAM")], ["memory.tensors[0]", "read-only", "writable: DTCM"]),
        ([rule("persistent", memory="FLASH")], ["persistent", "MRAM", "read-only"]),
        (
            [rule("constant", memory="DTCM", constant_destination_memory="MRAM")],
            ["memory.tensors[0]", "cannot be copied to MRAM", "read-only"],
        ),
        (
            [
                rule("constant", memory="MRAM", constant_destination_memory="DTCM"),
                rule(id="weights_1", memory="PSRAM"),
            ],
            ["two memories", "weights_1", "PSRAM", "MRAM"],
        ),
        ([rule("scratch", constant_destination_memory="DTCM")], ["is for constants", "SCRATCH"]),
    ],
)
def test_refusals_name_the_rule_and_what_would_work(rules: list[dict], words: list[str]) -> None:
    with pytest.raises(ConfigError) as caught:
        planned(*rules)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_limit_that_cannot_be_met() -> None:
    limits = {"constraints": [{"name": "DTCM", "max_size": 16}]}
    scratch = planned().scratch_bytes
    with pytest.raises(PlacementError) as caught:
        planned(rule("scratch", memory="DTCM"), memory=limits)
    assert f"needs {scratch}" in str(caught.value) and "memory.constraints[0]" in str(caught.value)
    assert issubclass(PlacementError, CompileError)
    assert home(planned(memory=limits), "stream_0") == ("SRAM", "default")


def test_tensors_in_two_memories_share_no_bytes() -> None:
    """A slice may be a window into its source, but not when rules part the two."""
    joined = planned(rule("scratch", memory="SRAM"))
    assert home(joined, "kept_0")[0] == home(joined, "stream_0")[0] == "SRAM"
    parted = planned(rule(id="stream_0", memory="SRAM"), rule(id="kept_0", memory="DTCM"))
    assert home(parted, "stream_0") == ("SRAM", "memory.tensors[0]")
    assert home(parted, "kept_0") == ("DTCM", "memory.tensors[1]")


@pytest.mark.parametrize(
    ("given", "note"),
    [
        (
            rule("persistent", "weights_0", memory="SRAM"),
            "it is for PERSISTENT, its tensor is CONSTANT",
        ),
        (rule(id="past_0", memory="SRAM"), "its tensor needs no memory here"),
    ],
)  # fmt: skip
def test_rule_without_effect_is_noted(given: dict, note: str) -> None:
    (found,) = planned(given).notes
    assert found == f"memory.tensors[0]: changes nothing: {note}"


def test_code_placement_is_checked() -> None:
    operators = [rule("FULLY_CONNECTED", code_placement="PSRAM")]
    with pytest.raises(ConfigError, match=r"operators\[0\]: code cannot run from PSRAM"):
        planned(target="mps3-an547", operators=operators)
    operators = [rule("CONV_2DD", code_placement="ITCM")]
    with pytest.raises(ConfigError, match=r'operators\[0\]: "CONV_2DD".*\n.*CONV_2D'):
        planned(target="mps3-an547", operators=operators)
    placed = planned(
        target="mps3-an547",
        operators=[rule(code_placement="SRAM"), rule("FULLY_CONNECTED", code_placement="ITCM")],
    )
    homes = {s.type: str(s.code) for s in placed.steps}
    assert homes.pop("FULLY_CONNECTED") == "ITCM"
    assert set(homes.values()) == {"SRAM"}
