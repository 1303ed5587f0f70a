"""What `inspect` prints of an ONNX file."""

from __future__ import annotations

from nacre.frontends.onnx.records import FileValue
from nacre.frontends.onnx.shapes import dims_text
from nacre.inspection import OnnxInspection
from nacre.program import shape_text
from nacre.residency import Json
from nacre.text import number, one_line, short, table


def onnx_inspection_text(inspection: OnnxInspection) -> str:
    graph = inspection.model.graph
    parts = [
        f"{inspection.path}  ONNX opset {inspection.model.opset}, "
        f"{number(inspection.bytes)} bytes, {len(graph.nodes)} nodes",
        "",
        table([["tensor", "kind", "type", "shape"], *_tensor_rows(inspection)]),
        "",
        table([["node", "operator", "inputs", "outputs"]] + [
            [short(n.name), short(n.type), _names(n.inputs), _names(n.outputs)] for n in graph.nodes
        ]),
        "",
    ]  # fmt: skip
    if not inspection.refusals:
        return "\n".join([*parts, "  every operator is supported"])
    rows = [[one_line(r.operator), one_line(r.type), r.reason] for r in inspection.refusals]
    return "\n".join([*parts, f"  refused: {len(rows)} nodes", table(rows, indent="    ")])


def _tensor_rows(inspection: OnnxInspection) -> list[list[str]]:
    graph = inspection.model.graph
    rows = [_value_row(v, "input") for v in graph.inputs]
    rows += [_value_row(v, "output") for v in graph.outputs]
    return rows + [
        [short(name, 60), "constant", data.dtype.name, shape_text(data.shape)]
        for name, data in graph.constants.items()
    ]


def _value_row(value: FileValue, kind: str) -> list[str]:
    dims = "?" if value.dims is None else f"[{dims_text(value.dims, ',')}]"
    return [short(value.name, 60), kind, _type(value), dims]


def _type(value: FileValue) -> str:
    return value.type_name if value.dtype is None else value.dtype.value


def _names(names: tuple[str, ...]) -> str:
    return " ".join(short(n, 30) if n else "-" for n in names)


def onnx_inspection_json(inspection: OnnxInspection) -> dict[str, Json]:
    graph = inspection.model.graph
    tensors: list[Json] = [_value_json(v, "input") for v in graph.inputs]
    tensors += [_value_json(v, "output") for v in graph.outputs]
    tensors += [
        {"id": name, "name": name, "kind": "constant", "type": data.dtype.name,
         "shape": list(data.shape), "quantization": None}
        for name, data in graph.constants.items()
    ]  # fmt: skip
    return {
        "format": "onnx",
        "bytes": inspection.bytes,
        "opset": inspection.model.opset,
        "inputs": [v.name for v in graph.inputs],
        "outputs": [v.name for v in graph.outputs],
        "tensors": tensors,
        "operators": [
            {
                "id": n.name,
                "type": n.type,
                "inputs": [i or None for i in n.inputs],
                "outputs": [o or None for o in n.outputs],
            }
            for n in graph.nodes
        ],
        "refusals": [
            {"operator": r.operator, "type": r.type, "reason": r.reason}
            for r in inspection.refusals
        ],
    }


def _value_json(value: FileValue, kind: str) -> Json:
    shape: Json = None if value.dims is None else list(value.dims)
    return {
        "id": value.name,
        "name": value.name,
        "kind": kind,
        "type": _type(value),
        "shape": shape,
        "quantization": None,
    }
