"""Integer operators from DEQUANTIZE, a float operator and QUANTIZE.

The line: uint8 becomes int8, DEQUANTIZE moves down and QUANTIZE up past operators that only pick
values, then each float operator between the two is replaced by an integer one where there is one.
"""

from __future__ import annotations

from dataclasses import replace

from nacre.frontends.onnx.quantized_fold import fold_functions, fold_operators
from nacre.frontends.onnx.quantized_graph import Draft
from nacre.frontends.onnx.quantized_moves import (
    adopt_scales,
    dequantize_late,
    merge_twins,
    quantize_early,
    sign_bytes,
    unsign_borders,
)
from nacre.ir import DType, Graph, Operator, Tensor, TensorId
from nacre.ops.quantize import Dequantize, Quantize
from nacre.ops.reshape import Reshape
from nacre.ops.transpose import Transpose

STEPS = (
    adopt_scales, sign_bytes, merge_twins, dequantize_late, merge_twins, fold_functions,
    quantize_early, fold_operators, unsign_borders,
)  # fmt: skip
# Float operators that a note names.
MOST_NAMED = 8


def fold_quantized(graph: Graph) -> Graph:
    """The graph with integer operators; one without QUANTIZE and DEQUANTIZE stays as it is."""
    if not any(isinstance(o.attributes, Quantize | Dequantize) for o in graph.operators):
        return _plain_floats(graph)
    draft = Draft.of(graph)
    for step in STEPS:
        step(draft)
        draft.drop_dead()
    return _noted(_plain_floats(_named(draft).graph(graph)))


def _plain_floats(graph: Graph) -> Graph:
    """Scales of float constants have served their purpose."""
    return replace(graph, tensors={key: _plain(t) for key, t in graph.tensors.items()})


def _plain(tensor: Tensor) -> Tensor:
    if tensor.dtype is not DType.FLOAT32 or tensor.quantization is None:
        return tensor
    return replace(tensor, quantization=None)


# --- names ----------------------------------------------------------------------------------------


def _named(draft: Draft) -> Draft:
    """Tensors that stand for one of the file's, which is gone, have its name."""
    used = {*draft.inputs, *draft.outputs}
    used |= {key for o in draft.operators for key in (*o.inputs, *o.outputs) if key is not None}
    names: dict[TensorId, TensorId] = {}
    for key in sorted(used):
        wish = next(iter(draft.tensors[key].origins), key)
        made = key.startswith(f"{wish}.") and not draft.tensors[key].is_constant
        if made and wish not in used and wish not in names.values():
            names[key] = wish
    draft.operators = [_reading(o, names) for o in draft.operators]
    for key, name in names.items():
        tensor = draft.tensors.pop(key)
        draft.tensors[name] = replace(tensor, id=name, origins=tensor.origins[1:])
    draft.tensors = {k: t for k, t in draft.tensors.items() if k in used or k in names.values()}
    return draft


def _reading(operator: Operator, names: dict[TensorId, TensorId]) -> Operator:
    inputs = tuple(i if i is None else names.get(i, i) for i in operator.inputs)
    outputs = tuple(names.get(o, o) for o in operator.outputs)
    return replace(operator, inputs=inputs, outputs=outputs, name=outputs[0])


# --- what the user should know --------------------------------------------------------------------


def _noted(graph: Graph) -> Graph:
    real = [o for o in graph.operators if _is_real(graph, o)]
    if not real:
        return graph
    kinds = graph.source.operators
    names = [f"{o.id} ({kinds.get(o.id, o.type)})" for o in real[:MOST_NAMED]]
    more = f" and {len(real) - MOST_NAMED} more" if len(real) > MOST_NAMED else ""
    note = f"in float between quantized tensors, by no integer kernel: {', '.join(names)}{more}"
    return replace(graph, source=replace(graph.source, notes=(*graph.source.notes, note)))


def _is_real(graph: Graph, operator: Operator) -> bool:
    if isinstance(operator.attributes, Quantize | Dequantize | Transpose | Reshape):
        return False
    tensors = (graph.tensors[key] for key in (*operator.inputs, *operator.outputs) if key)
    return any(t.dtype is DType.FLOAT32 for t in tensors)
