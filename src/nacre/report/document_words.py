"""The words at the top of the document: what the network is and how it was compiled."""

from __future__ import annotations

from nacre.ir import Quantization, Tensor
from nacre.program import Program, shape_text
from nacre.residency import plan_hash, tensor_layout_hash
from nacre.text import macs, number, printable

_ORDERS = {"model": "as in the model", "reordered": "changed to need less memory"}
_RUNTIMES = {"tflm": "TFLite Micro", "litert": "LiteRT", "ort": "ONNX Runtime"}


def title(program: Program) -> str:
    return f"{printable(program.source)}, compiled for {program.target.name}"


def overview(program: Program) -> list[tuple[str, str]]:
    """Rows of (what, value)."""
    operators = program.source_operators
    return [
        ("network", f"{operators} operators in {len(program.steps)} steps, {macs(program.macs)}"),
        *(("input", _signature(program.tensor(key))) for key in program.inputs),
        *(("output", _signature(program.tensor(key))) for key in program.outputs),
        *(("stages", words) for words in _stages(program)),
        ("target", _target(program)),
        ("numerics", _RUNTIMES.get(program.numerics, program.numerics)),
        ("order", _ORDERS.get(program.order, program.order)),
        ("plan hash", plan_hash(program)),
        ("layout hash", tensor_layout_hash(program)),
    ]


def _stages(program: Program) -> list[str]:
    """What a budget asks for, in one line."""
    moved = program.traffic
    if moved is None:
        return []
    bands = sum(s.iterations for s in program.segments if s.iterations > 1)
    return [
        f"{len(program.segments)} segments, {bands} bands; bytes per inference: "
        f"{number(moved.loaded)} loaded, {number(moved.spilled)} spilled, "
        f"{number(moved.weights)} of weights read"
    ]


def quantization_text(q: Quantization | None) -> str:
    """`0.0235 × (q + 128)`, or how many scales along which axis."""
    if q is None:
        return ""
    if q.per_channel:
        return f"{len(q.scales)} scales, axis {q.axis}"
    zero = q.zero_points[0] if q.zero_points else 0
    if zero == 0:
        return f"{q.scales[0]:.6g} × q"
    return f"{q.scales[0]:.6g} × (q {'−' if zero > 0 else '+'} {abs(zero)})"


def _signature(tensor: Tensor) -> str:
    parts = [f"{tensor.dtype.value}{shape_text(tensor.shape)}", printable(tensor.name)]
    if tensor.quantization is not None:
        parts.append(quantization_text(tensor.quantization))
    return "  ·  ".join(part for part in parts if part)


def _target(program: Program) -> str:
    target = program.target
    text = target.name if target.core == target.name else f"{target.name}, {target.core}"
    features = ", ".join(sorted(target.features))
    return f"{text} ({features})" if features else text
