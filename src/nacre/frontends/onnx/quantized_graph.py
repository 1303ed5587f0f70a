"""A graph while its operators are being replaced, and what the steps of that share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from nacre.ir import (
    Attributes,
    DType,
    Graph,
    Node,
    Operator,
    Quantization,
    Tensor,
    TensorId,
)
from nacre.ops import BY_ATTRIBUTES, kind_of
from nacre.ops.quantize import Dequantize, Quantize

NARROW = (DType.INT8, DType.UINT8, DType.INT16)


@dataclass
class Draft:
    """Operators in order, with the tensors that they name."""

    tensors: dict[TensorId, Tensor]
    operators: list[Operator]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]

    @classmethod
    def of(cls, graph: Graph) -> Draft:
        return cls(dict(graph.tensors), list(graph.operators), graph.inputs, graph.outputs)

    def graph(self, before: Graph) -> Graph:
        return replace(before, tensors=self.tensors, operators=tuple(self.operators))

    def node(self, operator: Operator) -> Node:
        inputs = tuple(None if i is None else self.tensors[i] for i in operator.inputs)
        return Node(operator, inputs, tuple(self.tensors[o] for o in operator.outputs))

    def readers(self) -> dict[TensorId, list[Operator]]:
        found: dict[TensorId, list[Operator]] = {}
        for operator in self.operators:
            for key in dict.fromkeys(i for i in operator.inputs if i is not None):
                found.setdefault(key, []).append(operator)
        return found

    def keep(self, tensor: Tensor) -> Tensor:
        self.tensors[tensor.id] = tensor
        return tensor

    def fresh(self, wish: TensorId) -> TensorId:
        while wish in self.tensors:
            wish += "'"
        return wish

    def beside(self, tensor: Tensor, dtype: DType, q: Quantization | None) -> Tensor:
        """A tensor that holds the same in another type; rules for the old name hold for it."""
        return replace(
            tensor, id=self.fresh(f"{tensor.id}.{dtype.value}"), dtype=dtype, quantization=q,
            origins=(tensor.id, *tensor.origins),
        )  # fmt: skip

    def drop_dead(self) -> None:
        wanted, kept = set(self.outputs), []
        for operator in reversed(self.operators):
            kind = kind_of(operator)
            if wanted & set(operator.outputs) or kind.effect or kind.mutates:
                kept.append(operator)
                wanted |= {i for i in operator.inputs if i is not None}
        self.operators = kept[::-1]


def operator_of(
    attributes: Attributes, inputs: Sequence[Tensor | None], y: Tensor, ids: tuple[str, ...] = ()
) -> Operator:
    kind = BY_ATTRIBUTES[type(attributes)]
    names = tuple(None if t is None else t.id for t in inputs)
    return Operator(ids or (f"{kind.type.lower()}.{y.id}",), kind.type, attributes, names, (y.id,))


def objection(node: Node) -> str | None:
    """What the operator's kernels have against its tensors."""
    missing = [t for t in (*node.inputs, *node.outputs) if t is not None and _lacks_scale(t)]
    if missing:
        return f"{missing[0].name} has no scale"
    return kind_of(node.operator).check(node)


def _lacks_scale(tensor: Tensor) -> bool:
    return tensor.dtype in NARROW and tensor.quantization is None


def is_flip(node: Node) -> bool:
    """int8 to uint8 or back, the zero point moving along: a change of the highest bit alone."""
    if not isinstance(node.operator.attributes, Quantize):
        return False
    x, y = node.input(0), node.output
    if {x.dtype, y.dtype} != {DType.INT8, DType.UINT8}:
        return False
    return x.quantization is not None and y.quantization == flipped(x.q, y.dtype)


def flipped(q: Quantization, to: DType) -> Quantization:
    """The same scales for the other kind of byte."""
    step = -128 if to is DType.INT8 else 128
    return replace(q, zero_points=tuple(p + step for p in q.zero_points))


def is_quantize(operator: Operator, draft: Draft) -> bool:
    """From real numbers."""
    key = operator.inputs[0] if isinstance(operator.attributes, Quantize) else None
    return key is not None and draft.tensors[key].dtype is DType.FLOAT32


def is_dequantize(operator: Operator) -> bool:
    return isinstance(operator.attributes, Dequantize)
