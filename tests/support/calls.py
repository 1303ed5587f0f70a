"""Runs single operators by their kernels: whole, box by box, or window by window on rings."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Mapping

import numpy as np

from nacre.ir import Array, Node, Tensor
from nacre.ops import kind_of
from nacre.ops.boxes import box_shape
from nacre.ops.kind import Argument, Box, Call, Lowered, LowerOptions, Params, Pointer, Span
from nacre.ops.rings import is_row_wise, ringed, windowed
from support.execute import Rows, kernel_library, struct_of

GUARD = 64
STALE = 0xA5


class Buffer:
    """Bytes with guards around them that no kernel may touch; stale until they are written."""

    def __init__(self, size: int) -> None:
        self._whole = np.full(size + 2 * GUARD + 16, 0x5A, np.uint8)
        self._start = GUARD + -self._whole.ctypes.data % 16
        self.bytes = self._whole[self._start : self._start + size]
        self.bytes[:] = STALE

    def fill(self, value: Array) -> Buffer:
        self.bytes[:] = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
        return self

    def check(self, what: str) -> None:
        outside = np.delete(self._whole, np.s_[self._start : self._start + len(self.bytes)])
        assert (outside == 0x5A).all(), f"{what}: written outside"


Buffers = dict[str, Buffer]


def run_calls(calls: Iterable[Call], buffers: Mapping[str, Buffer]) -> None:
    for call in calls:
        function = getattr(kernel_library(), call.kernel.name)
        function.restype = None
        function(*(_argument(a, buffers) for a in call.arguments))
    for name, buffer in buffers.items():
        buffer.check(name)


def _argument(argument: Argument, buffers: Mapping[str, Buffer]):
    if isinstance(argument, Pointer):
        buffer = buffers[argument.tensor].bytes
        assert 0 <= argument.offset <= len(buffer)
        return ctypes.c_void_p(buffer.ctypes.data + argument.offset)
    if isinstance(argument, Params):
        return ctypes.byref(struct_of(argument))
    if isinstance(argument, Span):
        return Rows(argument.begin, argument.end)
    return (ctypes.c_float if isinstance(argument, float) else ctypes.c_int32)(argument)


def lowered_of(node: Node) -> Lowered:
    return kind_of(node.operator).lower(node, LowerOptions())


def own_buffers(lowered: Lowered, node: Node) -> Buffers:
    """Constants and scratch."""
    constants = [*lowered.constants, *(t for t in node.inputs if t is not None and t.is_constant)]
    buffers = {t.id: Buffer(t.size).fill(t.constant) for t in constants}
    return buffers | {s.id: Buffer(s.size) for s in lowered.scratch}


def run_node(node: Node, values: Mapping[str, Array]) -> list[Array]:
    """The outputs of an operator; `values` has its inputs by id."""
    lowered = lowered_of(node)
    buffers = own_buffers(lowered, node)
    for x in (t for t in node.inputs if t is not None and not t.is_constant):
        buffers[x.id] = Buffer(x.size).fill(values[x.id])
    buffers |= {y.id: Buffer(y.size) for y in node.outputs}
    run_calls(lowered.calls, buffers)
    return [content(buffers[y.id], y) for y in node.outputs]


def content(buffer: Buffer, tensor: Tensor) -> Array:
    return buffer.bytes.copy().view(tensor.dtype.numpy).reshape(tensor.shape)


# --- boxes ----------------------------------------------------------------------------------------


def cut(value: Array, box: Box) -> Array:
    return value[tuple(slice(s.begin, s.end) for s in box)]


def run_boxes(node: Node, values: Mapping[str, Array], output: int, boxes: Iterable[Box]) -> Array:
    """An output of an operator, put together from boxes. All boxes must be allowed."""
    rule = kind_of(node.operator).box
    assert rule is not None
    result = np.zeros(node.outputs[output].shape, node.outputs[output].dtype.numpy)
    seen: dict[str, str] = {}
    for box in boxes:
        small = rule(node, output, box)
        assert small is not None, f"{node.operator.type} has no rule for {box}"
        parts = {
            x.id: cut(values[part.tensor], part.box)
            for x, part in zip(small.node.inputs, small.parts, strict=True)
            if x is not None and part is not None
        }
        (made,) = run_node(small.node, parts)
        result[tuple(slice(s.begin, s.end) for s in box)] = made.reshape(box_shape(box))
        facts = _facts(lowered_of(small.node))
        assert seen.setdefault(small.node.id, facts) == facts, "one id, two operators"
    return result


def _facts(lowered: Lowered) -> str:
    content = [(t.id, t.constant.tobytes()) for t in lowered.constants]
    return repr((lowered.calls, content, lowered.scratch))


# --- windows --------------------------------------------------------------------------------------


def run_windows(node: Node, values: Mapping[str, Array], windows: Iterable[Span]) -> list[Array]:
    """The outputs of a row-wise operator, window by window, from rings as small as can be."""
    kind, lowered, windows = kind_of(node.operator), lowered_of(node), list(windows)
    assert is_row_wise(kind, node, lowered.calls), f"{node.operator.type} is not row-wise"
    needs = needed_rows(node, windows)
    rings = {key: ring_rows(spans) for key, spans in needs.items()}
    rings |= {y.id: max(w.size for w in windows) for y in node.outputs}
    buffers = own_buffers(lowered, node)
    for x in (t for t in node.inputs if t is not None and not t.is_constant):
        size = rings[x.id] * x.size // x.shape[1] if x.id in rings else x.size
        buffers[x.id] = Buffer(size)
        if x.id not in rings:
            buffers[x.id].fill(values[x.id])
    buffers |= {y.id: Buffer(rings[y.id] * y.size // y.shape[1]) for y in node.outputs}
    results = [np.zeros(y.shape, y.dtype.numpy) for y in node.outputs]
    for number, window in enumerate(windows):
        for key, spans in needs.items():
            _load(buffers[key], values[key], spans[number], rings[key])
        calls = [windowed(ringed(call, rings), window) for call in lowered.calls]
        run_calls(calls, buffers)
        for y, result in zip(node.outputs, results, strict=True):
            kept = buffers[y.id].bytes.copy().view(y.dtype.numpy)
            kept = kept.reshape(rings[y.id], *y.shape[2:])
            for row in range(window.begin, window.end):
                result[0, row] = kept[row % rings[y.id]]
    return results


def needed_rows(node: Node, windows: list[Span]) -> dict[str, list[Span]]:
    """The rows of each input that is not read whole, window by window."""
    rule = kind_of(node.operator).rows
    assert rule is not None
    found: dict[str, list[Span]] = {}
    for position, x in enumerate(node.inputs):
        spans = [rule(node, w)[position] for w in windows]
        if x is None or x.is_constant or any(s is None for s in spans):
            continue
        old = found.get(x.id, spans)
        found[x.id] = [_join(a, b) for a, b in zip(old, spans, strict=True)]
    return found


def _join(a: Span, b: Span) -> Span:
    full = [s for s in (a, b) if s.size]
    return Span(min(s.begin for s in full), max(s.end for s in full)) if full else a


def ring_rows(spans: list[Span]) -> int:
    """Rows that a ring must hold so that each row is loaded once."""
    largest, oldest = 1, None
    for number in range(len(spans) - 1, -1, -1):
        if spans[number].size:
            begin = spans[number].begin
            oldest = begin if oldest is None else min(oldest, begin)
        if oldest is not None:
            newest = max((s.end for s in spans[: number + 1] if s.size), default=oldest)
            largest = max(largest, newest - oldest)
    return largest


def _load(buffer: Buffer, value: Array, need: Span, ring: int) -> None:
    """Rows of the window in their places, everything else stale."""
    row = len(buffer.bytes) // ring
    buffer.bytes[:] = STALE
    for r in range(need.begin, need.end):
        content = np.frombuffer(np.ascontiguousarray(value[0, r]).tobytes(), np.uint8)
        buffer.bytes[(r % ring) * row : (r % ring + 1) * row] = content
