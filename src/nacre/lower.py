"""Graph -> LoweredGraph: operators become kernel calls, with packed constants and scratch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType

from nacre.errors import Refusal, RefusedModel
from nacre.ir import DType, Graph, Node, Operator, Source, Tensor, TensorId, TensorKind
from nacre.ops import kind_of
from nacre.ops.kind import Argument, Call, Lowered, LowerOptions, Params, Pointer
from nacre.selection import PORTABLE, Selection


@dataclass(frozen=True, eq=False)
class Step:
    """One operator as it runs: `reads` and `writes` are its tensors that are not constants."""

    node: Node
    calls: tuple[Call, ...]
    reads: tuple[TensorId, ...]
    writes: tuple[TensorId, ...]
    scratch: tuple[TensorId, ...]
    macs: int
    # The kernel by the name that a rule would call it, and why it was chosen.
    kernel: str
    reason: str
    # Inputs that the output may overwrite element for element; whether the kernel goes row by row;
    # the input that the output may lie in, a multiple of `pitch` bytes from its beginning.
    in_place: tuple[int, ...]
    row_wise: bool
    replaces: int | None
    pitch: int
    # Rows go first to last only.
    forward: bool

    @property
    def operator(self) -> Operator:
        return self.node.operator


@dataclass(frozen=True)
class View:
    """A tensor that is bytes of another, from `offset` on."""

    of: TensorId
    offset: int = 0


@dataclass(frozen=True, eq=False)
class LoweredGraph:
    """Steps in execution order and all tensors that they touch."""

    name: str
    tensors: Mapping[TensorId, Tensor]
    steps: tuple[Step, ...]
    inputs: tuple[TensorId, ...]
    outputs: tuple[TensorId, ...]
    views: Mapping[TensorId, View]
    # Alignment in bytes that kernels need beyond the element type's.
    alignments: Mapping[TensorId, int]
    source: Source

    def storage(self, tensor: TensorId) -> TensorId:
        """The tensor that owns the bytes of a view, or the tensor itself."""
        while tensor in self.views:
            tensor = self.views[tensor].of
        return tensor

    def alignment(self, tensor: TensorId) -> int:
        """Bytes that its element type and the kernels that touch it or a view of it ask for."""
        own = max(self.tensors[tensor].dtype.alignment, self.alignments.get(tensor, 1))
        viewers = (v for v, view in self.views.items() if view.of == tensor)
        return max((own, *(self.alignment(v) for v in viewers)))

    def offset(self, tensor: TensorId) -> int:
        """Bytes from the start of its storage to a tensor."""
        total = 0
        while tensor in self.views:
            total += self.views[tensor].offset
            tensor = self.views[tensor].of
        return total


def lower(graph: Graph, options: LowerOptions, selection: Selection = PORTABLE) -> LoweredGraph:
    tensors = dict(graph.tensors)
    views: dict[TensorId, View] = {}
    steps: list[Step] = []
    for node in graph.nodes():
        if kind_of(node.operator).is_view:
            views[node.output.id] = View(node.input(0).id)
            continue
        step, made = lower_node(node, options, selection)
        _check_numbers(node, step.calls, len(graph.operators))
        tensors |= {t.id: t for t in made}
        steps.append(step)
    first_values = [_first_value(t) for t in tensors.values() if _has_first_value(t)]
    tensors |= {t.id: t for t in first_values}
    used = {t.id for t in first_values}
    used |= {pointer.tensor for step in steps for pointer in _pointers(step)}
    used |= set(graph.inputs) | set(graph.outputs) | set(views) | {v.of for v in views.values()}
    return LoweredGraph(
        graph.name,
        MappingProxyType({k: t for k, t in tensors.items() if k in used}),
        tuple(steps),
        graph.inputs,
        graph.outputs,
        MappingProxyType(views),
        MappingProxyType(_alignments(steps)),
        graph.source,
    )


def lower_node(
    node: Node, options: LowerOptions, selection: Selection = PORTABLE
) -> tuple[Step, tuple[Tensor, ...]]:
    """One operator as a step, with the constants and the scratch that lowering makes for it."""
    lowered = _lowered(node, options, selection)
    scratch = (_scratch_tensor(s.id, s.size) for s in lowered.scratch)
    return _step(node, lowered, selection), (*lowered.constants, *scratch)


def _lowered(node: Node, options: LowerOptions, selection: Selection) -> Lowered:
    choice = selection.choice(node)
    if choice.variant is not None:
        return choice.variant.lower(node)
    return kind_of(node.operator).lower(node, options)


def _check_numbers(node: Node, calls: tuple[Call, ...], operators: int) -> None:
    """Refuse parameters that C's int32_t does not hold: they come from scales out of proportion."""
    for argument in (a for call in calls for a in call.arguments):
        for name, number in _numbers(argument):
            if not -(1 << 31) <= number < 1 << 31:
                reason = f"its {name} is {number}; supported: numbers of 32 bits"
                raise RefusedModel((Refusal(node.id, node.operator.type, reason),), operators)


def _numbers(argument: Argument) -> list[tuple[str, int]]:
    if isinstance(argument, Params):
        values = [(f.name.replace("_", " "), getattr(argument, f.name)) for f in fields(argument)]
        lists = [(name, v if isinstance(v, tuple) else (v,)) for name, v in values]
        return [(name, v) for name, members in lists for v in members if isinstance(v, int)]
    return [("size", argument)] if isinstance(argument, int) else []


def _has_first_value(tensor: Tensor) -> bool:
    return tensor.kind is TensorKind.PERSISTENT and tensor.data is not None


def _first_value(variable: Tensor) -> Tensor:
    """The constant that context_init copies into a variable that does not start at zero."""
    return replace(
        variable, id=f"{variable.id}.first", name=f"{variable.name} (first value)",
        kind=TensorKind.CONSTANT, origins=(),
    )  # fmt: skip


def _scratch_tensor(key: TensorId, size: int) -> Tensor:
    return Tensor(key, key, (size,), DType.INT8)


def _step(node: Node, lowered: Lowered, selection: Selection) -> Step:
    kind = kind_of(node.operator)
    reads = [t.id for t in node.inputs if t is not None and t.kind is not TensorKind.CONSTANT]
    state = [node.input(i).id for i in kind.mutates]
    choice = selection.choice(node)
    return Step(
        node,
        lowered.calls,
        tuple(dict.fromkeys(reads)),
        tuple(dict.fromkeys([*(t.id for t in node.outputs), *state])),
        tuple(s.id for s in lowered.scratch),
        kind.cost(node).macs,
        _kernel_name(lowered) if choice.variant is None else choice.variant.name,
        choice.reason,
        kind.in_place(node) if lowered.in_place is None else lowered.in_place,
        lowered.row_wise,
        lowered.replaces,
        lowered.pitch,
        lowered.forward,
    )


def _kernel_name(lowered: Lowered) -> str:
    """The portable kernel that does the work: the last one called."""
    if not lowered.calls:
        return "none"
    return lowered.calls[-1].kernel.name.removeprefix("nacre_")


def _pointers(step: Step) -> list[Pointer]:
    return [a for call in step.calls for a in call.arguments if isinstance(a, Pointer)]


def _alignments(steps: list[Step]) -> dict[TensorId, int]:
    needed: dict[TensorId, int] = {}
    for pointer in (p for step in steps for p in _pointers(step)):
        alignment = max(pointer.alignment, pointer.dtype.alignment)
        needed[pointer.tensor] = max(alignment, needed.get(pointer.tensor, 1))
    return needed
