"""Helium kernels against their portable twins, case by case in one image."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from boards.test_dsp import (
    WINDOWS,
    Chance,
    ahead,
    elementwise,
    fully_connected,
    pool,
    sliding,
    window,
)
from nacre.ir import Node
from nacre.ops import kind_of
from nacre.ops.conv2d import Conv2d
from nacre.ops.convolution import Sliding
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.kind import Lowered, Variant
from support.pairs import Pair, failures

pytestmark = pytest.mark.skipif(
    not (shutil.which("arm-none-eabi-gcc") and shutil.which("qemu-system-arm")),
    reason="arm-none-eabi-gcc and qemu-system-arm are not installed",
)


def convolution(chance: Chance) -> Node:
    """More channels than a block, more taps than eight steps, and the borders of both."""
    kernel = chance.one_of((1, 1), (3, 3), (chance.whole(1, 6), chance.whole(1, 5)))
    channels = chance.one_of(1, 3, 16, 32, 64, chance.whole(1, 19))
    outputs = chance.one_of(4, 8, 32, 36, chance.whole(2, 12), chance.whole(30, 70))
    if kernel != (1, 1):
        outputs = min(outputs, 20000 // (kernel[0] * kernel[1] * channels))
    else:
        channels = chance.one_of(channels, 64, 128, chance.whole(20, 150))
    conv = window(chance, Conv2d, kernel)
    if kernel == (1, 1) and chance.whole(0, 2):
        conv = replace(
            conv, stride_h=1, stride_w=1, pad_top=0, pad_left=0, pad_bottom=0, pad_right=0
        )
    if kernel == (3, 3) and chance.whole(0, 1):
        conv = replace(conv, stride_h=1, stride_w=1, dilation_h=1, dilation_w=1)
    shape = (outputs, *kernel, channels)
    return sliding(chance, "CONV_2D", conv, channels, shape, 0)


def depthwise(chance: Chance) -> Node:
    channels = chance.one_of(4, 8, 16, 5, chance.whole(1, 39))
    kernel = chance.one_of(
        (3, 3), (3, 3), (chance.whole(1, 16), 1), (1, chance.whole(1, 16)),
        (chance.whole(1, 6), chance.whole(1, 6)),
    )  # fmt: skip
    conv = window(chance, DepthwiseConv2d, kernel)
    if chance.whole(0, 4):
        stride = chance.one_of(1, 2) if kernel == (3, 3) else 1
        conv = replace(conv, stride_h=stride, stride_w=stride, dilation_h=1, dilation_w=1)
    shape = (1, *kernel, channels)
    return sliding(chance, "DEPTHWISE_CONV_2D", conv, channels, shape, 3)


def pairs(make, count: int, seed: int) -> list[Pair]:
    """As many cases for every Helium variant of an operator as nodes that it takes come up."""
    chance, found = Chance(seed), []
    for n in range(count):
        node = _rounded_twice(make(chance))
        for variant in kind_of(node.operator).variants:
            if variant.isa == "mve" and variant.objection(node) is None:
                found.append(pair(chance, node, variant, f"{n} {variant.name}"))
    return found


def _rounded_twice(node: Node) -> Node:
    """What rounds once is for other kernels: Helium has none for it."""
    found = node.operator.attributes
    if not isinstance(found, Sliding | FullyConnected) or not found.once:
        return node
    for variant in kind_of(node.operator).variants:
        assert variant.isa != "mve" or variant.objection(node) is not None
    return replace(node, operator=replace(node.operator, attributes=replace(found, once=False)))


def pair(chance: Chance, node: Node, variant: Variant, name: str) -> Pair:
    """All rows at once, over the input, or some rows at a time on rings."""
    inputs = [t for t in node.inputs if t is not None and t.data is None]
    values, other = tuple(chance.bytes(t.shape) for t in inputs), variant.lower(node)
    over, band, way = None, 0, chance.whole(0, 3)
    if node.operator.type in WINDOWS and way > 1:
        over = _distance(node, other)
    elif node.operator.type in WINDOWS and way == 1:
        band = chance.whole(1, 3)
    shapes = f"{[t.shape for t in node.inputs if t is not None]} {node.operator.attributes}"
    return Pair(f"{name} over {over} band {band} {shapes}", node, values, other, over, band)


def _distance(node: Node, other: Lowered) -> int | None:
    """How far before its input the output may lie, where the two may share bytes."""
    if other.in_place == (0,) or other.replaces == 0:
        return 0
    return ahead(node) if other.row_wise else None


@pytest.mark.parametrize(
    ("make", "count", "least"),
    [
        (convolution, 700, 1200),
        (depthwise, 900, 600),
        (fully_connected, 300, 300),
        (pool, 300, 300),
        (elementwise, 400, 150),
    ],
)
def test_mve_kernels_equal_portable_ones(make, count: int, least: int, tmp_path: Path) -> None:
    cases = pairs(make, count, seed=1)
    assert len(cases) >= least
    assert not failures("mps3-an547", cases, tmp_path)
