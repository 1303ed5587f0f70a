"""What `inspect` prints."""

from __future__ import annotations

from nacre.frontends.tflite.records import FileTensor
from nacre.inspection import Inspection, operator_type, tensor_kind
from nacre.ir import Quantization
from nacre.program import shape_text
from nacre.residency import Json
from nacre.text import number, short, table


def inspection_text(inspection: Inspection) -> str:
    graph = inspection.subgraph
    parts = [
        f"{inspection.path}  TFLite, {number(inspection.bytes)} bytes, "
        f"{_count(len(inspection.model.subgraphs), 'subgraph')}, "
        f"{_count(len(graph.operators), 'operator')}",
        "",
        table([["tensor", "kind", "type", "shape", "quantization", "name"]]
              + [_tensor_row(inspection, t) for t in graph.tensors]),
        "",
        table([["op", "operator", "inputs", "outputs"]] + [
            [str(o.index), operator_type(o), _ids(o.inputs), _ids(o.outputs)]
            for o in graph.operators
        ]),
        "",
    ]  # fmt: skip
    if not inspection.refusals:
        return "\n".join([*parts, "  every operator is supported"])
    rows = [[f"op {r.operator}", r.type, r.reason] for r in inspection.refusals]
    return "\n".join(
        [*parts, f"  refused: {_count(len(rows), 'operator')}", table(rows, indent="    ")]
    )


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _tensor_row(inspection: Inspection, tensor: FileTensor) -> list[str]:
    return [
        str(tensor.index),
        tensor_kind(inspection.subgraph, tensor),
        tensor.type_name.lower(),
        shape_text(tensor.shape),
        _quantization(tensor.quantization),
        short(tensor.name, 60),
    ]


def _quantization(q: Quantization | None) -> str:
    if q is None:
        return ""
    if q.per_channel:
        return f"{len(q.scales)} scales along axis {q.axis}"
    zero = q.zero_points[0]
    return f"{q.scale:.6g} * (q {'-' if zero >= 0 else '+'} {abs(zero)})"


def _ids(indices: tuple[int, ...]) -> str:
    return " ".join("-" if i < 0 else str(i) for i in indices)


def inspection_json(inspection: Inspection) -> dict[str, Json]:
    graph = inspection.subgraph
    return {
        "format": "tflite",
        "bytes": inspection.bytes,
        "subgraphs": len(inspection.model.subgraphs),
        "inputs": [str(i) for i in graph.inputs],
        "outputs": [str(i) for i in graph.outputs],
        "tensors": [_tensor_json(inspection, t) for t in graph.tensors],
        "operators": [
            {
                "id": str(o.index),
                "type": operator_type(o),
                "inputs": [None if i < 0 else str(i) for i in o.inputs],
                "outputs": [str(i) for i in o.outputs],
            }
            for o in graph.operators
        ],
        "refusals": [
            {"operator": r.operator, "type": r.type, "reason": r.reason}
            for r in inspection.refusals
        ],
    }


def _tensor_json(inspection: Inspection, tensor: FileTensor) -> dict[str, Json]:
    q = tensor.quantization
    quantization: Json = None
    if q is not None:
        quantization = {
            "scales": list(q.scales),
            "zero_points": list(q.zero_points),
            "axis": q.axis,
        }
    return {
        "id": str(tensor.index),
        "name": tensor.name,
        "kind": tensor_kind(inspection.subgraph, tensor),
        "type": tensor.type_name.lower(),
        "shape": list(tensor.shape),
        "quantization": quantization,
    }
