"""Operators that no shared network has, as emitted C under sanitizers with dead bytes poisoned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from onnx_models import model, node, noise

from nacre.build import write_files
from nacre.emit.module import module_files
from nacre.frontends.onnx.importer import import_model
from nacre.oracles import run_ort
from support.compare import assert_equal
from support.execute import program_of
from support.modules import SANITIZED, Module, run_module

INT64 = TensorProto.INT64
LOWEST = np.iinfo(np.int64).min


def layers() -> tuple[bytes, list[np.ndarray]]:
    """Recurrent layers of every kind, both ways, with states and without."""
    rng = np.random.default_rng(0)
    nodes, outputs, constants = [], [], {}
    for kind, gates, attributes in (
        ("RNN", 1, {"activations": ["Softplus", "Softsign"]}),
        ("GRU", 3, {"linear_before_reset": 0}),
        ("GRU", 3, {"linear_before_reset": 1, "clip": 0.5}),
        ("LSTM", 4, {"input_forget": 1}),
    ):
        n = len(nodes)
        names = [f"w{n}", f"r{n}", f"b{n}"]
        for name, shape in zip(names, ((5,), (6,), (2,)), strict=True):
            rows = (2, 2 * gates * 6) if shape == (2,) else (2, gates * 6, *shape)
            constants[name] = (rng.standard_normal(rows) * 0.4).astype(np.float32)
        nodes.append(node(kind, ["x", *names], [f"y{n}", f"h{n}"], hidden_size=6,
                          direction="bidirectional", **attributes))  # fmt: skip
        outputs += [f"y{n}", f"h{n}"]
    return model(nodes, {"x": (7, 2, 5)}, outputs, constants), [noise(7, 2, 5)]


def picks() -> tuple[bytes, list[np.ndarray]]:
    """Elements by indices, some of them out of range by no more than the standard allows."""
    nodes = [
        node("GatherElements", ["x", "i"], ["g"], axis=1),
        node("ScatterElements", ["x", "i", "g"], ["s"], axis=1, reduction="add"),
        node("ScatterElements", ["x", "j", "g"], ["t"], axis=1),
        node("ScatterND", ["x", "k", "u"], ["n"]),
        node("TopK", ["x", "two"], ["v", "p"], axis=0),
        node("Div", ["a", "b"], ["q"]),
        node("Mod", ["a", "b"], ["m"]),
    ]
    inputs = {
        "x": noise(4, 5), "i": np.array([[0, -5], [4, 4], [1, 1], [-1, 2]]),
        "k": np.array([[1, 2], [-1, 0]]), "u": noise(2, seed=1),
        "a": np.array([9, -9, 2**40, LOWEST]), "b": np.array([4, 4, -3, 7]),
    }  # fmt: skip
    types = dict.fromkeys(("i", "k", "a", "b", "p", "q", "m"), INT64)
    constants = {"two": np.array([2]), "j": np.array([[0, 1], [2, 3], [4, 0], [1, 2]])}
    shapes = {n: v.shape for n, v in inputs.items()}
    outputs = ["g", "s", "t", "n", "v", "p", "q", "m"]
    data = model(nodes, shapes, outputs, constants, opset=18, types=types)
    return data, list(inputs.values())


def functions() -> tuple[bytes, list[np.ndarray]]:
    """Every float function of one value, at the ends of float32 too."""
    kinds = ["Erf", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh",
             "Softplus", "Softsign", "Mish", "Selu", "Celu", "HardSwish"]  # fmt: skip
    nodes = [node(kind, ["x"], [kind]) for kind in kinds]
    x = np.array([0, -0.0, 1e-38, 0.5, -0.9, 1, -1, 3, -8, 80, -80], np.float32)
    return model(nodes, {"x": x.shape}, kinds, opset=22), [x]


@pytest.mark.slow
@pytest.mark.parametrize("made", [layers, picks, functions])
def test_operators_as_c(made, tmp_path: Path) -> None:
    data, inputs = made()
    graph = import_model(data, "net")
    program = program_of(graph)
    write_files(tmp_path, module_files(program))
    (ours,) = run_module(Module(program, graph, tmp_path), [inputs], SANITIZED)
    (theirs,) = run_ort(data, [inputs])
    for key, a, b in zip(graph.outputs, ours, theirs, strict=True):
        # A function that is large somewhere is compared where it is not, too.
        near = np.abs(b) < 100 if b.dtype.kind == "f" else np.ones(b.shape, np.bool_)
        assert_equal(a[near], b[near], key)
        assert_equal(a, b, key, 1e-5)
