"""Float kernels on Helium against their portable twins: with whole numbers both are exact."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from boards.test_dsp import Chance, depthwise, fully_connected
from boards.test_mve import convolution
from nacre.ir import DType, Node, Operator, Tensor
from nacre.ops import kind_of
from nacre.ops.add import Add, Sub
from nacre.ops.convolution import Sliding
from nacre.ops.kind import Lowered
from nacre.ops.mul import Mul
from support.pairs import Pair, failures

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)

# Bytes of a case that the image has room for.
LARGEST = 60_000


def in_floats(node: Node, rng: np.random.Generator) -> Node:
    """The same layer on small whole numbers."""
    inputs = tuple(None if t is None else _float(t, rng) for t in node.inputs)
    attributes = node.operator.attributes
    if isinstance(attributes, Sliding):
        attributes = replace(attributes, offset_in_bias=False)
    operator = replace(node.operator, attributes=attributes)
    return Node(operator, inputs, tuple(_float(t, rng) for t in node.outputs))


def _float(tensor: Tensor, rng: np.random.Generator) -> Tensor:
    data = None if tensor.data is None else whole(rng, tensor.shape)
    return replace(tensor, dtype=DType.FLOAT32, quantization=None, data=data)


def whole(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    return rng.integers(-9, 10, shape).astype(np.float32)


def pairwise(chance: Chance) -> Node:
    shape = (1, chance.whole(1, 5), chance.whole(1, 7), chance.whole(1, 9))
    kind = chance.one_of(Add, Sub, Mul)(chance.one_of("NONE", "RELU", "RELU6"))
    tensors = [Tensor(key, key, shape, DType.FLOAT32) for key in "aby"]
    operator = Operator(("0",), type(kind).__name__.upper(), kind, ("a", "b"), ("y",))
    return Node(operator, tuple(tensors[:2]), (tensors[2],))


def pairs(make, count: int) -> list[Pair]:
    chance, found = Chance(2), []
    for n in range(count):
        node = in_floats(make(chance), chance.rng)
        for variant in kind_of(node.operator).variants:
            if variant.isa == "mve-f" and variant.objection(node) is None:
                other = variant.lower(node)
                if _size(node, other) <= LARGEST:
                    found.append(_pair(n, node, other, chance))
    return found


def _size(node: Node, other: Lowered) -> int:
    tensors = (*node.inputs, *node.outputs, *other.constants)
    return sum(t.size for t in tensors if t is not None)


def _pair(n: int, node: Node, other: Lowered, chance: Chance) -> Pair:
    moving = [t for t in node.inputs if t is not None and t.data is None]
    values = tuple(whole(chance.rng, t.shape) for t in moving)
    name = f"{n} {other.calls[0].kernel.name} {[t.shape for t in moving]}"
    return Pair(f"{name} {node.operator.attributes}", node, values, other)


@pytest.mark.parametrize(
    ("make", "count", "least"),
    [
        (convolution, 400, 200),
        (depthwise, 300, 200),
        (fully_connected, 200, 150),
        (pairwise, 300, 250),
    ],
)
def test_float_kernels_equal_portable_ones(make, count: int, least: int, tmp_path: Path) -> None:
    cases = pairs(make, count)
    assert len(cases) >= least
    assert not failures("mps3-an547", cases, tmp_path)
