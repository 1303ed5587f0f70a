"""UNIDIRECTIONAL_SEQUENCE_LSTM against the oracles over several invokes, and its refusals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.elementwise import values, zero_points
from support.operators import check_operator
from tflite_builder import ModelBuilder

INVOKES = 3
TANH = 4
# Type of the values -> of the weights, the biases, the cells.
TYPES = {
    "int8": ("int8", "int32", "int16"),
    "int16": ("int8", "int64", "int16"),
    "float32": ("float32", "float32", "float32"),
}


@dataclass(frozen=True)
class Layer:
    """A model of one layer. `further` fills optional inputs by position."""

    kind: str
    batches: int = 1
    steps: int = 3
    inputs: int = 5
    cells: int = 4
    time_major: bool = False
    clip: float = 0.0
    cell_scale: float = 2.0**-11
    points: tuple[int, int] = (0, 0)
    activation: int = TANH
    further: tuple[int, ...] = ()
    input_gate: bool = True
    seed: int = 0

    @property
    def shape(self) -> tuple[int, int, int]:
        sides = (self.steps, self.batches) if self.time_major else (self.batches, self.steps)
        return (*sides, self.inputs)


def build(layer: Layer) -> bytes:
    b, rng = ModelBuilder(), np.random.default_rng(layer.seed)
    exact = layer.kind == "float32"
    weights, biases, cells = TYPES[layer.kind]
    x_scale = 0.02 if layer.kind == "int8" else 0.02 / 256
    h_scale = 1 / 128 if layer.kind == "int8" else 1 / 32768

    def weight(name: str, *shape: int) -> int:
        scale = None if exact else float(np.float32(rng.uniform(0.002, 0.02)))
        return b.constant(name, values(rng, weights, shape, 0.5), scale)

    def bias(name: str) -> int:
        content = rng.integers(-3000, 3000, layer.cells) / (3000 if exact else 1)
        return b.constant(name, content.astype(biases), None if exact else 1e-4)

    def tensor(name: str, shape: tuple[int, ...], dtype: str, scale: float, point: int = 0) -> int:
        return b.tensor(name, shape, dtype, None if exact else scale, point, variable=name in "hc")

    x = b.input("x", layer.shape, layer.kind, None if exact else x_scale, layer.points[0])
    n = layer.cells
    operands = [x, *(weight(f"w{g}", n, layer.inputs) for g in range(4))]
    operands += [weight(f"r{g}", n, n) for g in range(4)] + [-1] * 3
    operands += [bias(f"b{g}") for g in range(4)] + [-1] * 2
    operands.append(tensor("h", (layer.batches, n), layer.kind, h_scale, layer.points[1]))
    operands.append(tensor("c", (layer.batches, n), cells, layer.cell_scale))
    operands += [-1] * 4
    if not layer.input_gate:
        operands[1] = operands[5] = operands[12] = -1
    for position in layer.further:
        operands[position] = weight(f"p{position}", n)
    y = tensor("y", (*layer.shape[:2], n), layer.kind, h_scale, layer.points[1])
    between = () if exact else [tensor(f"i{g}", (0,), "int16", 2.0**-12) for g in range(4)]
    if between:
        between.append(tensor("i4", (0,), layer.kind, h_scale, layer.points[1]))
    options = {
        "fused_activation_function": layer.activation,
        "time_major": layer.time_major,
        "cell_clip": layer.clip,
    }
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], options, intermediates=between)
    b.output(y)
    return b.build()


def inputs_of(layer: Layer) -> list[list[np.ndarray]]:
    rng = np.random.default_rng(layer.seed + 1)
    return [[values(rng, layer.kind, layer.shape, 1.0)] for _ in range(INVOKES)]


@st.composite
def layers(draw, kind: str) -> Layer:
    points = zero_points("int8") if kind == "int8" else st.just(0)
    return Layer(
        kind,
        draw(st.sampled_from((1, 2, 3))),
        draw(st.sampled_from((1, 4))),
        draw(st.sampled_from((1, 5, 20))),
        draw(st.sampled_from((1, 4, 7, 16))),
        draw(st.booleans()),
        draw(st.sampled_from((0.0, 0.0, 0.5, 8.0))),
        2.0 ** draw(st.sampled_from((-9, -10, -11, -12, -13, -15))),
        (draw(points), draw(points)),
        seed=draw(st.integers(0, 99)),
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(layers("int8"), st.booleans())
def test_int8(layer, litert):
    check_operator(build(layer), inputs_of(layer), ("litert" if litert else "tflm",), litert)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(layers("int16"))
def test_int16(layer):
    check_operator(build(layer), inputs_of(layer), ("tflm",))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(layers("float32"))
def test_float(layer):
    check_operator(build(layer), inputs_of(layer))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"further": (9,)}, "it has peephole connections; supported: plain LSTM"),
        ({"further": (17,)}, "it has a projection; supported: plain LSTM"),
        ({"further": (21,)}, "it has layer normalisation; supported: plain LSTM"),
        ({"input_gate": False}, r"no input gate \(coupled gates\); supported: four gates"),
        ({"activation": 1}, r"fused activation 1; supported: 4 \(TANH\)"),
        ({"cell_scale": 0.0003}, "the cell state has scale 0.0003; supported: powers of two"),
        ({"kind": "int16", "points": (3, 0)}, "a zero point that is not 0; supported: 0"),
    ],
)
def test_refusals(change, words):
    with pytest.raises(RefusedModel, match=words):
        import_model(build(replace(Layer("int8"), **change)), "model")
