"""Sliding windows: padding arithmetic and row needs shared by convolutions and pools."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.ir import Array
from nacre.ir.options import Options
from nacre.ops.kind import Refuse, Span

TFLITE_ACTIVATIONS = {0: "NONE", 1: "RELU", 2: "RELU_N1_TO_1", 3: "RELU6", 4: "TANH", 5: "SIGN_BIT"}
SAME, VALID = 0, 1


@dataclass(frozen=True)
class Axis:
    """One axis of a sliding window: output o reads inputs o*stride - before + k*dilation."""

    size: int
    kernel: int
    stride: int
    dilation: int
    before: int
    after: int

    @property
    def extent(self) -> int:
        """Input positions from the first tap to the last."""
        return (self.kernel - 1) * self.dilation + 1

    @property
    def outputs(self) -> int:
        return (self.size + self.before + self.after - self.extent) // self.stride + 1

    def needs(self, out: Span) -> Span:
        """The inputs inside the tensor that outputs [begin, end) read."""
        first = out.begin * self.stride - self.before
        last = (out.end - 1) * self.stride - self.before + self.extent
        begin = min(self.size, max(0, first))
        return Span(begin, max(begin, min(self.size, last)))

    def cut(self, out: Span) -> tuple[Span, int, int]:
        """What outputs [begin, end) read, and the padding before and after that."""
        first = out.begin * self.stride - self.before
        last = (out.end - 1) * self.stride - self.before + self.extent
        inside = self.needs(out)
        before = min(max(0, -first), last - first)
        return inside, before, last - first - before - inside.size

    def taps(self, padded: Array, axis: int, k: int) -> Array:
        """What tap k reads for every output, of an array that is padded along `axis`."""
        first = k * self.dilation
        last = first + (self.outputs - 1) * self.stride
        index = [slice(None)] * padded.ndim
        index[axis] = slice(first, last + 1, self.stride)
        taps: Array = padded[tuple(index)]
        return taps


def same_padding(size: int, kernel: int, stride: int, dilation: int) -> tuple[int, int]:
    """Padding before and after so that there are ceil(size / stride) outputs; odd one after."""
    outputs = -(-size // stride)
    extent = (kernel - 1) * dilation + 1
    total = max(0, (outputs - 1) * stride + extent - size)
    return total // 2, total - total // 2


def tflite_padding(
    scheme: int, size: int, kernel: int, stride: int, dilation: int
) -> tuple[int, int]:
    """Padding of one axis for a TFLite padding scheme."""
    if stride < 1 or dilation < 1 or kernel < 1:
        raise Refuse(
            f"stride {stride}, dilation {dilation}, kernel {kernel}; each must be at least 1"
        )
    if scheme == SAME:
        return same_padding(size, kernel, stride, dilation)
    if scheme == VALID:
        if (kernel - 1) * dilation + 1 > size:
            raise Refuse(
                f"a window of {(kernel - 1) * dilation + 1} does not fit an input of {size}"
            )
        return 0, 0
    raise Refuse(f"padding {scheme}; supported: 0 (SAME), 1 (VALID)")


def tflite_scheme(options: Options) -> int:
    """SAME or VALID."""
    scheme = options.integer("padding")
    if scheme not in (SAME, VALID):
        raise Refuse(f"padding {scheme}; supported: 0 (SAME), 1 (VALID)")
    return scheme


def tflite_activation(options: Options, name: str = "fused_activation_function") -> str:
    """The fused activation of an operator's options."""
    code = options.integer(name)
    activation = TFLITE_ACTIVATIONS.get(code, str(code))
    if activation not in ("NONE", "RELU", "RELU_N1_TO_1", "RELU6"):
        raise Refuse(f"fused activation {activation}; supported: NONE, RELU, RELU_N1_TO_1, RELU6")
    return activation
