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
from dataclasses import fields
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
from nacre.program import Address, Program
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
        for key, value in zip(self.program.inputs, inputs, strict=True):
            tensor = self.program.tensor(key)
            self._bytes(key)[:] = np.frombuffer(
                np.ascontiguousarray(value, tensor.dtype.numpy).tobytes(), np.uint8
            )
        for step in self.program.steps:
            for call in step.calls:
                for arguments in self._walk(call.arguments, step.backward):
                    self._call(call.kernel, arguments)
        self._check_guards()
        return [self._value(key) for key in self.program.outputs]

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
