"""Configurations with one mistake each, and what the message about it has to say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cli.models import plain, refused, stateful

USAGE, MODEL = 2, 1


@dataclass(frozen=True)
class Mistake:
    """Arguments of `nacre convert`, and words of the message: the key or tensor, and a remedy."""

    arguments: tuple[str, ...]
    says: tuple[str, ...]
    code: int = USAGE


def option(arguments: str, *says: str, code: int = USAGE) -> Mistake:
    """A mistake on the command line; the model is net.tflite."""
    return Mistake(("net.tflite", *arguments.split()), says, code)


def on_apollo(arguments: str, *says: str, code: int = USAGE) -> Mistake:
    return option(f"--target apollo510 {arguments}", *says, code=code)


def rule(kind: str, text: str, *says: str, model: str = "net.tflite") -> Mistake:
    """A mistake in a rule given as an option, on a chip with several memories."""
    return Mistake((model, "--target", "apollo510", f"--{kind}", text), says)


def tensor(text: str, *says: str, model: str = "net.tflite") -> Mistake:
    return rule("memory.tensors", text, *says, model=model)


def operator(text: str, *says: str) -> Mistake:
    return rule("operators", text, *says)


def config(name: str, *says: str) -> Mistake:
    """A mistake in one of the files of CONFIGURATIONS."""
    return Mistake(("net.tflite", "--config", name), says)


def target(name: str, *says: str) -> Mistake:
    """A mistake in one of the files of TARGETS."""
    return Mistake(("net.tflite", "--target", name), says)


def golden(name: str, *says: str) -> Mistake:
    return Mistake(("net.tflite", "--test.golden", name), ("test.golden", name, *says))


def model(name: str, *says: str, code: int = MODEL) -> Mistake:
    return Mistake((name,), (name, *says), code)


CONFIGURATIONS: Mapping[str, bytes] = {
    "unknown_key.yaml": b"modul: {name: kws}\n",
    "unknown_nested.yaml": b"memory: {planer: greedy}\n",
    "unknown_in_rule.yaml": b"memory:\n  tensors:\n  - {typ: constant}\n",
    "unknown_in_top_rule.yaml": b"tensors:\n- {ids: ['1']}\n",
    "unknown_in_operator.yaml": b"operators:\n- {attribute: {code_placement: MRAM}}\n",
    "unknown_in_constraint.yaml": b"memory: {constraints: [{name: RAM, maxsize: 64K}]}\n",
    "number_as_key.yaml": b"7: {name: kws}\n",
    "nested_number_as_key.yaml": b"memory: {7: greedy}\n",
    "constraint_without_name.yaml": b"memory: {constraints: [{max_size: 64K}]}\n",
    "rule_not_mapping.yaml": b"memory: {tensors: [constant]}\n",
    "rules_not_list.yaml": b"memory: {tensors: {type: constant}}\n",
    "top_rules_not_list.yaml": b"tensors: {type: constant}\n",
    "operators_not_list.yaml": b"operators: {type: CONV_2D}\n",
    "attributes_not_mapping.yaml": b"memory: {tensors: [{attributes: [MRAM]}]}\n",
    "attribute_not_scalar.yaml": b"operators: [{attributes: {code_placement: [MRAM]}}]\n",
    "id_not_scalar.yaml": b"memory: {tensors: [{id: {a: b}, attributes: {memory: RAM}}]}\n",
    "section_not_mapping.yaml": b"memory: DTCM\n",
    "section_is_list.yaml": b"module: [kws]\n",
    "flag_not_boolean.yaml": b"memory: {allocate_arenas: perhaps}\n",
    "broken.yaml": b"memory: {planner: greedy\nmodule: [\n",
    "tab.yaml": b"memory:\n\tplanner: greedy\n",
    "twice.yaml": b"memory: {planner: greedy}\nmemory: {overlap: false}\n",
    "list.yaml": b"- memory\n- module\n",
    "text.yaml": b"just words\n",
    "latin.yaml": "module: {name: größe}\n".encode("latin-1"),
    "both.yaml": b"platform: {name: host}\ntarget: {name: apollo510}\n",
    "python.yaml": b"module: !!python/object/apply:os.getcwd []\n",
    "no_model.yaml": b"module: {name: kws}\n",
    "gone_model.yaml": b"model: {path: gone.tflite}\n",
}

_HEAD = "name: mine\ncore: cortex-m4\n"
TARGETS: Mapping[str, bytes] = {
    "t_empty.yaml": b"",
    "t_list.yaml": b"- name: mine\n",
    "t_broken.yaml": b"name: {mine\n",
    "t_latin.yaml": "name: größe\n".encode("latin-1"),
    "t_no_memories.yaml": _HEAD.encode(),
    "t_unknown_key.yaml": (_HEAD + "memories: [{name: RAM, siez: 4}]\n").encode(),
    "t_read_only.yaml": (_HEAD + "memories: [{name: ROM, writable: false}]\n").encode(),
    "t_twice.yaml": (_HEAD + "memories: [{name: RAM}, {name: ram}]\n").encode(),
    "t_alignment.yaml": (_HEAD + "min_alignment: 12\nmemories: [{name: RAM}]\n").encode(),
    "t_zero.yaml": (_HEAD + "min_alignment: 0\nmemories: [{name: RAM}]\n").encode(),
    "t_negative.yaml": (_HEAD + "memories: [{name: RAM, size: -4}]\n").encode(),
    "t_no_name.yaml": b"core: cortex-m4\nmemories: [{name: RAM}]\n",
    "t_bad_name.yaml": (_HEAD + "memories: [{name: fast ram}]\n").encode(),
    "t_alias.yaml": (_HEAD + "memories: [{name: RAM}, {name: ROM, aliases: [ram]}]\n").encode(),
    "t_no_default.yaml": (_HEAD + "memories: [{name: RAM, default_data: false}]\n").encode(),
}


def prepare(folder: Path) -> None:
    """Write the models, configurations, targets and golden files that the mistakes speak of."""
    files = {
        **CONFIGURATIONS,
        **TARGETS,
        "net.tflite": plain(),
        "gate.tflite": stateful(),
        "refused.tflite": refused(),
        "empty.tflite": b"",
        "words.tflite": b"this is not a model, whatever its name says\n",
        "cut.tflite": plain()[:200],
        "net.bin": plain(),
        "words.npz": b"no archive\n",
        "stranger/notes.txt": b"mine\n",
        "taken": b"a file\n",
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "folder.tflite").mkdir()
    (folder / "folder.npz").mkdir()
    _write_goldens(folder)


def _write_goldens(folder: Path) -> None:
    image, scores = np.zeros((1, 8, 8, 2), np.int8), np.zeros((1, 5), np.int8)
    np.save(folder / "array.npy", scores)
    np.savez(folder / "nothing.npz", other=scores)
    np.savez(folder / "no_output.npz", s0_in0=image)
    np.savez(folder / "shape_in.npz", s0_in0=image[:, 1:], s0_out0=scores)
    np.savez(folder / "shape_out.npz", s0_in0=image, s0_out0=scores[:, 1:])
    np.savez(folder / "range.npz", s0_in0=image.astype(np.int32) + 300, s0_out0=scores)
    np.savez(folder / "objects.npz", s0_in0=np.array([{}]), s0_out0=scores)
    np.savez(folder / "second.npz", s0_in0=image, s0_out0=scores, s1_in0=image)


MISTAKES: Mapping[str, Mistake] = {
    # Keys that do not exist.
    "unknown key": config("unknown_key.yaml", "modul: is not a known key", "closest: module"),
    "unknown nested key": config("unknown_nested.yaml", "memory.planer", "closest: planner"),
    "unknown key of a rule": config("unknown_in_rule.yaml", "memory.tensors[0].typ", "type"),
    "unknown key of a rule at the top": config(
        "unknown_in_top_rule.yaml", "memory.tensors[0].ids", "closest: id"
    ),
    "unknown key of an operator rule": config(
        "unknown_in_operator.yaml", "operators[0].attribute:", "closest: attributes"
    ),
    "unknown key of a constraint": config(
        "unknown_in_constraint.yaml", "memory.constraints[0].maxsize", "closest: max_size"
    ),
    "unknown key of a rule option": tensor("{idd: '1'}", "memory.tensors[0].idd", "closest: id"),
    "number as a key": config("number_as_key.yaml", "7: is not a known key", "model"),
    "number as a nested key": config("nested_number_as_key.yaml", "memory.7", "planner"),
    "key missing": config(
        "constraint_without_name.yaml", "memory.constraints[0].name: is missing", "the memory"
    ),
    # Values of the wrong form.
    "rule that is no mapping": config(
        "rule_not_mapping.yaml", "memory.tensors[0]", "'constant'", "the keys type, id"
    ),
    "rules that are no list": config("rules_not_list.yaml", "memory.tensors", "a list"),
    "rules at the top that are no list": config("top_rules_not_list.yaml", "tensors", "a list"),
    "operators that are no list": config("operators_not_list.yaml", "operators", "a list"),
    "attributes that are no mapping": config(
        "attributes_not_mapping.yaml", "memory.tensors[0].attributes", "{memory: "
    ),
    "attribute that is no scalar": config(
        "attribute_not_scalar.yaml", "operators[0].attributes.code_placement", "one value"
    ),
    "id that is no scalar": config("id_not_scalar.yaml", "memory.tensors[0].id", "in quotes"),
    "section that is no mapping": config("section_not_mapping.yaml", "memory", "'DTCM'", "keys"),
    "section that is a list": config("section_is_list.yaml", "module", "keys"),
    "flag that is no boolean": config(
        "flag_not_boolean.yaml", "memory.allocate_arenas", "'perhaps'", "true or false"
    ),
    "rule option that is no YAML": tensor("{id: [", "--memory.tensors", "'{id: ['", "one like {"),
    "rule option that is a word": tensor("constant", "--memory.tensors", "like {id: "),
    "rule option that is empty": operator("", "--operators", "like {type: "),
    "constraint that is a word": rule(
        "memory.constraints", "DTCM", "--memory.constraints 'DTCM'", "like {name: "
    ),
    "inline attributes no mapping": tensor("{attributes: MRAM}", "[0].attributes", "{memory: "),
    # Memories.
    "unknown memory": tensor(
        "{attributes: {memory: DCTM}}", "memory.tensors[0]", "'DCTM'", "DTCM, ITCM, SRAM"
    ),
    "unknown destination": tensor(
        "{type: constant, attributes: {constant_destination_memory: TCM}}",
        "constant_destination_memory", "'TCM'", "DTCM, ITCM",
    ),
    "memory that is a number": tensor("{attributes: {memory: 7}}", "memory", "7", "DTCM"),
    "memory that is null": tensor("{attributes: {memory: null}}", "memory", "DTCM"),
    "unknown code placement": operator(
        "{attributes: {code_placement: FLASHH}}", "code_placement", "'FLASHH'", "MRAM"
    ),
    "unknown scratch placement": operator(
        "{attributes: {scratch_placement: LMEM}}", "scratch_placement", "'LMEM'", "DTCM"
    ),
    "unknown memory in a constraint": rule(
        "memory.constraints", "{name: DCTM, max_size: 4K}",
        "memory.constraints[0]", "'DCTM'", "DTCM",
    ),
    "memory of another target": Mistake(
        ("net.tflite", "--target", "rp2350", "--memory.tensors", "{attributes: {memory: DTCM}}"),
        ("memory.tensors[0]", "'DTCM' is not a memory of rp2350", "SRAM"),
    ),
    "scratch in MRAM": tensor(
        "{type: scratch, attributes: {memory: MRAM}}",
        "memory.tensors[0]", '"input"', "read-only", "writable: DTCM",
    ),
    "everything in MRAM": tensor("{attributes: {memory: MRAM}}", "scratch", "read-only", "SRAM"),
    "persistent in MRAM": tensor(
        "{type: persistent, attributes: {memory: MRAM}}",
        "memory.tensors[0]", "persistent tensor", "read-only", "writable: DTCM",
        model="gate.tflite",
    ),
    "operator scratch in MRAM": operator(
        "{attributes: {scratch_placement: MRAM}}", "operators[0]", "read-only", "DTCM"
    ),
    "destination read-only": tensor(
        "{type: constant, attributes: {memory: SRAM, constant_destination_memory: MRAM}}",
        "memory.tensors[0]", "cannot be copied to MRAM", "writable: DTCM",
    ),
    "two sources for one destination": Mistake(
        ("net.tflite", "--target", "apollo510",
         "--memory.tensors", "{type: constant, attributes: {memory: MRAM, "
         "constant_destination_memory: DTCM}}",
         "--memory.tensors", "{id: dense/weights, attributes: {memory: PSRAM}}"),
        ("DTCM", "two memories", "dense/weights", "PSRAM", "the same memory"),
    ),
    "code where none runs": operator(
        "{type: CONV_2D, attributes: {code_placement: DTCM}}",
        "operators[0]", "DTCM", "it can from: ITCM",
    ),
    # Rules that match nothing.
    "misspelt tensor": tensor(
        "{id: conv/kernle, attributes: {memory: MRAM}}",
        "memory.tensors[0]", '"conv/kernle"', 'closest: "conv/kernel" (1)', "nacre inspect",
    ),
    "tensor number that does not exist": tensor(
        "{id: '99', attributes: {memory: MRAM}}", 'the id "99"', "nacre inspect net.tflite"
    ),
    "one of several ids": tensor(
        "{id: ['1', wieghts], attributes: {memory: MRAM}}", '"wieghts"', "dense/weights"
    ),
    "misspelt operator": operator(
        "{id: '44', attributes: {code_placement: MRAM}}", "operators[0]", '"44"', "nacre inspect"
    ),
    "unknown kind": tensor(
        "{type: constants, attributes: {memory: MRAM}}", '"CONSTANTS"', "closest: CONSTANT"
    ),
    "unknown operator type": operator(
        "{type: CONV2D, attributes: {code_placement: MRAM}}", '"CONV2D"', "closest: CONV_2D"
    ),
    "unknown tensor attribute": tensor(
        "{attributes: {memmory: MRAM}}", "memory.tensors[0]", "'memmory'", "memory"
    ),
    "operator attribute on a tensor": tensor(
        "{attributes: {code_placement: MRAM}}", "'code_placement'", "operators"
    ),
    "destination of scratch": tensor(
        "{type: scratch, attributes: {constant_destination_memory: DTCM}}",
        "memory.tensors[0]", "is for constants", "use memory",
    ),
    "destination of one scratch tensor": tensor(
        "{id: relu/out, attributes: {constant_destination_memory: DTCM}}",
        "memory.tensors[0]", "is for constants", "use memory",
    ),
    # Sizes and alignments.
    "negative size": rule(
        "memory.constraints", "{name: DTCM, max_size: -4}", "memory.constraints[0].max_size", "-4",
        "64K",
    ),
    "size that is no size": rule(
        "memory.constraints", "{name: DTCM, max_size: 12Q}", "[0].max_size", "'12Q'", "64K"
    ),
    "size with a fraction": rule(
        "memory.constraints", "{name: DTCM, max_size: 1.5}", "[0].max_size", "1.5", "64K"
    ),
    "size that is a flag": rule(
        "memory.constraints", "{name: DTCM, max_size: true}", "[0].max_size", "True", "64K"
    ),
    "alignment 0": rule(
        "memory.constraints", "{name: DTCM, arena_alignment: 0}", "[0].arena_alignment",
        "power of two", "0",
    ),
    "alignment negative": on_apollo(
        "--target.tensor-alignment -16", "target.tensor_alignment", "power of two", "-16"
    ),
    "alignment no power of two": on_apollo(
        "--target.tensor-alignment 24", "target.tensor_alignment", "power of two", "24"
    ),
    "alignment no number": on_apollo(
        "--target.tensor-alignment wide", "target.tensor_alignment", "'wide'", "whole number"
    ),
    "alignment beyond reason": on_apollo(
        "--target.tensor-alignment 1073741824", "target.tensor_alignment", "1073741824"
    ),
    "constraint too small": Mistake(
        ("net.tflite", "--target", "apollo510", "--memory.tensors",
         "{type: scratch, attributes: {memory: DTCM}}",
         "--memory.constraints", "{name: DTCM, max_size: 256}"),
        ("DTCM: needs", "the limit is 256 (memory.constraints[0])", "too many", "largest: ",
         '"relu/out" 256', "would fit: scratch in SRAM"),
        MODEL,
    ),
    "constants larger than the memory": Mistake(
        ("net.tflite", "--memory.constraints", "{name: MRAM, max_size: 1K}"),
        ("MRAM: needs", "the limit is 1 024", "too many", '"dense/weights" 1 280', "would fit: "),
        MODEL,
    ),
    # Choices.
    "module type": option("--module.type make", "module.type", "'make'", "'cmake'", "'plain'"),
    "numerics": option("--numerics tfml", "numerics", "'tfml'", "'tflm'", "'litert'"),
    "planner": option("--memory.planner best", "memory.planner", "'best'", "'greedy'"),
    "order": option("--schedule.order any", "schedule.order", "'any'", "'auto'"),
    "prefix": option("--module.prefix 9lives", "module.prefix", "'9lives'", "'m9lives'"),
    "prefix with a dash": option("--module.prefix my-net", "module.prefix", "'my_net'"),
    "prefix that is a keyword": option("--module.prefix while", "module.prefix", "'while_'"),
    "prefix that is empty": Mistake(("net.tflite", "--module.prefix", ""), ("module.prefix", "''")),
    "negative tolerance": option("--test.tolerance -1", "test.tolerance", "-1", "0"),
    "tolerance nan": option("--test.tolerance nan", "test.tolerance", "nan"),
    "no samples": option("--test.samples 0", "test.samples", "0", "1"),
    # Targets.
    "unknown target": option("--target apolo510", "target.name", "'apolo510'", "apollo510"),
    "target file missing": target("gone.yaml", "target.name", "gone.yaml"),
    "target file empty": target("t_empty.yaml", "t_empty.yaml", "the keys name"),
    "target file a list": target("t_list.yaml", "t_list.yaml", "the keys name"),
    "target file no YAML": target("t_broken.yaml", "t_broken.yaml", "not valid YAML"),
    "target file not UTF-8": target("t_latin.yaml", "t_latin.yaml", "UTF-8"),
    "target without memories": target("t_no_memories.yaml", "t_no_memories.yaml", "memories"),
    "target with an unknown key": target("t_unknown_key.yaml", "memories[0].siez", "size"),
    "target all read-only": target("t_read_only.yaml", "t_read_only.yaml", "writable"),
    "target memory twice": target("t_twice.yaml", "t_twice.yaml", "two have the name", "RAM"),
    "target alignment": target("t_alignment.yaml", "min_alignment", "12", "power of two"),
    "target alignment 0": target("t_zero.yaml", "min_alignment", "0", "power of two"),
    "target negative size": target("t_negative.yaml", "memories[0].size", "-4"),
    "target without a name": target("t_no_name.yaml", "t_no_name.yaml", "name"),
    "target memory name": target("t_bad_name.yaml", "memories[0].name", "'fast ram'"),
    "target alias taken": target("t_alias.yaml", "t_alias.yaml", "RAM", "two have the name"),
    "target without default": target("t_no_default.yaml", "t_no_default.yaml", "default_data"),
    "platform and target": config("both.yaml", "platform", "target", "only one"),
    # Files.
    "no model": Mistake((), ("no model", "model.path")),
    "model twice": option(
        "--model.path gate.tflite", "--model.path and net.tflite", "only one of them"
    ),
    "no model in the file": Mistake(("--path", "no_model.yaml"), ("no model", "model.path")),
    "path and config": Mistake(
        ("--path", "no_model.yaml", "--config", "no_model.yaml"), ("--path", "--config", "only one")
    ),
    "model missing": model("gone.tflite", "no such file", "closest: net.tflite", code=USAGE),
    "model of the file missing": Mistake(
        ("--path", "gone_model.yaml"), ("model.path: gone.tflite", "no such file")
    ),
    "model is a folder": model("folder.tflite", "is a folder", code=USAGE),
    "model empty": model("empty.tflite", "empty"),
    "model of words": model("words.tflite", "TFLite"),
    "model cut off": model("cut.tflite", "damaged or cut short"),
    "model with another ending": model("net.bin", "'.bin'", ".tflite"),
    "model refused": model("refused.tflite", "CUSTOM", "Postprocess", "--model.outputs 1"),
    "subgraph out of range": option("--model.subgraph 3", "model.subgraph", "3", "0"),
    "subgraph negative": option("--model.subgraph -1", "model.subgraph", "-1", "0"),
    "subgraph no number": option("--model.subgraph main", "model.subgraph", "'main'"),
    "unknown output": option("--model.outputs relu/uot", "model.outputs", "'relu/uot'", "relu/out"),
    "configuration missing": config("gone.yaml", "gone.yaml", "cannot be read"),
    "configuration a folder": config("stranger", "stranger", "cannot be read"),
    "configuration no YAML": config("broken.yaml", "broken.yaml", "not valid YAML", "line 2"),
    "configuration with a tab": config("tab.yaml", "tab.yaml", "not valid YAML", "line 2"),
    "configuration with a key twice": config("twice.yaml", "twice.yaml", "memory", "twice"),
    "configuration a list": config("list.yaml", "list.yaml", "keys"),
    "configuration words": config("text.yaml", "text.yaml", "keys"),
    "configuration not UTF-8": config("latin.yaml", "latin.yaml", "UTF-8"),
    "configuration that runs code": config("python.yaml", "python.yaml", "YAML"),
    # Golden files.
    "golden missing": golden("gone.npz", "cannot be read"),
    "golden no archive": golden("words.npz", "not an .npz", "numpy.savez"),
    "golden a folder": golden("folder.npz", "cannot be read"),
    "golden an array": golden("array.npy", "one array", "numpy.savez"),
    "golden without samples": golden("nothing.npz", "s0_in0"),
    "golden without outputs": golden("no_output.npz", "s0_out0"),
    "golden second sample cut": golden("second.npz", "s1_out0"),
    "golden input of another shape": golden("shape_in.npz", "s0_in0", "[1, 7, 8, 2]", '"input"'),
    "golden output of another shape": golden("shape_out.npz", "s0_out0", "[1, 4]", '"scores"'),
    "golden beyond the type": golden("range.npz", "s0_in0", "int8"),
    "golden with objects": golden("objects.npz", "plain arrays", "numpy.savez"),
    # The command line itself.
    "unknown option": option("--tragt host", "--tragt", "--target"),
    "option without its value": option("--target", "Option '--target' requires an argument"),
    "two models": option("gate.tflite", "gate.tflite"),
    "verbosity": option("-v 3", "3", "0<=x<=2"),
}  # fmt: skip
