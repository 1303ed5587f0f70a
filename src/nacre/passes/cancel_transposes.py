"""Let operators work in the order of dimensions that needs the fewest bytes transposed.

Convolutions want channels last; models made for other runtimes have them second, so each of their
convolutions comes between two TRANSPOSEs. The operators between convolutions mostly do not care.
For each permutation in the graph, every operator that can work in either order takes one side of
a cut: where two neighbours take different sides, a TRANSPOSE stays. The minimum cut is the choice
that moves the fewest bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from nacre.ir import Attributes, Graph, Node, Operator, Tensor, TensorId
from nacre.ops import kind_of
from nacre.ops.reshape import RESHAPE, Reshape
from nacre.ops.transpose import TRANSPOSE, Transpose
from nacre.passes.drop_dead import drop_dead
from nacre.passes.fold_transposes import folds_into_weights
from nacre.passes.mincut import UNLIMITED, Network
from nacre.passes.permute import Order, inverse, moved_inputs, permuted
from nacre.passes.rewrite import rebuild, rewire, standing_for

# Each round lowers the bytes moved; real graphs need two or three.
ROUNDS = 8


def cancel_transposes(graph: Graph) -> Graph:
    graph = drop_dead(_merged(graph))
    for _ in range(ROUNDS):
        before = _moved_bytes(graph)
        for order in _orders(graph):
            graph = drop_dead(_merged(_cheapest(graph, order)))
        if _moved_bytes(graph) >= before:
            break
    return graph


def _order_of(operator: Operator) -> Order | None:
    at = operator.attributes
    return at.permutation if isinstance(at, Transpose) else None


def _orders(graph: Graph) -> list[Order]:
    found = dict.fromkeys(_order_of(o) for o in graph.operators)
    return [o for o in found if o is not None]


def _moved_bytes(graph: Graph) -> int:
    return sum(
        _cost(graph.tensors[o.outputs[0]], inverse(o.attributes.permutation))
        for o in graph.operators
        if isinstance(o.attributes, Transpose)
    )


def _cost(tensor: Tensor, order: Order) -> int:
    """Bytes moved when dimensions change their order, and one: views stand in the way too."""
    moved = [d for d in order if tensor.shape[d] != 1]
    return 1 if moved == sorted(moved) else 1 + tensor.size


# --- neighbours -----------------------------------------------------------------------------------


def _merged(graph: Graph) -> Graph:
    """One TRANSPOSE instead of two in a row, and one instead of two of the same tensor."""
    first: dict[TensorId, tuple[TensorId, Order]] = {}
    known: dict[tuple[TensorId, Order], TensorId] = {}
    same: dict[TensorId, TensorId] = {}
    kept: list[Operator] = []
    for operator in graph.operators:
        operator = rewire(operator, same)
        order = _order_of(operator)
        if order is None or operator.inputs[0] is None:
            kept.append(operator)
            continue
        target = operator.outputs[0]
        source, order = _origin(operator.inputs[0], order, first)
        plain = order == tuple(range(len(order)))
        twin = source if plain else known.get((source, order))
        if twin is not None and target not in graph.outputs and _one_scale(graph, twin, target):
            same[target] = twin
            graph = rebuild(graph, graph.operators, [_standing(graph, twin, target)])
            continue
        first[target], known[source, order] = (source, order), target
        kept.append(_transpose(operator, source, graph.tensors[target], order))
    return rebuild(graph, kept)


def _origin(
    source: TensorId, order: Order, first: Mapping[TensorId, tuple[TensorId, Order]]
) -> tuple[TensorId, Order]:
    if source not in first:
        return source, order
    origin, inner = first[source]
    return origin, tuple(inner[d] for d in order)


def _one_scale(graph: Graph, a: TensorId, b: TensorId) -> bool:
    return graph.tensors[a].quantization == graph.tensors[b].quantization


def _standing(graph: Graph, tensor: TensorId, gone: TensorId) -> Tensor:
    return standing_for(graph.tensors[tensor], graph.tensors[gone])


def _transpose(operator: Operator, source: TensorId, target: Tensor, order: Order) -> Operator:
    if order == tuple(range(len(order))):
        return replace(
            operator, type=RESHAPE.type, attributes=Reshape(target.shape), inputs=(source,)
        )
    return replace(operator, attributes=Transpose(order), inputs=(source,))


# --- the cut --------------------------------------------------------------------------------------

# The two sides: the other order and the model's own.
OTHER, OWN = "other", "own"


@dataclass(frozen=True, eq=False)
class _Choice:
    """The operators that can take either side, with their attributes on the other one."""

    graph: Graph
    order: Order
    either: Mapping[str, Attributes]
    producers: Mapping[TensorId, Operator]
    consumers: Mapping[TensorId, list[Operator]]

    def follows(self, operator: Operator, tensor: TensorId) -> bool:
        """Whether the operator reads the tensor in the order of its side."""
        node = self.graph.node(operator)
        return operator.id in self.either and any(
            node.operator.inputs[i] == tensor for i in moved_inputs(node)
        )


def _cheapest(graph: Graph, order: Order) -> Graph:
    either = {}
    for node in graph.nodes():
        attributes = permuted(node, order)
        if attributes is not None and _allowed(node, attributes, order):
            either[node.id] = attributes
    choice = _Choice(graph, order, either, graph.producers(), graph.consumers())
    network: Network[str] = Network()
    network.connect(OTHER, OWN, 0)
    for tensor in graph.tensors.values():
        if not tensor.is_constant and len(tensor.shape) == len(order):
            _connect(network, choice, tensor)
    _, side = network.cut(OTHER, OWN)
    chosen = {key: either[key] for key in either if f"op {key}" in side}
    return _rewritten(choice, chosen) if chosen else graph


def _allowed(node: Node, attributes: Attributes, order: Order) -> bool:
    """Whether the kernels take the operator on the other side too."""
    there = Node(
        replace(node.operator, attributes=attributes),
        tuple(
            _turned(t, order) if t is not None and n in moved_inputs(node) else t
            for n, t in enumerate(node.inputs)
        ),
        tuple(_turned(t, order) for t in node.outputs),
    )
    return kind_of(there.operator).check(there) is None


def _turned(tensor: Tensor, order: Order) -> Tensor:
    """The tensor on the other side, under its own id; single values have no order."""
    if tensor.elements == 1 and len(tensor.shape) != len(order):
        return tensor
    back = inverse(order)
    shape = tuple(tensor.shape[d] for d in back)
    data = tensor.data
    if data is not None:
        data = np.ascontiguousarray(data.transpose(back))
    return replace(tensor, shape=shape, data=data)


def _connect(network: Network[str], choice: _Choice, tensor: Tensor) -> None:
    """Both ways of parting the tensor's producer from any of its readers cost its size."""
    producer = _producer_side(choice, tensor)
    readers = {
        _reader_side(choice, o, tensor.id)
        for o in choice.consumers[tensor.id]
        if not folds_into_weights(choice.graph, o, choice.order, choice.consumers)
    }
    if tensor.id in choice.graph.outputs:
        readers.add(OWN)
    if readers <= {producer}:
        return
    # Among equals the TRANSPOSE comes last: functions fuse with the layer before them.
    early = any(o.id in choice.either for o in choice.consumers[tensor.id])
    size = 2 * _cost(tensor, inverse(choice.order)) + early
    there, back = f"to {tensor.id}", f"from {tensor.id}"
    network.connect(producer, there, size)
    network.connect(back, producer, size)
    for reader in readers:
        network.connect(there, reader, UNLIMITED)
        network.connect(reader, back, UNLIMITED)


def _producer_side(choice: _Choice, tensor: Tensor) -> str:
    producer = choice.producers.get(tensor.id)
    if producer is None:
        return OWN
    if _order_of(producer) == choice.order:
        return OTHER
    return f"op {producer.id}" if producer.id in choice.either else OWN


def _reader_side(choice: _Choice, reader: Operator, tensor: TensorId) -> str:
    if _order_of(reader) == inverse(choice.order):
        return OTHER
    return f"op {reader.id}" if choice.follows(reader, tensor) else OWN


# --- the rewritten graph --------------------------------------------------------------------------


def _rewritten(choice: _Choice, chosen: Mapping[str, Attributes]) -> Graph:
    writer = _Writer(choice, chosen)
    for operator in choice.graph.operators:
        writer.write(operator)
    return rebuild(choice.graph, writer.operators, writer.tensors.values())


@dataclass
class _Writer:
    """Accumulates operators and tensors; `turned` has the other side's form of a tensor."""

    choice: _Choice
    chosen: Mapping[str, Attributes]
    operators: list[Operator] = field(default_factory=list)
    tensors: dict[TensorId, Tensor] = field(default_factory=dict)
    turned: dict[TensorId, TensorId] = field(default_factory=dict)
    same: dict[TensorId, TensorId] = field(default_factory=dict)

    def write(self, operator: Operator) -> None:
        order, back = self.choice.order, inverse(self.choice.order)
        source = operator.inputs[0] if operator.inputs else None
        if operator.id in self.chosen:
            self._write_turned(operator)
        elif _order_of(operator) == back and source is not None and source in self.turned:
            self._reuse(operator, self.turned[source])
        else:
            if _order_of(operator) == order and source is not None:
                self.turned[operator.outputs[0]] = self._now(source)
            self.operators.append(rewire(operator, self.same))

    def _now(self, tensor: TensorId) -> TensorId:
        """What stands for a tensor that may be gone."""
        return self.same.get(tensor, tensor)

    def _reuse(self, operator: Operator, twin: TensorId) -> None:
        """A TRANSPOSE whose result is there already."""
        target = self.choice.graph.tensors[operator.outputs[0]]
        if target.id not in self.choice.graph.outputs:
            self.same[target.id] = twin
            return
        view = replace(
            operator, type=RESHAPE.type, attributes=Reshape(target.shape), inputs=(twin,)
        )
        self.operators.append(view)

    def _write_turned(self, operator: Operator) -> None:
        node = self.choice.graph.node(operator)
        follow = moved_inputs(node)
        inputs = tuple(
            t if t is None else self._on_other_side(t) if n in follow else self._now(t.id)
            for n, t in enumerate(node.inputs)
        )
        outputs: list[TensorId] = []
        after: list[Operator] = []
        for tensor in node.outputs:
            made = _turned(tensor, self.choice.order)
            if self._wanted(tensor.id):
                made = self._apart(made)
                after.append(self._transpose(made.id, tensor.id, self.choice.order))
            self.tensors[made.id] = made
            self.turned[tensor.id] = made.id
            outputs.append(made.id)
        attributes = self.chosen[operator.id]
        self.operators.append(
            replace(operator, attributes=attributes, inputs=inputs, outputs=tuple(outputs))
        )
        self.operators += after

    def _apart(self, tensor: Tensor) -> Tensor:
        """The tensor under an id of its own."""
        key = f"{tensor.id}.turned"
        while key in self.choice.graph.tensors or key in self.tensors:
            key += "'"
        return replace(tensor, id=key, origins=(tensor.id, *tensor.origins))

    def _wanted(self, tensor: TensorId) -> bool:
        """Whether anybody still reads the tensor in the model's own order."""
        if tensor in self.choice.graph.outputs:
            return True
        back = inverse(self.choice.order)
        return any(
            _order_of(reader) != back
            and not (reader.id in self.chosen and self.choice.follows(reader, tensor))
            for reader in self.choice.consumers[tensor]
        )

    def _on_other_side(self, tensor: Tensor) -> TensorId:
        if len(tensor.shape) != len(self.choice.order):
            return self._now(tensor.id)
        if tensor.id not in self.turned:
            made = self._apart(_turned(tensor, self.choice.order))
            self.tensors[made.id] = made
            self.turned[tensor.id] = made.id
            if not tensor.is_constant:
                back = inverse(self.choice.order)
                self.operators.append(self._transpose(self._now(tensor.id), made.id, back))
        return self.turned[tensor.id]

    def _transpose(self, source: TensorId, target: TensorId, order: Order) -> Operator:
        return Operator(
            (f"transpose.{target}",), TRANSPOSE.type, Transpose(order), (source,), (target,), target
        )
