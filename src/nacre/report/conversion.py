"""What `convert` prints: the network in a line, a table of arenas, the files, what next."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from nacre.memory import ArenaRole
from nacre.program import Program, Region, Slot, shape_text
from nacre.residency import Json, arenas
from nacre.text import macs, number, short, size, table


def conversion_text(
    program: Program, model: Path, folder: Path, files: Iterable[str], options: Sequence[str] = ()
) -> str:
    """`options` are those of the command line that say what was compiled."""
    parts = [headline(program), "", arena_table(program), *_stages(program), ""]
    parts.append(_files(folder, files))
    return "\n".join([*parts, _next(program, model, folder, options)])


def headline(program: Program) -> str:
    """`kws.tflite  int8 · 13 operators · 2.66 M MACs · in int8[1,49,10,1] · out int8[1,12]`"""
    parts = [
        f"{program.source_operators} operators in {len(program.steps)} steps",
        macs(program.macs),
        f"in {_signature(program, program.inputs)}",
        f"out {_signature(program, program.outputs)}",
    ]
    return f"{program.source}  " + " · ".join(parts)


def _signature(program: Program, keys: tuple[str, ...]) -> str:
    tensors = [program.tensor(key) for key in keys]
    return ", ".join(f"{t.dtype.value}{shape_text(t.shape)}" for t in tensors) or "nothing"


def arena_table(program: Program) -> str:
    rows = [["arena", "memory", "bytes", "of", "tensors", ""]]
    rows += [_arena_row(program, region) for region in program.regions]
    return table(rows, right=(2,))


def _arena_row(program: Program, region: Region) -> list[str]:
    memory = program.target.memory(region.usage.memory)
    count = sum(s.region == region.number and not s.view_of for s in program.slots.values())
    return [
        arena_label(region),
        str(region.usage.memory),
        number(region.usage.total_size),
        size(None if memory is None else memory.size),
        str(count),
        _bound_note(program) if _has_bound(program, region) else "",
    ]


def _has_bound(program: Program, region: Region) -> bool:
    """The bound is that of one arena; with a budget it says nothing about the stages."""
    return region.role is ArenaRole.scratch and not program.is_staged


def _stages(program: Program) -> list[str]:
    """What the budget asks for: segments, and the bytes that go from memory to memory."""
    if program.traffic is None:
        return []
    bands = [str(s.iterations) for s in program.segments if s.iterations > 1]
    in_bands = f", {len(bands)} in bands of rows ({' + '.join(bands)})" if bands else ""
    moved = program.traffic
    words = f"loads {number(moved.loaded)}, spills {number(moved.spilled)}"
    return [
        "",
        f"  stages {len(program.segments)}{in_bands}; bytes per inference: {words}, "
        f"weights read {number(moved.weights)}",
    ]


def arena_label(region: Region) -> str:
    usage = region.usage
    if region.role is not ArenaRole.constant:
        return str(region.role.value)
    return (
        f"constants (staged from {usage.source_memory})" if usage.is_staged else "constants (cold)"
    )


def _bound_note(program: Program) -> str:
    words = [f"live-bytes bound {number(program.lower_bound)}"]
    gap = program.scratch_bytes - program.lower_bound
    if program.order_saved:
        words.append(f"order saved {number(program.order_saved)}")
    if program.overlap_saved:
        words.append(f"overlap saved {number(program.overlap_saved)}")
    else:
        words.append("reached" if gap == 0 else f"{number(gap)} above it")
    return ", ".join(words)


def _files(folder: Path, files: Iterable[str]) -> str:
    names = sorted(files)
    kernels = sum(n.startswith("kernels") and n.endswith(".c") for n in names)
    shown = [n for n in names if "/" not in n and not n.startswith(".")]
    parts = [" ".join(n for n in shown if n.endswith((".h", ".c"))), f"{kernels} kernels"]
    parts += [n for n in shown if not n.endswith((".h", ".c"))]
    parts += [n for n in ("docs/index.html", "example/main.c") if n in names]
    return f"  {folder}/   {' · '.join(parts)}"


def _next(program: Program, model: Path, folder: Path, options: Sequence[str]) -> str:
    """Commands to go on with, ready to be copied."""
    module, verify = shlex.quote(str(folder)), shlex.join([str(model), *options])
    build = f"      cmake -S {module} -B build && cmake --build build"
    shown = build if program.module_type == "cmake" else ""
    return f"  next   nacre verify {verify}{shown}"


def conversion_json(program: Program) -> dict[str, Json]:
    """The keys that other tools read."""
    return {
        "scratch_bytes": program.scratch_bytes,
        "lower_bound": program.lower_bound,
        "persistent_bytes": program.persistent_bytes,
        "constant_bytes": program.constant_bytes,
        "arenas": arenas(program),
        "order": program.order,
        "overlap_saved": program.overlap_saved,
        "order_saved": program.order_saved,
        **_stages_json(program),
        "kernels": [
            {"ids": list(s.ids), "type": s.type, "kernel": s.kernel, "reason": s.kernel_reason}
            for s in program.steps
            if s.ids
        ],
    }


def _stages_json(program: Program) -> dict[str, Json]:
    """As `analyze` says it; nothing without a budget."""
    if program.traffic is None:
        return {}
    return {
        "stages": len(program.segments),
        "activation_bytes": program.traffic.activations,
        "weight_bytes": program.traffic.weights,
    }


def residency_text(program: Program) -> str:
    """`-v 2`: each arena with size, shape, source -> destination, tensor count, then every slot."""
    lines = []
    for region in program.regions:
        usage = region.usage
        slots = {k: s for k, s in program.slots.items() if s.region == region.number}
        route = str(usage.memory)
        if usage.is_staged:
            route = f"{usage.source_memory} -> {usage.memory}"
        shape = ""
        if region.role is ArenaRole.constant:
            shape = "  staged" if usage.is_staged else "  cold"
        count = sum(s.view_of is None for s in slots.values())
        lines.append(
            f"{region.name}  {number(usage.total_size)} bytes{shape}  {route}  "
            f"{count} tensors  aligned to {usage.alignment}"
        )
        ordered = sorted(slots.items(), key=lambda item: (item[1].offset, item[1].lower))
        rows = [_slot_row(key, slot) for key, slot in ordered]
        header = ["offset", "bytes", "steps", "id", "name", "rule"]
        lines += [table([header, *rows], right=(0, 1), indent="    "), ""]
    return "\n".join(lines).rstrip()


def _slot_row(key: str, slot: Slot) -> list[str]:
    return [
        str(slot.offset),
        str(slot.size),
        f"[{slot.lower},{slot.upper})",
        key,
        short(slot.tensor.name),
        slot.rule if slot.view_of is None else f"view of {slot.view_of}",
    ]
