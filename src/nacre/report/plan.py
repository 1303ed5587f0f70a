"""What `compile` and `inspect` say of a plan file."""

from __future__ import annotations

import math
from pathlib import Path

from nacre.planfile.layout import (
    ACTION,
    ACTION_KINDS,
    BLOCK,
    KERNEL,
    MAJOR,
    NONE,
    REGION,
    REGION_KINDS,
    SECTIONS,
    SEGMENT,
    STEP,
    TENSOR,
    TYPES,
)
from nacre.planfile.read import Fields, PlanContent
from nacre.residency import Json
from nacre.text import number, short, table


def plan_summary(plan: PlanContent, path: Path, size: int) -> str:
    """After `compile`: arenas, file, what next."""
    rows = [["", "bytes", ""]]
    rows += [[f"arena {n}", number(b), note] for n, b, note in _arena_rows(plan)]
    rows.append(["file", number(size), _file_note(plan)])
    return "\n".join(
        [
            headline(plan),
            "",
            table(rows, right=(1,)),
            "",
            f"  {path}   {len(kernels(plan))} kernels · {_segments_text(plan)}",
            f"  next   nacre run {path} --input x.npy      nacre codegen {path} -o firmware/",
        ]
    )


def headline(plan: PlanContent) -> str:
    about = plan.about
    tensors = plan.records("tensors", TENSOR)
    ends = [
        f"{word} " + (", ".join(_signature(t) for t in tensors if t["role"] == role) or "nothing")
        for role, word in ((0, "in"), (1, "out"))
    ]
    source = about.get("source") or "plan"
    return f"{source}  " + " · ".join([f"{len(_steps(plan))} steps", *ends])


def plan_text(plan: PlanContent, path: Path, size: int) -> str:
    """What `inspect` prints."""
    version = _number(plan.header["version"])
    about = plan.about
    damaged = "" if plan.sound else " · DAMAGED: the checksum does not match"
    lines = [
        f"{path}  plan file {version >> 16}.{version & 0xFFFF} · {number(size)} bytes · "
        f"for {about.get('target') or 'any target'} · by {about.get('generator') or '?'}{damaged}",
        headline(plan),
        "",
        table([["section", "bytes", "records"], *_section_rows(plan)], right=(1, 2)),
        "",
        table([["region", "kind", "arena", "offset", "bytes"], *_region_rows(plan)],
              right=(0, 3, 4)),
        "",
        table([["tensor", "type", "name", "region", "offset"], *_tensor_rows(plan)], right=(4,)),
        "",
        f"  {_segments_text(plan)} · {len(kernels(plan))} kernels: {', '.join(kernels(plan))}",
    ]  # fmt: skip
    return "\n".join(lines)


def plan_json(plan: PlanContent, size: int) -> dict[str, Json]:
    version = _number(plan.header["version"])
    return {
        "version": f"{version >> 16}.{version & 0xFFFF}",
        "reads": version >> 16 == MAJOR,
        "file_bytes": size,
        "sound": plan.sound,
        "plan_hash": _hash(plan),
        "arenas": [
            {"arena": n, "bytes": b} for n, b, _ in _arena_rows(plan)
        ],
        "arena_alignment": _number(plan.header["arena_alignment"]),
        "fast_reserved": _number(plan.header["fast_reserved"]),
        "about": dict(plan.about),
        "kernels": list(kernels(plan)),
        "sections": {name: len(content) for name, content in plan.sections.items()},
        "unknown_sections": list(plan.unknown),
        "regions": [_region_json(r) for r in plan.records("regions", REGION)],
        "inputs": [_tensor_json(plan, t) for t in plan.records("tensors", TENSOR) if not t["role"]],
        "outputs": [_tensor_json(plan, t) for t in plan.records("tensors", TENSOR) if t["role"]],
        "segments": [
            {"actions": _number(s["count"]), "iterations": _number(s["iterations"])}
            for s in plan.records("segments", SEGMENT)
        ],
        "actions": _action_counts(plan),
        "packed_bytes": sum(_number(b["packed"]) for b in plan.records("blocks", BLOCK)),
        "unpacked_bytes": sum(_number(b["bytes"]) for b in plan.records("blocks", BLOCK)),
    }  # fmt: skip


def kernels(plan: PlanContent) -> tuple[str, ...]:
    rows = plan.records("kernels", KERNEL)
    return tuple(plan.text(r["name"], "names").removeprefix("nacre_") for r in rows)


def _steps(plan: PlanContent) -> list[Fields]:
    return plan.records("steps", STEP) or plan.records("actions", ACTION)


def _arena_rows(plan: PlanContent) -> list[tuple[int, int, str]]:
    sizes = plan.header["arena_bytes"]
    assert isinstance(sizes, tuple)
    reserved = _number(plan.header["fast_reserved"])
    notes = [f"{number(reserved)} of them for unpacked constants" if reserved else "", *[""] * 8]
    words = ["fastest memory", "next memory", "", ""]
    rows = []
    for n, size in enumerate(sizes):
        note = " · ".join(filter(None, (words[n], notes[n])))
        rows.append((n, size, note))
    return [row for row in rows if row[1] or row[0] == 0]


def _file_note(plan: PlanContent) -> str:
    constants = len(plan.sections.get("constants", b""))
    packed = len(plan.sections.get("packed", b""))
    words = [f"constants {number(constants)}"]
    if packed:
        unpacked = sum(_number(b["bytes"]) for b in plan.records("blocks", BLOCK))
        words.append(f"packed {number(packed)} for {number(unpacked)}")
    return ", ".join(words)


def _segments_text(plan: PlanContent) -> str:
    segments = plan.records("segments", SEGMENT)
    bands = sum(_number(s["iterations"]) > 1 for s in segments)
    counts = _action_counts(plan)
    words = [f"{len(segments)} segment{'' if len(segments) == 1 else 's'}"]
    words += [f"{bands} in bands of rows"] if bands else []
    words += [f"{counts[k]} {k}s" for k in ("call", "unpack", "move", "loop") if counts.get(k)]
    return ", ".join(words)


def _action_counts(plan: PlanContent) -> dict[str, Json]:
    counts: dict[str, int] = {}
    for action in plan.records("actions", ACTION):
        name = ACTION_KINDS.named(_number(action["kind"])) or "unknown"
        counts[name] = counts.get(name, 0) + 1
    return {**counts}


def _section_rows(plan: PlanContent) -> list[list[str]]:
    records = {s.name: s.record for s in SECTIONS}
    rows = []
    for name, content in plan.sections.items():
        record = records[name]
        count = "" if record is None else str(len(content) // record.bytes)
        rows.append([name, number(len(content)), count])
    return rows + [[f"(kind {kind})", "", "not known, left out"] for kind in plan.unknown]


def _region_rows(plan: PlanContent) -> list[list[str]]:
    rows = []
    for n, r in enumerate(plan.records("regions", REGION)):
        kind = REGION_KINDS.named(_number(r["kind"])) or "?"
        where = "file" if kind == "constant" else f"arena {_number(r['arena'])}"
        offset, size = _number(r["offset"]), _number(r["bytes"])
        rows.append([str(n), kind, where, number(offset), number(size)])
    return rows


def _tensor_rows(plan: PlanContent) -> list[list[str]]:
    counts = [0, 0]
    rows = []
    for t in plan.records("tensors", TENSOR):
        role = _number(t["role"]) & 1
        word = f"{('input', 'output')[role]} {counts[role]}"
        counts[role] += 1
        name = short(plan.text(t["name"]))
        where = "callback" if t["region"] == NONE else str(t["region"])
        rows.append([word, _signature(t), name, where, number(_number(t["offset"]))])
    return rows


def _region_json(region: Fields) -> dict[str, Json]:
    return {
        "kind": REGION_KINDS.named(_number(region["kind"])),
        **{key: _number(region[key]) for key in ("arena", "offset", "bytes", "source")},
    }


def _tensor_json(plan: PlanContent, tensor: Fields) -> dict[str, Json]:
    scale = tensor["scale"]
    assert isinstance(scale, float)
    return {
        "name": plan.text(tensor["name"]),
        "type": TYPES.named(_number(tensor["type"])),
        "shape": list(_shape(tensor)),
        "region": _number(tensor["region"]),
        "offset": _number(tensor["offset"]),
        "bytes": _number(tensor["bytes"]),
        "scale": scale if math.isfinite(scale) and scale else None,
        "zero_point": _number(tensor["zero_point"]),
    }


def _shape(tensor: Fields) -> tuple[int, ...]:
    dims = tensor["dims"]
    assert isinstance(dims, tuple)
    return dims[: _number(tensor["rank"])]


def _signature(tensor: Fields) -> str:
    name = TYPES.named(_number(tensor["type"])) or "?"
    return f"{name}[{','.join(str(d) for d in _shape(tensor))}]"


def _hash(plan: PlanContent) -> str:
    low_high = plan.header["plan_hash"]
    assert isinstance(low_high, tuple)
    return f"{low_high[1] << 32 | low_high[0]:016x}"


def _number(value: object) -> int:
    assert isinstance(value, int)
    return value
