"""Random graphs of views, copies, variables and row-wise kernels: every plan computes the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from nacre.config.schema import Config
from nacre.reference import run_reference
from support.execute import Runner, program_of
from support.graphs import graph_of
from support.movement import content
from tflite_builder import ModelBuilder

Shape = tuple[int, ...]
SHAPES = ((1, 4, 4, 2), (1, 4, 2, 2), (2, 4, 4, 2), (4, 6), (1, 4, 4, 1))
MOST_ELEMENTS = 900
CONFIGS = [{}, {"keep_inputs": True}, {"overlap": False}]


@dataclass
class Maker:
    """Grows a graph; `made` lists the tensors so far with their shapes."""

    random: np.random.Generator
    b: ModelBuilder = field(default_factory=ModelBuilder)
    inputs: list[Shape] = field(default_factory=list)
    made: list[tuple[int, Shape]] = field(default_factory=list)
    # Handle and shape of the one variable.
    variable: tuple[int, Shape] = (0, ())

    def pick(self, things):
        return things[int(self.random.integers(len(things)))]

    def tensor(self) -> tuple[int, Shape]:
        """Mostly a recent one, so that graphs are deep."""
        recent = self.made[-3:] if self.random.random() < 0.7 else self.made
        return self.pick(recent)

    def like(self, shape: Shape) -> list[tuple[int, Shape]]:
        return [t for t in self.made if t[1] == shape]

    def constant(self, values) -> int:
        return self.b.constant("constant", np.array(values, np.int32))

    def operator(self, kind: str, inputs: list[int], shapes: list[Shape], options=None) -> None:
        if any(np.prod(s) > MOST_ELEMENTS or len(s) > 4 for s in shapes):
            return
        outputs = [self.b.tensor(f"t{len(self.made)}", s, "int32") for s in shapes]
        self.b.operator(kind, inputs, outputs, options or {})
        self.made += zip(outputs, shapes, strict=True)


def reshape(m: Maker) -> None:
    x, shape = m.tensor()
    size = int(np.prod(shape))
    choices = [shape[::-1], (size,), (1, size), (1, shape[0], size // shape[0], 1)]
    target = m.pick(choices)
    m.operator("RESHAPE", [x, m.constant(target)], [target])


def elementwise(m: Maker) -> None:
    x, shape = m.tensor()
    y, _ = m.pick(m.like(shape))
    m.operator(m.pick(["ADD", "SUB", "MUL", "MAXIMUM"]), [x, y], [shape])


def negate(m: Maker) -> None:
    x, shape = m.tensor()
    m.operator("NEG", [x], [shape])


def broadcast(m: Maker) -> None:
    (x, shape), (y, other) = m.tensor(), m.pick(m.made)
    try:
        out = tuple(int(d) for d in np.broadcast_shapes(shape, other))
    except ValueError:
        return
    m.operator("SUB", m.pick([[x, y], [y, x]]), [out])


def concatenate(m: Maker) -> None:
    x, shape = m.tensor()
    axis = m.pick([0, int(m.random.integers(len(shape)))])
    y, _ = m.pick(m.like(shape))
    out = tuple(2 * d if n == axis else d for n, d in enumerate(shape))
    m.operator("CONCATENATION", m.pick([[x, y], [y, x]]), [out], {"axis": axis})


def split(m: Maker) -> None:
    x, shape = m.tensor()
    even = [n for n, d in enumerate(shape) if d % 2 == 0]
    if even:
        axis = m.pick([even[0], m.pick(even)])
        half = tuple(d // 2 if n == axis else d for n, d in enumerate(shape))
        m.operator("SPLIT", [m.constant([axis]), x], [half, half], {"num_splits": 2})


def crop(m: Maker) -> None:
    x, shape = m.tensor()
    begin = [int(m.random.integers(d)) if m.random.random() < 0.3 else 0 for d in shape]
    size = tuple(d - b for d, b in zip(shape, begin, strict=True))
    m.operator("SLICE", [x, m.constant(begin), m.constant(size)], [size])


def pad(m: Maker) -> None:
    x, shape = m.tensor()
    if len(shape) == 4:
        border = [[0, 0], *m.random.integers(0, 3, (2, 2)).tolist(), [0, 0]]
        out = tuple(d + sum(pair) for d, pair in zip(shape, border, strict=True))
        m.operator("PAD", [x, m.constant(border)], [out])


def update(m: Maker) -> None:
    x, shape = m.tensor()
    y, _ = m.pick(m.like(shape))
    smaller = [
        (t, s)
        for t, s in m.made
        if len(s) == len(shape) and all(a <= b for a, b in zip(s, shape, strict=True))
    ]
    part, _ = m.pick(smaller)
    start = m.constant([int(m.random.integers(d)) for d in shape])
    m.operator("DYNAMIC_UPDATE_SLICE", [m.pick([x, y]), part, start], [shape])


def read(m: Maker) -> None:
    handle, shape = m.variable
    m.operator("READ_VARIABLE", [handle], [shape])


def assign(m: Maker) -> None:
    handle, shape = m.variable
    m.b.operator("ASSIGN_VARIABLE", [handle, m.pick(m.like(shape))[0]], [])


STEPS: tuple[Callable[[Maker], None], ...] = (
    reshape, elementwise, negate, broadcast, concatenate, split, crop, pad, update, read, assign,
)  # fmt: skip


def random_graph(seed: int) -> Maker:
    m = Maker(np.random.default_rng(seed))
    for n in range(m.pick([1, 2])):
        shape = m.pick(SHAPES)
        m.inputs.append(shape)
        m.made.append((m.b.input(f"in{n}", shape, "int32"), shape))
    m.variable = m.b.tensor("handle", (), "resource"), m.inputs[0]
    m.b.operator("VAR_HANDLE", [], [m.variable[0]], {"shared_name": "v"})
    read(m)
    for _ in range(int(m.random.integers(4, 14))):
        m.pick(STEPS)(m)
    m.b.output(*dict.fromkeys((m.made[-1][0], m.tensor()[0], m.pick(m.made)[0])))
    return m


@pytest.mark.parametrize("memory", CONFIGS, ids=["default", "keep_inputs", "no_overlap"])
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_every_plan_computes_the_same(first: int, memory: dict[str, bool]) -> None:
    for seed in range(first, first + 20):
        m = random_graph(seed)
        graph = graph_of(m.b)
        runner = Runner(program_of(graph, Config.model_validate({"memory": memory})))
        state: dict[str, np.ndarray] = {}
        for run in range(2):
            inputs = [content(s, "int32", seed + run + n) for n, s in enumerate(m.inputs)]
            expected = run_reference(graph, inputs, state)
            for ours, theirs in zip(runner.run(inputs), expected, strict=True):
                np.testing.assert_array_equal(ours, theirs, err_msg=f"seed {seed}, run {run}")
