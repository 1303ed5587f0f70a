"""Small ONNX models for the tests, and the check that everything agrees on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.ir import Graph
from nacre.oracles import run_ort
from nacre.passes import simplify
from nacre.reference import run_reference
from support.compare import assert_equal
from support.execute import Runner, program_of

FLOAT = TensorProto.FLOAT
node = helper.make_node


def model(
    nodes: Sequence[onnx.NodeProto],
    inputs: Mapping[str, Sequence[int | str | None] | None],
    outputs: Sequence[str],
    constants: Mapping[str, np.ndarray] | None = None,
    opset: int = 17,
    types: Mapping[str, int] | None = None,
) -> bytes:
    """A model whose inputs are float32 unless `types` says otherwise."""
    kinds = types or {}
    graph = helper.make_graph(
        list(nodes),
        "graph",
        [helper.make_tensor_value_info(n, kinds.get(n, FLOAT), s) for n, s in inputs.items()],
        [helper.make_tensor_value_info(n, kinds.get(n, FLOAT), None) for n in outputs],
        [numpy_helper.from_array(np.asarray(v), n) for n, v in (constants or {}).items()],
    )
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made.SerializeToString()


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def check(
    data: bytes, samples: Sequence[np.ndarray], options: OnnxOptions | None = None
) -> tuple[Graph, Graph]:
    """Kernels, references and ONNX Runtime agree; the graph as imported and simplified."""
    graph = import_model(data, "model", None, options)
    simple = simplify(graph)
    (theirs,) = run_ort(data, [list(samples)])
    for what, ours in (
        ("references", run_reference(graph, list(samples), {})),
        ("references after the passes", run_reference(simple, list(samples), {})),
        ("kernels", Runner(program_of(graph)).run(list(samples))),
    ):
        for j, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            assert_equal(np.asarray(a), np.asarray(b), f"output {j}: {what}")
    return graph, simple


def count(graph: Graph, type: str) -> int:
    return sum(o.type == type for o in graph.operators)
