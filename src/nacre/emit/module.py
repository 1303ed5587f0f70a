"""Program -> the files of a C module, as a mapping from relative path to bytes."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from nacre import __version__
from nacre.emit.board import board_commands, board_files
from nacre.emit.buildfiles import USE, build_files
from nacre.emit.environment import environment
from nacre.emit.example import example_facts
from nacre.emit.poison import dead_bytes
from nacre.emit.spell import affine, byte_lines, comment, real
from nacre.emit.stage_facts import apart_units, region_bases, row_bytes, stage_facts, streams
from nacre.emit.steps import (
    CodeGroup,
    code_groups,
    group_kernels,
    step_text,
    used_regions,
)
from nacre.golden import Golden
from nacre.ir import Tensor
from nacre.kernels import NAMES_HEADER, headers_of, kernel_files, kernel_text
from nacre.memory import ArenaRole, MemoryType
from nacre.ops.cmsis import PROVIDER
from nacre.placement import placement_json
from nacre.program import Program, Region, shape_text
from nacre.report.document import document
from nacre.residency import plan_hash, residency
from nacre.text import short

KERNEL_HEADER = "nacre_kernel.h"


@dataclass(frozen=True)
class Status:
    code: int
    name: str
    text: str


# Of modules that stream rows.
ROW_STATUSES = (
    Status(20, "no_row_callback", "a row callback of the context is NULL"),
    Status(21, "row_callback_failed", "a row callback returned an error"),
)
STATUSES = (
    Status(0, "ok", "ok"),
    Status(1, "unknown_region", "no arena has this number"),
    Status(2, "null_buffer", "the buffer is NULL"),
    Status(3, "undersized", "the buffer is smaller than the arena"),
    Status(4, "misaligned", "the buffer is not aligned as the arena needs"),
    Status(10, "unbound", "an arena has no buffer"),
    Status(11, "hydrate_before_init", "hydrate_constants before context_init"),
    Status(12, "null_blob", "a staged constant has no source"),
    Status(13, "null_context", "the context is NULL"),
    Status(14, "not_initialized", "the context is not initialised"),
    Status(100, "null_argument", "an argument is NULL"),
    Status(101, "wrong_count", "the number of buffers is not the number of arenas"),
    Status(200, "hydration_required", "staged constants are not hydrated"),
)


def module_files(
    program: Program, golden: Golden | None = None, tolerance: float = 0
) -> dict[str, bytes]:
    """Everything that `convert` writes; the example comes with golden vectors."""
    p = program.prefix
    facts = _facts(program, golden)
    render = environment().get_template
    files = {
        f"{p}.h": render("module.h.j2").render(facts),
        f"{p}.c": render("module.c.j2").render(facts),
        f"{p}_port.h": render("port.h.j2").render(facts),
    }
    if facts["blobs"]:
        files[f"{p}_constants.c"] = render("constants.c.j2").render(facts)
    for group in code_groups(program):
        files |= _code_files(program, group, facts)
    if golden is not None:
        files["example/main.c"] = render("main.c.j2").render(
            example_facts(program, golden, tolerance)
        )
    if not program.allocate_arenas:
        files["example/arenas.h"] = render("arenas.h.j2").render(facts)
    if streams(program):
        files["example/streams.h"] = render("streams.h.j2").render(facts)
    files |= _build_files(program.module_type, facts, files)
    files |= board_files(program.target)
    if program.dump_residency:
        files[f"{p}_residency.json"] = json.dumps(residency(program), indent=1) + "\n"
    files["docs/index.html"] = document(program)
    files[f"{p}_placement.json"] = json.dumps(placement_json(program), indent=1) + "\n"
    encoded = {name: text.encode() for name, text in files.items()} | _sidecars(program)
    return {name: encoded[name] for name in sorted(encoded)}


def _code_files(program: Program, group: CodeGroup, facts: dict[str, object]) -> dict[str, str]:
    """The kernels of one code placement, and the steps that run from it."""
    render = environment().get_template
    tail = f"_{group.name}" if group.name else ""
    kernels = group_kernels(group)
    symbols = sorted({symbol for k in kernels for symbol in k.symbols})
    extra: dict[str, object] = {
        "symbols": symbols,
        "cmsis": any(k.isa == PROVIDER for k in kernels),
        "place": group.name,
        "section": group.section,
        "tail": tail,
    }
    needed = kernel_files(kernels)
    if program.is_staged and not group.name:
        needed |= {KERNEL_HEADER: kernel_text(KERNEL_HEADER)}
    files = {f"kernels{tail}/{name}": text for name, text in needed.items()}
    if files:
        files[f"kernels{tail}/{NAMES_HEADER}"] = render("names.h.j2").render(facts | extra)
    if group.name:
        extra |= {
            "headers": headers_of(kernels),
            "group_steps": [
                asdict(step_text(program, s, apart=True)) | {"units": apart_units(program, s)}
                for s in group.steps
            ],
        }
        files[f"{program.prefix}_steps{tail}.c"] = render("steps.c.j2").render(facts | extra)
    return files


def _build_files(
    module_type: str, facts: dict[str, object], files: dict[str, str]
) -> dict[str, str]:
    render = environment().get_template
    math = any("<math.h>" in text for text in files.values())
    extra = {
        "sources": sorted(f for f in files if f.endswith(".c") and "example/" not in f),
        "math": math,
        "cmsis": any("#define NACRE_CMSIS_NN" in text for text in files.values()),
        "math_note": ", and link `-lm`" if math else "",
        "use": USE[module_type](str(facts["p"])),
    }
    readme = render("README.md.j2").render(facts | extra)
    return build_files(module_type, facts | extra) | {"README.md": readme}


def _arithmetic(program: Program) -> str:
    """Whose numbers come out."""
    if program.numerics == "ort":
        return "Results are those of ONNX Runtime: floats to rounding, quantized values to a step."
    whose = {"tflm": "TFLite Micro", "litert": "LiteRT"}[program.numerics]
    return f"Integer arithmetic is that of {whose}'s reference kernels, bit for bit."


def _sidecars(program: Program) -> dict[str, bytes]:
    """Cold constants as files, when the application owns the arenas."""
    if program.allocate_arenas:
        return {}
    return {
        f"{program.prefix}_{r.name}__blob.bin": r.blob
        for r in program.regions
        if r.is_cold and r.blob is not None
    }


def _facts(program: Program, golden: Golden | None) -> dict[str, object]:
    """What the templates may name."""
    regions = [_region(program, r) for r in program.regions]
    default = code_groups(program)[0]
    apart = frozenset(s.number for g in code_groups(program)[1:] for s in g.steps)
    steps = [step_text(program, s, s.number in apart) for s in program.steps]
    return {
        "p": program.prefix,
        "P": program.prefix.upper(),
        "version": __version__,
        "source": program.source,
        "title": comment(f"{program.name}: compiled from {program.source}"),
        "summary": f"{len(program.steps)} steps, {program.macs} multiply-accumulates.",
        "macs": program.macs,
        "arithmetic": _arithmetic(program),
        "plan_hash": plan_hash(program),
        "ready": plan_hash(program)[:8],
        "regions": regions,
        "buffers": [r for r in regions if r["internal"]],
        "blobs": [r for r in regions if r["symbol"]],
        "staged": [r for r in regions if r["staged"]],
        "blob_slots": max(1, sum(bool(r["staged"]) for r in regions)),
        "statuses": [asdict(s) for s in (*STATUSES, *(ROW_STATUSES if streams(program) else ()))],
        "ios": _ios(program),
        "allocate_arenas": program.allocate_arenas,
        "inputs_note": (
            "Inputs keep their content over a run."
            if program.keep_inputs
            else "A run may overwrite its inputs: write all of them before each run."
        ),
        "keep": " (not in this module)" if program.keep_inputs else "",
        "bind_note": "; without it the module's own are used" if program.allocate_arenas else "",
        "num_inputs": len(program.inputs),
        "input_slots": max(1, len(program.inputs)),
        "num_outputs": len(program.outputs),
        "num_steps": len(steps),
        "pad_context_bind": " " * (len(program.prefix) + len("int32_t _context_bind_arena(")),
        "headers": headers_of(group_kernels(default))
        or ((KERNEL_HEADER,) if program.is_staged else ()),
        "steps": steps,
        "variables": _variables(program),
        "stateful": program.persistent_bytes > 0,
        "first_values": _first_values(program),
        "run_regions": region_bases(program, used_regions(default.steps)),
        "target": program.target.name,
        "board": board_commands(program.target),
        "dead": dead_bytes(program),
        "example": golden is not None,
        "oracle": "" if golden is None else golden.oracle,
        "apart_units": [
            u for s in program.steps if s.number in apart for u in apart_units(program, s)
        ],
        **stage_facts(program, apart),
    }


def _region(program: Program, region: Region) -> dict[str, object]:
    usage = region.usage
    staged = usage.is_staged
    symbol = ""
    if region.role is ArenaRole.constant and (staged or program.allocate_arenas):
        symbol = f"{program.prefix}_{region.name}{'__source' if staged else '__blob'}"
    internal = program.allocate_arenas and not region.is_cold
    default = "NULL"
    if internal:
        default = f"{program.prefix}_{region.name}_buffer"
    elif symbol:
        default = f"(uint8_t *)(uintptr_t){symbol}"
    blob_memory = program.target.memory(usage.source_memory)
    writable = blob_memory is not None and blob_memory.writable
    return {
        "name": region.name,
        "number": region.number,
        "size": usage.total_size,
        "alignment": usage.alignment,
        "comment": _region_comment(region),
        "memory": str(usage.memory),
        "staged": staged,
        "cold": region.is_cold,
        "internal": internal,
        "symbol": symbol,
        # A blob in loadable RAM is not const: its section is writable.
        "qualifier": "" if writable else "const ",
        "default": default,
        "buffer_section": _section(program, usage.memory, "bss"),
        "blob_section": _section(program, usage.source_memory, "data" if writable else "rodata"),
        "tensors": _tensor_lines(program, region),
        "bytes": "" if region.blob is None else byte_lines(region.blob),
    }


def _section(program: Program, memory: MemoryType, content: str) -> str:
    """The section attribute for arenas (bss), blobs in RAM (data) and in ROM (rodata)."""
    found = program.target.memory(memory)
    if found is None:
        return ""
    sections = {"bss": found.sections.bss, "data": found.sections.data}
    name = sections.get(content, found.sections.rodata)
    return "" if name is None else f' {program.prefix.upper()}_SECTION("{name}")'


def _region_comment(region: Region) -> str:
    usage = region.usage
    if region.role is not ArenaRole.constant:
        return f"{region.role.value} in {usage.memory}"
    if usage.is_staged:
        return f"constants in {usage.memory}, copied from {usage.source_memory}"
    return f"constants in {usage.memory}, read in place"


def _tensor_lines(program: Program, region: Region) -> list[str]:
    """One line per constant of a blob: offset, type, shape, id and name."""
    slots = [s for s in program.slots.values() if s.region == region.number and s.view_of is None]
    return [
        comment(f"{s.offset:>8}  {_type(s.tensor)}  {s.tensor.id}  {short(s.tensor.name, 60)}")
        for s in sorted(slots, key=lambda s: s.offset)
    ]


def _type(tensor: Tensor) -> str:
    return f"{tensor.dtype.value}{shape_text(tensor.shape)}"


def _ios(program: Program) -> list[dict[str, object]]:
    rows = [("input", i, key) for i, key in enumerate(program.inputs)]
    rows += [("output", i, key) for i, key in enumerate(program.outputs)]
    return [_io(program, kind, index, key) for kind, index, key in rows]


def _io(program: Program, kind: str, index: int, key: str) -> dict[str, object]:
    slot = program.slots[key]
    tensor = slot.tensor
    q = tensor.quantization
    per_tensor = q is not None and not q.per_channel
    return {
        "kind": kind,
        "array": f"{kind}s",
        "index": index,
        "macro": f"{kind.upper()}_{index}",
        "dtype": tensor.dtype.value,
        "shape": shape_text(tensor.shape),
        "name": comment(tensor.name),
        "size": tensor.size,
        "rank": len(tensor.shape),
        "braces": "{" + ", ".join(str(d) for d in tensor.shape) + "}",
        "scale": real(q.scale) if q is not None and per_tensor else "",
        "zero_point": q.zero_point if q is not None and per_tensor else 0,
        "quantization": f", real = {affine(q)}" if q is not None and per_tensor else "",
        "quantization_text": affine(q) if q is not None and per_tensor else "",
        "region": program.regions[slot.region].name,
        "offset": slot.offset,
        "streamed": row_bytes(program, kind, index) is not None,
        "row_bytes": row_bytes(program, kind, index),
    }


def _variables(program: Program) -> list[dict[str, object]]:
    """Variables that start as zeros; the others are copied from their first values."""
    starts = {(first.region, first.offset) for first in program.first_values}
    return [
        {
            "region": program.regions[s.region].name,
            "offset": s.offset,
            "size": s.size,
            "name": comment(s.tensor.name),
        }
        for s in program.slots.values()
        if program.regions[s.region].role is ArenaRole.persistent
        and s.view_of is None
        and (s.region, s.offset) not in starts
    ]


def _first_values(program: Program) -> list[dict[str, object]]:
    """Copies that give variables their first values; a staged source is read where it is stored."""
    rows = []
    for first in program.first_values:
        source = program.regions[first.source_region]
        symbol = f"ctx->arena_buffers[{program.prefix}_{source.name}]"
        if source.usage.is_staged:
            symbol = f"{program.prefix}_{source.name}__source"
        rows.append(
            {
                "region": program.regions[first.region].name,
                "offset": first.offset,
                "source": symbol,
                "source_offset": first.source_offset,
                "size": first.size,
            }
        )
    return rows
