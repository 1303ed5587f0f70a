"""Runs a Program on the host by calling its kernels through ctypes: quick, no C is generated."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import numpy as np

from nacre.compile import plan
from nacre.config.schema import Config
from nacre.ir import Graph
from nacre.lower import lower
from nacre.memory import ArenaRole
from nacre.ops.kind import LowerOptions, Params, Span
from nacre.passes import simplify
from nacre.program import (
    Address,
    Caller,
    Place,
    Program,
    ProgramAction,
    ProgramBoxMove,
    ProgramMove,
    ProgramTiles,
)
from nacre.targets import load_target

CSRC = Path(__file__).parents[2] / "src" / "nacre" / "csrc" / "kernels"
FLAGS = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Werror")
# Bytes around every arena that no kernel may touch.
GUARD = 64


class Rows(ctypes.Structure):
    _fields_ = (("begin", ctypes.c_int32), ("end", ctypes.c_int32))


@cache
def kernel_library() -> ctypes.CDLL:
    """All portable kernels as one shared library, built once per content of the sources."""
    content = b"".join(p.read_bytes() for p in sorted(CSRC.iterdir()))
    digest = hashlib.sha256(content + " ".join(FLAGS).encode()).hexdigest()[:16]
    folder = Path(tempfile.gettempdir()) / f"nacre-kernels-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    library = folder / f"{digest}.so"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # one test process builds, the others wait
        if not library.exists():
            _build_library(library)
    return ctypes.CDLL(str(library))


def _build_library(library: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:

        def compile_one(source: Path) -> str:
            made = f"{folder}/{source.stem}.o"
            subprocess.run(["gcc", *FLAGS, "-fPIC", "-c", str(source), "-o", made], check=True)
            return made

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            objects = list(pool.map(compile_one, sorted(CSRC.glob("*.c"))))
        built = Path(folder) / "kernels.so"
        subprocess.run(["gcc", "-shared", "-o", str(built), *objects, "-lm"], check=True)
        shutil.copy(built, library.with_suffix(".new"))
        library.with_suffix(".new").rename(library)


def program_of(graph: Graph, config: Config | None = None) -> Program:
    """The rest of the line for an imported graph."""
    config = config or Config()
    target = load_target(config.target.name)
    lowered = lower(simplify(graph), LowerOptions(features=target.features))
    return plan(lowered, target, config, f"{graph.name}.tflite")


@dataclass(frozen=True)
class Ends:
    """Bytes of the model's inputs and outputs, for those that the caller streams."""

    inputs: list[bytes]
    outputs: list[bytearray]


def callers(program: Program) -> set[tuple[str, int]]:
    """Inputs and outputs that go through the caller's row callbacks."""
    moves = [a for s in program.segments for a in s.actions if isinstance(a, ProgramMove)]
    found = {("input", m.source.number) for m in moves if isinstance(m.source, Caller)}
    return found | {
        ("output", m.destination.number) for m in moves if isinstance(m.destination, Caller)
    }


class Runner:
    """A program with its arenas; `run` may be called again and again, state is kept."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.arenas = [
            _arena(r.usage.total_size, r.usage.alignment, r.blob) for r in program.regions
        ]
        self.reset()

    def reset(self) -> None:
        for region in self.program.regions:
            if region.role is ArenaRole.persistent:
                self.arenas[region.number][:] = 0
        for first in self.program.first_values:
            source = self.arenas[first.source_region]
            self.arenas[first.region][first.offset : first.offset + first.size] = source[
                first.source_offset : first.source_offset + first.size
            ]

    def run(self, inputs: list[np.ndarray]) -> list[np.ndarray]:
        for region in self.program.regions:
            if region.role is ArenaRole.scratch:
                self.arenas[region.number][:] = 0xA5  # stale bytes must not matter
        given = [self._raw(k, v) for k, v in zip(self.program.inputs, inputs, strict=True)]
        self._ends = Ends(given, [bytearray(self._size(k)) for k in self.program.outputs])
        streamed = callers(self.program)
        for number, (key, value) in enumerate(zip(self.program.inputs, given, strict=True)):
            if ("input", number) not in streamed:
                self._bytes(key)[:] = np.frombuffer(value, np.uint8)
        for segment in self.program.segments:
            for iteration in range(segment.iterations):
                for action in segment.actions:
                    self._act(action, iteration, segment.iterations)
        self._check_guards()
        return [
            self._streamed(n) if ("output", n) in streamed else self._value(key)
            for n, key in enumerate(self.program.outputs)
        ]

    def _act(self, action: ProgramAction, iteration: int, iterations: int) -> None:
        """One action over the rows of an iteration."""
        if isinstance(action, ProgramTiles):
            self._tiles(action)
            return
        begin = action.ends[iteration - 1] if iteration else 0
        window = Span(begin, action.ends[iteration])
        if window.begin == window.end:
            return
        if isinstance(action, ProgramMove):
            self._move(action, window)
            return
        step = self.program.steps[action.step]
        for call in step.calls:
            arguments = call.arguments
            if iterations > 1:
                arguments = tuple(window if isinstance(a, Span) else a for a in arguments)
            for each in self._walk(arguments, step.backward):
                self._call(call.kernel, each)

    def _move(self, move: ProgramMove, window: Span) -> None:
        """Row by row: the emitted C must not differ from it."""
        size = move.row_bytes
        for row in range(window.begin, window.end):
            if isinstance(move.source, Caller):
                content = self._ends.inputs[move.source.number][row * size : (row + 1) * size]
            else:
                content = self._row(move.source, row).tobytes()
            if isinstance(move.destination, Caller):
                whole = self._ends.outputs[move.destination.number]
                whole[row * size : (row + 1) * size] = content
            else:
                self._row(move.destination, row)[:] = np.frombuffer(content, np.uint8)

    def _row(self, place: Place, row: int) -> np.ndarray:
        at = place.offset + row % place.rows * place.row_bytes
        return self.arenas[place.region][at : at + place.row_bytes]

    def _tiles(self, tiles: ProgramTiles) -> None:
        for group in tiles.groups:
            for r in range(group.rows):
                for c in range(group.columns):
                    for box in group.loads:
                        for whole, tile in self._lines(box, r, c):
                            tile[:] = whole
                    for call in group.calls:
                        self._call(call.kernel, call.arguments)
                    for box in group.stores:
                        for whole, tile in self._lines(box, r, c):
                            whole[:] = tile

    def _lines(self, box: ProgramBoxMove, r: int, c: int):
        """Pairs of a line in the tensor and its place in the tile."""
        start = box.offset + r * box.row_step + c * box.column_step
        for n in range(box.planes * box.lines):
            at = start + n // box.lines * box.plane_pitch + n % box.lines * box.line_pitch
            tile = box.tile + n * box.line_bytes
            yield (
                self.arenas[box.region][at : at + box.line_bytes],
                self.arenas[box.tile_region][tile : tile + box.line_bytes],
            )

    def _size(self, key: str) -> int:
        return self.program.tensor(key).size

    def _raw(self, key: str, value: np.ndarray) -> bytes:
        return np.ascontiguousarray(value, self.program.tensor(key).dtype.numpy).tobytes()

    def _streamed(self, number: int) -> np.ndarray:
        tensor = self.program.tensor(self.program.outputs[number])
        content = np.frombuffer(bytes(self._ends.outputs[number]), tensor.dtype.numpy)
        return content.reshape(tensor.shape)

    def _bytes(self, key: str) -> np.ndarray:
        slot = self.program.slots[key]
        return self.arenas[slot.region][slot.offset : slot.offset + slot.size]

    def _value(self, key: str) -> np.ndarray:
        tensor = self.program.tensor(key)
        return self._bytes(key).copy().view(tensor.dtype.numpy).reshape(tensor.shape)

    def _walk(self, arguments, backward: bool):
        """The arguments once, or once per row, last row first."""
        if not backward:
            return [arguments]
        rows = next(a for a in arguments if isinstance(a, Span))
        return [
            tuple(Span(r, r + 1) if a is rows else a for a in arguments)
            for r in range(rows.end - 1, rows.begin - 1, -1)
        ]

    def _call(self, kernel, arguments) -> None:
        function = getattr(kernel_library(), kernel.name)
        function.restype = None
        keep = [self._argument(a) for a in arguments]
        function(*keep)

    def _argument(self, argument):
        if isinstance(argument, Address):
            arena = self.arenas[argument.region]
            assert 0 <= argument.offset <= len(arena)
            return ctypes.c_void_p(arena.ctypes.data + argument.offset)
        if isinstance(argument, Params):
            return ctypes.byref(struct_of(argument))
        if isinstance(argument, Span):
            return Rows(argument.begin, argument.end)
        if isinstance(argument, float):
            return ctypes.c_float(argument)
        return ctypes.c_int32(argument)

    def _check_guards(self) -> None:
        for region, arena in zip(self.program.regions, self.arenas, strict=True):
            whole = arena.base
            offset = arena.ctypes.data - whole.ctypes.data
            assert (whole[:offset] == 0x5A).all(), f"{region.name}: written before its start"
            assert (whole[offset + len(arena) :] == 0x5A).all(), (
                f"{region.name}: written past its end"
            )
            if region.blob is not None and not region.usage.is_staged:
                assert arena.tobytes() == region.blob, f"{region.name}: a constant was overwritten"


def struct_of(params: Params) -> ctypes.Structure:
    """The C struct of a parameter block."""

    def c_type(value):
        if isinstance(value, tuple):
            return c_type(value[0]) * len(value)
        return ctypes.c_float if isinstance(value, float) else ctypes.c_int32

    values = [(f.name, getattr(params, f.name)) for f in fields(params)]
    kind = type("Struct", (ctypes.Structure,), {"_fields_": [(n, c_type(v)) for n, v in values]})
    made = kind()
    for name, value in values:
        setattr(made, name, c_type(value)(*value) if isinstance(value, tuple) else value)
    return made


def _arena(size: int, alignment: int, blob: bytes | None) -> np.ndarray:
    """An aligned buffer with guard bytes on both sides; the view's base is the whole of it."""
    whole = np.full(size + 2 * GUARD + alignment, 0x5A, np.uint8)
    start = GUARD + (-(whole.ctypes.data + GUARD)) % alignment
    arena = whole[start : start + size]
    arena[:] = 0xA5 if blob is None else np.frombuffer(blob, np.uint8)
    return arena
