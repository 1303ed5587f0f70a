"""Lowered graph -> Placed: which memory holds each tensor and each operator's code, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nacre.ir import Tensor, TensorId, TensorKind
from nacre.lower import LoweredGraph
from nacre.memory import ArenaRole, MemoryType
from nacre.targets import Target

ROLES = {
    TensorKind.SCRATCH: ArenaRole.scratch,
    TensorKind.PERSISTENT: ArenaRole.persistent,
    TensorKind.CONSTANT: ArenaRole.constant,
}
DEFAULT_RULE = "default"


@dataclass(frozen=True)
class Residence:
    """Memory of one tensor, and the rule that put it there."""

    role: ArenaRole
    memory: MemoryType
    source_memory: MemoryType
    rule: str = DEFAULT_RULE


@dataclass(frozen=True, eq=False)
class Placed:
    """The lowered graph with a memory for everything."""

    graph: LoweredGraph
    target: Target
    residences: Mapping[TensorId, Residence]
    # Operator id -> memory of its code.
    code: Mapping[str, MemoryType]


def place(graph: LoweredGraph, target: Target, scratch_memory: MemoryType) -> Placed:
    """Place everything; scratch and persistent tensors go to `scratch_memory`."""
    residences = {
        tensor.id: _default(tensor, target, scratch_memory) for tensor in graph.tensors.values()
    }
    code = {step.operator.id: target.cold.type for step in graph.steps}
    return Placed(graph, target, residences, code)


def _default(tensor: Tensor, target: Target, scratch_memory: MemoryType) -> Residence:
    role = ROLES[tensor.kind]
    memory = target.cold.type if role is ArenaRole.constant else scratch_memory
    return Residence(role, memory, memory)
