"""If, Loop, Scan: branches that are selected, loops that are unrolled."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx_models import FLOAT, check, count, model, node, noise

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.oracles import OracleRefused, run_ort
from support.compare import assert_equal
from support.execute import Runner, program_of

BOOL, INT64 = TensorProto.BOOL, TensorProto.INT64
X = noise(2, 3)


def value(name: str, kind: int = FLOAT, shape: list | None = None):
    return helper.make_tensor_value_info(name, kind, shape)


def graph(nodes, outputs, inputs=(), constants=None):
    made = [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()]
    return helper.make_graph(list(nodes), "inner", list(inputs), list(outputs), made)


def branches(then, other, shape=(2, 3)) -> bytes:
    """y = f(x) or g(x), as the input c says; both see s, which is computed before."""
    nodes = [
        node("Sigmoid", ["x"], ["s"]),
        node("If", ["c"], ["y"], then_branch=then, else_branch=other),
    ]
    return model(nodes, {"x": shape, "c": ()}, ["y"], types={"c": BOOL})


@pytest.mark.parametrize("taken", [True, False])
def test_computed_condition_selects(taken: bool) -> None:
    then = graph([node("Mul", ["s", "x"], ["t"]), node("Neg", ["t"], ["p"])], [value("p")])
    other = graph([node("Add", ["s", "w"], ["t"])], [value("t")],
                  constants={"w": noise(1, 3, seed=1)})  # fmt: skip
    made, _ = check(branches(then, other), [X, np.array(taken)])
    assert count(made, "SELECT_V2") == 1
    # Both branches call a tensor t.
    assert len({t.name for t in made.tensors.values()} & {"t"}) == 1


@pytest.mark.parametrize("taken", [True, False])
def test_branches_in_branches(taken: bool) -> None:
    deep = graph([node("Exp", ["x"], ["d"])], [value("d")])
    flat = graph([node("Identity", ["s"], ["d"])], [value("d")])
    inner = node("If", ["c"], ["q"], then_branch=flat, else_branch=deep)
    then = graph([node("Not", ["c"], ["n"]), inner], [value("q")])
    other = graph([node("Neg", ["x"], ["q"])], [value("q")])
    check(branches(then, other), [X, np.array(taken)])


@pytest.mark.parametrize("taken", [True, False])
def test_branch_without_nodes(taken: bool) -> None:
    """ONNX Runtime wants an Identity there; the standard does not."""
    same = graph([], [value("s")])
    data = branches(same, graph([node("Abs", ["x"], ["a"])], [value("a")]))
    (ours,) = Runner(program_of(import_model(data, "model"))).run([X, np.array(taken)])
    assert_equal(ours, 1 / (1 + np.exp(-X)) if taken else np.abs(X))


def test_branch_that_does_not_fit_gives_nan() -> None:
    """ONNX Runtime fails at run time where it is asked for."""
    fits = graph([node("Neg", ["x"], ["p"])], [value("p")])
    wrong = graph([node("MatMul", ["x", "x"], ["p"])], [value("p")])
    data = branches(fits, wrong, ("rows", "columns"))
    made = import_model(data, "model", None, OnnxOptions(InputShapes({"x": (2, 3)})))
    runner = Runner(program_of(made))
    (ours,) = runner.run([X, np.array(True)])
    assert (ours == run_ort(data, [[X, np.array(True)]])[0][0]).all()
    (ours,) = runner.run([X, np.array(False)])
    assert np.isnan(ours).all()
    with pytest.raises(OracleRefused, match="MatMul"):
        run_ort(data, [[X, np.array(False)]])
    (note,) = made.source.notes
    assert "its else branch does not fit these shapes (MatMul" in note
    assert "the outputs are NaN" in note


def test_branch_with_an_operator_that_is_missing_is_refused() -> None:
    fits = graph([node("Neg", ["x"], ["p"])], [value("p")])
    odd = graph([node("RandomNormalLike", ["x"], ["p"])], [value("p")])
    with pytest.raises(RefusedModel, match="RandomNormalLike"):
        import_model(branches(fits, odd), "model")


def test_branches_of_two_shapes_are_refused() -> None:
    one = graph([node("Neg", ["x"], ["p"])], [value("p")])
    other = graph([node("Flatten", ["x"], ["p"], axis=0)], [value("p")])
    message = r"the branches make float32\[2, 3\] and float32\[1, 6\]; supported: the same"
    with pytest.raises(RefusedModel, match=message):
        import_model(branches(one, other), "model")


# --- loops ----------------------------------------------------------------------------------------


def body(condition: str = "go"):
    """a = a * 0.5 + x * i; every a is collected."""
    nodes = [
        node("Cast", ["i"], ["n"], to=FLOAT),
        node("Mul", ["x", "n"], ["t"]),
        node("Mul", ["a", "half"], ["h"]),
        node("Add", ["t", "h"], ["b"]),
        node("Identity", ["b"], ["row"]),
        node("Identity", [condition], ["on"]),
    ]
    inputs = [value("i", INT64, []), value("go", BOOL, []), value("a", FLOAT, [2, 3])]
    outputs = [value("on", BOOL, []), value("b", FLOAT, [2, 3]), value("row", FLOAT, [2, 3])]
    return graph(nodes, outputs, inputs, {"half": np.array(0.5, np.float32)})


def loop(rounds, **types) -> bytes:
    made = node("Loop", ["m", "", "x"], ["last", "rows"], body=body())
    if rounds is None:
        return model([made], {"x": (2, 3), "m": ()}, ["last", "rows"], types={"m": INT64, **types})
    return model([made], {"x": (2, 3)}, ["last", "rows"], {"m": np.array(rounds, np.int64)})


def test_loop_is_unrolled() -> None:
    made, _ = check(loop(4), [X])
    assert made.tensors[made.outputs[1]].shape == (4, 2, 3)
    ids = [o.id for o in made.operators]
    assert len(set(ids)) == len(ids)


def test_loop_without_an_end_is_refused() -> None:
    with pytest.raises(RefusedModel, match="more than 64 rounds; supported: up to 64"):
        import_model(loop(65), "model")
    with pytest.raises(RefusedModel, match="the number of rounds is computed at run time"):
        import_model(loop(None), "model")


def round_of(nodes, n: int, end: str):
    """A body that turns c into `end` and goes on."""
    inputs = [value(f"i{n}", INT64, []), value(f"g{n}", BOOL, []), value(f"c{n}", FLOAT, [2, 3])]
    outputs = [value(f"on{n}", BOOL, []), value(end, FLOAT, [2, 3])]
    return graph([*nodes, node("Identity", [f"g{n}"], [f"on{n}"])], outputs, inputs)


def test_loop_in_a_loop_is_bounded() -> None:
    """64 rounds of 64 rounds of many nodes are too many."""
    chain = [node("Neg", [f"v{n}"], [f"v{n + 1}"]) for n in range(8)]
    inner = round_of([node("Identity", ["c2"], ["v0"]), *chain], 2, "v8")
    outer = round_of([node("Loop", ["m", "", "c1"], ["e1"], body=inner)], 1, "e1")
    made = node("Loop", ["m", "", "x"], ["y"], body=outer)
    data = model([made], {"x": (2, 3)}, ["y"], {"m": np.array(64, np.int64)})
    with pytest.raises(RefusedModel, match="more than 20000 nodes in loops"):
        import_model(data, "model")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("backward", [0, 1])
def test_scan(axis: int, backward: int) -> None:
    size = 5 - axis
    inner = graph(
        [node("Add", ["s", "part"], ["s2"]), node("Mul", ["s2", "part"], ["out"])],
        [value("s2", FLOAT, [size]), value("out", FLOAT, [size])],
        [value("s", FLOAT, [size]), value("part", FLOAT, [size])],
    )
    made = node(
        "Scan", ["first", "x"], ["last", "rows"], body=inner, num_scan_inputs=1,
        scan_input_axes=[axis], scan_input_directions=[backward],
        scan_output_axes=[1 - axis], scan_output_directions=[backward],
    )  # fmt: skip
    data = model([made], {"first": (size,), "x": (4, 5)}, ["last", "rows"])
    check(data, [noise(size, seed=2), noise(4, 5)])
