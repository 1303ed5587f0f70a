"""What the document's script draws from: steps, tensors, arenas and the graph, as JSON."""

from __future__ import annotations

from collections.abc import Iterator

from nacre.ir import TensorId, TensorKind
from nacre.memory import ArenaRole
from nacre.program import Program, ProgramStep, Region, Slot, shape_text
from nacre.report.conversion import arena_label
from nacre.report.document_graph import graph_facts
from nacre.report.document_uses import uses
from nacre.report.document_words import quantization_text
from nacre.residency import Json


def facts(program: Program) -> dict[str, Json]:
    """Lists in a fixed order; tensors, steps and arenas name each other by id and number."""
    part, used = roles(program), uses(program)
    return {
        "name": program.name,
        "tensors": [_tensor(program, k, slot, part[k]) for k, slot in program.slots.items()],
        "steps": [_step(step, found) for step, found in zip(program.steps, used, strict=True)],
        # First step, steps and bands of the segments that repeat.
        "segments": [
            [s.first, len(s.actions), s.iterations] for s in program.segments if s.iterations > 1
        ],
        "arenas": [_arena(program, region) for region in program.regions],
        "graph": graph_facts(program),
    }


def live_bytes(program: Program, region: Region) -> list[int]:
    """Bytes alive in a region at each step; a view's bytes count once."""
    live = [0] * len(program.steps)
    for slot in _owners(program, region):
        for step in range(slot.lower, min(slot.upper, len(live))):
            live[step] += slot.size
    return live


def roles(program: Program) -> dict[TensorId, str]:
    """What each slot is to the network; views and the tensor that they share have one role."""
    touched = {t for s in program.steps for t in (*s.inputs, *s.outputs)}
    touched |= {o for t in touched if (o := _owner(program, t)) is not None}
    found = {key: _own_role(slot, touched) for key, slot in program.slots.items()}
    for ends, role in ((program.outputs, "output"), (program.inputs, "input")):
        for key in ends:
            owner = _owner(program, key)
            if owner is not None and program.slots[owner].tensor.kind is TensorKind.SCRATCH:
                found[owner] = role
    return {key: found[_owner(program, key) or key] for key in found}


def _owner(program: Program, key: TensorId) -> TensorId | None:
    slot = program.slots.get(key)
    return None if slot is None else slot.view_of or key


def _own_role(slot: Slot, touched: set[TensorId]) -> str:
    if slot.tensor.kind is TensorKind.PERSISTENT:
        return "variable"
    if slot.tensor.kind is TensorKind.CONSTANT:
        return "constant"
    return "activation" if slot.tensor.id in touched else "workspace"


def _owners(program: Program, region: Region) -> Iterator[Slot]:
    for slot in program.slots.values():
        if slot.region == region.number and slot.view_of is None:
            yield slot


def _tensor(program: Program, key: str, slot: Slot, role: str) -> dict[str, Json]:
    tensor, region = slot.tensor, program.regions[slot.region]
    return {
        "id": key,
        "name": tensor.name,
        # A constant that is copied for some steps passes, as scratch does.
        "kind": region.role.value,
        "role": role,
        "shape": shape_text(tensor.shape),
        "type": tensor.dtype.value,
        "quantization": quantization_text(tensor.quantization),
        "memory": str(region.usage.memory),
        "region": region.number,
        "offset": slot.offset,
        "size": slot.size,
        "lower": slot.lower,
        "upper": slot.upper,
        "rule": slot.rule,
        "view_of": slot.view_of,
    }


def _step(step: ProgramStep, used: tuple[TensorId, ...]) -> dict[str, Json]:
    return {
        "number": step.number,
        "ids": list(step.ids),
        "type": step.type,
        "name": step.name,
        "kernel": step.kernel,
        "reason": step.kernel_reason,
        "kernels": list(dict.fromkeys(c.kernel.name for c in step.calls)),
        "inputs": list(step.inputs),
        "outputs": list(step.outputs),
        "uses": list(used),
        "macs": step.macs,
        "code": str(step.code),
    }


def _arena(program: Program, region: Region) -> dict[str, Json]:
    usage, scratch = region.usage, region.role is ArenaRole.scratch
    return {
        "number": region.number,
        "name": region.name,
        "label": arena_label(region),
        "memory": str(usage.memory),
        "size": usage.total_size,
        "alignment": usage.alignment,
        # A map over time for what comes and goes, a bar for what stays.
        "live": list(live_bytes(program, region)) if scratch else None,
        "bound": _bound(program, region) if scratch else None,
    }


def _bound(program: Program, region: Region) -> int:
    """The planner's bound; with several scratch arenas, each one's live bytes."""
    if sum(r.role is ArenaRole.scratch for r in program.regions) == 1:
        return program.lower_bound
    return max(live_bytes(program, region), default=0)
