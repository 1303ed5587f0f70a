"""One node of every form of the operators that can be cut into rows or boxes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nacre.ir import Node, Quantization, Shape
from nacre.ops.activations import Elu, HardSwish
from nacre.ops.add import Add, Sub
from nacre.ops.add_n import AddN
from nacre.ops.argmax import ArgMax
from nacre.ops.batch_matmul import BatchMatmul
from nacre.ops.binary import Maximum
from nacre.ops.cast import Cast
from nacre.ops.compare import Greater
from nacre.ops.concat import Concat, Pack
from nacre.ops.conv2d import Conv2d
from nacre.ops.cumsum import CumSum
from nacre.ops.depthwise import DepthwiseConv2d
from nacre.ops.div import Div
from nacre.ops.fully_connected import FullyConnected
from nacre.ops.l2_normalization import L2Normalization
from nacre.ops.log_softmax import LogSoftmax
from nacre.ops.lrn import LocalResponseNorm
from nacre.ops.mul import Mul
from nacre.ops.pad import MirrorPad, Pad
from nacre.ops.pool import AveragePool2d, L2Pool2d, MaxPool2d
from nacre.ops.quantize import Dequantize, Quantize
from nacre.ops.reduce import Mean, ReduceMax, Sum
from nacre.ops.relu import LeakyRelu, Prelu, Relu6
from nacre.ops.reshape import Copy
from nacre.ops.resize import ResizeBilinear, ResizeNearest
from nacre.ops.select import Select, SelectV2
from nacre.ops.sigmoid import Logistic, Tanh
from nacre.ops.slice import Slice, StridedSlice
from nacre.ops.softmax import Softmax
from nacre.ops.space import DepthToSpace, SpaceToDepth
from nacre.ops.split import Split, SplitV, Unpack
from nacre.ops.squared_difference import SquaredDifference
from nacre.ops.tile import BroadcastTo, Tile
from nacre.ops.transpose import Reverse, Transpose
from nacre.ops.transpose_conv import TransposeConv
from nacre.ops.unary import Abs
from support.single import bias, constant, node, numbers, tensor, weights

IMAGE = (1, 9, 7, 6)
TYPES = ("int8", "uint8", "int16", "float32")
Cases = dict[str, Callable[[], Node]]


def _window(**fields: int) -> dict[str, int]:
    return fields


WINDOWS = {
    "same": _window(pad_top=1, pad_left=1, pad_bottom=1, pad_right=1),
    "stride": _window(stride_h=2, stride_w=3, pad_top=1, pad_right=2),
    "dilated": _window(dilation_h=2, dilation_w=2, pad_bottom=3),
}


def hybrid(per_channel: bool) -> Node:
    """float32 activations, int8 weights."""
    w = weights((8, 3, 3, IMAGE[3]), "int8", 0)
    w = w if per_channel else replace(w, quantization=Quantization((0.004,), (0,)))
    return node(Conv2d(**WINDOWS["same"]), [tensor("x", IMAGE, "float32"), w, bias(8, "float32")])


def convolution(dtype: str, window: str, groups: int = 1, outputs: int = 8) -> Node:
    x = tensor("x", IMAGE, dtype)
    w = weights((outputs, 3, 3, IMAGE[3] // groups), dtype, 0)
    return node(Conv2d(**WINDOWS[window], activation="RELU6"), [x, w, bias(outputs, dtype)])


def depthwise(dtype: str, window: str, copies: int = 1) -> Node:
    x, outputs = tensor("x", IMAGE, dtype), copies * IMAGE[3]
    w = weights((1, 3, 3, outputs), dtype, 3)
    return node(DepthwiseConv2d(**WINDOWS[window]), [x, w, bias(outputs, dtype)])


def transposed(dtype: str, stride: int, kernel: int, pad: int) -> Node:
    x, w = tensor("x", (1, 5, 4, 6), dtype), weights((7, kernel, kernel, 6), dtype, 0)
    height, width = (n * stride + max(0, kernel - stride) - pad for n in (5, 4))
    conv = TransposeConv(height, width, stride, stride, pad, pad)
    return node(conv, [x, w, bias(7, dtype)])


def pool(kind: type, dtype: str, window: str) -> Node:
    # No window of a pool lies in the padding alone.
    fields = {k: min(2, v) for k, v in WINDOWS[window].items() if "dilation" not in k}
    return node(kind(3, 3, **fields), [tensor("x", IMAGE, dtype)])


def unary(attributes, dtype: str, out: str | None = None, shape: Shape = IMAGE, **output) -> Node:
    return node(attributes, [tensor("x", shape, dtype)], out, **output)


def binary(attributes, dtype: str, first: Shape, second: Shape, out: str | None = None) -> Node:
    return node(attributes, [tensor("a", first, dtype), tensor("b", second, dtype, 0.03)], out)


SHAPES = {
    "same": (IMAGE, IMAGE),
    "channels": (IMAGE, (6,)),
    "columns": ((1, 9, 1, 6), IMAGE),
    "rows": (IMAGE, (1, 1, 7, 6)),
    "scalar": (IMAGE, ()),
}


def _windowed() -> Cases:
    cases: Cases = {}
    for window in WINDOWS:
        for t in TYPES:
            cases[f"conv {t} {window}"] = lambda t=t, w=window: convolution(t, w)
            cases[f"depthwise {t} {window}"] = lambda t=t, w=window: depthwise(t, w)
        for kind in (AveragePool2d, MaxPool2d):
            for t in TYPES:
                name = f"{kind.__name__} {t} {window}"
                cases[name] = lambda k=kind, t=t, w=window: pool(k, t, w)
    cases["L2 pool"] = lambda: pool(L2Pool2d, "float32", "same")
    for t in TYPES:
        for stride, kernel, pad in ((1, 3, 1), (2, 3, 0), (2, 4, 1), (3, 2, 0)):
            name = f"transposed {t} {stride} {kernel} {pad}"
            cases[name] = lambda t=t, s=stride, k=kernel, p=pad: transposed(t, s, k, p)
    return cases


def _elementwise() -> Cases:
    cases: Cases = {}
    for shapes, (a, b) in SHAPES.items():
        for kind in (Add, Sub, Mul, Maximum, SquaredDifference):
            cases[f"{kind.__name__} int8 {shapes}"] = lambda k=kind, a=a, b=b: binary(
                k(), "int8", a, b
            )
        cases[f"Add float32 {shapes}"] = lambda a=a, b=b: binary(Add(), "float32", a, b)
        cases[f"Add swapped {shapes}"] = lambda a=a, b=b: node(
            Add(), [tensor("a", a, "int8", 0.01), tensor("b", b, "int8", 0.2)]
        )
        cases[f"Div {shapes}"] = lambda a=a, b=b: binary(Div(), "float32", a, b)
        cases[f"Greater {shapes}"] = lambda a=a, b=b: binary(Greater(), "int8", a, b, "bool")
    cases["Add one tensor twice"] = lambda: node(Add(), [tensor("a", IMAGE)] * 2)
    cases["Add constant"] = lambda: node(
        Add(),
        [tensor("a", IMAGE), constant("c", numbers(IMAGE, "int8"), Quantization((0.02,), (4,)))],
    )
    cases["AddN int8"] = lambda: node(AddN(), [tensor(n, IMAGE) for n in "abc"])
    cases["AddN float32"] = lambda: node(AddN(), [tensor(n, IMAGE, "float32") for n in "abc"])
    for t in ("int8", "int16", "float32"):
        cases[f"Logistic {t}"] = lambda t=t: unary(Logistic(), t, **_sigmoid(t, False))
        cases[f"Tanh {t}"] = lambda t=t: unary(Tanh(), t, **_sigmoid(t, True))
    for t in TYPES:
        cases[f"Relu6 {t}"] = lambda t=t: unary(Relu6(), t)
        cases[f"LeakyRelu {t}"] = lambda t=t: unary(LeakyRelu(0.1), t)
    cases["HardSwish"] = lambda: unary(HardSwish(), "int8")
    cases["Elu"] = lambda: unary(Elu(), "float32")
    cases["Abs"] = lambda: unary(Abs(), "float32")
    cases["Cast"] = lambda: unary(Cast(), "float32", "int32")
    cases["Copy"] = lambda: unary(Copy(), "int16")
    cases["Quantize"] = lambda: unary(Quantize(), "float32", "int8")
    cases["Requantize"] = lambda: unary(Quantize(), "int16", "int8")
    cases["Dequantize"] = lambda: unary(Dequantize(), "int8", "float32")
    for shape in ((6,), (1, 7, 6), (9, 7, 6), (1, 1, 6)):
        cases[f"Prelu {shape}"] = lambda s=shape: node(
            Prelu(),
            [tensor("x", IMAGE), constant("c", numbers(s, "int8"), Quantization((0.02,), (4,)))],
        )
    cases["Select"] = lambda: node(
        SelectV2(),
        [tensor("c", (1, 9, 7, 1), "bool"), tensor("a", IMAGE), tensor("b", (1, 1, 1, 6))],
        "int8",
    )
    return cases


def _sigmoid(dtype: str, signed: bool) -> dict[str, float | int]:
    """The quantization that the runtimes ask of the output."""
    if dtype == "float32":
        return {}
    if dtype == "int16":
        return {"scale": 1 / 32768, "zero_point": 0}
    return {"scale": 1 / 128, "zero_point": 0} if signed else {"scale": 1 / 256, "zero_point": -128}


def _vectors() -> Cases:
    return {
        "Softmax int8": lambda: unary(Softmax(1.0), "int8", scale=1 / 256, zero_point=-128),
        "Softmax int16": lambda: unary(Softmax(1.0), "int16", scale=1 / 32768, zero_point=0),
        "Softmax float32": lambda: unary(Softmax(1.0), "float32"),
        "LogSoftmax": lambda: unary(LogSoftmax(), "float32"),
        "L2Normalization int8": lambda: unary(
            L2Normalization(), "int8", scale=1 / 128, zero_point=0
        ),
        "L2Normalization float32": lambda: unary(L2Normalization(), "float32"),
    }


def _moves() -> Cases:
    cases: Cases = {}
    for axis, shape in ((1, (1, 4, 7, 6)), (2, (1, 9, 3, 6)), (3, (1, 9, 7, 5))):
        parts = [IMAGE, shape, IMAGE]
        cases[f"Concat {axis}"] = lambda a=axis, p=parts: node(
            Concat(a), [tensor(f"x{n}", s, "int8", 0.07) for n, s in enumerate(p)]
        )
        cases[f"Concat rescaled {axis}"] = lambda a=axis, p=parts: node(
            Concat(a), [tensor(f"x{n}", s, "int8", 0.05 + n / 100) for n, s in enumerate(p)]
        )
    cases["Concat narrow"] = lambda: node(
        Concat(3), [tensor(f"x{n}", (1, 9, 1, 2 + n), "int16", 0.07) for n in range(2)]
    )
    cases["Pad"] = lambda: unary(Pad((0, 2, 1, 0), (0, 1, 3, 0), 5), "int8")
    cases["Pad channels"] = lambda: unary(Pad((0, 2, 1, 1), (0, 1, 0, 2), 5), "int16")
    for edge in (0, 1):
        cases[f"MirrorPad {edge}"] = lambda e=edge: unary(
            MirrorPad((0, 3, 2, 0), (0, 2, 4, 0), e), "int8"
        )
    for size in ((18, 14), (5, 10), (13, 7)):
        for align, half in ((False, False), (True, False), (False, True)):
            for kind, types in ((ResizeNearest, ("int8",)), (ResizeBilinear, TYPES)):
                for t in types:
                    name = f"{kind.__name__} {t} {size} {align} {half}"
                    cases[name] = lambda k=kind, t=t, s=size, a=align, h=half: unary(k(*s, a, h), t)
    cases["Slice"] = lambda: unary(
        Slice((0, 2, 1, 1), (1, 6, 5, 3), (1,) * 4, (1, 6, 5, 3)), "int8"
    )
    cases["StridedSlice"] = lambda: unary(
        StridedSlice((0, 1, 6, 0), (1, 4, 3, 6), (1, 2, -2, 1), (1, 4, 3, 6)), "float32"
    )
    cases["SpaceToDepth"] = lambda: unary(SpaceToDepth(2), "int8", shape=(1, 8, 6, 3))
    return cases


def row_wise_cases() -> Cases:
    """Operators that run in windows of rows."""
    return {
        **_windowed(), **_elementwise(), **_vectors(), **_moves(),
        "conv groups": lambda: convolution("int8", "same", groups=2),
        "depthwise copies": lambda: depthwise("int8", "stride", copies=3),
        "depthwise float copies": lambda: depthwise("float32", "same", copies=2),
        "DepthToSpace": lambda: unary(DepthToSpace(2), "int16", shape=(1, 5, 4, 12)),
        "Split": lambda: unary(Split(3, (2, 2, 2)), "int8"),
        "SplitV": lambda: unary(SplitV(2, (3, 4)), "float32"),
    }  # fmt: skip


def _matrices() -> Cases:
    cases: Cases = {}
    for t in ("int8", "int16", "float32"):
        cases[f"FullyConnected {t}"] = lambda t=t: node(
            FullyConnected("RELU"), [tensor("x", (3, 20), t), weights((9, 20), t, 0), bias(9, t)]
        )
    cases["FullyConnected image"] = lambda: node(
        FullyConnected(), [tensor("x", (1, 2, 5, 2)), weights((9, 20), "int8", 0), None]
    )
    cases["FullyConnected kept"] = lambda: node(
        FullyConnected(keep_dimensions=True),
        [tensor("x", (2, 3, 20)), weights((9, 20), "int8", 0), bias(9, "int8")],
    )
    for t in ("int8", "float32"):
        for x, z, flags in (
            ((2, 5, 7), (2, 7, 4), (False, False)),
            ((2, 7, 5), (1, 4, 7), (True, True)),
        ):
            cases[f"BatchMatmul {t} {flags}"] = lambda t=t, x=x, z=z, f=flags: binary(
                BatchMatmul(*f), t, x, z
            )
    return cases


def _reductions() -> Cases:
    cases: Cases = {}
    for t in TYPES:
        for axes in ((1, 2), (3,), (1,), (2, 3)):
            for keep in (False, True):
                cases[f"Mean {t} {axes} {keep}"] = lambda t=t, a=axes, k=keep: unary(Mean(a, k), t)
    cases["Sum"] = lambda: unary(Sum((2,), False), "int8", shape=(3, 4, 5, 2))
    cases["ReduceMax"] = lambda: unary(ReduceMax((1, 2), True), "int8")
    cases["ArgMax"] = lambda: unary(ArgMax(3), "int8", "int32")
    cases["ArgMax rows"] = lambda: unary(ArgMax(1), "float32", "int32")
    return cases


def boxed_cases() -> Cases:
    """Operators that can be cut into any boxes."""
    return {
        **_windowed(), **_elementwise(), **_moves_in_boxes(), **_matrices(), **_reductions(),
        "Split": lambda: unary(Split(3, (2, 2, 2)), "int8"),
        "SplitV": lambda: unary(SplitV(2, (3, 4)), "float32"),
        "Unpack": lambda: unary(Unpack(1, 3), "int8", shape=(2, 3, 5, 4)),
        "Pack": lambda: node(Pack(2), [tensor(n, (3, 4, 5), "int8", 0.07) for n in "abc"]),
        "Transpose": lambda: unary(Transpose((0, 3, 1, 2)), "int16"),
        "Reverse": lambda: unary(Reverse((1, 3)), "int8"),
        "BroadcastTo": lambda: unary(BroadcastTo((2, 5, 4)), "int8", shape=(5, 1)),
        "StridedSlice shrunk": lambda: unary(
            StridedSlice((0, 4, 6, 0), (1, 1, 3, 6), (1, 1, -2, 1), (1, 3, 6)), "float32"
        ),
        "Select slices": lambda: node(
            Select(True), [tensor("c", (4,), "bool"), *(tensor(n, (4, 3, 5)) for n in "ab")], "int8"
        ),
        "MirrorPad line": lambda: unary(MirrorPad((0, 3), (0, 2), 1), "float32", shape=(3, 11)),
        "MirrorPad front": lambda: unary(MirrorPad((2, 0), (1, 0), 0), "int16", shape=(5, 4)),
        "Add of vectors": lambda: binary(Add(), "int8", (7, 13), (13,)),
    }  # fmt: skip


def _moves_in_boxes() -> Cases:
    return {k: v for k, v in _moves().items() if k != "SpaceToDepth"}


def vector_cases() -> Cases:
    """Operators that are cut into boxes of whole vectors along the last dimension."""
    return {
        **_vectors(),
        "SpaceToDepth": lambda: unary(SpaceToDepth(2), "int8", shape=(1, 8, 6, 3)),
        "Lrn": lambda: unary(LocalResponseNorm(2, 1.0, 0.5, 0.75), "float32"),
        "CumSum": lambda: unary(CumSum(3, False, False), "float32"),
    }


def block_cases() -> Cases:
    """Operators that are cut into some boxes."""
    return {
        "conv groups": lambda: convolution("int8", "same", groups=2),
        "depthwise copies": lambda: depthwise("int8", "same", copies=3),
        "DepthToSpace": lambda: unary(DepthToSpace(2), "int16", shape=(1, 5, 4, 12)),
        "Tile": lambda: unary(Tile((2, 1, 3)), "int8", shape=(3, 4, 2)),
    }
