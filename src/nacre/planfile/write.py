"""Program -> plan file."""

from __future__ import annotations

from nacre import __version__
from nacre.errors import ConfigError
from nacre.ir import Tensor
from nacre.planfile.actions import tables_of
from nacre.planfile.arenas import Arenas, arenas_of
from nacre.planfile.binary import Names, Part, file_bytes, offsets_of, pack, words
from nacre.planfile.constants import Constants, constants_of
from nacre.planfile.layout import (
    ABOUT,
    BLOCK,
    KERNEL,
    MAX_ARENAS,
    MAX_RANK,
    NONE,
    REGION,
    STEP,
    TENSOR,
    TYPES,
    VARIABLE,
    section,
)
from nacre.planfile.rules import rules
from nacre.program import Caller, Program, ProgramMove
from nacre.residency import plan_hash


def plan_file(
    program: Program, compress: bool = False, names: bool = True, room: int | None = None
) -> bytes:
    """The bytes of the .ncr; without `names` the sections for people are left out.

    Packed constants take at most `room` bytes of the fast memory at a time.
    """
    refuse_unknown_kernels(program)
    constants = constants_of(program, compress, room)
    arenas = arenas_of(program, constants.reserved, constants.blobs)
    tables, loops = tables_of(program, constants.locate, constants.unpacks)
    kernel_names, strings = Names(), Names()
    kernels = b"".join(pack(KERNEL, {"name": kernel_names.add(n)}) for n in tables.kernels)
    content = {
        "kernels": kernels,
        "names": kernel_names.content,
        "variables": b"".join(_variables(program, constants)),
        "tensors": b"".join(_tensors(program, strings if names else None)),
        "segments": b"".join(tables.segments),
        "actions": b"".join(tables.actions),
        "arguments": words(tables.arguments),
        "params": bytes(tables.params),
        "ends": words(tables.ends),
        "moves": b"".join(tables.moves),
        "boxes": b"".join(tables.boxes),
        "loops": loops,
    }
    if names:
        content["steps"] = _steps(program, strings)
        content["about"] = _about(program, strings)
        content["strings"] = strings.content
    return _file(program, content, arenas, constants)


def refuse_unknown_kernels(program: Program) -> None:
    """Kernels whose reach the runtime cannot check are not for plan files."""
    unknown = [k.name for k in program.kernels if k.name not in rules()]
    if unknown:
        raise ConfigError(
            f"no plan file can call {', '.join(unknown)}: the runtime has no check for it; "
            "`nacre convert` makes a C module of this network"
        )


def _file(
    program: Program, content: dict[str, bytes], arenas: Arenas, constants: Constants
) -> bytes:
    """Regions and blocks name bytes of the file, so they come when all sizes are known."""
    content = {
        **content,
        "regions": bytes(REGION.bytes * len(arenas.regions)),
        "blocks": bytes(BLOCK.bytes * len(constants.blocks)),
        "constants": arenas.constants,
        "packed": constants.packed,
    }
    alignments = {"constants": arenas.file_alignment}
    parts = [Part(section(n), c) for n, c in content.items() if c]
    offsets = offsets_of(parts, alignments)
    content["regions"] = b"".join(_regions(arenas, offsets.get("constants", 0)))
    content["blocks"] = b"".join(_blocks(arenas, constants, offsets.get("packed", 0)))
    parts = [Part(section(n), c) for n, c in content.items() if c]
    return file_bytes(_header(program, arenas), parts, alignments)


def _header(program: Program, arenas: Arenas) -> dict[str, int | list[int]]:
    digest = int(plan_hash(program), 16)
    sizes = [*arenas.sizes, *([0] * MAX_ARENAS)][:MAX_ARENAS]
    return {
        "kernel_count": len(program.kernels),
        "file_alignment": arenas.file_alignment,
        "arena_alignment": arenas.arena_alignment,
        "arena_bytes": sizes,
        "fast_reserved": arenas.reserved,
        "plan_hash": [digest & 0xFFFFFFFF, digest >> 32],
        "flags": 0,
    }


def _regions(arenas: Arenas, first: int) -> list[bytes]:
    """`first` is the byte of the file where the constants begin."""
    rows = []
    for r in arenas.regions:
        offset = r.offset + (first if r.kind == "constant" else 0)
        source = r.source + (first if r.kind == "staged" else 0)
        rows.append(
            pack(
                REGION,
                {
                    "kind": r.number,
                    "arena": r.arena,
                    "offset": offset,
                    "bytes": r.size,
                    "source": source,
                },
            )
        )
    return rows


def _blocks(arenas: Arenas, constants: Constants, first: int) -> list[bytes]:
    region = len(arenas.regions) - 1
    return [
        pack(
            BLOCK,
            {
                "source": first + b.source,
                "packed": b.packed,
                "region": region,
                "offset": b.offset,
                "bytes": b.size,
            },
        )
        for b in constants.blocks
    ]


def _variables(program: Program, constants: Constants) -> list[bytes]:
    rows = []
    for first in program.first_values:
        region, offset = constants.locate(first.source_region, first.source_offset, NONE, True)
        rows.append(
            pack(
                VARIABLE,
                {
                    "region": first.region,
                    "offset": first.offset,
                    "bytes": first.size,
                    "source_region": region,
                    "source_offset": offset,
                },
            )
        )
    return rows


def _tensors(program: Program, strings: Names | None) -> list[bytes]:
    rows = [(0, key) for key in program.inputs] + [(1, key) for key in program.outputs]
    return [_tensor(program, role, key, strings) for role, key in rows]


def _tensor(program: Program, role: int, key: str, strings: Names | None) -> bytes:
    tensor = program.tensor(key)
    _check_rank(tensor)
    number = (program.outputs if role else program.inputs).index(key)
    region, offset = NONE, 0
    if (role, number) not in streamed(program):
        region, offset = program.slots[key].region, program.slots[key].offset
    q = tensor.quantization
    per_tensor = q is not None and not q.per_channel
    return pack(
        TENSOR,
        {
            "role": role,
            "region": region,
            "offset": offset,
            "bytes": tensor.size,
            "type": TYPES.number(tensor.dtype.value),
            "rank": len(tensor.shape),
            "dims": [*tensor.shape, *([1] * MAX_RANK)][:MAX_RANK],
            "scale": q.scale if q is not None and per_tensor else 0.0,
            "zero_point": q.zero_point if q is not None and per_tensor else 0,
            "name": NONE if strings is None else strings.add(tensor.name),
        },
    )


def streamed(program: Program) -> set[tuple[int, int]]:
    """Role and number of the inputs and outputs whose rows go through callbacks."""
    moves = [a for s in program.segments for a in s.actions if isinstance(a, ProgramMove)]
    found = {(0, m.source.number) for m in moves if isinstance(m.source, Caller)}
    return found | {(1, m.destination.number) for m in moves if isinstance(m.destination, Caller)}


def _check_rank(tensor: Tensor) -> None:
    if len(tensor.shape) > MAX_RANK:
        raise ConfigError(
            f"{tensor.name!r} has {len(tensor.shape)} dimensions; inputs and outputs of a plan "
            f"file have at most {MAX_RANK}"
        )


def _steps(program: Program, strings: Names) -> bytes:
    return b"".join(
        pack(
            STEP,
            {
                "type": strings.add(s.type),
                "name": strings.add(s.name),
                "macs": [s.macs & 0xFFFFFFFF, s.macs >> 32],
            },
        )
        for s in program.steps
    )


def _about(program: Program, strings: Names) -> bytes:
    return pack(
        ABOUT,
        {
            "name": strings.add(program.name),
            "source": strings.add(program.source),
            "target": strings.add(program.target.name),
            "generator": strings.add(f"nacre {__version__}"),
        },
    )
