"""Solution -> Program: regions, slots, blobs and calls with their final addresses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from nacre.config.schema import Scalar
from nacre.ir import Array, Tensor, TensorId, TensorKind
from nacre.lifetimes import Alignment, Lifetimes
from nacre.lower import Step
from nacre.memory import (
    BASE_ALIGNMENT,
    ArenaRole,
    ArenaUsage,
    MemoryPlan,
    MemoryType,
    TensorAllocation,
    TensorBinding,
    TensorLifetime,
)
from nacre.ops.kind import Argument, Call, Pointer
from nacre.overlap import sharings
from nacre.place import Placed
from nacre.planner.problem import Solution
from nacre.program import (
    Address,
    FirstValue,
    Program,
    ProgramArgument,
    ProgramCall,
    ProgramRun,
    ProgramSegment,
    ProgramStep,
    Region,
    Slot,
)
from nacre.stages.plan import Traffic

_NAMES = {
    ArenaRole.scratch: "arena_{}",
    ArenaRole.persistent: "arena_persistent_{}",
    ArenaRole.constant: "arena_const_{}",
}


@dataclass(frozen=True)
class Names:
    """What the module and its symbols are called, and where the model came from."""

    name: str
    prefix: str
    source: str
    numerics: str
    module_type: str
    allocate_arenas: bool
    keep_inputs: bool
    dump_residency: bool


@dataclass(frozen=True, eq=False)
class Packed:
    """One arena with the offsets of its tensors."""

    usage: ArenaUsage
    offsets: Mapping[TensorId, int]


@dataclass(frozen=True, eq=False)
class Parts:
    """What a program is put together from: slots and steps point into the arenas by number."""

    placed: Placed
    arenas: tuple[Packed, ...]
    slots: Mapping[TensorId, Slot]
    steps: tuple[ProgramStep, ...]
    segments: tuple[ProgramSegment, ...]
    lifetimes: Mapping[TensorId, TensorLifetime]
    order: str
    traffic: Traffic | None = None


def assemble(alive: Lifetimes, alignment: Alignment, solution: Solution, names: Names) -> Program:
    placed = alive.schedule.placed
    arenas = (*_scratch_arenas(placed, alignment, solution), *bumped(placed, alignment))
    slots = _slots(alive, arenas)
    steps = _steps(alive, slots)
    once = ProgramSegment(1, tuple(ProgramRun(step.number) for step in steps))
    segments = (once,) if steps else ()
    order = alive.schedule.order
    parts = Parts(placed, arenas, slots, steps, segments, dict(alive.tensors), order)
    return complete(parts, solution, names)


def complete(parts: Parts, solution: Solution, names: Names) -> Program:
    """The program of these parts."""
    placed, slots = parts.placed, parts.slots
    regions = tuple(
        Region(number, _region_name(a.usage), a.usage, _blob(placed, a))
        for number, a in enumerate(parts.arenas)
    )
    return Program(
        name=names.name,
        prefix=names.prefix,
        source=names.source,
        target=placed.target,
        numerics=names.numerics,
        regions=regions,
        steps=parts.steps,
        slots=slots,
        inputs=placed.graph.inputs,
        outputs=placed.graph.outputs,
        first_values=_first_values(slots),
        plan=_plan(parts, regions),
        lower_bound=sum(solution.lower_bounds.values()),
        scratch_optimal=solution.optimal,
        order=parts.order,
        overlap_saved=0,
        order_saved=0,
        segments=parts.segments,
        traffic=parts.traffic,
        module_type=names.module_type,
        allocate_arenas=names.allocate_arenas,
        keep_inputs=names.keep_inputs,
        dump_residency=names.dump_residency,
        notes=placed.notes,
        source_operators=len(placed.graph.source.operators),
    )


def _scratch_arenas(placed: Placed, alignment: Alignment, solution: Solution) -> Iterable[Packed]:
    for memory in _memories(placed, ArenaRole.scratch):
        members = _members(placed, ArenaRole.scratch, memory)
        offsets = {t.id: solution.offsets[t.id] for t in members if t.id in solution.offsets}
        yield Packed(
            ArenaUsage(
                memory, solution.heights[memory], solution.heights[memory], ArenaRole.scratch,
                memory, base_alignment(alignment, memory, placed, members),
            ),
            offsets,
        )  # fmt: skip


def bumped(placed: Placed, alignment: Alignment) -> Iterable[Packed]:
    """Persistent and constant arenas: everything is alive always, so slots simply follow."""
    for role in (ArenaRole.persistent, ArenaRole.constant):
        for memory in _memories(placed, role):
            members = _members(placed, role, memory)
            source = placed.residences[members[0].id].source_memory
            end, offsets = 0, {}
            for tensor in members:
                # A staged blob has the offsets of its arena, so the stricter memory decides.
                needed = alignment.slot(source, placed.graph.alignment(tensor.id))
                step = alignment.slot(memory, needed)
                offsets[tensor.id] = -(-end // step) * step
                end = offsets[tensor.id] + tensor.size
            base = max(base_alignment(alignment, m, placed, members) for m in (memory, source))
            yield Packed(ArenaUsage(memory, end, end, role, source, base), offsets)


def _memories(placed: Placed, role: ArenaRole) -> tuple[MemoryType, ...]:
    """Memories that hold tensors of a role, in the target's order of speed."""
    used = {placed.residences[t.id].memory for t in _owners(placed) if _has(placed, t, role)}
    return tuple(m.type for m in placed.target.memories if m.type in used)


def _members(placed: Placed, role: ArenaRole, memory: MemoryType) -> tuple[Tensor, ...]:
    return tuple(
        t
        for t in _owners(placed)
        if _has(placed, t, role) and placed.residences[t.id].memory == memory
    )


def _owners(placed: Placed) -> Iterable[Tensor]:
    """Tensors with bytes of their own."""
    return (t for t in placed.graph.tensors.values() if t.id not in placed.graph.views)


def _has(placed: Placed, tensor: Tensor, role: ArenaRole) -> bool:
    return placed.residences[tensor.id].role is role


def base_alignment(
    alignment: Alignment, memory: MemoryType, placed: Placed, members: Iterable[Tensor]
) -> int:
    slots = (alignment.slot(memory, placed.graph.alignment(t.id)) for t in members)
    return max(BASE_ALIGNMENT, *slots)


def _region_name(usage: ArenaUsage) -> str:
    return _NAMES[usage.role].format(usage.memory.lower())


def _blob(placed: Placed, arena: Packed) -> bytes | None:
    if arena.usage.role is not ArenaRole.constant:
        return None
    content = bytearray(arena.usage.total_size)
    for key, offset in arena.offsets.items():
        data = little_endian(placed.graph.tensors[key].constant)
        content[offset : offset + len(data)] = data
    return bytes(content)


def little_endian(data: Array) -> bytes:
    """The bytes of an array as a little-endian machine stores them."""
    return np.ascontiguousarray(data, data.dtype.newbyteorder("<")).tobytes()


def _slots(alive: Lifetimes, arenas: tuple[Packed, ...]) -> dict[TensorId, Slot]:
    placed = alive.schedule.placed
    home = {key: (n, offset) for n, a in enumerate(arenas) for key, offset in a.offsets.items()}
    slots = {}
    for tensor in placed.graph.tensors.values():
        owner = placed.graph.storage(tensor.id)
        if owner not in home:
            continue
        region, offset = home[owner]
        life = alive.tensors.get(owner)
        if life is None or placed.graph.tensors[owner].kind is not TensorKind.SCRATCH:
            life = TensorLifetime(owner, 0, len(alive.schedule.steps) - 1)
        slots[tensor.id] = Slot(
            tensor=tensor,
            region=region,
            offset=offset + placed.graph.offset(tensor.id),
            size=tensor.size,
            rule=placed.residences[owner].rule,
            lower=life.start_op,
            upper=life.end_op + 1,
            view_of=owner if owner != tensor.id else None,
        )
    return slots


def _steps(alive: Lifetimes, slots: Mapping[TensorId, Slot]) -> tuple[ProgramStep, ...]:
    placed = alive.schedule.placed
    return tuple(
        program_step(number, step, placed, slots)
        for number, step in enumerate(alive.schedule.steps)
    )


def program_step(
    number: int, step: Step, placed: Placed, slots: Mapping[TensorId, Slot]
) -> ProgramStep:
    """The step with addresses instead of tensors."""
    return ProgramStep(
        number=number,
        ids=step.operator.ids,
        type=step.operator.type,
        name=step.operator.name,
        inputs=tuple(t.id for t in step.node.inputs if t is not None),
        outputs=step.operator.outputs,
        calls=tuple(resolved(call, slots) for call in step.calls),
        macs=step.macs,
        code=placed.code[step.operator.id],
        attributes=_attributes(placed, step),
        backward=_is_backward(step, placed, slots),
        kernel=step.kernel,
        kernel_reason=step.reason,
    )


def _attributes(placed: Placed, step: Step) -> dict[str, Scalar]:
    settings = placed.attributes.get(step.operator.id, {})
    return {name: setting.value for name, setting in settings.items()}


def _is_backward(step: Step, placed: Placed, slots: Mapping[TensorId, Slot]) -> bool:
    """The output lies over an input in the way that only the last row first allows."""
    for sharing in sharings(step):
        x, y = slots[sharing.input], slots[sharing.output]
        shared = x.offset < y.offset + y.size and y.offset < x.offset + x.size
        scratch = placed.residences[sharing.input].role is ArenaRole.scratch
        if x.region == y.region and shared and scratch and x.offset - y.offset < sharing.ahead:
            return True
    return False


def resolved(call: Call, slots: Mapping[TensorId, Slot]) -> ProgramCall:
    """The call with addresses instead of tensors."""
    return ProgramCall(call.kernel, tuple(_argument(a, slots) for a in call.arguments))


def _argument(argument: Argument, slots: Mapping[TensorId, Slot]) -> ProgramArgument:
    if not isinstance(argument, Pointer):
        return argument
    slot = slots[argument.tensor]
    return Address(slot.region, slot.offset + argument.offset, argument.dtype, argument.const)


def _first_values(slots: Mapping[TensorId, Slot]) -> tuple[FirstValue, ...]:
    """Variables whose first value is a constant of the lowered graph, `<id>.first`."""
    found = []
    for key, slot in slots.items():
        source = slots.get(f"{key}.first")
        if slot.tensor.kind is TensorKind.PERSISTENT and source is not None:
            found.append(
                FirstValue(slot.region, slot.offset, source.region, source.offset, slot.size)
            )
    return tuple(found)


def _plan(parts: Parts, regions: tuple[Region, ...]) -> MemoryPlan:
    def arenas(role: ArenaRole) -> dict[MemoryType, ArenaUsage]:
        return {r.usage.memory: r.usage for r in regions if r.role is role}

    return MemoryPlan(
        {key: _allocation(slot, regions[slot.region]) for key, slot in parts.slots.items()},
        arenas(ArenaRole.scratch),
        arenas(ArenaRole.constant),
        arenas(ArenaRole.persistent),
        parts.lifetimes,
    )


def _allocation(slot: Slot, region: Region) -> TensorAllocation:
    usage = region.usage
    binding = TensorBinding(usage.role, usage.memory, slot.offset, usage.source_memory)
    return TensorAllocation(slot.tensor.id, usage.memory, slot.offset, slot.size, binding)
