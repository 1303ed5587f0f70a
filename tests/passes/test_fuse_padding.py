"""fuse_padding: a PAD joins the windows that read it, where no number changes."""

from __future__ import annotations

import numpy as np
import pytest

from nacre.ops.conv2d import Conv2d
from nacre.ops.pool import MaxPool2d
from nacre.passes.fuse_padding import fuse_padding
from support.graphs import INT8, VALID, check_pass, convolution, types_of
from support.movement import content
from tflite_builder import ModelBuilder

ROWS_AND_COLUMNS = ((0, 0), (1, 2), (3, 0), (0, 0))


def padded(shape, borders) -> tuple[int, ...]:
    return tuple(n + a + b for n, (a, b) in zip(shape, borders, strict=True))


def pad(b: ModelBuilder, x: int, shape, borders, value=None, kind=INT8) -> int:
    y = b.tensor("padded", padded(shape, borders), *kind)
    inputs = [x, b.constant("borders", np.array(borders, np.int32))]
    if value is not None:
        inputs.append(b.constant("value", value))
    b.operator("PAD" if value is None else "PADV2", inputs, [y])
    return y


def conv_after_pad(borders=ROWS_AND_COLUMNS, value=None, extra_output=False) -> ModelBuilder:
    shape = (1, 6, 5, 2)
    b = ModelBuilder()
    x = b.input("x", shape, *INT8)
    wide = padded(shape, borders)
    y = pad(b, x, shape, borders, value)
    z = convolution(b, y, wide, (wide[0], wide[1] - 2, wide[2] - 2, 4))
    b.output(z, *([y] if extra_output else []))
    return b


SAMPLES = [[content((1, 6, 5, 2), "int8")]]


@pytest.mark.parametrize("value", [None, np.int8(-3)])
def test_padding_of_the_zero_point_joins_a_convolution(value) -> None:
    after = check_pass(conv_after_pad(value=value), fuse_padding, SAMPLES)
    (operator,) = after.operators
    conv = operator.attributes
    assert isinstance(conv, Conv2d) and operator.ids == ("1", "0")
    assert (conv.pad_top, conv.pad_bottom, conv.pad_left, conv.pad_right) == (1, 2, 3, 0)
    assert "1" in after.tensors["0"].origins


@pytest.mark.parametrize(
    "builder",
    [
        conv_after_pad(value=np.int8(5)),
        conv_after_pad(((0, 0), (1, 1), (1, 1), (1, 0))),
        conv_after_pad(extra_output=True),
    ],
    ids=["another value", "channels", "an output"],
)
def test_other_padding_stays(builder: ModelBuilder) -> None:
    assert "CONV_2D" in types_of(check_pass(builder, fuse_padding, SAMPLES))
    assert len(check_pass(builder, fuse_padding, SAMPLES).operators) == 2


def pool_after_pad(zero_point: int, border: int) -> ModelBuilder:
    shape, borders = (1, 6, 6, 2), ((0, 0), (border, border), (border, border), (0, 0))
    kind = ("int8", 0.5, zero_point)
    b = ModelBuilder()
    x = b.input("x", shape, *kind)
    y = pad(b, x, shape, borders, kind=kind)
    size = (6 + 2 * border - 3) // 2 + 1
    z = b.tensor("z", (1, size, size, 2), *kind)
    options = {"filter_height": 3, "filter_width": 3, "stride_h": 2, "stride_w": 2}
    b.operator("MAX_POOL_2D", [y], [z], {**options, "padding": VALID})
    b.output(z)
    return b


def test_padding_of_the_smallest_value_joins_a_max_pool() -> None:
    sample = [[content((1, 6, 6, 2), "int8")]]
    (operator,) = check_pass(pool_after_pad(-128, 1), fuse_padding, sample).operators
    assert isinstance(operator.attributes, MaxPool2d) and operator.ids == ("1", "0")
    assert len(check_pass(pool_after_pad(-3, 1), fuse_padding, sample).operators) == 2
    assert len(check_pass(pool_after_pad(-128, 3), fuse_padding, sample).operators) == 2
