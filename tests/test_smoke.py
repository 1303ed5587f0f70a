"""The whole line in a second: one tiny convolution from bytes to equal numbers."""

from __future__ import annotations

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.execute import Runner, program_of
from tflite_builder import ModelBuilder


def test_one_convolution() -> None:
    rng = np.random.default_rng(1)
    b = ModelBuilder()
    x = b.input("x", (1, 5, 5, 2), "int8", scale=0.5, zero_point=3)
    w = b.constant("w", rng.integers(-127, 128, (3, 3, 3, 2), np.int8), scale=[0.1, 0.2, 0.3])
    bias = b.constant("b", rng.integers(-99, 99, 3, np.int32), scale=[0.05, 0.1, 0.15])
    y = b.tensor("y", (1, 5, 5, 3), "int8", scale=2.0, zero_point=-5)
    b.operator("CONV_2D", [x, w, bias], [y], {"padding": 0, "stride_h": 1, "stride_w": 1})
    b.output(y)
    graph = import_model(b.build(), "smoke")
    value = rng.integers(-128, 128, (1, 5, 5, 2)).astype(np.int8)
    program = program_of(graph)
    assert 0 < program.scratch_bytes <= program.lower_bound
    (ours,) = Runner(program).run([value])
    (expected,) = run_reference(graph, [value], {})
    np.testing.assert_array_equal(ours, expected)
    assert len(np.unique(ours)) > 10
