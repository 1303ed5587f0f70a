"""The integer form of one float operator, given the quantization of its inputs and its output."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import TypeAlias

import numpy as np

from nacre.frontends.onnx.quantized_graph import Draft, flipped, objection, operator_of
from nacre.frontends.onnx.scales import centred, codes_of, real_values
from nacre.ir import Array, Attributes, DType, Node, Quantization, Tensor, TensorId, TensorKind
from nacre.ops.add import Add, Sub
from nacre.ops.batch_matmul import BatchMatmul
from nacre.ops.conv2d import Conv2d
from nacre.ops.convolution import Sliding, Spreading
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.div import Div
from nacre.ops.fully_connected.layer import FullyConnected
from nacre.ops.lookup_table import ENTRIES, LookupTable
from nacre.ops.mul import Mul
from nacre.ops.pool import AveragePool2d
from nacre.ops.quantize import Quantize
from nacre.ops.reduce import Mean, Reduce, Sum
from nacre.ops.relu import LeakyRelu, Prelu, Relu, Relu0To1, Relu6, ReluN1To1
from nacre.ops.resize import ResizeBilinear
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.softmax import Softmax
from nacre.ops.squared_difference import SquaredDifference
from nacre.ops.transpose_conv import TransposeConv

INT8, UINT8, INT16 = DType.INT8, DType.UINT8, DType.INT16


@dataclass(frozen=True, eq=False)
class Part:
    """One integer operator."""

    attributes: Attributes
    inputs: tuple[Tensor | None, ...]
    y: Tensor


@dataclass(frozen=True, eq=False)
class Site:
    """A float operator, the quantized tensors behind its inputs and the one it shall write."""

    draft: Draft
    node: Node
    inner: Mapping[TensorId, Tensor]
    y: Tensor

    def x(self, index: int) -> Tensor | None:
        return self.inner.get(self.node.input(index).id)

    def constant(self, data: Array, q: Quantization | None, source: Tensor | None) -> Tensor:
        """A new constant; rules for its source hold for it too."""
        base = self.node.output if source is None else source
        content = np.ascontiguousarray(data)
        wish = f"{base.id}.{content.dtype.name}"
        return Tensor(
            self.draft.fresh(wish), base.name, content.shape, DType(content.dtype.name),
            TensorKind.CONSTANT, q, content, (base.id, *base.origins),
        )  # fmt: skip

    def between(self, shape: tuple[int, ...], dtype: DType, q: Quantization, what: str) -> Tensor:
        """A tensor inside of a form of several operators."""
        key = self.draft.fresh(f"{self.y.id}.{what}")
        return Tensor(key, key, shape, dtype, quantization=q, origins=(self.y.id,))


Parts: TypeAlias = tuple[Part, ...]
Form: TypeAlias = Callable[[Site], Parts | None]


def integer_form(
    draft: Draft, node: Node, inner: Mapping[TensorId, Tensor], y: Tensor
) -> Parts | None:
    """Integer operators that compute y; None where no kernel does."""
    form = FORMS.get(type(node.operator.attributes))
    if form is None or y.quantization is None:
        return None
    parts = form(Site(draft, node, inner, y))
    if parts is None or any(_off_centre(p) or _objection(p) is not None for p in parts):
        return None
    for tensor in (t for p in parts for t in (*p.inputs, p.y) if t is not None):
        draft.keep(tensor)
    return parts


def _objection(part: Part) -> str | None:
    return objection(
        Node(operator_of(part.attributes, part.inputs, part.y), part.inputs, (part.y,))
    )


def _off_centre(part: Part) -> bool:
    """16-bit sums have no room for zero points; only changes of scale do without it."""
    if isinstance(part.attributes, Quantize):
        return False
    tensors = (t for t in (*part.inputs, part.y) if t is not None and t.dtype is INT16)
    return any(t.q.zero_point != 0 for t in tensors) and not isinstance(part.attributes, Softmax)


def _once(attributes: Attributes) -> Attributes:
    """ONNX Runtime rounds results once."""
    if isinstance(attributes, Sliding | Spreading | FullyConnected | BatchMatmul | Mul | Reduce):
        return replace(attributes, once=True)
    return attributes


# --- layers with weights --------------------------------------------------------------------------

# The dimension of the weights that counts output channels.
_CHANNELS: Mapping[type[Attributes], int] = {
    Conv2d: 0,
    DepthwiseConv2d: 3,
    TransposeConv: 0,
    FullyConnected: 0,
}


def _layer(site: Site) -> Parts | None:
    attributes, w, x = site.node.operator.attributes, site.node.input(1), site.x(0)
    axis = _CHANNELS[type(attributes)]
    if x is None or not w.is_constant or w.quantization is None:
        return None
    if w.q.per_channel and w.q.axis != axis:
        return None
    whole = centred(w.constant, w.q)
    if whole.min() >= -128 and whole.max() <= 127:
        scales = replace(w.q, zero_points=(0,) * len(w.q.scales), axis=axis)
        return (_layer_part(site, x, site.constant(whole.astype(np.int8), scales, w), site.y),)
    return _unsigned_layer(site, x, whole) if x.dtype is INT8 else None


def _layer_part(site: Site, x: Tensor, w: Tensor, y: Tensor) -> Part:
    attributes, bias = _once(site.node.operator.attributes), site.node.optional(2)
    inputs = (x, w, None if bias is None else _bias(site, x, w, bias))
    return Part(attributes, inputs, y)


def _bias(site: Site, x: Tensor, w: Tensor, bias: Tensor) -> Tensor:
    """In steps of the sums."""
    steps = np.rint(
        bias.constant.reshape(-1).astype(np.float64) / (x.q.scale * np.array(w.q.scales))
    )
    wide = DType.INT64 if x.dtype is INT16 else DType.INT32
    low, high = wide.range
    inside = np.clip(steps, low / 2, high / 2).astype(wide.numpy)
    return site.constant(inside, None, bias)


def _unsigned_layer(site: Site, x: Tensor, whole: Array) -> Parts | None:
    """Weights that int8 does not hold: all tensors in uint8, which takes any zero point."""
    w, y = site.node.input(1), site.y
    point = int(np.clip(-whole.min(), 0, 255))
    if w.q.per_channel or whole.max() + point > 255 or whole.min() + point < 0:
        return None
    codes = site.constant((whole + point).astype(np.uint8), Quantization(w.q.scales, (point,)), w)
    inputs = site.between(x.shape, UINT8, flipped(x.q, UINT8), "input")
    outputs = site.between(y.shape, UINT8, flipped(y.q, UINT8), "uint8")
    layer = _layer_part(site, inputs, codes, outputs)
    return Part(Quantize(), (x,), inputs), layer, Part(Quantize(), (outputs,), y)


# --- several quantized operands -------------------------------------------------------------------


def _operands(site: Site) -> Parts | None:
    """Every input is quantized, or a constant."""
    known = [site.x(i) for i in range(len(site.node.inputs))]
    dtype = next((t.dtype for t in known if t is not None), None)
    if dtype is None or dtype is not site.y.dtype:
        return None
    inputs = [
        t if t is not None else _constant_operand(site, site.node.input(i), dtype)
        for i, t in enumerate(known)
    ]
    if any(t is None or t.dtype is not dtype for t in inputs):
        return None
    return (Part(_once(site.node.operator.attributes), tuple(inputs), site.y),)


def _quotient(site: Site) -> Parts | None:
    """Where the divisor is never 0: integers know no infinity."""
    divisor = site.node.input(1)
    safe = divisor.is_constant and bool((divisor.constant != 0).all())
    return _operands(site) if safe else None


def _constant_operand(site: Site, tensor: Tensor, dtype: DType) -> Tensor | None:
    """A constant with one scale, or of one value, which then is a scale itself."""
    if not tensor.is_constant or tensor.elements == 0:
        return None
    values, (low, high) = tensor.constant, dtype.range
    if tensor.quantization is not None and not tensor.q.per_channel:
        whole, scale = centred(values, tensor.q), tensor.q.scale
    else:
        first = float(values.reshape(-1)[0])
        if not (values == first).all() or not np.isfinite(first):
            return None
        whole = np.full(values.shape, high if first > 0 else -high if first < 0 else 0, np.int64)
        scale = abs(first) / high if first else 1.0
    point = 0 if low <= whole.min() and whole.max() <= high else int(low - whole.min())
    if whole.max() + point > high or (point and dtype is INT16):
        return None
    codes = (whole + point).astype(dtype.numpy)
    return site.constant(codes, Quantization((scale,), (point,)), tensor)


# --- one quantized operand ------------------------------------------------------------------------


def _plain(site: Site) -> Parts | None:
    x = site.x(0)
    if x is None:
        return None
    return (Part(_once(site.node.operator.attributes), (x,), site.y),)


def _keeping(site: Site) -> Parts | None:
    """Kernels that know no scales: a table takes the result to another one.

    To smaller steps it would carry the first rounding along, so that is done in 16 bits.
    """
    x, y = site.x(0), site.y
    if x is None or x.quantization == y.quantization:
        return _plain(site)
    if (x.dtype, y.dtype) != (INT8, INT8):
        return None
    if x.q.scale > y.q.scale:
        return _widened(site, x)
    middle = site.between(y.shape, x.dtype, x.q, "int8")
    return (
        Part(site.node.operator.attributes, (x,), middle),
        Part(rescaling(middle, y), (middle,), y),
    )


def _widened(site: Site, x: Tensor) -> Parts:
    """Through 128th parts of the input's steps."""
    fine = Quantization((x.q.scale / 128,), (0,))
    before = site.between(x.shape, INT16, fine, "input")
    after = site.between(site.y.shape, INT16, fine, "int16")
    return (
        Part(Quantize(), (x,), before),
        Part(site.node.operator.attributes, (before,), after),
        Part(Quantize(), (after,), site.y),
    )


def rescaling(x: Tensor, y: Tensor) -> LookupTable:
    """What each stored byte of x is in y's quantization."""
    stored = np.arange(ENTRIES, dtype=np.uint8).view(x.dtype.numpy)
    return LookupTable(
        tuple(int(c) for c in codes_of(real_values(stored, x.q), y.q, *y.dtype.range))
    )


def _average(site: Site) -> Parts | None:
    """With another scale and no padding: a convolution whose weights are all 1."""
    pool, x, y = site.node.operator.attributes, site.x(0), site.y
    assert isinstance(pool, AveragePool2d)
    borders = (pool.pad_top, pool.pad_left, pool.pad_bottom, pool.pad_right)
    if x is None or x.quantization == y.quantization or any(borders):
        return _keeping(site)
    shape = (1, pool.kernel_h, pool.kernel_w, y.shape[3])
    share = Quantization((1.0 / prod(shape[1:3]),), (0,))
    weights = site.constant(np.ones(shape, np.int8), share, None)
    window = DepthwiseConv2d(pool.stride_h, pool.stride_w, activation=pool.activation, once=True)
    return (Part(window, (x, weights, None), y),)


# 8-bit results of SOFTMAX have this scale, and its 16-bit ones this.
_SOFTMAX_8 = Quantization((1 / 256,), (-128,))
_SOFTMAX_16 = Quantization((1 / 65536,), (-32768,))


def _softmax(site: Site) -> Parts | None:
    x, y = site.x(0), site.y
    if x is None or (x.dtype, y.dtype) != (INT8, INT8) or y.quantization == _SOFTMAX_8:
        return _plain(site)
    fine = site.between(y.shape, INT16, _SOFTMAX_16, "int16")
    return (
        Part(site.node.operator.attributes, (x,), fine),
        Part(Quantize(), (fine,), y),
    )


FORMS: Mapping[type[Attributes], Form] = {
    **dict.fromkeys((Conv2d, DepthwiseConv2d, TransposeConv, FullyConnected), _layer),
    **dict.fromkeys((BatchMatmul, Add, Sub, Mul, SquaredDifference, Prelu), _operands),
    Div: _quotient,
    **dict.fromkeys((Mean, Sum, Relu, Relu6, ReluN1To1, Relu0To1, LeakyRelu), _plain),
    **dict.fromkeys((Logistic, Tanh), _plain),
    ResizeBilinear: _keeping,
    AveragePool2d: _average,
    Softmax: _softmax,
}
