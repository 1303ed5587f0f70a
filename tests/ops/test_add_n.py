"""ADD_N against the oracles and against plain sums."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import Spec, model, samples
from support.execute import Runner, program_of
from support.operators import check_operator
from tflite_builder import ModelBuilder


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("dtype", ["float32", "int32", "int8"])
@pytest.mark.parametrize("shape", [(5,), (1, 3, 4, 5)])
def test_against_the_oracles(count, dtype, shape):
    q = (0.1, 0) if dtype == "int8" else (None, 0)
    inputs = [Spec(shape, dtype, *q)] * count
    y = Spec(shape, dtype, *((0.31, 5) if dtype == "int8" else (None, 0)))
    made = samples(np.random.default_rng(count), inputs)
    if dtype == "int32":
        made = [[v // 16 for v in s] for s in made]
    if count == 1:  # The oracles ask for two inputs.
        graph = import_model(model("ADD_N", inputs, y), "model")
        (ours,) = Runner(program_of(graph)).run(made[0])
        plain = np.clip(np.round(made[0][0] * (0.1 / 0.31)) + 5, -128, 127)
        assert (ours == (plain if dtype == "int8" else made[0][0])).all()
        return
    check_operator(model("ADD_N", inputs, y), made)


def test_zero_points_and_scales_that_differ():
    """TFLite Micro counts a zero point once too often; the sum of real numbers is what counts."""
    inputs = [Spec((1, 200), "int8", 0.1 * (i + 1), 10 * i - 7) for i in range(4)]
    data = model("ADD_N", inputs, Spec((1, 200), "int8", 0.9, 3))
    (made,) = samples(np.random.default_rng(0), inputs, 1)
    (ours,) = Runner(program_of(import_model(data, "model"))).run(made)
    real = sum(
        s.scale * (v.astype(np.float64) - s.zero_point) for s, v in zip(inputs, made, strict=True)
    )
    expected = np.clip(real / 0.9 + 3, -128, 127)
    assert np.abs(ours - expected).max() <= 0.5 + 1e-3


def test_a_tensor_that_is_added_again_later():
    b = ModelBuilder()
    x, z = (b.input(n, (1, 6), "float32") for n in "xz")
    y = b.tensor("y", (1, 6), "float32")
    b.operator("ADD_N", [x, z, x, z], [y])
    b.output(y)
    rng = np.random.default_rng(0)
    check_operator(b.build(), [[rng.standard_normal((1, 6)).astype(np.float32) for _ in "xz"]])


def test_refusals():
    a, b = Spec((1, 4), "float32"), Spec((1, 3), "float32")
    with pytest.raises(RefusedModel, match=r"inputs of shapes \[1, 3\], \[1, 4\]"):
        import_model(model("ADD_N", [a, b], a), "model")
    a = Spec((1, 4), "int16", 0.1)
    with pytest.raises(RefusedModel, match="inputs and output are int16; supported: all float32"):
        import_model(model("ADD_N", [a, a], a), "model")
    a = Spec((1, 4), "int8", 0.1)
    with pytest.raises(RefusedModel, match="17 int8 inputs; supported: up to 16"):
        import_model(model("ADD_N", [a] * 17, a), "model")
