"""SignalWindow, SignalFftAutoScale: a frame of samples made ready for the transform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
    read,
    write,
)
from nacre.ops.signal.common import expect_arity, options_of, same_shape, type_objection


@dataclass(frozen=True)
class SignalWindow(Attributes):
    """y = saturate(x * window >> shift), frame by frame."""

    shift: int = 0


@dataclass(frozen=True)
class SignalFftAutoScale(Attributes):
    """Scales a frame up by the power of two that its largest value leaves room for."""


@dataclass(frozen=True)
class WindowParams(Params):
    c_type: ClassVar[str] = "nacre_signal_window_params_t"
    frames: int = meaning("frames, one after another")
    length: int = meaning("samples of a frame")
    shift: int = meaning("fraction bits of the window")


@dataclass(frozen=True)
class AutoScaleParams(Params):
    c_type: ClassVar[str] = "nacre_signal_auto_scale_params_t"
    length: int = meaning("samples of the frame")


WINDOW = Kernel("nacre_signal_window_s16", WindowParams)
AUTO_SCALE = Kernel("nacre_signal_auto_scale_s16", AutoScaleParams)


def _window_from_tflite(source: SourceNode) -> Imported:
    options = options_of(source, 2, 1)
    return Imported(SignalWindow(options.integer("shift", 0, 31)), inputs=(0, 1))


def _check_window(node: Node) -> str | None:
    x, window = node.input(0), node.input(1)
    objection = type_objection(node, (DType.INT16, DType.INT16), (DType.INT16,))
    if objection is None and (not x.shape or x.shape[-1] != window.elements):
        return f"frames of shape {list(x.shape)} with a window of {window.elements} values"
    return objection


def _window_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, window = values[0], values[1]
    assert x is not None and window is not None
    raw = (x.astype(np.int64) * window.reshape(-1)) >> attributes(node, SignalWindow).shift
    return (np.clip(raw, -32768, 32767).astype(np.int16),)


def _lower_window(node: Node, options: LowerOptions) -> Lowered:
    x, window = node.input(0), node.input(1)
    length = window.elements
    params = WindowParams(x.elements // length, length, attributes(node, SignalWindow).shift)
    return Lowered((Call(WINDOW, (read(x), read(window), write(node.output), params)),))


SIGNAL_WINDOW = OpKind(
    type="SignalWindow",
    attributes=SignalWindow,
    summary="A frame of samples times a window.",
    supports=("int16",),
    tflite={"CUSTOM:SignalWindow": _window_from_tflite},
    infer=same_shape,
    check=_check_window,
    reference=_window_reference,
    lower=_lower_window,
    kernels=(WINDOW,),
    cost=lambda node: Cost(macs=node.output.elements),
    in_place=lambda _: (0,),
)


# --- automatic scale ------------------------------------------------------------------------------


def _scale_from_tflite(source: SourceNode) -> Imported:
    expect_arity(source, 1, 2)
    return Imported(SignalFftAutoScale(), inputs=(0,))


def _infer_scale(_: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert inputs[0] is not None
    return (inputs[0].shape, ())


def _check_scale(node: Node) -> str | None:
    return type_objection(node, (DType.INT16,), (DType.INT16, DType.INT32))


def _scale_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = values[0]
    assert x is not None
    largest = _largest([int(v) for v in x.reshape(-1)])
    bits = 15 - largest.bit_length() if largest > 0 else 0
    scaled = (x.astype(np.int64) << bits).astype(np.int16)
    return (scaled, np.asarray(bits, np.int32))


def _largest(samples: list[int]) -> int:
    """The largest magnitude as the source runtime finds it, where 32768 wraps to -32768."""
    largest = 0
    for sample in samples:
        if max(sample, -sample) > largest:
            largest = sample if sample > largest else -sample
            largest = -32768 if largest == 32768 else largest
    return largest


def _lower_scale(node: Node, options: LowerOptions) -> Lowered:
    x, (y, bits) = node.input(0), node.outputs
    params = AutoScaleParams(x.elements)
    return Lowered((Call(AUTO_SCALE, (read(x), write(y), write(bits), params)),))


SIGNAL_FFT_AUTO_SCALE = OpKind(
    type="SignalFftAutoScale",
    attributes=SignalFftAutoScale,
    summary="Scales a frame up as far as it fits, and tells by how many bits.",
    supports=("int16",),
    tflite={"CUSTOM:SignalFftAutoScale": _scale_from_tflite},
    infer=_infer_scale,
    check=_check_scale,
    reference=_scale_reference,
    lower=_lower_scale,
    kernels=(AUTO_SCALE,),
)
