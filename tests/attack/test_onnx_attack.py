"""Bad ONNX input at the command line: one message, a code of 1 or 2, nothing half-written."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from click.testing import CliRunner
from onnx import TensorProto, helper, numpy_helper

from attack.examine import apart, is_small, prepare
from attack.onnx_line import compile_onnx, examine_onnx
from fuzz.corpus import node_tests
from fuzz.onnx_mutations import mutate_onnx
from nacre.cli import main

node = helper.make_node
LONG = "n\n\x1b[2J" * 2000
LONGEST = 2000
MUTANTS = 60


def model(
    nodes: Sequence[onnx.NodeProto],
    shape: Sequence[int | str | None] | None = (1, 4),
    constants: Mapping[str, object] | None = None,
    outputs: Sequence[str] = ("y",),
    opset: int = 21,
) -> bytes:
    """Nodes that read x."""
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, None) for n in outputs],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made.SerializeToString()


def changed(change: Callable[[onnx.ModelProto], object]) -> bytes:
    made = onnx.load_from_string(model([node("Relu", ["x"], ["y"], name="n")]))
    change(made)
    return made.SerializeToString()


def quantized(scale: object, point: object = np.int8(0), **options: int) -> bytes:
    inputs = ["s", "z"]
    nodes = [
        node("QuantizeLinear", ["x", *inputs], ["q"], **options),
        node("DequantizeLinear", ["q", *inputs], ["y"], **options),
    ]
    return model(nodes, (2, 4), {"s": scale, "z": point})


def branch(*outputs: str) -> onnx.GraphProto:
    ends = [helper.make_tensor_value_info(o, 1, None) for o in outputs]
    return helper.make_graph([node("Relu", ["x"], [o]) for o in outputs], "b", [], ends)


def branches(then: onnx.GraphProto, other: onnx.GraphProto, known: bool) -> bytes:
    """An If of two outputs, the second read by another node."""
    nodes = [
        node("ReduceMax", ["x"], ["m"], keepdims=0),
        node("Cast", ["m"], ["c"], to=9),
        node("If", ["k" if known else "c"], ["a", "b"], then_branch=then, else_branch=other),
        node("Exp", ["b"], ["y"]),
    ]
    return model(nodes, constants={"k": np.array(True)})


def rounds(count: int) -> bytes:
    """Loops within loops: `count` to the power of five."""

    def body(nodes: list[onnx.NodeProto]) -> onnx.GraphProto:
        inputs = [("i", 7, ()), ("c", 9, ()), ("v", 1, (1, 4))]
        ends = [("d", 9, ()), ("u", 1, (1, 4))]
        return helper.make_graph(
            [node("Identity", ["c"], ["d"]), *nodes],
            "body",
            [helper.make_tensor_value_info(*value) for value in inputs],
            [helper.make_tensor_value_info(*value) for value in ends],
        )

    inner = body([node("Add", ["v", "x"], ["u"])])
    for _ in range(4):
        inner = body([node("Loop", ["m", "", "v"], ["u"], body=inner)])
    return model([node("Loop", ["m", "", "x"], ["y"], body=inner)], constants={"m": count})


def set_input(kind: str) -> Callable[[onnx.ModelProto], None]:
    def change(m: onnx.ModelProto) -> None:
        if kind == "sequence":
            m.graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", 1, [1]))
        else:
            m.graph.input[0].type.tensor_type.elem_type = TensorProto.DataType.Value(kind)

    return change


OPEN = model([node("Relu", ["x"], ["y"])], ("batch", 3, None))
RANK = TensorProto(name="w", data_type=1, dims=[1] * 100, raw_data=bytes(4))
EMPTY = TensorProto(name="w", data_type=1, dims=[0, 1 << 62, 1 << 62])
ELSEWHERE = TensorProto(name="w", data_type=1, dims=[3], data_location=1)
ELSEWHERE.external_data.add(key="location", value="w" * 5000)
CONV = node("Conv", ["x", "w"], ["y"], strides=[1.5, 2.5])

# Model, options, words of the message.
BAD: dict[str, tuple[bytes, tuple[str, ...], str]] = {
    "no outputs": (model([], outputs=()), (), "the graph has no outputs"),
    "dimension below 0": (model([node("Relu", ["x"], ["y"])], (1, -3)), (), "dimension 1 is -3"),
    "open": (OPEN, (), "x: dimension 2 has no size and no name"),
    "two sizes": (OPEN, ("--input-shape", "x:2x3x4", "--dim", "batch=1"), "is 1 elsewhere"),
    "two shapes": (
        OPEN, ("--input-shape", "x:2x3x4", "--input-shape", "x:1x3x4"), "x is given twice",
    ),
    "other rank": (OPEN, ("--input-shape", "x:2x3"), "the file says batchx3x?"),
    "sequence": (changed(set_input("sequence")), (), "'x' is of type sequence_type; supported"),
    "float8": (changed(set_input("FLOAT8E5M2")), (), "'x' is of type float8e5m2; supported"),
    "int4": (changed(set_input("INT4")), (), "'x' is of type int4; supported"),
    "2000 dimensions": (
        model([node("Relu", ["x"], ["y"])], [1] * 2000), (), "has 2000 dimensions; supported",
    ),
    "100 dimensions": (
        changed(lambda m: m.graph.initializer.append(RANK)), (), "'w' has 100 dimensions",
    ),
    "empty and huge": (
        changed(lambda m: m.graph.initializer.append(EMPTY)),
        (),
        "'w' has the shape [0, 4611686018427387904, 4611686018427387904]",
    ),
    "long file": (changed(lambda m: m.graph.initializer.append(ELSEWHERE)), (), "expected a file in the"),
    "made dimensions": (
        model([node("Reshape", ["x", "s"], ["y"])], (1,), {"s": np.ones(100, np.int64)}), (),
        "a tensor of 100 dimensions",
    ),
    "long operator": (changed(lambda m: setattr(m.graph.node[0], "op_type", LONG)), (), "n\\x0a"),
    "long node": (
        model([node("Foo", ["x"], ["y"], name=LONG)]), (), "not supported in any form",
    ),
    "long name": (changed(lambda m: m.graph.node[0].input.append(LONG)), (), "which is no input"),
    "long output": (changed(lambda m: setattr(m.graph.output[0], "name", LONG)), (), "by no node"),
    "hundreds refused": (
        model([node("Foo", ["x"], [f"a{n}"]) for n in range(900)], outputs=["a0"]), (), "Foo",
    ),
    "scale 0": (quantized(np.float32(0)), (), "a scale is 0; supported: finite scales above 0"),
    "scale below 0": (quantized(np.float32(-1)), (), "a scale is -1"),
    "scale nan": (quantized(np.float32(np.nan)), (), "a scale is nan"),
    "scale inf": (quantized(np.float32(np.inf)), (), "a scale is inf"),
    "no scale": (quantized(np.zeros(0, np.float32)), (), "there is no scale"),
    "integer scale": (quantized(np.int32(1)), (), "the scale is int32; supported: float32"),
    "double scale": (quantized(np.float64(1)), (), "the scale is float64; supported: float32"),
    "axis": (
        quantized(np.ones(4, np.float32), np.zeros(4, np.int8), axis=5), (),
        "axis 5 of 2 dimensions; expected -2 to 1",
    ),
    "few scales": (
        quantized(np.ones(3, np.float32), np.zeros(3, np.int8)), (), "scales [3] for [2, 4]",
    ),
    "few points": (
        quantized(np.ones(4, np.float32), np.zeros(2, np.int8)), (), "4 scales and 2 zero points",
    ),
    "to float8": (
        model([node("QuantizeLinear", ["x", "s"], ["y"], output_dtype=17)],
              constants={"s": np.float32(1)}), (), "quantizes to float8e4m3fn",
    ),
    "branches that differ": (
        branches(branch("t"), branch("t", "u"), known=False), (), "branches of 1 and 2 outputs",
    ),
    "branch too small": (
        branches(branch("t"), branch("t", "u"), known=True), (), "2 outputs; supported: 1",
    ),
    "loops in loops": (rounds(60), (), "more than 20000 nodes"),
    "fractions": (
        model([CONV], (1, 3, 8, 8), {"w": np.ones((4, 3, 3, 3), np.float32)}), (),
        "strides is (1.5, 2.5), expected a list of integers",
    ),
    "definition": (
        model([node("HannWindow", ["n"], ["h"], name="hann"), node("Add", ["x", "h"], ["y"])],
              constants={"n": np.array(1 << 40)}), (), "hann  HannWindow  its definition has Range",
    ),
    "equation": (model([node("Einsum", ["x"], ["y"], equation="\xff\xfe")]), (), "the equation is"),
    "millions of rows": (
        model([node("Resize", ["x", "", "", "s"], ["y"], mode="cubic")],
              constants={"s": np.array([1, 1 << 24])}), (), "supported: up to 1048576",
    ),
    "cast": (model([node("Cast", ["x"], ["y"], to=17)]), (), "casts to float8e4m3fn; supported"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "options", "words"), BAD.values(), ids=BAD)
def test_bad_input(data: bytes, options: tuple[str, ...], words: str, tmp_path: Path) -> None:
    path, folder = tmp_path / "net.onnx", tmp_path / "out"
    path.write_bytes(data)
    done = CliRunner().invoke(main, ["convert", str(path), "-o", str(folder), *options])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code in (1, 2)
    assert words in done.output
    assert len(done.output) < LONGEST and "\x1b" not in done.output
    assert not folder.exists()


def test_vectors_are_not_made_of_huge_inputs(tmp_path: Path) -> None:
    path, folder = tmp_path / "net.onnx", tmp_path / "out"
    path.write_bytes(model([node("Relu", ["x"], ["y"])], (1 << 27,)))
    command = ["convert", str(path), "-o", str(folder)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2 and "golden vectors of" in done.output
    assert not folder.exists()
    assert CliRunner().invoke(main, [*command, "--no-test.enabled"]).exit_code == 0


@pytest.mark.parametrize("seed", range(2))
def test_mutants(seed: int) -> None:
    """Damaged node tests through the whole line; what is compiled does what it should."""
    prepare()
    chance, corpus = random.Random(seed), node_tests()
    made = (mutate_onnx(chance.choice(corpus), corpus, chance) for _ in range(MUTANTS))
    assert {check(data) for data in made} == {True, False}


def check(data: bytes) -> bool:
    """True when the model is compiled."""
    compiled = compile_onnx(data)
    if compiled is not None and is_small(compiled.program):
        verdict = apart(lambda tell: examine_onnx(data, compiled, tell, oracle=False))
        assert not verdict.finding, f"{verdict.stage}: {verdict.finding}"
    return compiled is not None
