"""Golden vectors of ONNX models."""

from __future__ import annotations

import numpy as np
from onnx_models import model, node

from nacre.config.load import parse_config
from nacre.frontends.onnx.importer import import_model
from nacre.golden import golden_vectors

ONE = {"one": np.ones(1, np.float32)}


def notes_of(last: str) -> tuple[str, ...]:
    """Of a model whose output is a function of -|x| - 1."""
    nodes = [
        node("Abs", ["x"], ["a"]),
        node("Add", ["a", "one"], ["b"]),
        node("Neg", ["b"], ["c"]),
        node(last, ["c"], ["y"]),
    ]
    data = model(nodes, {"x": [1, 4]}, ["y"], ONE)
    config = parse_config({"model": {"path": "model.onnx"}})
    return golden_vectors(import_model(data, "model"), data, config).notes


def test_vectors_that_prove_nothing_are_pointed_out() -> None:
    (note,) = notes_of("Sqrt")
    assert note.startswith("warning: output 'y' is NaN throughout for random inputs")


def test_other_vectors_are_not() -> None:
    assert notes_of("Exp") == ()
