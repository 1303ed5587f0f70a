"""SVDF against the oracles over several invokes: types, ranks, memories, zero points, refusals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import scales, values, zero_points
from support.operators import check_operator
from tflite_builder import ModelBuilder

INVOKES = 4


@dataclass(frozen=True)
class Layer:
    """A model of one layer; `state` is the type of the state and of the time weights."""

    state: str
    batches: int = 1
    inputs: int = 5
    units: int = 4
    rank: int = 2
    memory: int = 3
    scales: tuple[float, ...] = (0.05, 0.05, 0.005, 0.005, 0.01)
    points: tuple[int, ...] = (0, 0, 0)
    activation: int = 1
    bias: bool = True
    variable: bool = True
    seed: int = 0


def build(layer: Layer) -> bytes:
    b, rng = ModelBuilder(), np.random.default_rng(layer.seed)
    exact = layer.state == "float32"
    kind = "float32" if exact else "int8"
    x_scale, feature, time, state, y_scale = (None,) * 5 if exact else layer.scales
    filters = layer.units * layer.rank
    x = b.input("x", (layer.batches, layer.inputs), kind, x_scale, layer.points[0])
    features = b.constant("f", values(rng, kind, (filters, layer.inputs), 1.0), feature)
    times = b.constant("t", values(rng, layer.state, (filters, layer.memory), 1.0), time)
    operands = [x, features, times, -1]
    if layer.bias:
        content = rng.integers(-1000, 1000, layer.units).astype("float32" if exact else "int32")
        products = None if exact else float(np.float32(state) * np.float32(time))
        operands[3] = b.constant("b", content, products)
    shape = (layer.batches, filters * layer.memory)
    if layer.variable:
        kept = b.tensor("s", shape, layer.state, state, layer.points[1], variable=True)
    else:
        kept = b.input("s", shape, layer.state, state, layer.points[1])
    operands.append(kept)
    y = b.tensor("y", (layer.batches, layer.units), kind, y_scale, layer.points[2])
    options = {"rank": layer.rank, "fused_activation_function": layer.activation}
    b.operator("SVDF", operands, [y], options)
    b.output(y)
    return b.build()


def inputs_of(layer: Layer) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(layer.seed + 1)
    kind = "float32" if layer.state == "float32" else "int8"
    return [[values(rng, kind, (layer.batches, layer.inputs))] for _ in range(INVOKES)]


@st.composite
def layers(draw, state: str) -> Layer:
    coarse = 100 if state == "int8" else 1
    feature, time = draw(scales(0.01, 0.1)), draw(scales(0.001, 0.01))
    kept = draw(scales(0.001 * coarse, 0.01 * coarse))
    y = float(np.float32(kept * time * draw(scales(1.0, 1e4))))
    integer = state != "float32"
    return Layer(
        state,
        draw(st.sampled_from((1, 2))),
        draw(st.sampled_from((1, 5, 20))),
        draw(st.sampled_from((1, 4, 7))),
        draw(st.sampled_from((1, 2, 3))),
        draw(st.sampled_from((1, 2, 8))),
        (draw(scales(0.01, 0.1)), feature, time, kept, y),
        (
            draw(zero_points("int8")) if integer else 0,
            draw(zero_points("int8")) if state == "int8" else 0,
            draw(zero_points("int8")) if integer else 0,
        ),
        seed=draw(st.integers(0, 99)),
    )


@settings(max_examples=30, deadline=None, derandomize=True)
@given(layers("int16"), st.booleans())
def test_int8_with_int16_state(layer, litert):
    check_operator(build(layer), inputs_of(layer), ("litert" if litert else "tflm",), litert)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(layers("int8"))
def test_int8_with_int8_state(layer):
    check_operator(build(layer), inputs_of(layer), ("tflm",))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(layers("float32"), st.sampled_from((0, 1, 3)))
def test_float(layer, activation):
    layer = replace(layer, activation=activation)
    check_operator(build(layer), inputs_of(layer))


@pytest.mark.parametrize("state", ["int16", "float32"])
def test_without_bias(state):
    """LiteRT alone runs it."""
    layer = Layer(state, bias=False)
    check_operator(build(layer), inputs_of(layer), ("litert",), litert=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"variable": False}, "the state is not a variable; supported: a variable"),
        ({"rank": 0}, "rank is 0; supported: 1 or more"),
        ({"activation": 4}, "fused activation TANH; supported"),
        ({"state": "int32"}, "int8, int8, int32, int32, int8; supported: int8, int8, int16, int"),
    ],
)
def test_refusals(change, words):
    with pytest.raises(RefusedModel, match=words):
        import_model(build(replace(Layer("int16"), **change)), "model")
