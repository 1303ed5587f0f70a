"""MINIMUM, MAXIMUM, FLOOR_DIV, FLOOR_MOD, POW, LOGICAL_AND, LOGICAL_OR against the oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, broadcast_shapes, model, samples, values
from support.execute import Runner, program_of
from support.operators import check_operator

TYPES = {
    "MINIMUM": ("float32", "int8", "uint8", "int16", "int32", "int64"),
    "MAXIMUM": ("float32", "int8", "uint8", "int16", "int32", "int64"),
    "FLOOR_DIV": ("float32", "int8", "int16", "int32"),
    "FLOOR_MOD": ("float32", "int8", "int16", "int32", "int64"),
    "POW": ("float32", "int32"),
    "LOGICAL_AND": ("bool",),
    "LOGICAL_OR": ("bool",),
}
CASES = [(o, t) for o, types in TYPES.items() for t in types]


def spec(shape: tuple[int, ...], dtype: str) -> Spec:
    quantized = dtype in ("int8", "uint8", "int16")
    return Spec(shape, dtype, 0.1 if quantized else None)


@settings(max_examples=90, deadline=None, derandomize=True)
@given(st.sampled_from(CASES), broadcast_shapes(), st.integers(0, 99))
def test_against_the_oracles(case, shapes, seed):
    operator, dtype = case
    a, b = (spec(s, dtype) for s in shapes[:2])
    data = model(operator, [a, b], spec(shapes[2], dtype))
    x, z = samples(np.random.default_rng(seed), [a, b], 1)[0]
    if operator in ("FLOOR_DIV", "FLOOR_MOD"):
        # The oracles do not define divisions by 0 nor quotients that overflow.
        x, z = np.maximum(x, -100), np.where(z == 0, z.dtype.type(3), z)
    if operator == "POW":
        x, z = (np.abs(x), z / 2) if dtype == "float32" else (x % 9 - 4, z % 9)
    check_operator(data, [[x.astype(dtype), z.astype(dtype)]])


@pytest.mark.parametrize("operator", ["MINIMUM", "MAXIMUM"])
@pytest.mark.parametrize("position", [0, 1])
def test_constants_on_either_side(operator, position):
    rng = np.random.default_rng(0)
    inputs = [spec((1, 3, 4, 2), "float32")]
    inputs.insert(position, Spec((2,), "float32", content=values(rng, "float32", (2,))))
    data = model(operator, inputs, spec((1, 3, 4, 2), "float32"))
    check_operator(data, samples(rng, inputs))


@pytest.mark.parametrize(
    ("operator", "first", "second", "expected"),
    [
        ("FLOOR_DIV", [7, -7, -(2**31), 5], [0, 2, -1, -2], [0, -4, -(2**31), -3]),
        ("FLOOR_MOD", [7, -7, -(2**31), 5], [0, 2, -1, -2], [0, 1, 0, -1]),
        ("POW", [2, -1, 1, 3], [-1, -3, -2, 40], [0, -1, 1, 3**40 % 2**32 - 2**32]),
    ],
)
def test_integers_at_the_edges(operator, first, second, expected):
    a = spec((4,), "int32")
    graph = import_model(model(operator, [a, a], a), "model")
    inputs = [np.array(v, np.int32) for v in (first, second)]
    (ours,) = Runner(program_of(graph)).run(inputs)
    wrapped = [(e + 2**31) % 2**32 - 2**31 for e in expected]
    assert ours.tolist() == wrapped


def test_refusals():
    a = spec((1, 4), "int64")
    with pytest.raises(RefusedModel, match="its types are int64; supported: float32, or int32"):
        import_model(model("POW", [a, a], a), "model")
