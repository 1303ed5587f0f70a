"""Names of the file never collide with ids that the compiler makes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx_models import check, model, node, noise

from nacre.frontends.onnx.importer import import_model


@pytest.mark.parametrize(
    "name", ["opconv.requant", "opconv.scratch0", "opconv.weights", "conv/0", "conv/1", "conv/2"]
)
def test_tensors_called_like_ids_of_ours(name: str) -> None:
    """The tensor after the convolution has a name that its own parts might have."""
    nodes = [
        node("Conv", ["x", "w", "b"], [name], name="conv"),
        node("Relu", [name], ["r"], name="conv/transpose0"),
        node("Add", ["r", name], ["y"], name="opconv"),
    ]
    constants = {"w": noise(4, 3, 3, 3), "b": noise(4, seed=1)}
    data = model(nodes, {"x": (1, 3, 6, 6)}, ["y"], constants)
    graph, _ = check(data, [noise(1, 3, 6, 6, seed=2)])
    assert name in {t.name for t in graph.tensors.values()}
    ids = [o.id for o in graph.operators]
    assert len(set(ids)) == len(ids)


def test_layers_with_derived_tensors() -> None:
    """LSTM has scratch, a tensor of its input is called like it."""
    w, r = noise(1, 16, 3), noise(1, 16, 4, seed=1)
    nodes = [
        node("Neg", ["x"], ["oplayer.scratch0"], name="n"),
        node("LSTM", ["oplayer.scratch0", "w", "r"], ["y"], name="layer", hidden_size=4),
    ]
    data = model(nodes, {"x": (5, 1, 3)}, ["y"], {"w": w, "r": r})
    graph, _ = check(data, [noise(5, 1, 3, seed=2)])
    assert "oplayer.scratch0" not in graph.tensors
    assert any(t.name == "oplayer.scratch0" for t in graph.tensors.values())


def test_names_of_branches_may_repeat_those_outside() -> None:
    from onnx import helper

    def branch(kind: str):
        out = helper.make_tensor_value_info("t", 1, None)
        return helper.make_graph([node(kind, ["x"], ["t"], name="a")], "g", [], [out])

    nodes = [
        node("Neg", ["x"], ["u"], name="a"),
        node("If", ["c"], ["v"], then_branch=branch("Exp"), else_branch=branch("Abs")),
        node("Add", ["u", "v"], ["y"], name="b"),
    ]
    data = model(nodes, {"x": (2, 3), "c": ()}, ["y"], types={"c": 9})
    graph, _ = check(data, [noise(2, 3), np.array(False)])
    ids = [o.id for o in graph.operators]
    assert len(set(ids)) == len(ids)
    assert import_model(data, "again").operators == graph.operators
