"""The walk of elementwise kernels: merged loops, windows of rows, what may be overwritten."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ir import Node
from nacre.ops import kind_of
from nacre.ops.elementwise import Broadcast, Each, Walk, walk_over
from nacre.ops.kind import Call, LowerOptions, Params, Pointer, Span
from support.elementwise import Spec, broadcast_shapes, model, values
from support.execute import Rows, kernel_library, struct_of
from support.golden import run_reference


def indices(walk: Walk, position: int) -> list[int]:
    """Which element of an input each element of the output reads, as the C headers define it."""
    one = walk.inputs[position]
    found = []
    for row in range(walk.rows):
        start = (row % one.ring) * one.row
        for at in np.ndindex(*walk.dims):
            base = start + sum(a * s for a, s in zip(at, one.strides, strict=True))
            found += [base + i * one.step for i in range(walk.run)]
    return found


@settings(max_examples=200, deadline=None, derandomize=True)
@given(broadcast_shapes(dimensions=6, side=3))
def test_a_walk_reads_what_numpy_broadcasts(shapes):
    *inputs, out = shapes
    walk = walk_over(tuple(inputs), out)
    for position, shape in enumerate(inputs):
        numbers = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        assert indices(walk, position) == np.broadcast_to(numbers, out).reshape(-1).tolist()


@pytest.mark.parametrize(
    ("first", "second", "dims", "run"),
    [
        ((1, 8, 4, 3), (1, 8, 4, 3), (1, 1, 1, 1), 12),
        ((1, 8, 4, 3), (3,), (1, 1, 1, 4), 3),
        ((1, 8, 4, 3), (), (1, 1, 1, 1), 12),
        ((5, 8, 4, 3), (5, 8, 4, 3), (1, 1, 1, 1), 480),
        ((1, 1, 4, 3), (1, 8, 4, 3), (1, 1, 1, 1), 12),
    ],
)
def test_plain_patterns_have_long_runs(first, second, dims, run):
    walk = walk_over((first, second), tuple(np.broadcast_shapes(first, second)))
    assert (walk.dims, walk.run) == (dims, run)


def node_of(data: bytes) -> Node:
    (node,) = import_model(data, "model").nodes()
    return node


def test_what_may_be_overwritten():
    def allowed(operator: str, inputs: list[Spec], output: Spec) -> tuple[int, ...]:
        node = node_of(model(operator, inputs, output))
        return kind_of(node.operator).in_place(node)

    a, row, one = (Spec(s, "float32") for s in ((1, 4, 4, 2), (1, 1, 4, 2), (2,)))
    constant = Spec((1, 4, 4, 2), "float32", content=np.zeros((1, 4, 4, 2), np.float32))
    whole = Spec((1, 4, 4, 2), "int32")
    assert allowed("ADD", [a, a], a) == (0, 1)
    assert allowed("ADD", [a, row], a) == (0,)
    assert allowed("ADD", [one, a], a) == (1,)
    assert allowed("ADD", [constant, a], a) == (1,)
    assert allowed("CAST", [a], whole) == ()
    assert allowed("CAST", [whole], Spec((1, 4, 4, 2), "int8")) == ()
    assert allowed("LESS", [a, a], Spec((1, 4, 4, 2), "bool")) == ()
    assert allowed("EXP", [a], a) == (0,)


def test_rows_that_are_needed():
    def needs(inputs: list[Spec], output: Spec) -> tuple[Span | None, ...]:
        node = node_of(model("ADD", inputs, output))
        rows = kind_of(node.operator).rows
        assert rows is not None
        return rows(node, Span(1, 3))

    a, row, column = (Spec(s, "float32") for s in ((1, 4, 5, 2), (1, 1, 5, 2), (1, 4, 1, 2)))
    assert needs([a, a], a) == (Span(1, 3), Span(1, 3))
    assert needs([a, row], a) == (Span(1, 3), None)
    assert needs([column, a], a) == (Span(1, 3), Span(1, 3))
    batch = Spec((2, 4, 5, 2), "float32")
    assert needs([batch, a], batch) == (None, None)


CASES = [
    ("ADD", "int8", ((1, 7, 5, 3), (1, 7, 5, 3))),
    ("ADD", "int16", ((1, 7, 5, 3), (1, 1, 5, 3))),
    ("MUL", "float32", ((1, 7, 5, 3), (1, 7, 1, 1))),
    ("SUB", "float32", ((3,), (1, 7, 5, 3))),
    ("LESS", "int32", ((1, 7, 5, 3), (1, 7, 5, 1))),
    ("RELU", "int8", ((1, 7, 5, 3),)),
    ("LEAKY_RELU", "int8", ((1, 7, 5, 3),)),
    ("EXP", "float32", ((1, 7, 5, 3),)),
]


@pytest.mark.parametrize(("operator", "dtype", "shapes"), CASES)
@pytest.mark.parametrize("band", [1, 2, 3])
def test_bands_of_rows_from_rings(operator, dtype, shapes, band):
    """A few rows at a time, inputs and output in rings of as many rows."""
    q = (0.05, 0) if dtype in ("int8", "int16") else (None, 0)
    inputs = [Spec(s, dtype, *q) for s in shapes]
    output = Spec((1, 7, 5, 3), "bool") if operator == "LESS" else Spec((1, 7, 5, 3), dtype, *q)
    data = model(operator, inputs, output)
    rng = np.random.default_rng(0)
    whole = [values(rng, dtype, s) for s in shapes]
    (expected,) = run_reference(import_model(data, "model"), whole, {})
    found = np.concatenate(
        [run_band(node_of(data), whole, Span(r, min(r + band, 7)), band) for r in range(0, 7, band)]
    )
    assert np.allclose(found, expected[0], rtol=1e-6)


def run_band(node: Node, whole: list[np.ndarray], rows: Span, ring: int) -> np.ndarray:
    lowered = kind_of(node.operator).lower(node, LowerOptions())
    (call,) = lowered.calls
    needs = kind_of(node.operator).rows(node, rows)
    y = node.output
    kept = {t.id: t.constant for t in lowered.constants}
    kept[y.id] = np.zeros((ring, *y.shape[2:]), y.dtype.numpy)
    for tensor, value, need in zip(node.inputs, whole, needs, strict=True):
        kept[tensor.id] = value if need is None else in_ring(value, need, ring)
    call_kernel(call, kept, rows, ring)
    return np.stack([kept[y.id][r % ring] for r in range(rows.begin, rows.end)])


def in_ring(value: np.ndarray, rows: Span, ring: int) -> np.ndarray:
    kept = np.zeros((ring, *value.shape[2:]), value.dtype)
    for row in range(rows.begin, rows.end):
        kept[row % ring] = value[0, row]
    return kept


def call_kernel(call: Call, kept: dict[str, np.ndarray], rows: Span, ring: int) -> None:
    function = getattr(kernel_library(), call.kernel.name)
    function.restype = None

    def rung(params: Params) -> Params:
        if isinstance(params, Each):
            return replace(params, input_ring=ring, output_ring=ring)
        if isinstance(params, Broadcast):
            rings = [ring if r > 1 else 1 for r in (params.first_ring, params.second_ring)]
            return replace(params, first_ring=rings[0], second_ring=rings[1], output_ring=ring)
        return params

    arguments = []
    for a in call.arguments:
        if isinstance(a, Pointer):
            arguments.append(ctypes.c_void_p(kept[a.tensor].ctypes.data))
        elif isinstance(a, Params):
            arguments.append(ctypes.byref(struct_of(rung(a))))
        else:
            arguments.append(Rows(rows.begin, rows.end) if isinstance(a, Span) else a)
    function(*arguments)


@pytest.mark.parametrize("operator", ["ADD", "MUL", "DIV", "SQUARED_DIFFERENCE", "ADD_N", "PRELU"])
def test_narrow_integers_need_one_scale(operator):
    specs = [Spec((1, 4), "int8", 0.1), Spec((1, 4), "int8")]
    with pytest.raises(RefusedModel, match=r"input 1 is int8 with(out a scale| no scales)"):
        import_model(model(operator, specs, Spec((1, 4), "int8", 0.1)), "model")


@pytest.mark.parametrize("operator", ["ADD", "DIV", "SQUARED_DIFFERENCE", "ADD_N"])
def test_constants_of_scale_zero_are_refused_where_scales_divide(operator):
    zeros = Spec((1, 4), "int8", 0.0, content=np.zeros((1, 4), np.int8))
    spec = Spec((1, 4), "int8", 0.1)
    with pytest.raises(RefusedModel, match="input 1 has the scale 0; supported: above 0"):
        import_model(model(operator, [spec, zeros], spec), "model")


def test_broadcasts_over_seven_dimensions_are_refused():
    a, b = Spec((1, 2) * 3 + (1,), "float32"), Spec((2, 1) * 3 + (2,), "float32")
    with pytest.raises(RefusedModel, match="it broadcasts over 7 dimensions; supported: 6"):
        import_model(model("ADD", [a, b], Spec((2,) * 7, "float32")), "model")
