"""Small graphs for the tests of passes, and the check that a pass changes no number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.ir import Array, Graph
from nacre.passes.verify import verify
from nacre.reference import run_reference
from support.execute import Runner, program_of
from tflite_builder import ModelBuilder

SAME, VALID = 0, 1
INT8 = ("int8", 0.5, -3)
FLOAT = ("float32",)


def graph_of(builder: ModelBuilder) -> Graph:
    return verify(import_model(builder.build(), "model"))


def types_of(graph: Graph) -> list[str]:
    return [o.type for o in graph.operators]


def check_pass(
    builder: ModelBuilder, step: Callable[[Graph], Graph], samples: Sequence[Sequence[Array]]
) -> Graph:
    """Run one pass; references before, after, and the kernels of the whole line agree."""
    before = graph_of(builder)
    after = verify(step(before))
    runner = Runner(program_of(before))
    states: tuple[dict[str, Array], dict[str, Array]] = ({}, {})
    for sample in samples:
        expected = run_reference(before, list(sample), states[0])
        simpler = run_reference(after, list(sample), states[1])
        kernels = runner.run(list(sample))
        for a, b, c in zip(expected, simpler, kernels, strict=True):
            np.testing.assert_array_equal(a, b)
            np.testing.assert_allclose(a, c, rtol=1e-5, atol=1e-6)
    return after


def convolution(
    builder: ModelBuilder,
    x: int,
    shape: Sequence[int],
    out: Sequence[int],
    kind: Sequence[object] = INT8,
    stride: int = 1,
    padding: int = VALID,
) -> int:
    """A 3x3 convolution of x, which is `shape`, to `out`."""
    dtype, *quantization = kind
    rng = np.random.default_rng(1)
    weights_shape = (out[-1], 3, 3, shape[-1])
    if dtype == "float32":
        weights = rng.standard_normal(weights_shape).astype(np.float32)
        w = builder.constant("w", weights)
        b = builder.constant("b", rng.standard_normal(out[-1]).astype(np.float32))
    else:
        w = builder.constant("w", rng.integers(-99, 99, weights_shape).astype(np.int8), 0.02)
        b = builder.constant("b", rng.integers(-500, 500, out[-1]).astype(np.int32), 0.01)
    y = builder.tensor("conv", out, str(dtype), *quantization)
    options = {"stride_h": stride, "stride_w": stride, "padding": padding}
    builder.operator("CONV_2D", [x, w, b], [y], options)
    return y
