"""Results that are rounded once, ties up: against big integers, and in every kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.frontends.tflite.importer import import_model
from nacre.ir import Graph
from nacre.ops import kind_of
from nacre.ops.fixedpoint import requantize, single_multiplier
from nacre.passes import simplify
from nacre.reference import run_reference
from support.elementwise import Spec, model, values
from support.execute import Runner, program_of

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)
FRACTIONS = st.one_of(st.integers(1 << 30, (1 << 31) - 1), st.sampled_from((0, 1 << 30, 3 << 29)))


def rounded(x: int, multiplier: int, shift: int) -> int:
    """x * multiplier / 2^(31 - shift), to the nearest, ties up."""
    return (2 * x * multiplier + (1 << (31 - shift))) >> (32 - shift)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(st.lists(INT32, min_size=1, max_size=20), FRACTIONS, st.integers(-31, 30))
def test_numpy_equals_whole_numbers(xs: list[int], multiplier: int, shift: int) -> None:
    xs = [x >> max(shift, 0) for x in xs]
    found = requantize(np.array(xs), multiplier, shift - 64)
    assert found.tolist() == [rounded(x, multiplier, shift) for x in xs]


def test_channels_may_differ() -> None:
    x, multiplier = np.array([[-5, 5, -5, 5]]), np.array([1 << 30] * 4)
    found = requantize(x, multiplier, np.array([0, 0, -1, -1]) - np.array([64, 0, 64, 0]))
    assert found.tolist() == [[-2, 3, -1, 2]]
    assert requantize(np.array([-6, 6]), 1 << 30, -1).tolist() == [-2, 2]
    assert requantize(np.array([-6, 6]), 1 << 30, -1 - 64).tolist() == [-1, 2]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.floats(2.0**-31, 2.0**29))
def test_multipliers_have_31_bits(real: float) -> None:
    multiplier, shift = single_multiplier(real)
    assert -95 <= shift <= -34
    assert math.isclose(multiplier * 2.0 ** (shift + 64 - 31), real, rel_tol=2.0**-31)


# --- kernels --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """An operator, the shapes of its input, constant and output, and its exact sums."""

    operator: str
    x: tuple[int, ...]
    w: tuple[int, ...]
    y: tuple[int, ...]
    sums: Callable[[np.ndarray, np.ndarray], np.ndarray]
    count: int = 1
    types: tuple[str, ...] = ("int8", "uint8")


def _matrix(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return x.reshape(-1, 6) @ w.reshape(-1, 6).T


CASES = (
    Case("CONV_2D", (1, 9, 7, 6), (11, 1, 1, 6), (1, 9, 7, 11), _matrix),
    Case("DEPTHWISE_CONV_2D", (1, 9, 7, 6), (1, 1, 1, 6), (1, 9, 7, 6), np.multiply),
    Case("TRANSPOSE_CONV", (1, 9, 7, 6), (11, 1, 1, 6), (1, 9, 7, 11), _matrix),
    Case("FULLY_CONNECTED", (40, 6), (11, 6), (40, 11), _matrix, types=("int8",)),
    Case("BATCH_MATMUL", (40, 6), (6, 9), (40, 9), np.matmul, types=("int8",)),
    Case("MUL", (1, 9, 7, 6), (1, 1, 1, 6), (1, 9, 7, 6), np.multiply),
    Case("MEAN", (50, 8), (1,), (50,), lambda x, _: x.sum(axis=1), 8),
    Case("SUM", (50, 8), (1,), (50,), lambda x, _: x.sum(axis=1)),
)
OPTIONS = {
    name: {"padding": 1, "stride_h": 1, "stride_w": 1}
    for name in ("CONV_2D", "TRANSPOSE_CONV", "DEPTHWISE_CONV_2D")
} | {"MEAN": {"keep_dims": False}, "SUM": {"keep_dims": False}}
OPTIONS["DEPTHWISE_CONV_2D"] |= {"depth_multiplier": 1}


def once(graph: Graph) -> Graph:
    """The same graph, its operator rounded once."""
    (operator,) = graph.operators
    return replace(
        graph,
        operators=(replace(operator, attributes=replace(operator.attributes, once=True)),),
    )


def inputs_of(case: Case, dtype: str, w: np.ndarray) -> list[Spec]:
    x = Spec(case.x, dtype, 1.0, 3)
    match case.operator:
        case "MEAN" | "SUM":
            return [x, Spec((1,), "int32", content=np.array([1], np.int32))]
        case "TRANSPOSE_CONV":
            shape = Spec((4,), "int32", content=np.array(case.y, np.int32))
            return [shape, Spec(w.shape, dtype, 0.5, 0, w), x]
        case _:
            return [x, Spec(w.shape, dtype, 0.5, 0, w)]


@pytest.mark.parametrize("power", [-9, -4, -2, -1, 0, 1, 2])
@pytest.mark.parametrize(
    ("case", "dtype"),
    [pytest.param(c, t, id=f"{c.operator} {t}") for c in CASES for t in c.types],
)
def test_kernels_round_ties_up(case: Case, power: int, dtype: str) -> None:
    """Scales are powers of two, so that many results are ties."""
    rng = np.random.default_rng(power + 20)
    least = 0 if dtype == "uint8" else -5
    w = rng.integers(least, 6, case.w).astype(dtype)
    constant = case.operator not in ("MEAN", "SUM")
    scale = (0.5 if constant else 1.0) * 2.0**-power
    y = Spec(case.y, dtype, scale, -1 if dtype == "int8" else 100)
    graph = once(
        import_model(
            model(case.operator, inputs_of(case, dtype, w), y, OPTIONS.get(case.operator)), "model"
        )
    )
    x = values(rng, dtype, case.x)
    (ours,) = Runner(program_of(graph)).run([x])
    (reference,) = run_reference(graph, [x], {})
    np.testing.assert_array_equal(ours, reference)
    sums = case.sums(x.astype(np.int64) - 3, w.astype(np.int64)).reshape(case.y)
    exact = np.floor(sums * 2.0**power / case.count + 0.5) + y.zero_point
    np.testing.assert_array_equal(ours, np.clip(exact, *_limits(dtype)))


def _limits(dtype: str) -> tuple[int, int]:
    return int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)


TWICE = [
    (provider, operator)
    for provider in ("mve", "cmsis-nn")
    for operator in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
]


@pytest.mark.parametrize(("provider", "operator"), [*TWICE, ("cmsis-nn", "MUL")])
def test_kernels_that_round_twice_refuse(provider: str, operator: str) -> None:
    (case,) = (c for c in CASES if c.operator == operator)
    # The library multiplies tensors of one shape alone.
    made = replace(case, w=case.x) if operator == "MUL" else case
    specs, y = inputs_of(made, "int8", np.ones(made.w, np.int8)), Spec(case.y, "int8", 2.0)
    graph = simplify(import_model(model(operator, specs, y, OPTIONS.get(operator)), "model"))
    variants = [v for v in kind_of(graph.operators[0]).variants if v.isa == provider]
    assert not all(v.objection(graph.nodes()[0]) for v in variants)
    assert all(v.objection(once(graph).nodes()[0]) for v in variants)
