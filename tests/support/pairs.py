"""Kernel calls in pairs on an emulated board: a portable one, and one for the core's extensions.

All cases of a test run in one image, which reads them from a file: see boards/pair_main.c.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np

from nacre.build import board_toolchain, build_program, run_program, write_files
from nacre.emit.board import board_files
from nacre.ir import Array, Node, Tensor
from nacre.kernels import headers_of, kernel_files
from nacre.ops import kind_of
from nacre.ops.kind import Argument, Call, Kernel, Lowered, LowerOptions, Params, Pointer, Span
from nacre.ops.rings import ringed, windowed
from nacre.targets import load_target

MAIN = Path(__file__).parents[1] / "boards" / "pair_main.c"
GUARD = 32
# After all kernels in the table of the image.
COPY = "memcpy"
STALE = 0xA5


@dataclass(frozen=True)
class Pair:
    """A node with its portable lowering and another; `ahead`: bytes from output to input where
    the second call writes over its input, None where the two are apart; `band`: rows at a time
    from a ring of input rows to one of output rows, 0 for all at once."""

    name: str
    node: Node
    value: tuple[Array, ...]
    other: Lowered
    ahead: int | None = None
    band: int = 0


def failures(board: str, pairs: Sequence[Pair], folder: Path) -> list[str]:
    """The cases that differ or write outside, run in one image."""
    target = load_target(board)
    toolchain = board_toolchain(target)
    kernels = _kernels(pairs)
    write_files(folder, _files(board, kernels))
    (folder / "cases.bin").write_bytes(b"".join(_case(p, kernels) for p in pairs))
    said = run_program(build_program(folder, "pair_main.c", toolchain), toolchain)
    assert f"cases {len(pairs)}\n" in said, said[-500:]
    found = re.findall(r"^(differs|outside) (\d+)", said, re.MULTILINE)
    return [f"{what}: {pairs[int(n)].name}" for what, n in found]


def _kernels(pairs: Sequence[Pair]) -> list[Kernel]:
    calls = [c for p in pairs for c in (*portable(p.node).calls, *p.other.calls)]
    return list({c.kernel.name: c.kernel for c in calls}.values())


def portable(node: Node) -> Lowered:
    return kind_of(node.operator).lower(node, LowerOptions())


def _files(board: str, kernels: Sequence[Kernel]) -> dict[str, bytes]:
    includes = "".join(f'#include "kernels/{h}"\n' for h in headers_of(kernels))
    table = ", ".join(f"(any_t){name}" for name in (*(k.name for k in kernels), COPY))
    texts = {
        **{f"kernels/{name}": text for name, text in kernel_files(kernels).items()},
        **board_files(load_target(board)),
        "example/pair_main.c": MAIN.read_text(encoding="utf-8"),
        "pair_kernels.h": f"{includes}#define PAIR_KERNELS {table}\n",
    }
    return {name: text.encode() for name, text in texts.items()}


class Block:
    """Bytes in the making; tensors begin at multiples of 8."""

    def __init__(self) -> None:
        self.bytes = bytearray()
        self.guards: list[tuple[int, int]] = []

    def add(self, data: bytes) -> int:
        self.bytes += bytes(-len(self.bytes) % 8)
        at = len(self.bytes)
        self.bytes += data
        return at

    def guard(self) -> None:
        """From the very end of the last tensor."""
        self.guards.append((len(self.bytes), GUARD))
        self.bytes += bytes([STALE]) * GUARD


def _case(pair: Pair, kernels: Sequence[Kernel]) -> bytes:
    constants, memory = Block(), Block()
    numbers = {k.name: n for n, k in enumerate(kernels)}
    lowered = portable(pair.node)
    memory.guard()
    first = _apart(pair, memory)
    second = _apart(pair, memory) if pair.ahead is None else _over(pair, memory)
    scratch = _scratch(pair.other, memory)
    words: list[int] = []
    count = 0
    rings = _rings(pair, memory) if pair.band else {}
    for form, places in ((lowered, first), (pair.other, {**second, **scratch})):
        held = {t.id: constants.add(t.constant.tobytes()) for t in form.constants}
        for tensor in _constant_inputs(pair.node):
            held.setdefault(tensor.id, constants.add(tensor.constant.tobytes()))
        in_bands = pair.band and form is pair.other
        steps = _bands(pair, places, rings) if in_bands else [(c, places) for c in form.calls]
        for step, where in steps:
            if isinstance(step, Call):
                words += _call(step, numbers, constants, held, where)
            else:
                words += [len(kernels), 3, *(w for pair_of in step for w in pair_of)]
            count += 1
    y = pair.node.output
    head = [
        len(constants.bytes), len(memory.bytes), count, first[y.id], second[y.id], y.size,
        len(memory.guards),
    ]  # fmt: skip
    flat = [*head, *(w for g in memory.guards for w in g), *words]
    return np.array(flat, np.int64).astype(np.uint32).tobytes() + constants.bytes + memory.bytes


def _inputs(node: Node) -> list[Tensor]:
    return [t for t in node.inputs if t is not None and t.data is None]


def _constant_inputs(node: Node) -> list[Tensor]:
    return [t for t in node.inputs if t is not None and t.data is not None]


def _apart(pair: Pair, memory: Block) -> dict[str, int]:
    places = {}
    for tensor, value in zip(_inputs(pair.node), pair.value, strict=True):
        places[tensor.id] = memory.add(value.tobytes())
        memory.guard()
    places[pair.node.output.id] = memory.add(bytes([STALE]) * pair.node.output.size)
    memory.guard()
    return places


def _over(pair: Pair, memory: Block) -> dict[str, int]:
    """The output `ahead` bytes before the only input."""
    (x,), y = _inputs(pair.node), pair.node.output
    assert pair.ahead is not None
    low = min(0, pair.ahead)
    size = max(pair.ahead + x.size, y.size) - low
    start = memory.add(bytes([STALE]) * size)
    memory.guard()
    at = start + pair.ahead - low
    memory.bytes[at : at + x.size] = pair.value[0].tobytes()
    return {x.id: at, y.id: start - low}


# A copy: the words of its arguments.
Copy = list[tuple[int, int]]


def _needs(pair: Pair, rows: Span) -> Span:
    rule, x = kind_of(pair.node.operator).rows, pair.node.input(0)
    assert rule is not None
    return rule(pair.node, rows)[0] or Span(0, x.shape[1])


def _spans(pair: Pair) -> list[Span]:
    height = pair.node.output.shape[1]
    return [Span(b, min(b + pair.band, height)) for b in range(0, height, pair.band)]


def _rings(pair: Pair, memory: Block) -> dict[str, tuple[int, int]]:
    """Where the rings of the first input and the output are, and their rows."""
    x, y = pair.node.input(0), pair.node.output
    kept = max(1, *(n.end - n.begin for n in (_needs(pair, s) for s in _spans(pair))))
    found = {}
    for tensor, rows in ((x, kept), (y, pair.band)):
        found[tensor.id] = (memory.add(bytes([STALE]) * (_row(tensor) * rows)), rows)
        memory.guard()
    return found


def _row(tensor: Tensor) -> int:
    return tensor.size // tensor.shape[1]


def _bands(
    pair: Pair, places: dict[str, int], rings: dict[str, tuple[int, int]]
) -> list[tuple[Call | Copy, dict[str, int]]]:
    x, y, (call,) = pair.node.input(0), pair.node.output, pair.other.calls
    call = ringed(call, {key: rows for key, (_, rows) in rings.items()})
    steps: list[tuple[Call | Copy, dict[str, int]]] = []
    done = 0

    def copy(to: int, source: int, size: int) -> None:
        steps.append(([(2, to), (2, source), (0, size)], {}))

    for span in _spans(pair):
        need = _needs(pair, span)
        for row in range(max(done, need.begin), need.end):
            at, kept = rings[x.id]
            copy(at + row % kept * _row(x), places[x.id] + row * _row(x), _row(x))
        done = max(done, need.end)
        steps.append((windowed(call, span), {**places, **{k: at for k, (at, _) in rings.items()}}))
        for row in range(span.begin, span.end):
            at, kept = rings[y.id]
            copy(places[y.id] + row * _row(y), at + row % kept * _row(y), _row(y))
    return steps


def _scratch(lowered: Lowered, memory: Block) -> dict[str, int]:
    places = {}
    for scratch in lowered.scratch:
        places[scratch.id] = memory.add(bytes([STALE]) * scratch.size)
        memory.guard()
    return places


def _call(
    call: Call,
    numbers: dict[str, int],
    constants: Block,
    held: dict[str, int],
    places: dict[str, int],
) -> list[int]:
    words = [w for a in call.arguments for w in _words(a, constants, held, places)]
    return [numbers[call.kernel.name], len(words), *(v for w in words for v in w)]


def _words(
    argument: Argument, constants: Block, held: dict[str, int], places: dict[str, int]
) -> list[tuple[int, int]]:
    if isinstance(argument, Pointer):
        kind, at = (2, places) if argument.tensor in places else (1, held)
        return [(kind, at[argument.tensor] + argument.offset)]
    if isinstance(argument, Params):
        values = [getattr(argument, f.name) for f in fields(argument)]
        return [(1, constants.add(b"".join(_field(v) for v in values)))]
    if isinstance(argument, Span):
        return [(0, argument.begin), (0, argument.end)]
    assert isinstance(argument, int)
    return [(0, argument)]


def _field(value: int | float | tuple[int, ...]) -> bytes:
    """A member of a parameter struct."""
    if isinstance(value, tuple):
        return b"".join(_field(v) for v in value)
    return np.array(value, np.float32 if isinstance(value, float) else np.int32).tobytes()
