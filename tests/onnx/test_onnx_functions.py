"""Functions that exporters write out become one operator; so do the standard's own functions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from onnx import TensorProto, helper
from onnx_models import check, count, model, node, noise

from nacre.errors import ModelError, RefusedModel
from nacre.frontends.onnx.importer import import_model
from nacre.frontends.onnx.local_functions import MOST_NODES

X = np.linspace(-6, 6, 96, dtype=np.float32).reshape(2, 3, 16)
NUMBERS = {
    "half": 0.5, "one": 1.0, "root": math.sqrt(2), "inverse": math.sqrt(0.5), "three": 3.0,
    "six": 6.0, "sixth": 1 / 6, "zero": 0.0, "cube": 0.044715, "slope": math.sqrt(2 / math.pi),
    "other": 0.6,
}  # fmt: skip


def written_out(*steps: tuple[str, str, str], outputs: tuple[str, ...] = ()) -> bytes:
    """Nodes "Op a,b c" from x to y."""
    nodes = [node(op, inputs.split(","), [output]) for op, inputs, output in steps]
    used = {i for _, inputs, _ in steps for i in inputs.split(",")}
    constants = {k: np.array(v, np.float32) for k, v in NUMBERS.items() if k in used}
    return model(nodes, {"x": X.shape}, ["y", *outputs], constants)


GELU = [
    (("Div", "x,root", "a"), ("Erf", "a", "b"), ("Add", "b,one", "c"), ("Mul", "x,c", "d"),
     ("Mul", "d,half", "y")),
    (("Mul", "x,inverse", "a"), ("Erf", "a", "b"), ("Add", "one,b", "c"), ("Mul", "x,half", "d"),
     ("Mul", "d,c", "y")),
    (("Div", "x,root", "a"), ("Erf", "a", "b"), ("Add", "b,one", "c"), ("Mul", "half,c", "d"),
     ("Mul", "x,d", "y")),
    (("Mul", "x,x", "a"), ("Mul", "a,x", "b"), ("Mul", "b,cube", "c"), ("Add", "x,c", "d"),
     ("Mul", "d,slope", "e"), ("Tanh", "e", "f"), ("Add", "f,one", "g"), ("Mul", "x,half", "h"),
     ("Mul", "h,g", "y")),
]  # fmt: skip
HARD_SWISH = [
    (("Add", "x,three", "a"), ("Clip", "a,zero,six", "b"), ("Mul", "x,b", "c"),
     ("Div", "c,six", "y")),
    (("HardSigmoid", "x", "a"), ("Mul", "x,a", "y")),
]  # fmt: skip


@pytest.mark.parametrize("steps", GELU)
def test_gelu(steps: tuple[tuple[str, str, str], ...]) -> None:
    _, simple = check(written_out(*steps), [X])
    assert [o.type for o in simple.operators] == ["GELU"]
    names = set(simple.operators[0].ids)
    assert {output for _, _, output in steps} <= names


def test_hard_swish() -> None:
    _, simple = check(written_out(*HARD_SWISH[0]), [X])
    assert [o.type for o in simple.operators] == ["HARD_SWISH"]
    # The usual hard sigmoid has another slope than hard swish wants.
    _, simple = check(written_out(*HARD_SWISH[1]), [X])
    assert count(simple, "HARD_SWISH") == 0


def test_what_is_nearly_a_function_stays() -> None:
    steps = [s if s[0] != "Mul" or "half" not in s[1] else ("Mul", "d,other", "y") for s in GELU[0]]
    _, simple = check(written_out(*steps), [X])
    assert count(simple, "GELU") == 0


def test_what_others_read_stays() -> None:
    _, simple = check(written_out(*GELU[0], outputs=("c",)), [X])
    assert count(simple, "GELU") == 0


@pytest.mark.parametrize("kind", ["RMSNormalization", "Attention"])
def test_functions_of_the_standard(kind: str) -> None:
    if kind == "Attention":
        shapes = {"q": (1, 2, 4, 8), "k": (1, 2, 6, 8), "v": (1, 2, 6, 8)}
        made = node(kind, list(shapes), ["y"], is_causal=1)
    else:
        shapes = {"x": (2, 3, 8), "s": (8,)}
        made = node(kind, list(shapes), ["y"], epsilon=1e-3)
    data = model([made], shapes, ["y"], opset=23)
    check(data, [noise(*s, seed=n) for n, s in enumerate(shapes.values())])


def with_functions(functions: list, nodes: list, output: str = "y") -> bytes:
    graph = helper.make_graph(
        nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [4])],
        [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    made = helper.make_model(graph, opset_imports=opsets, functions=functions)
    made.ir_version = 8
    return made.SerializeToString()


def function(name: str, calls: list) -> object:
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    return helper.make_function("own", name, ["a"], ["b"], calls, opsets)


def test_functions_of_the_file() -> None:
    twice = function("twice", [node("Add", ["a", "a"], ["b"])])
    square = function("square", [node("Mul", ["a", "a"], ["c"]),
                                 node("twice", ["c"], ["b"], domain="own")])  # fmt: skip
    calls = [node("square", ["x"], ["t"], domain="own"), node("Relu", ["t"], ["y"])]
    check(with_functions([twice, square], calls), [noise(4)])


def test_function_that_calls_itself_is_refused() -> None:
    endless = function("endless", [node("endless", ["a"], ["b"], domain="own")])
    data = with_functions([endless], [node("endless", ["x"], ["y"], domain="own")])
    with pytest.raises(ModelError, match="'endless' calls itself"):
        import_model(data, "model")


def test_functions_that_grow_without_bounds_are_refused() -> None:
    functions = [function("f0", [node("Relu", ["a"], ["b"])])]
    for n in range(1, 30):
        inner = f"f{n - 1}"
        calls = [node(inner, ["a"], ["c"], domain="own"), node(inner, ["c"], ["b"], domain="own")]
        functions.append(function(f"f{n}", calls))
    data = with_functions(functions, [node("f29", ["x"], ["y"], domain="own")])
    with pytest.raises(ModelError, match=f"become 536870912 nodes; supported: up to {MOST_NODES}"):
        import_model(data, "model")


def test_unknown_operator_is_refused() -> None:
    data = model([node("NonMaxSuppression", ["x", "x"], ["y"])], {"x": (1, 2, 3)}, ["y"])
    with pytest.raises(RefusedModel, match="not supported in any form"):
        import_model(data, "model")
