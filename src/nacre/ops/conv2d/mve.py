"""CONV_2D on Helium: kernels, what they apply to, and the weights as they want them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nacre.ir import Array, DType, Node, Tensor
from nacre.ops import tile_mve
from nacre.ops.conv2d.rules import Conv2d, groups
from nacre.ops.convolution import Arithmetic, arithmetic, multipliers
from nacre.ops.convolution_calls import constant
from nacre.ops.fixedpoint import activation_range
from nacre.ops.kind import (
    Argument,
    Call,
    Estimate,
    Kernel,
    Lowered,
    Params,
    Pointer,
    Scratch,
    Span,
    Variant,
    attributes,
    derived_id,
    meaning,
    read,
)


@dataclass(frozen=True)
class ConvMveParams(Params):
    c_type: ClassVar[str] = "nacre_conv_mve_params_t"
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    input_c: int = meaning("input channels")
    output_w: int = meaning("output columns")
    output_c: int = meaning("output channels")
    kernel_h: int = meaning("kernel rows")
    kernel_w: int = meaning("kernel columns")
    stride_h: int = meaning("rows from one output to the next")
    stride_w: int = meaning("columns from one output to the next")
    dilation_h: int = meaning("rows from one tap to the next")
    dilation_w: int = meaning("columns from one tap to the next")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    pad_value: int = meaning("what the padding holds: the input's zero point")
    steps: int = meaning("taps of a pixel, 16 at a time")
    general: int = meaning("0: outputs are saturated above -128, 1: any output stage")
    output_offset: int = meaning("zero point of the output")
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


CONV_1X1_S8 = Kernel(
    "nacre_conv2d_1x1_s8_mve", ConvMveParams, helpers=("nacre_tile_short_s8_mve",), isa="mve"
)
CONV_SHORT_S8 = Kernel(
    "nacre_conv2d_short_s8_mve", ConvMveParams,
    helpers=("nacre_tile_short_s8_mve", "nacre_gather_mve"), isa="mve",
)  # fmt: skip
CONV_S8 = Kernel(
    "nacre_conv2d_s8_mve", ConvMveParams,
    helpers=("nacre_tile_long_s8_mve", "nacre_gather_mve"), isa="mve",
)  # fmt: skip
# Input channels -> the kernel for 3x3 with stride 1.
CONV_3X3_S8 = {
    c: Kernel(
        f"nacre_conv2d_3x3_c{c}_s8_mve", ConvMveParams,
        helpers=(f"nacre_tile_3x3_c{c}_s8_mve",), isa="mve",
    )
    for c in (16, 32, 64)
}  # fmt: skip
# Their tiles read the last step first.
SHORT = (CONV_1X1_S8, CONV_SHORT_S8)
# Kernel rows that the general kernels have room for.
MOST_ROWS = 16


def mve_params(node: Node, general: bool) -> ConvMveParams:
    x, w, y = node.input(0), node.input(1), node.output
    conv = attributes(node, Conv2d)
    low, high = activation_range(conv.activation, y)
    return ConvMveParams(
        input_h=x.shape[1], input_w=x.shape[2], input_c=x.shape[3],
        output_w=y.shape[2], output_c=y.shape[3],
        kernel_h=w.shape[1], kernel_w=w.shape[2],
        stride_h=conv.stride_h, stride_w=conv.stride_w,
        dilation_h=conv.dilation_h, dilation_w=conv.dilation_w,
        pad_top=conv.pad_top, pad_left=conv.pad_left, pad_value=x.q.zero_point,
        steps=tile_mve.steps_of(_taps(node)), general=int(general),
        output_offset=y.q.zero_point, activation_min=low, activation_max=high,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def _taps(node: Node) -> int:
    w = node.input(1)
    return w.elements // w.shape[0]


# --- 1x1 ------------------------------------------------------------------------------------------


def _objection_1x1(node: Node) -> str | None:
    conv, w = attributes(node, Conv2d), node.input(1)
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if w.shape[1:3] != (1, 1) or (conv.stride_h, conv.stride_w) != (1, 1):
        return "for kernels of 1x1 with stride 1"
    if conv.once:
        return "for results that are rounded twice"
    if groups(node) != 1 or any((conv.pad_top, conv.pad_left, conv.pad_bottom, conv.pad_right)):
        return "for one group without padding"
    if tile_mve.steps_of(_taps(node)) > tile_mve.SHORT:
        return f"{_taps(node)} input channels; at most 128"
    return None


def _estimate_1x1(node: Node) -> Estimate:
    y, steps = node.output, tile_mve.steps_of(_taps(node))
    pixels = -(-y.elements // y.shape[3] // 4) * 4
    filled = -(-y.shape[3] // tile_mve.GROUP) * tile_mve.GROUP
    return Estimate(pixels * (filled * (14 * steps + 17) // 8 + 20), code_bytes=1500)


def _lower_1x1(node: Node) -> Lowered:
    room = 4 * tile_mve.STEP * tile_mve.steps_of(_taps(node))
    return _lower_tiles(node, CONV_1X1_S8, (Scratch(derived_id(node, "scratch0"), room),))


# --- any kernel -----------------------------------------------------------------------------------


def _objection_short(node: Node) -> str | None:
    if tile_mve.steps_of(_taps(node)) > tile_mve.SHORT:
        return f"{_taps(node)} taps; at most 128"
    return _objection(node)


def _objection(node: Node) -> str | None:
    if arithmetic(node) is not Arithmetic.S8:
        return "for int8"
    if attributes(node, Conv2d).once:
        return "for results that are rounded twice"
    if groups(node) != 1:
        return "for one group"
    if node.input(1).shape[1] > MOST_ROWS:
        return f"{node.input(1).shape[1]} kernel rows; at most {MOST_ROWS}"
    return None


def _estimate(node: Node) -> Estimate:
    """Products and outputs, the taps of a pixel copied once per pixel, input rows once."""
    w, y = node.input(1), node.output
    steps, channels = tile_mve.steps_of(_taps(node)), y.shape[3]
    filled = -(-channels // tile_mve.GROUP) * tile_mve.GROUP
    copied = 25 + w.shape[1] * (5 + w.shape[2] * w.shape[3] // 6)
    pixels = -(-y.elements // channels // 4) * 4
    lines = node.input(0).shape[1] * 60 + node.input(0).elements // 4
    products = pixels * (filled * (14 * steps + 20) // 8 + copied)
    return Estimate(products + lines, code_bytes=2200)


def _lower_short(node: Node) -> Lowered:
    return _lower_tiles(node, CONV_SHORT_S8, (_scratch(node),))


def _lower(node: Node) -> Lowered:
    return _lower_tiles(node, CONV_S8, (_scratch(node),))


def _scratch(node: Node) -> Scratch:
    """The taps of four pixels with room to copy too much, and the rows that a window spans."""
    pixels = 7 if node.output.shape[2] % 4 else 4
    taps = pixels * (tile_mve.STEP * tile_mve.steps_of(_taps(node)) + tile_mve.STEP)
    return Scratch(derived_id(node, "scratch0"), taps + _lines_bytes(node))


def _lines_bytes(node: Node) -> int:
    conv, w = attributes(node, Conv2d), node.input(1)
    columns = (node.output.shape[2] + 2) * conv.stride_w + (w.shape[2] - 1) * conv.dilation_w + 1
    pitch = (columns * w.shape[3] + 31) // 16 * 16
    return ((w.shape[1] - 1) * conv.dilation_h + 1) * pitch


# --- 3x3 ------------------------------------------------------------------------------------------


def _variant_3x3(channels: int) -> Variant:
    kernel = CONV_3X3_S8[channels]

    def objection(node: Node) -> str | None:
        conv, w = attributes(node, Conv2d), node.input(1)
        if w.shape[1:] != (3, 3, channels):
            return f"for kernels of 3x3 and {channels} channels"
        if (conv.stride_h, conv.stride_w, conv.dilation_h, conv.dilation_w) != (1, 1, 1, 1):
            return "for stride 1 without dilation"
        if node.output.shape[2] < 4:
            return f"{node.output.shape[2]} columns; at least 4"
        return _objection(node)

    def estimate(node: Node) -> Estimate:
        pixels = node.output.elements // node.output.shape[3]
        filled = -(-node.output.shape[3] // tile_mve.GROUP) * tile_mve.GROUP
        products = pixels * filled * (108 * channels // 16 + 30) // 8
        lines = node.input(0).shape[1] * 120 + node.input(0).elements // 4
        return Estimate(products + lines, code_bytes=1500 + 10 * channels)

    def lower(node: Node) -> Lowered:
        room = Scratch(derived_id(node, "scratch0"), _lines_bytes(node))
        return _lower_tiles(node, kernel, (room,))

    return Variant(kernel.name.removeprefix("nacre_"), "mve", objection, estimate, lower, (kernel,))


# --- tiles ----------------------------------------------------------------------------------------


def _lower_tiles(node: Node, kernel: Kernel, scratch: tuple[Scratch, ...]) -> Lowered:
    """One call per batch image of a kernel that works on tiles."""
    x, w, y = node.input(0), node.input(1), node.output
    multiplier, shift = multipliers(node)
    general = tile_mve.is_general(y, attributes(node, Conv2d).activation, shift)
    packed = tile_mve.stream(_rows_of_taps(w, kernel), node.input(2).constant, kernel in SHORT)
    weights = constant(node, "weights", packed, w)
    table = constant(node, "requant", tile_mve.requant(multiplier, shift, general), None)
    stream = Pointer(weights.id, weights.dtype, alignment=4)
    params, rows = mve_params(node, general), Span(0, y.shape[1])
    room = tuple(Pointer(s.id, DType.INT8, const=False, alignment=4) for s in scratch)
    image, made = x.size // x.shape[0], y.size // y.shape[0]
    calls = []
    for n in range(x.shape[0]):
        to: Argument = Pointer(y.id, y.dtype, const=False, offset=n * made, alignment=4)
        operands = (read(x, n * image), stream, read(table), to)
        calls.append(Call(kernel, (*operands, params, rows, *room)))
    # Tiles go over the ends of rows that are no multiple of them.
    crossing = y.shape[2] % 4 != 0 and kernel not in CONV_3X3_S8.values()
    return Lowered(tuple(calls), (weights, table), scratch, forward=crossing)


def _rows_of_taps(w: Tensor, kernel: Kernel) -> Array:
    """A row of weights per output channel, in the order in which a kernel's tiles read them."""
    weights = w.constant
    if kernel in CONV_3X3_S8.values():
        blocks = weights.reshape(w.shape[0], 3, 3, -1, tile_mve.STEP)
        weights = blocks.transpose(0, 1, 3, 2, 4)
    return weights.reshape(w.shape[0], -1)


VARIANTS = (
    Variant(
        "conv2d_1x1_s8_mve", "mve", _objection_1x1, _estimate_1x1, _lower_1x1, (CONV_1X1_S8,)
    ),
    Variant(
        "conv2d_short_s8_mve", "mve", _objection_short, _estimate, _lower_short, (CONV_SHORT_S8,)
    ),
    Variant("conv2d_s8_mve", "mve", _objection, _estimate, _lower, (CONV_S8,)),
    *(_variant_3x3(channels) for channels in CONV_3X3_S8),
)  # fmt: skip
