"""pad_after_views: the PAD of a one-dimensional convolution comes to stand before it."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.passes import simplify
from nacre.passes.pad_after_views import pad_after_views
from support.graphs import INT8, check_pass, graph_of, types_of
from support.movement import content
from tflite_builder import ModelBuilder

VALID = 1
X = [[content((1, 12, 4), "int8")]]


BORDER = ((0, 0), (2, 0), (0, 0))


def causal(out: tuple[int, ...], twice: bool = False) -> ModelBuilder:
    """PAD of [1, 12, 4] in time, a view as `out`, a convolution of three taps along it."""
    b = ModelBuilder()
    x = b.input("x", (1, 12, 4), *INT8)
    wide = tuple(n + a + c for n, (a, c) in zip((1, 12, 4), BORDER, strict=True))
    padded = b.tensor("padded", wide, *INT8)
    view = b.tensor("view", out, *INT8)
    b.operator("PAD", [x, b.constant("border", np.array(BORDER, np.int32))], [padded])
    b.operator("RESHAPE", [padded, b.constant("shape", np.array(out, np.int32))], [view])
    taps = (1, 3) if out[1] == 1 else (3, 1)
    weights = np.random.default_rng(0).integers(-99, 99, (5, *taps, out[3])).astype(np.int8)
    w = b.constant("w", weights, 0.02)
    bias = b.constant("b", np.arange(5, dtype=np.int32), 0.01)
    size = (1, out[1] - taps[0] + 1, out[2] - taps[1] + 1, 5)
    y = b.tensor("y", size, *INT8)
    b.operator("CONV_2D", [view, w, bias], [y], {"stride_h": 1, "stride_w": 1, "padding": VALID})
    b.output(y, *([padded] if twice else []))
    return b


@pytest.mark.parametrize("out", [(1, 1, 14, 4), (1, 14, 1, 4)])
def test_the_view_comes_first_and_the_pad_is_fused(out: tuple[int, ...]) -> None:
    after = check_pass(causal(out), pad_after_views, X)
    assert types_of(after) == ["RESHAPE", "PAD", "CONV_2D"]
    assert [o.id for o in after.operators] == ["1", "0", "2"]
    assert types_of(simplify(graph_of(causal(out)))) == ["RESHAPE", "CONV_2D"]


@pytest.mark.parametrize(
    "builder",
    [causal((1, 7, 2, 4)), causal((1, 1, 14, 4), twice=True)],
    ids=["a view that splits a dimension", "an output"],
)
def test_others_stay(builder: ModelBuilder) -> None:
    assert types_of(check_pass(builder, pad_after_views, X)) == ["PAD", "RESHAPE", "CONV_2D"]
