"""Einsum, spectra, and functions of one value against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto
from onnx_models import check, model, node, noise

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import import_model

EQUATIONS = {
    "ij,jk->ik": [(3, 4), (4, 5)],
    "bij,bjk->bik": [(2, 3, 4), (2, 4, 5)],
    "bhid,bhjd->bhij": [(1, 2, 3, 4), (1, 2, 5, 4)],
    "bhij,bhjd->bihd": [(1, 2, 3, 5), (1, 2, 5, 4)],
    "bij,bkj->bik": [(2, 3, 4), (2, 5, 4)],
    "ij,jk": [(3, 4), (4, 5)],
    "...ij,...jk->...ik": [(2, 3, 4), (2, 4, 5)],
    "abc,cd->abd": [(2, 3, 4), (4, 5)],
    "i,i->": [(4,), (4,)],
    "i,j->ij": [(3,), (4,)],
    "ij,ij->ij": [(3, 4), (3, 4)],
    "ij->ji": [(3, 4)],
    "ij->i": [(3, 4)],
    "...ii->...i": [(2, 3, 3)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 5)],
    "bnd,md->bnm": [(2, 3, 4), (5, 4)],
    "ncvl,vw->ncwl": [(1, 2, 3, 4), (3, 5)],
    "ij,kj->k": [(3, 4), (5, 4)],
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation: str) -> None:
    shapes = EQUATIONS[equation]
    names = [f"x{n}" for n in range(len(shapes))]
    made = node("Einsum", names, ["y"], equation=equation)
    inputs = dict(zip(names, shapes, strict=True))
    check(model([made], inputs, ["y"]), [noise(*s, seed=n) for n, s in enumerate(shapes)])


@pytest.mark.parametrize(
    ("equation", "message"),
    [
        ("ij,jk,kl->il", "for 2 inputs"),
        ("ijk,jk->i", r"for an input of \[3, 4\]"),
        ("ij,jk->iz", "letters of the result are missing or there twice"),
        ("ij,ik->jk", "a dimension is 3 and 4; supported: one size"),
    ],
)
def test_einsum_refusals(equation: str, message: str) -> None:
    made = node("Einsum", ["a", "b"], ["y"], equation=equation)
    with pytest.raises(RefusedModel, match=message):
        import_model(model([made], {"a": (3, 4), "b": (4, 5)}, ["y"]), "model")


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("length", [16, 12])
def test_stft(length: int, onesided: int) -> None:
    made = node("STFT", ["x", "step", "w"], ["y"], onesided=onesided)
    window = np.hanning(length).astype(np.float32)
    constants = {"step": np.array(5), "w": window}
    data = model([made], {"x": (2, 61, 1)}, ["y"], constants)
    check(data, [noise(2, 61, 1)])


@pytest.mark.parametrize("inverse", [0, 1])
@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("axis", [1, 2])
def test_dft(axis: int, parts: int, inverse: int) -> None:
    made = node("DFT", ["x"], ["y"], axis=axis, inverse=inverse)
    check(model([made], {"x": (1, 8, 6, parts)}, ["y"]), [noise(1, 8, 6, parts)])


@pytest.mark.parametrize("length", [6, 11])
def test_dft_of_another_length(length: int) -> None:
    made = node("DFT", ["x", "n"], ["y"], axis=1, onesided=1)
    check(model([made], {"x": (1, 8, 1)}, ["y"], {"n": np.array(length)}), [noise(1, 8, 1)])


DOMAIN = {"Acosh": (1.0, 6.0), "Asin": (-1, 1), "Acos": (-1, 1), "Atanh": (-0.95, 0.95)}


@pytest.mark.parametrize(
    "kind", ["Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh"]
)
def test_trigonometric(kind: str) -> None:
    low, high = DOMAIN.get(kind, (-1.4, 1.4))
    x = np.linspace(low, high, 60, dtype=np.float32).reshape(3, 20)
    check(model([node(kind, ["x"], ["y"])], {"x": x.shape}, ["y"]), [x])


@pytest.mark.parametrize("kind", ["IsNaN", "IsInf"])
def test_what_is_no_number(kind: str) -> None:
    x = np.array([0, np.nan, np.inf, -np.inf, 3e38], np.float32)
    data = model([node(kind, ["x"], ["y"])], {"x": x.shape}, ["y"], types={"y": TensorProto.BOOL})
    check(data, [x])


def test_rows_that_are_masked_completely() -> None:
    """-inf passes through sums, products and the largest of a row."""
    mask = np.zeros((4, 4), np.float32)
    mask[1] = mask[:, 2] = -np.inf
    nodes = [
        node("Add", ["x", "mask"], ["s"]),
        node("ReduceMax", ["s"], ["largest"], axes=[-1]),
        node("Mul", ["largest", "two"], ["y"]),
    ]
    constants = {"mask": mask, "two": np.array(2, np.float32)}
    graph = import_model(model(nodes, {"x": (4, 4)}, ["y", "s"], constants), "model")
    from support.execute import Runner, program_of

    x = noise(4, 4)
    y, s = Runner(program_of(graph)).run([x])
    assert (s == x + mask).all()
    assert (y[:, 0] == 2 * (x + mask).max(axis=1)).all()
    assert np.isneginf(y[1, 0])
