"""Inputs and outputs as quantized numbers: without the QUANTIZE and DEQUANTIZE at the border."""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Graph, Operator, Tensor, TensorId, TensorKind
from nacre.ops.quantize import Dequantize, Quantize
from nacre.passes.rewrite import rewire


def quantized_ends(graph: Graph) -> Graph:
    """The graph whose float ends that are quantized next to the border are so outside too.

    They keep their ids; `real_ends` says which they are.
    """
    for key in graph.inputs:
        graph = _quantized_input(graph, key)
    for key in graph.outputs:
        graph = _quantized_output(graph, key)
    return graph


def _quantized_input(graph: Graph, key: TensorId) -> Graph:
    readers = graph.consumers()[key]
    codes = [graph.tensors[o.outputs[0]] for o in readers]
    if not readers or any(not isinstance(o.attributes, Quantize) for o in readers):
        return graph
    if graph.tensors[key].dtype.numpy.kind != "f" or key in graph.outputs:
        return graph
    if any(t.id in graph.outputs or not _alike(t, codes[0]) for t in codes):
        return graph
    names = {t.id: key for t in codes}
    gone = {o.id for o in readers}
    kept = [rewire(o, names) for o in graph.operators if o.id not in gone]
    return _with_end(graph, key, codes[0], kept, set(names))


def _quantized_output(graph: Graph, key: TensorId) -> Graph:
    last = graph.producers().get(key)
    if last is None or not isinstance(last.attributes, Dequantize):
        return graph
    source = last.inputs[0]
    assert source is not None
    codes = graph.tensors[source]
    single = codes.quantization is not None and not codes.q.per_channel
    if not single or codes.kind is not TensorKind.SCRATCH or graph.consumers()[key]:
        return graph
    if source in (*graph.inputs, *graph.outputs) or graph.outputs.count(key) > 1:
        return graph
    names = {source: key}
    kept = [_renamed(o, names) for o in graph.operators if o.id != last.id]
    return _with_end(graph, key, codes, kept, {source})


def _alike(a: Tensor, b: Tensor) -> bool:
    return (a.dtype, a.quantization) == (b.dtype, b.quantization)


def _renamed(operator: Operator, names: dict[TensorId, TensorId]) -> Operator:
    outputs = tuple(names.get(y, y) for y in operator.outputs)
    return replace(rewire(operator, names), outputs=outputs)


def _with_end(
    graph: Graph, key: TensorId, codes: Tensor, operators: list[Operator], gone: set[TensorId]
) -> Graph:
    """`key` in place of the tensors that are gone, with their type."""
    old = graph.tensors[key]
    end = replace(
        old, dtype=codes.dtype, quantization=codes.quantization, origins=(*old.origins, *gone)
    )
    tensors = {k: t for k, t in graph.tensors.items() if k not in gone} | {key: end}
    return replace(
        graph,
        tensors=tensors,
        operators=tuple(operators),
        real_ends=graph.real_ends | {key},
    )
