"""Windows that no kernel has: dilated pools, pools of three dimensions, LpPool, 3-D convolutions.

A pool is done dimension by dimension, as a few strided slices that are joined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxSource
from nacre.frontends.onnx.windows import borders, numbers
from nacre.ir import Array, Attributes, Shape, Tensor
from nacre.ops.add import Add
from nacre.ops.binary import Maximum, Pow
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.pad import Pad
from nacre.ops.slice import Slice
from nacre.ops.unary import Abs, Sqrt, Square


@dataclass(frozen=True)
class Along:
    """A window along one dimension: `after` is the declared padding, `outputs` the windows."""

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int
    outputs: int

    @property
    def padding(self) -> int:
        """What the last window needs behind the input."""
        last = (self.outputs - 1) * self.stride + (self.kernel - 1) * self.dilation + 1
        return max(0, last - self.size - self.before)

    def counted(self, padded: bool) -> Array:
        """How many taps of each window lie on inputs, or on declared padding too."""
        first = np.arange(self.outputs)[:, None] * self.stride
        at = first + np.arange(self.kernel) * self.dilation
        low = 0 if padded else self.before
        high = self.before + self.size + (self.after if padded else 0)
        counts: Array = ((at >= low) & (at < high)).sum(axis=1)
        return counts


def windows(source: OnnxSource, kernel: tuple[int, ...], sizes: Shape) -> list[Along]:
    """The window along each dimension of an image of any number of them."""
    if len(kernel) != len(sizes) or min(kernel) < 1:
        raise Impossible(f"a window of {list(kernel)} over {list(sizes)}")
    strides = numbers(source, "strides", 1, len(kernel))
    dilations = numbers(source, "dilations", 1, len(kernel))
    before, after = borders(source, kernel, sizes, strides, dilations)
    ceil = bool(source.options.integer("ceil_mode"))
    return [
        Along(n, k, s, d, b, a, _outputs(n, (k - 1) * d + 1, s, b, a, ceil))
        for n, k, s, d, b, a in zip(sizes, kernel, strides, dilations, before, after, strict=True)
    ]


def _outputs(size: int, extent: int, stride: int, before: int, after: int, ceil: bool) -> int:
    span = size + before + after - extent
    if span < 0:
        raise Impossible(f"a window of {extent} over {size + before + after} padded inputs")
    count = -(-span // stride) + 1 if ceil else span // stride + 1
    # One that would begin behind the input is left out.
    return count - 1 if ceil and (count - 1) * stride >= size + before else count


def max_pool(emit: Emitter, x: Tensor, along: Sequence[Along]) -> Tensor:
    return _joined(emit, _bordered(emit, x, along, float("-inf")), along, Maximum())


def average_pool(emit: Emitter, x: Tensor, along: Sequence[Along], padded: bool) -> Tensor:
    total = _joined(emit, _bordered(emit, x, along, 0.0), along, Add())
    shares = np.ones((1, 1), np.float64)
    for n, one in enumerate(along):
        share = 1 / np.maximum(one.counted(padded), 1)
        shares = shares[..., None] * share.reshape((1,) * (2 + n) + (-1,))
    return emit.one(Mul(), (total, emit.constant(shares.astype(np.float32))))


def lp_pool(emit: Emitter, x: Tensor, along: Sequence[Along], power: int) -> Tensor:
    """The root of the sum of powers."""
    powers = to_power(emit, x, power)
    total = _joined(emit, _bordered(emit, powers, along, 0.0), along, Add())
    return to_root(emit, total, power)


def to_power(emit: Emitter, x: Tensor, power: int) -> Tensor:
    if power == 2:
        return emit.one(Square(), (x,))
    magnitude = emit.one(Abs(), (x,))
    return magnitude if power == 1 else emit.one(Pow(), (magnitude, emit.like(power, x)))


def to_root(emit: Emitter, x: Tensor, power: int) -> Tensor:
    if power == 2:
        return emit.one(Sqrt(), (x,))
    return x if power == 1 else emit.one(Pow(), (x, emit.like(1 / power, x)))


def _bordered(emit: Emitter, x: Tensor, along: Sequence[Along], value: float) -> Tensor:
    before = (0, 0, *(one.before for one in along))
    after = (0, 0, *(one.padding for one in along))
    return emit.one(Pad(before, after, value), (x,)) if any(before + after) else x


def _joined(emit: Emitter, x: Tensor, along: Sequence[Along], kind: Attributes) -> Tensor:
    for axis, one in enumerate(along, 2):
        parts = [_taps(emit, x, axis, one, tap) for tap in range(one.kernel)]
        x = parts[0]
        for part in parts[1:]:
            x = emit.one(kind, (x, part))
    return x


def _taps(emit: Emitter, x: Tensor, axis: int, one: Along, tap: int) -> Tensor:
    """What one tap of the window sees."""
    begin, size, step = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    begin[axis], size[axis], step[axis] = tap * one.dilation, one.outputs, one.stride
    return emit.one(Slice(tuple(begin), tuple(size), tuple(step), tuple(size)), (x,))


# --- images with depth ----------------------------------------------------------------------------


def deep_slices(emit: Emitter, x: Tensor, depth: Along) -> list[Tensor]:
    """[N, C, D, H, W] as one batch of images [N * D', H, W, C] per tap of the depth."""
    moved = transposed(emit, x, 0, 2, 3, 4, 1)
    if depth.before or depth.padding:
        borders = (0, depth.before, 0, 0, 0), (0, depth.padding, 0, 0, 0)
        moved = emit.one(Pad(*borders), (moved,))
    parts = [_taps(emit, moved, 1, depth, tap) for tap in range(depth.kernel)]
    return [reshaped(emit, p, p.shape[0] * p.shape[1], *p.shape[2:]) for p in parts]


def from_slices(emit: Emitter, y: Tensor, batches: int) -> Tensor:
    """The way back."""
    deep = reshaped(emit, y, batches, y.shape[0] // batches, *y.shape[1:])
    return transposed(emit, deep, 0, 4, 1, 2, 3)


def refuse_indices(source: OnnxSource) -> None:
    if source.wants(1):
        raise Refuse("the places of the largest values are wanted too; supported: the values")
