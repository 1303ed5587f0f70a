"""Random quantized graphs: branches, several readers, outputs anywhere, against ONNX Runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pytest
from onnx import helper
from quantized_models import Builder, Scale, check, weights

SHAPE = (1, 4, 6, 6)
# One step of difference may grow on its way through a few layers.
STEPS = 4


@dataclass
class Graph:
    """A graph that grows; `real` are its float tensors, `codes` its stored ones."""

    random: np.random.Generator
    made: Builder
    types: tuple[str, ...]
    real: list[str] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    samples: list[np.ndarray] = field(default_factory=list)

    def one_of(self, values: list[str] | tuple[str, ...]) -> str:
        return values[int(self.random.integers(len(values)))]

    def happens(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def scale(self) -> Scale:
        dtype = self.one_of(self.types)
        point = int(self.random.integers(-30, 30)) + (128 if dtype == "uint8" else 0)
        return Scale(float(self.random.uniform(0.015, 0.06)), point, dtype)

    def constant(self, *values: int) -> str:
        return self.made.constant(np.array(values))


def _conv(groups: int) -> Callable[[Graph, str, str], str]:
    def build(graph: Graph, x: str, _: str) -> str:
        made = graph.made
        w = Scale(graph.random.uniform(0.005, 0.02, 4) if graph.happens(0.5) else 0.02)
        stored = made.constant(weights((4, 4 // groups, 3, 3), w, len(made.nodes)), "w")
        inputs = [x, made.dequantize(stored, w)]
        if graph.happens(0.5):
            inputs.append(made.constant(graph.random.standard_normal(4).astype(np.float32), "b"))
        return made.node("Conv", inputs, pads=[1, 1, 1, 1], group=groups)

    return build


def _plain(type: str, inputs: int = 1, **options: object) -> Callable[[Graph, str, str], str]:
    return lambda graph, x, y: graph.made.node(type, [x, y][:inputs], **options)


def _joined(graph: Graph, x: str, y: str) -> str:
    both = graph.made.node("Concat", [x, y], axis=1)
    if graph.happens(0.5):
        both = graph.made.rounded(both, graph.scale())
    return graph.made.node("Slice", [both, *(graph.constant(v) for v in (2, 6, 1))])


def _clipped(graph: Graph, x: str, _: str) -> str:
    limits = [graph.made.constant(np.float32(v)) for v in (-0.5, 1.1)]
    return graph.made.node("Clip", [x, *limits])


def _reversed(graph: Graph, x: str, _: str) -> str:
    return graph.made.node("Slice", [x, *(graph.constant(v) for v in (5, -100, 3, -1))])


def _reshaped(graph: Graph, x: str, _: str) -> str:
    flat = graph.made.node("Reshape", [x, graph.constant(4, 36)])
    return graph.made.node("Reshape", [flat, graph.constant(*SHAPE)])


def _shifted(graph: Graph, x: str, _: str) -> str:
    padded = graph.made.node("Pad", [x, graph.constant(0, 0, 1, 0, 0, 0, 0, 0)])
    return graph.made.node("Slice", [padded, *(graph.constant(v) for v in (0, 6, 2))])


def _swish(graph: Graph, x: str, _: str) -> str:
    return graph.made.node("Mul", [x, graph.made.node("HardSigmoid", [x], alpha=1 / 6)])


def _swapped(graph: Graph, x: str, _: str) -> str:
    halves = [f"half{len(graph.made.nodes)}_{n}" for n in range(2)]
    graph.made.nodes.append(helper.make_node("Split", [x], halves, axis=1))
    return graph.made.node("Concat", halves[::-1], axis=1)


def _stored(graph: Graph, x: str, _: str) -> str:
    """Operators on the codes."""
    scale = graph.scale()
    codes = graph.made.quantize(x, scale)
    codes = graph.made.node("Transpose", [codes], perm=[0, 1, 3, 2])
    if graph.happens(0.5):
        codes = graph.made.node("MaxPool", [codes], kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    graph.codes[codes] = scale.dtype
    return graph.made.dequantize(codes, scale)


WINDOW = {"kernel_shape": [3, 3], "pads": [1, 1, 1, 1]}
WAYS: Mapping[str, Callable[[Graph, str, str], str]] = {
    "convolution": _conv(1),
    "depthwise": _conv(4),
    "relu": _plain("Relu"),
    "sigmoid": _plain("Sigmoid"),
    "negative": _plain("Neg"),
    "leaky": _plain("LeakyRelu", alpha=0.1),
    "sum": _plain("Add", 2),
    "difference": _plain("Sub", 2),
    "product": _plain("Mul", 2),
    "larger": _plain("Max", 2),
    "max pool": _plain("MaxPool", **WINDOW),
    "average pool": _plain("AveragePool", **WINDOW),
    "transpose": _plain("Transpose", perm=[0, 1, 3, 2]),
    "swish": _swish,
    "join": _joined,
    "clip": _clipped,
    "reverse": _reversed,
    "reshape": _reshaped,
    "shift": _shifted,
    "swap": _swapped,
    "stored": _stored,
}


def _add_input(graph: Graph, name: str) -> None:
    made, scale = graph.made, graph.scale()
    if graph.happens(0.3):
        graph.real.append(made.dequantize(made.input(name, *SHAPE, dtype=scale.dtype), scale))
        graph.samples.append(weights(SHAPE, scale, 7))
        return
    graph.real.append(made.rounded(made.input(name, *SHAPE), scale))
    graph.samples.append(graph.random.standard_normal(SHAPE).astype(np.float32))


def _add_layer(graph: Graph) -> None:
    way = graph.one_of(tuple(WAYS))
    made = WAYS[way](graph, graph.one_of(graph.real), graph.one_of(graph.real))
    if way == "stored" or graph.happens(0.3):
        graph.real.append(made)
        return
    scale = graph.scale()
    codes = graph.made.quantize(made, scale)
    if graph.happens(0.2):
        graph.codes[codes] = scale.dtype
    graph.real += [graph.made.dequantize(codes, scale) for _ in range(1 + graph.happens(0.2))]


def random_graph(seed: int) -> Graph:
    random = np.random.default_rng(seed)
    types = (("int8",), ("uint8",), ("int8", "uint8"))[seed % 3]
    graph = Graph(random, Builder(opset=17), types)
    for number in range(int(random.integers(1, 3))):
        _add_input(graph, f"x{number}")
    for _ in range(int(random.integers(1, 8))):
        _add_layer(graph)
    ends = [graph.real[-1], *(graph.one_of(graph.real) for _ in range(int(random.integers(0, 3))))]
    for name in dict.fromkeys(ends):
        graph.made.output(name)
    for name, dtype in graph.codes.items():
        graph.made.output(name, dtype)
    return graph


@pytest.mark.parametrize("seed", range(60))
def test_random_graph(seed: int) -> None:
    graph = random_graph(seed)
    check(graph.made.model(), graph.samples, pure=False, steps=STEPS)
