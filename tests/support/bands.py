"""Runs a row-wise operator band by band from a ring of input rows, as a cascade would."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.ops import kind_of
from nacre.ops.kind import Argument, Call, LowerOptions, Params, Pointer, Span
from nacre.passes import simplify
from support.execute import Rows, kernel_library, struct_of


def run_in_bands(data: bytes, value: np.ndarray, band: int) -> np.ndarray:
    """The output of a model of one row-wise operator, `band` rows at a time.

    The input ring holds exactly the rows that the operator's rule asks for; the rest is stale.
    """
    graph = simplify(import_model(data, "model"))
    (node,) = graph.nodes()
    kind = kind_of(node.operator)
    assert kind.rows is not None and value.shape[0] == 1
    lowered = kind.lower(node, LowerOptions())
    (call,) = lowered.calls
    constants = {t.id: t.constant for t in lowered.constants}
    height, rows_out = value.shape[1], node.output.shape[1]
    bands = [Span(b, min(b + band, rows_out)) for b in range(0, rows_out, band)]
    needs = [kind.rows(node, b)[0] or Span(0, height) for b in bands]
    ring_rows = max(n.end - n.begin for n in needs)
    ring = np.frombuffer(b"\xa5" * (value.nbytes // height * ring_rows), value.dtype).copy()
    ring = ring.reshape(ring_rows, *value.shape[2:])
    out = np.zeros((band, *node.output.shape[2:]), node.output.dtype.numpy)
    result = np.zeros(node.output.shape, out.dtype)
    for span, need in zip(bands, needs, strict=True):
        for row in range(need.begin, need.end):
            ring[row % ring_rows] = value[0, row]
        _run(call, {**constants, node.input(0).id: ring, node.output.id: out}, span)
        for row in range(span.begin, span.end):
            result[0, row] = out[row % band]
    return result


def _run(call: Call, arrays: dict[str, np.ndarray], span: Span) -> None:
    function = getattr(kernel_library(), call.kernel.name)
    function.restype = None
    rings = {
        f"{'input' if a.const else 'output'}_ring": len(arrays[a.tensor])
        for a in reversed(call.arguments)
        if isinstance(a, Pointer)
    }
    function(*(_argument(a, arrays, rings, span) for a in call.arguments))


def _argument(argument: Argument, arrays: dict[str, np.ndarray], rings: dict[str, int], span: Span):
    if isinstance(argument, Pointer):
        return ctypes.c_void_p(arrays[argument.tensor].ctypes.data + argument.offset)
    if isinstance(argument, Params):
        return ctypes.byref(struct_of(replace(argument, **rings)))
    assert isinstance(argument, Span)
    return Rows(span.begin, span.end)
