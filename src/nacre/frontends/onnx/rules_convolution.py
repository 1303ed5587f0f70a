"""Conv, ConvTranspose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from nacre.frontends.onnx.layout import from_image, reshaped, to_image, transposed
from nacre.frontends.onnx.records import FileNode
from nacre.frontends.onnx.rules_window import deep_slices, from_slices, windows
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxKind, OnnxSource, check_size
from nacre.frontends.onnx.windows import Window, kernel_shape, read_window
from nacre.ir import Quantization, Shape, Tensor
from nacre.ops.add import Add
from nacre.ops.concat import Concat
from nacre.ops.conv2d import Conv2d
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.kind import Refuse
from nacre.ops.split import SplitV
from nacre.ops.transpose_conv import TransposeConv


def _conv(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    if len(source.input(0).shape) == 5:
        return (_deep(source, emit),)
    x, weights = source.input(0), _weights(source, emit)
    groups, channels = source.options.integer("group", 1), x.shape[1]
    if groups < 1 or channels != weights.shape[1] * groups or weights.shape[0] % groups:
        raise Refuse(f"{channels} channels, {groups} groups and weights {list(weights.shape)}")
    window = read_window(source, _kernel(source, weights), x.shape[2:])
    _check_fits(window, x.shape[2:])
    y = convolve(emit, to_image(emit, x), weights, source.optional(2), window, groups)
    return (from_image(emit, y, len(x.shape)),)


def _deep(source: OnnxSource, emit: Emitter) -> Tensor:
    """A convolution of images with depth: a sum of plain ones, one per tap of the depth."""
    x, w, groups = source.input(0), source.input(1), source.options.integer("group", 1)
    data = source.constant(1, "the tensor of weights")
    if len(w.shape) != 5 or groups < 1 or x.shape[1] != w.shape[1] * groups or w.shape[0] % groups:
        raise Impossible(f"{x.shape[1]} channels, {groups} groups and weights {list(w.shape)}")
    along = windows(source, kernel_shape(source, w.shape[2:]), x.shape[2:])
    depth, (rows, columns) = along[0], along[1:]
    window = Window(
        (rows.kernel, columns.kernel), (rows.stride, columns.stride),
        (rows.dilation, columns.dilation), (rows.before, columns.before),
        (rows.after, columns.after),
    )  # fmt: skip
    total: Tensor | None = None
    for tap, images in enumerate(deep_slices(emit, x, depth)):
        part = emit.constant(data[:, :, tap], w)
        bias = source.optional(2) if tap == 0 else None
        y = convolve(emit, images, part, bias, window, groups)
        total = y if total is None else emit.one(Add(), (total, y))
    assert total is not None
    return from_slices(emit, total, x.shape[0])


def convolve(
    emit: Emitter, image: Tensor, weights: Tensor, bias: Tensor | None, window: Window, groups: int
) -> Tensor:
    """A convolution of [N, H, W, C] with weights [outputs, channels of a group, kh, kw]."""
    if groups > 1 and weights.shape[1] == 1:
        packed = transposed(emit, weights, 1, 2, 3, 0)
        return emit.one(DepthwiseConv2d(*_sliding(window)), (image, packed, bias))
    packed = transposed(emit, weights, 0, 2, 3, 1)
    return emit.one(Conv2d(*_sliding(window)), (image, packed, bias))


def _sliding(w: Window) -> tuple[int, int, int, int, int, int, int, int]:
    """The fields of `Sliding` in order."""
    return (*w.strides, *w.dilations, *w.before, *w.after)


def _weights(source: OnnxSource, emit: Emitter) -> Tensor:
    """Constant weights with two kernel dimensions."""
    w, rank = source.input(1), len(source.input(0).shape)
    source.constant(1, "the tensor of weights")
    if rank not in (3, 4) or len(w.shape) != rank:
        raise Refuse(
            f"an input of {list(source.input(0).shape)} with weights {list(w.shape)}; "
            "supported: 3 or 4 dimensions"
        )
    return w if rank == 4 else reshaped(emit, w, *w.shape, 1)


def _kernel(source: OnnxSource, weights: Tensor) -> tuple[int, ...]:
    return kernel_shape(source, weights.shape[2 : len(source.input(0).shape)])


def _check_fits(window: Window, sizes: Shape) -> None:
    for axis, size in enumerate(sizes):
        extent = (window.kernel[axis] - 1) * window.dilations[axis] + 1
        padded = size + window.before[axis] + window.after[axis]
        if extent > padded:
            raise Refuse(f"a window of {extent} over {padded} padded inputs; supported: it fits")


def _conv_transpose(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, weights = source.input(0), _weights(source, emit)
    groups, channels = source.options.integer("group", 1), x.shape[1]
    if groups < 1 or channels != weights.shape[0] or channels % groups:
        raise Refuse(f"{channels} channels, {groups} groups and weights {list(weights.shape)}")
    kernel = _kernel(source, weights)
    window, outputs = _landing(source, kernel, x.shape[2:])
    image = to_image(emit, x)
    if window.strides == (1, 1):
        y = _as_convolution(emit, image, weights, source.optional(2), window, outputs, groups)
    else:
        y = _spread(emit, image, weights, source.optional(2), window, outputs, groups)
    return (from_image(emit, y, len(x.shape)),)


def _landing(
    source: OnnxSource, kernel: tuple[int, ...], sizes: Shape
) -> tuple[Window, tuple[int, int]]:
    """The window, whose padding is cut off, and the size of the output."""
    given = source.options.integers("output_shape")[-len(kernel) :]
    scheme = source.options.text("auto_pad") or "NOTSET"
    plain = OnnxSource(_without_scheme(source), source.opset, source.inputs)
    window = read_window(plain, kernel, sizes)
    extra = source.options.integers("output_padding") or (0,) * len(kernel)
    before, after, outputs = [0, 0], [0, 0], [1, 1]
    for axis, size in enumerate(sizes):
        whole = (size - 1) * window.strides[axis] + extra[axis]
        whole += (window.kernel[axis] - 1) * window.dilations[axis] + 1
        total = window.before[axis] + window.after[axis]
        if given or scheme.startswith("SAME"):
            wanted = given[axis] if given else size * window.strides[axis]
            total = max(0, whole - wanted)
            half = total // 2
            # The larger half is cut off the end for SAME_UPPER, else off the start.
            before[axis] = half if scheme == "SAME_UPPER" else total - half
            outputs[axis] = wanted
        else:
            before[axis], outputs[axis] = window.before[axis], whole - total
        after[axis] = total - before[axis]
    if min(outputs) < 1:
        raise Refuse(f"an output of {outputs}; supported: 1 or more")
    return replace(window, before=_two(before), after=_two(after)), _two(outputs)


def _without_scheme(source: OnnxSource) -> FileNode:
    options = source.node.options
    values = {k: v for k, v in options.values.items() if k != "auto_pad"}
    return replace(source.node, options=replace(options, values=values))


def _two(values: list[int]) -> tuple[int, int]:
    return values[0], values[1]


def _as_convolution(
    emit: Emitter, image: Tensor, weights: Tensor, bias: Tensor | None, window: Window,
    outputs: tuple[int, int], groups: int,
) -> Tensor:  # fmt: skip
    """Steps of one: a convolution with the kernel turned round."""
    channels, per_group, *kernel = weights.shape
    turned = weights.constant.reshape(groups, channels // groups, per_group, *kernel)
    turned = turned[..., ::-1, ::-1].swapaxes(1, 2)
    shape = (groups * per_group, channels // groups, *kernel)
    flipped = emit.constant(turned.reshape(shape), weights, _by_output(weights, groups))
    extents = [(k - 1) * d for k, d in zip(window.kernel, window.dilations, strict=True)]
    before = _two([e - b for e, b in zip(extents, window.before, strict=True)])
    sizes = zip(outputs, image.shape[1:3], extents, before, strict=True)
    after = _two([out + e - size - b for out, size, e, b in sizes])
    if min(*before, *after) < 0:
        raise Refuse(f"pads {list(window.before)} beyond the kernel; supported: inside it")
    return convolve(emit, image, flipped, bias, replace(window, before=before, after=after), groups)


def _spread(
    emit: Emitter, image: Tensor, weights: Tensor, bias: Tensor | None, window: Window,
    outputs: tuple[int, int], groups: int,
) -> Tensor:  # fmt: skip
    """One transposed convolution per group of channels."""
    spread = TransposeConv(*outputs, *window.strides, *window.before)
    kernels = _dilated(emit, weights, window.dilations)
    if groups == 1:
        return emit.one(spread, (image, transposed(emit, kernels, 1, 2, 3, 0), bias))
    sizes = (image.shape[3] // groups,) * groups
    inputs = emit.several(SplitV(3, sizes), (image,))
    parts = []
    for group, part in enumerate(inputs):
        first = group * sizes[0]
        own = kernels.constant[first : first + sizes[0]].transpose(1, 2, 3, 0)
        w = emit.constant(own, weights, _by_output(weights, 1))
        b = None
        if bias is not None:
            outs = weights.shape[1]
            b = emit.constant(bias.constant[group * outs : (group + 1) * outs], bias)
        parts.append(emit.one(spread, (part, w, b)))
    return emit.one(Concat(3), parts)


def _dilated(emit: Emitter, weights: Tensor, dilations: tuple[int, int]) -> Tensor:
    """Zeros between the taps."""
    if dilations == (1, 1):
        return weights
    *outer, height, width = weights.shape
    rows, columns = (height - 1) * dilations[0] + 1, (width - 1) * dilations[1] + 1
    check_size((*outer, rows, columns))
    data = np.zeros((*outer, rows, columns), weights.constant.dtype)
    data[..., :: dilations[0], :: dilations[1]] = weights.constant
    return emit.constant(data, weights, weights.quantization)


def _by_output(weights: Tensor, groups: int) -> Quantization | None:
    """Scales of weights whose outputs, dimension 1 of the file's, come first in all groups."""
    q = weights.quantization
    if q is None or not q.per_channel:
        return q
    if q.axis != 1:
        return None
    return Quantization(q.scales * groups, q.zero_points * groups, 0)


CONVOLUTIONS: Mapping[str, OnnxKind] = {
    "Conv": OnnxKind(_conv, "float32, 1-D to 3-D, groups, any padding; constant weights"),
    "ConvTranspose": OnnxKind(
        _conv_transpose, "float32, 1-D and 2-D, groups, any padding; constant weights"
    ),
}
