"""CAST against the oracles: all pairs of types, and values at their edges."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, values
from support.operators import check_operator

TYPES = ("bool", "int8", "uint8", "int16", "int32", "uint32", "int64", "float32")


@pytest.mark.parametrize("source", TYPES)
@pytest.mark.parametrize("target", TYPES)
def test_all_pairs(source, target):
    rng = np.random.default_rng(0)
    x = values(rng, source, (1, 3, 4, 5), spread=100.0)
    if source == "float32":
        x.flat[:6] = [0.0, -0.0, -1.5, 1.5, 127.9, -128.9]
    data = model("CAST", [Spec(x.shape, source)], Spec(x.shape, target))
    check_operator(data, [[x], [values(rng, source, x.shape)]])


@pytest.mark.parametrize("target", TYPES[1:-1])
def test_floats_beyond_the_type_saturate(target):
    x = np.array([3e9, -3e9, 5e9, 1e20, -1e20, np.inf, -np.inf, 255.9, 70000, -70000], np.float32)
    data = model("CAST", [Spec(x.shape, "float32")], Spec(x.shape, target))
    check_operator(data, [[x]])


def test_what_is_not_a_number_becomes_zero():
    x = np.array([np.nan], np.float32)
    for target in ("int8", "int16", "int32", "uint32"):
        data = model("CAST", [Spec((1,), "float32")], Spec((1,), target))
        (ours,) = check_operator(data, [[x]], oracles=("tflm",))
        assert ours[0].tolist() == [0]


def test_half_precision():
    x = np.arange(2**16, dtype=np.uint16).view(np.float16)
    data = model("CAST", [Spec(x.shape, "float16")], Spec(x.shape, "float32"))
    (ours,) = check_operator(data, [[x]], oracles=("litert",))
    finite = np.isfinite(x)
    assert (ours[0][finite] == x[finite].astype(np.float32)).all()


def test_refusals():
    with pytest.raises(RefusedModel, match="float32 to float16; supported: bool, int8"):
        import_model(model("CAST", [Spec((1, 4), "float32")], Spec((1, 4), "float16")), "model")
