"""The whole line on one ONNX file: a Program and its files, or a CompileError; then the numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attack.examine import REAL, differences, inputs_of
from attack.line import LONGEST_SENTENCE, Compiled
from nacre.compile import compile_graph
from nacre.config.schema import Config
from nacre.emit.module import module_files
from nacre.errors import CompileError
from nacre.frontends.onnx.importer import import_model
from nacre.golden import output_steps
from nacre.ir import Array, Graph
from nacre.oracles import OracleRefused, run_ort
from nacre.reference import run_reference
from support.execute import Runner

# Of sums in another order, over a few operators.
TOLERANCE = 1e-4
PLAUSIBLE = 1e4


def compile_onnx(data: bytes) -> Compiled | None:
    """None for a file that is refused; any exception beyond CompileError is a finding."""
    try:
        graph = import_model(data, "net")
        program = compile_graph(graph, Config(), "net.onnx")
        return Compiled(graph, program, module_files(program))
    except CompileError as error:
        assert 0 < len(str(error)) <= LONGEST_SENTENCE, len(str(error))
        return None


def examine_onnx(
    data: bytes, compiled: Compiled, tell: Callable[[str], None], oracle: bool = True
) -> str:
    """Kernels against references against ONNX Runtime."""
    sample = inputs_of(compiled.program, 0)
    tell("kernels")
    ours = Runner(compiled.program).run(list(sample))
    tell("reference")
    with np.errstate(all="ignore"):
        theirs = run_reference(compiled.graph, list(sample), {})
    wrong = differences(ours, theirs, TOLERANCE)
    if wrong and not (wrong.endswith(REAL) and not _is_plausible(compiled.graph, theirs)):
        return f"kernels differ from the reference: {wrong}"
    if not oracle or not _is_plausible(compiled.graph, theirs):
        return ""
    tell("ort")
    try:
        (real,) = run_ort(data, [sample])
    except OracleRefused:
        return ""
    wrong = differences(_rounded(compiled.graph, ours, real), real, TOLERANCE)
    return f"differs from ONNX Runtime: {wrong}" if wrong else ""


def _is_plausible(graph: Graph, outputs: list[Array]) -> bool:
    """Whose numbers mean something: beyond that floats overflow in another order."""
    constants = [t.constant for t in graph.tensors.values() if t.is_constant]
    real = [a for a in (*constants, *outputs) if a.dtype.kind == "f"]
    return all(a.size for a in outputs) and all(bool((np.abs(a) <= PLAUSIBLE).all()) for a in real)


def _rounded(graph: Graph, ours: list[Array], theirs: list[Array]) -> list[Array]:
    """Quantized outputs may be one step off: then they count as the other's."""
    steps = output_steps(graph)
    return [
        np.where(np.abs(a.astype(np.float64) - b) <= 1.001 * s, b, a).astype(a.dtype)
        if s and a.shape == b.shape
        else a
        for a, b, s in zip(ours, theirs, steps, strict=True)
    ]
