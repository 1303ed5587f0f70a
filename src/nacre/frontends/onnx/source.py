"""What an import rule sees of a node, and the operators that it makes of it."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from nacre.frontends.fold import as_constant, fold
from nacre.frontends.onnx.records import FileNode
from nacre.frontends.onnx.scales import handed_on, refuse_narrow
from nacre.frontends.onnx.tensors import MOST_ELEMENTS, MOST_RANK, is_absurd
from nacre.ir import (
    Array,
    Attributes,
    DType,
    Node,
    NotQuantized,
    Operator,
    Quantization,
    Shape,
    Tensor,
    TensorId,
    TensorKind,
)
from nacre.ir.options import Options
from nacre.ops import BY_ATTRIBUTES
from nacre.ops.kind import LowerOptions, OpKind, Refuse


class Impossible(Refuse):
    """The shapes do not fit each other: no runtime would run it."""


@dataclass(frozen=True, eq=False)
class OnnxSource:
    """A node with its inputs at hand: constants are already folded, shapes already known."""

    node: FileNode
    opset: int
    inputs: tuple[Tensor | None, ...]

    @property
    def type(self) -> str:
        return self.node.type

    @property
    def options(self) -> Options:
        return self.node.options

    def input(self, index: int) -> Tensor:
        tensor = self.optional(index)
        if tensor is None:
            raise Refuse(f"input {index} is missing; it is required")
        return tensor

    def optional(self, index: int) -> Tensor | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def constant(self, index: int, what: str) -> Array:
        """The content of an input that must be known at compile time."""
        tensor = self.input(index)
        if not tensor.is_constant:
            raise Refuse(f"{what} is computed at run time; supported: a constant")
        return tensor.constant

    def integers(self, index: int, name: str, since: int) -> tuple[int, ...] | None:
        """A list that became input `index` in opset `since` and was the attribute `name` before."""
        if self.opset < since:
            return self.options.integers(name) if name in self.options.values else None
        if self.optional(index) is None:
            return None
        return tuple(int(v) for v in self.constant(index, name).reshape(-1))

    def wants(self, output: int) -> bool:
        """Whether somebody may read an optional output."""
        return output < len(self.node.outputs) and bool(self.node.outputs[output])


@dataclass
class Emitter:
    """Accumulates the operators that one node becomes."""

    prefix: str
    # Names that no tensor and no operator of its own may have.
    names: Container[str] = ()
    nodes: Container[str] = ()
    operators: list[Operator] = field(default_factory=list)
    tensors: dict[TensorId, Tensor] = field(default_factory=dict)
    # How many of the operators the graph has already.
    taken: int = 0

    def one(
        self,
        attributes: Attributes,
        inputs: Sequence[Tensor | None],
        dtype: DType | None = None,
        quantization: Quantization | None = None,
    ) -> Tensor:
        """An operator with one output, of the first input's type unless said otherwise."""
        (made,) = self.several(attributes, inputs, dtype, quantization)
        return made

    def several(
        self,
        attributes: Attributes,
        inputs: Sequence[Tensor | None],
        dtype: DType | None = None,
        quantization: Quantization | None = None,
        rest: DType | None = None,
    ) -> tuple[Tensor, ...]:
        """An operator with its outputs; constants where it can be evaluated now.

        `rest` is the type of the outputs after the first, where it is another.
        """
        kind, first = BY_ATTRIBUTES[type(attributes)], inputs[0]
        assert first is not None
        refuse_narrow(attributes, inputs)
        shapes = kind.infer(attributes, tuple(inputs))
        for shape in shapes:
            check_size(shape)
        dtype = dtype or first.dtype
        made = tuple(
            Tensor(
                self._name(n), "", shape, rest or dtype if n else dtype,
                quantization=quantization or _handed_on(attributes, inputs, shape, dtype),
            )
            for n, shape in enumerate(shapes)
        )  # fmt: skip
        key = _unlike(f"{self.prefix}/{kind.type.lower()}{len(self.operators)}", self.nodes)
        operator = Operator(
            (key,), kind.type, attributes, tuple(None if t is None else t.id for t in inputs),
            tuple(t.id for t in made),
        )  # fmt: skip
        node = Node(operator, tuple(inputs), made)
        constants = _empty(made)
        objection = None if constants else _objection(kind, node)
        if objection is not None:
            raise Refuse(objection)
        constants = constants or _folded(node)
        constants = tuple(replace(t, origins=_origins(inputs)) for t in constants)
        if not constants:
            self.operators.append(operator)
        self.tensors.update({t.id: t for t in constants or made})
        return constants or made

    def constant(
        self, data: Array, source: Tensor | None = None, quantization: Quantization | None = None
    ) -> Tensor:
        """A constant of the rule's own, or one made of another."""
        content = np.ascontiguousarray(data).reshape(data.shape)
        tensor = Tensor(
            self._name(0), "", content.shape, DType(content.dtype.name), TensorKind.CONSTANT,
            quantization=quantization, data=content, origins=_origins((source,)),
        )  # fmt: skip
        self.tensors[tensor.id] = tensor
        return tensor

    def like(self, value: float, tensor: Tensor) -> Tensor:
        """A scalar constant of a tensor's type."""
        return self.constant(np.array(value, tensor.dtype.numpy))

    def _name(self, output: int) -> TensorId:
        return _unlike(f"{self.prefix}/{len(self.tensors) + output}", self.names)


def _unlike(name: str, others: Container[str]) -> str:
    """The name, or one like it that is none of the others, nor of those with primes."""
    while name in others:
        name += "~"
    return name


def _objection(kind: OpKind, node: Node) -> str | None:
    """What the operator refuses; narrow integers without scales too, where it needs some."""
    try:
        objection = kind.check(node)
        if objection is None and any(_lacks_scales(t) for t in (*node.inputs, *node.outputs)):
            kind.lower(node, LowerOptions())
    except NotQuantized:
        return "computes with narrow integers that have no scales; supported: QuantizeLinear's"
    return objection


def _lacks_scales(tensor: Tensor | None) -> bool:
    return tensor is not None and tensor.dtype in _NARROW and tensor.quantization is None


_NARROW = (DType.INT8, DType.UINT8, DType.INT16)


def _empty(tensors: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """Tensors without elements are known."""
    if any(t.elements for t in tensors):
        return ()
    return tuple(as_constant(t, np.zeros(t.shape)) for t in tensors)


def _handed_on(
    attributes: Attributes, inputs: Sequence[Tensor | None], shape: Shape, dtype: DType
) -> Quantization | None:
    """Scales go along with the values; of computed floats nobody knows any."""
    same = all(t is None or t.dtype is dtype for t in inputs[:1])
    return handed_on(attributes, inputs, shape) if same else None


def _origins(inputs: Sequence[Tensor | None]) -> tuple[TensorId, ...]:
    return tuple(key for t in inputs if t is not None for key in (t.id, *t.origins))


def _folded(node: Node) -> tuple[Tensor, ...]:
    """Floats beyond the range of a constant are no reason to complain aloud."""
    with np.errstate(all="ignore"):
        return fold(node)


# A node to its outputs; the emitter keeps what it becomes.
Rule: TypeAlias = Callable[[OnnxSource, Emitter], tuple[Tensor, ...]]


@dataclass(frozen=True)
class OnnxKind:
    """An ONNX operator: its rule, and what is supported of it in words."""

    rule: Rule
    supports: str


def check_size(shape: Shape) -> None:
    """Refuse what no microcontroller can hold before any memory is spent on it."""
    if len(shape) > MOST_RANK:
        raise Refuse(f"makes a tensor of {len(shape)} dimensions; supported: up to {MOST_RANK}")
    if is_absurd(shape):
        raise Refuse(f"makes a tensor of {list(shape)}; supported: up to {MOST_ELEMENTS} values")


def axis_of(axis: int, rank: int) -> int:
    """An axis counted from the front."""
    if not -rank <= axis < rank:
        raise Refuse(f"axis {axis} of {rank} dimensions; expected {-rank} to {rank - 1}")
    return axis % rank


def renamed(tensor: Tensor, name: str) -> Tensor:
    return replace(tensor, id=name, name=name)
