"""CONCATENATION and PACK against the oracles: axes, types, scales, bands of rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.ops import kind_of
from nacre.ops.kind import LowerOptions, Span
from support.execute import Runner, program_of
from support.movement import TYPES, Value, content, model
from support.operators import check_operator


def joined(shapes, axis: int) -> tuple[int, ...]:
    first = list(shapes[0])
    first[axis] = sum(s[axis] for s in shapes)
    return tuple(first)


def concat_model(shapes, axis: int, dtype: str = "int8", activation: int = 0) -> bytes:
    return model(
        "CONCATENATION",
        [Value(tuple(s), dtype) for s in shapes],
        [Value(joined(shapes, axis), dtype)],
        {"axis": axis, "fused_activation_function": activation},
    )


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.integers(1, 9), min_size=1, max_size=5),
    st.data(),
    st.sampled_from(TYPES),
)
def test_concatenation(shape: list[int], sizes: list[int], data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    shapes = [[s if d == axis % len(shape) else n for d, n in enumerate(shape)] for s in sizes]
    values = [content(s, dtype, seed) for seed, s in enumerate(shapes)]
    check_operator(concat_model(shapes, axis, dtype), [values])


SCALES = [(0.1, 3), (0.25, 0), (0.2, 10), (0.013, 255), (1.9, 128)]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from(SCALES), min_size=2, max_size=3),
    st.sampled_from(SCALES),
    st.integers(0, 3),
)
def test_uint8_inputs_take_the_scale_of_the_output(ins, out, axis: int) -> None:
    shapes = [[n + 1 if d == axis else 3 for d in range(4)] for n in range(len(ins))]
    data = model(
        "CONCATENATION",
        [Value(tuple(s), "uint8", *q) for s, q in zip(shapes, ins, strict=True)],
        [Value(joined(shapes, axis), "uint8", *out)],
        {"axis": axis},
    )
    check_operator(data, [[content(s, "uint8", seed) for seed, s in enumerate(shapes)]])


def test_int8_inputs_of_another_scale_keep_their_real_values() -> None:
    """No source runtime takes them; real values stay within half a step."""
    x = np.arange(-128, 128, dtype=np.int8).reshape(1, -1)
    data = model(
        "CONCATENATION",
        [Value(x.shape, "int8", 0.5, 4), Value(x.shape, "int8", 1.0, -10)],
        [Value((1, 512), "int8", 1.0, -10)],
        {"axis": 1},
    )
    (y,) = Runner(program_of(import_model(data, "model"))).run([x, x])
    wide = np.clip(0.5 * (x.astype(float) - 4), -118, 137)
    assert np.abs((y[:, :256].astype(float) + 10) - wide).max() <= 0.5
    np.testing.assert_array_equal(y[:, 256:], x)


@pytest.mark.parametrize("axis", [2, 3])
def test_images_are_joined_row_by_row(axis: int) -> None:
    shapes = [(1, 4, 5 if axis == 2 else 3, 2), (1, 4, 3, 7 if axis == 3 else 2)]
    graph = import_model(concat_model(shapes, axis), "model")
    (node,) = graph.nodes()
    kind = kind_of(node.operator)
    spans = [a for c in kind.lower(node, LowerOptions()).calls for a in c.arguments]
    assert [s for s in spans if isinstance(s, Span)] == [Span(0, 4)] * 2
    assert kind.rows is not None and kind.rows(node, Span(1, 3)) == (Span(1, 3),) * 2


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=0, max_size=3),
    st.integers(1, 4),
    st.data(),
    st.sampled_from(["int8", "int16", "int32", "int64", "float32"]),
)
def test_pack(shape: list[int], count: int, data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    values = [content(shape, dtype, seed) for seed in range(count)]
    out = np.stack(values, axis).shape
    file = model(
        "PACK",
        [Value(tuple(shape), dtype)] * count,
        [Value(out, dtype)],
        {"axis": axis, "values_count": count},
    )
    check_operator(file, [values])


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (concat_model([(2, 3), (2, 3)], 0, activation=1), "fused activation RELU; supported: NONE"),
        (
            model("CONCATENATION", [Value((2, 3), "int8"), Value((4, 4), "int8")],
                  [Value((2, 7), "int8")], {"axis": 1}),
            r"joins \[2, 3\] and \[4, 4\] along dimension 1",
        ),
        (
            model("CONCATENATION", [Value((2, 3), "int8"), Value((2, 3), "int16")],
                  [Value((4, 3), "int8")], {"axis": 0}),
            "the input is int8 and another input int16; supported: the same type",
        ),
        (
            model("PACK", [Value((2,), "int8"), Value((3,), "int8")], [Value((2, 2), "int8")],
                  {"values_count": 2}),
            r"stacks \[\[2\], \[3\]\]; supported: equal shapes",
        ),
    ],
)  # fmt: skip
def test_refusals(data: bytes, sentence: str) -> None:
    with pytest.raises(RefusedModel, match=sentence):
        import_model(data, "model")
