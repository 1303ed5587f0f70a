"""The C runtime on this machine: built with the host's compiler, called through ctypes."""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np

from nacre.build import Toolchain, host_toolchain
from nacre.errors import BuildError, ModelError
from nacre.ir import Array
from nacre.ops.kind import Kernel
from nacre.planfile.firmware import runtime_files
from nacre.planfile.layout import MAX_ARENAS, MAX_REGIONS, MOVE, NONE, STATUSES, TYPES
from nacre.planfile.read import kernel_names, read_plan
from nacre.planfile.rules import known_kernels, rules
from nacre.planfile.values import PlanTensor
from nacre.planner.native import cache_folder

FLAGS = ("-std=c99", "-O2", "-fPIC", "-DNACRE_MAX_KERNELS=512")
_MAX_KERNELS = 512


class PlanError(ModelError):
    """The runtime refused a plan file, or a run ended with a status."""


class _Frame(ctypes.Structure):
    _fields_ = (
        ("bases", ctypes.c_void_p * MAX_REGIONS),
        ("params", ctypes.c_void_p),
        ("begin", ctypes.c_int32),
        ("end", ctypes.c_int32),
    )


class _Plan(ctypes.Structure):
    """nacre_plan_t."""

    _fields_ = (
        ("file", ctypes.c_void_p),
        ("table", ctypes.c_void_p),
        ("state", ctypes.c_uint32),
        ("inputs", ctypes.c_uint32),
        ("outputs", ctypes.c_uint32),
        ("sections", ctypes.c_void_p * 16),
        ("counts", ctypes.c_uint32 * 16),
        ("strings", ctypes.c_void_p),
        ("strings_bytes", ctypes.c_uint32),
        ("kernels", ctypes.c_uint16 * _MAX_KERNELS),
        ("frame", _Frame),
        ("user", ctypes.c_void_p),
        ("on_step", ctypes.c_void_p),
        ("input_rows", ctypes.c_void_p),
        ("output_rows", ctypes.c_void_p),
        ("moved_bytes", ctypes.c_uint32),
        ("constant_bytes", ctypes.c_uint32),
        ("where", ctypes.c_uint32),
        ("what", ctypes.c_char_p),
    )


class _Arena(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("bytes", ctypes.c_size_t))


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("bytes", ctypes.c_size_t),
        ("type", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("dims", ctypes.POINTER(ctypes.c_uint32)),
        ("scale", ctypes.c_float),
        ("zero_point", ctypes.c_int32),
        ("name", ctypes.c_char_p),
    )


_ROWS = ctypes.CFUNCTYPE(
    ctypes.c_int32,
    ctypes.c_void_p,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_uint32,
    ctypes.c_void_p,
)


class _Streams:
    """The caller's side of inputs and outputs that go row by row."""

    def __init__(self, row_bytes: dict[tuple[int, int], int]) -> None:
        self.inputs: dict[int, bytes] = {}
        self.outputs: dict[int, bytearray] = {}
        self._row_bytes = row_bytes
        self.input_rows = _ROWS(self._give)
        self.output_rows = _ROWS(self._take)

    def _give(self, _user: int, number: int, first: int, rows: int, to: int) -> int:
        row = self._row_bytes[0, number]
        ctypes.memmove(to, self.inputs[number][first * row : (first + rows) * row], rows * row)
        return 0

    def _take(self, _user: int, number: int, first: int, rows: int, start: int) -> int:
        row = self._row_bytes[1, number]
        content = ctypes.string_at(start, rows * row)
        self.outputs[number][first * row : (first + rows) * row] = content
        return 0


class PlanRunner:
    """A plan with arenas of its own; `run` may be called again and again, state is kept."""

    def __init__(
        self, content: bytes, kernels: Sequence[Kernel] | None = None, guard: int = 0
    ) -> None:
        """`guard` bytes around file and arenas are watched: see `check_guards`."""
        chosen = tuple(kernels) if kernels is not None else kernels_of(content)
        self._library = runtime_library(chosen)
        self._plan = _Plan()
        self._guards: list[tuple[Array, int, int]] = []
        self._guard = guard
        self._file = self._buffer(len(content), 4096)
        self._file[:] = np.frombuffer(content, np.uint8)
        table = ctypes.c_void_p.in_dll(self._library, "nacre_kernels")
        self._check(
            self._library.nacre_plan_open(
                ctypes.byref(self._plan),
                ctypes.c_void_p(self._file.ctypes.data),
                ctypes.c_size_t(len(content)),
                ctypes.byref(table),
            )
        )
        self._prepare()
        self._streams = _Streams(self._row_bytes())
        self._plan.input_rows = ctypes.cast(self._streams.input_rows, ctypes.c_void_p)
        self._plan.output_rows = ctypes.cast(self._streams.output_rows, ctypes.c_void_p)

    def _row_bytes(self) -> dict[tuple[int, int], int]:
        """Role and number of a streamed tensor -> bytes of its rows."""
        found = {}
        for move in read_plan(self._file.tobytes()).records("moves", MOVE):
            number, size = move["tensor"], move["row_bytes"]
            assert isinstance(number, int) and isinstance(size, int)
            if NONE in (move["source"], move["destination"]):
                found[int(move["destination"] == NONE), number] = size
        return found

    @property
    def arena_bytes(self) -> tuple[int, ...]:
        """What the plan asks for, fastest memory first."""
        asked = self._library.nacre_plan_arena_bytes
        return tuple(asked(ctypes.byref(self._plan), n) for n in range(MAX_ARENAS))

    @property
    def inputs(self) -> tuple[PlanTensor, ...]:
        return tuple(_described(self._tensor("input", n)) for n in range(self._plan.inputs))

    @property
    def outputs(self) -> tuple[PlanTensor, ...]:
        return tuple(_described(self._tensor("output", n)) for n in range(self._plan.outputs))

    @property
    def moved_bytes(self) -> int:
        return int(self._plan.moved_bytes)

    @property
    def constant_bytes(self) -> int:
        return int(self._plan.constant_bytes)

    def run(self, inputs: Sequence[Array]) -> list[Array]:
        """One inference; the inputs in the plan's order."""
        for n, value in enumerate(inputs):
            tensor = self._tensor("input", n)
            content = np.ascontiguousarray(value, np.dtype(_type(tensor))).tobytes()
            if len(content) != tensor.bytes:
                raise PlanError(f"input {n} has {len(content)} bytes, the plan's {tensor.bytes}")
            self._streams.inputs[n] = content
            if tensor.data:
                ctypes.memmove(tensor.data, content, len(content))
        self._streams.outputs = {n: bytearray(t.size) for n, t in enumerate(self.outputs)}
        self._check(self._library.nacre_plan_run(ctypes.byref(self._plan)))
        return [self._value(n) for n in range(self._plan.outputs)]

    def reset_state(self) -> None:
        self._check(self._library.nacre_plan_reset_state(ctypes.byref(self._plan)))

    def check_guards(self) -> None:
        """Nothing was written around the arenas and the file."""
        for whole, start, size in self._guards:
            before, after = whole[:start], whole[start + size :]
            if (before != 0x5A).any() or (after != 0x5A).any():
                raise PlanError("bytes around an arena were written")

    def _prepare(self) -> None:
        alignment = self._library.nacre_plan_arena_alignment(ctypes.byref(self._plan))
        self._arenas = [self._buffer(size, alignment) for size in self.arena_bytes]
        given = (_Arena * MAX_ARENAS)(
            *(_Arena(a.ctypes.data if len(a) else None, len(a)) for a in self._arenas)
        )
        self._check(
            self._library.nacre_plan_prepare(
                ctypes.byref(self._plan), given, ctypes.c_uint32(MAX_ARENAS)
            )
        )

    def _buffer(self, size: int, alignment: int) -> Array:
        whole = np.full(size + 2 * self._guard + alignment, 0x5A, np.uint8)
        start = self._guard + (-(whole.ctypes.data + self._guard)) % alignment
        self._guards.append((whole, start, size))
        return whole[start : start + size]

    def _tensor(self, role: str, number: int) -> _Tensor:
        tensor = _Tensor()
        function = {
            "input": self._library.nacre_plan_input,
            "output": self._library.nacre_plan_output,
        }[role]
        self._check(
            function(ctypes.byref(self._plan), ctypes.c_uint32(number), ctypes.byref(tensor))
        )
        return tensor

    def _value(self, number: int) -> Array:
        tensor = self._tensor("output", number)
        content = bytes(self._streams.outputs[number])
        if tensor.data:
            content = ctypes.string_at(tensor.data, tensor.bytes)
        shape = tuple(tensor.dims[d] for d in range(tensor.rank))
        return np.frombuffer(content, np.dtype(_type(tensor))).reshape(shape)

    def _check(self, status: int) -> None:
        if status == 0:
            return
        sentence = next((c.meaning for c in STATUSES.values if c.number == status), str(status))
        what = self._plan.what
        named = f": {what.decode(errors='replace')}" if what else ""
        hint = "" if not what else "; a plan for this machine is compiled with --target host"
        raise PlanError(f"{sentence}{named}{hint} (status {status}, record {self._plan.where})")


def _described(tensor: _Tensor) -> PlanTensor:
    shape = tuple(tensor.dims[d] for d in range(tensor.rank))
    name = (tensor.name or b"").decode(errors="replace")
    return PlanTensor(name, shape, _type(tensor), tensor.bytes, tensor.scale, tensor.zero_point)


def _type(tensor: _Tensor) -> str:
    name = TYPES.named(tensor.type)
    assert name is not None
    return name


def kernels_of(content: bytes) -> tuple[Kernel, ...]:
    """The kernels that a plan names, as far as this version knows them and any core runs them."""
    found = (known_kernels().get(name) for name in kernel_names(content))
    return tuple(k for k in found if k is not None and k.isa == "portable" and k.name in rules())


@cache
def runtime_library(kernels: tuple[Kernel, ...], compiler: str | None = None) -> ctypes.CDLL:
    """The runtime with these kernels as a shared library, from the cache or freshly built."""
    toolchain = host_toolchain(compiler)
    files = runtime_files(kernels)
    digest = _digest(files, toolchain)
    path = cache_folder() / f"runtime-{digest}.so"
    if not path.exists():
        _build(files, toolchain, path)
    return _declared(ctypes.CDLL(str(path)))


def _digest(files: Mapping[str, str], toolchain: Toolchain) -> str:
    parts = [*FLAGS, toolchain.label, *(f"{n}\0{t}" for n, t in sorted(files.items()))]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def _build(files: Mapping[str, str], toolchain: Toolchain, path: Path) -> None:
    """Objects are kept beside the library: most plans share most of their kernels."""
    headers = {n: t for n, t in files.items() if n.endswith(".h")}
    with tempfile.TemporaryDirectory(dir=path.parent) as work:
        folder = Path(work)
        for name, text in files.items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8")
        sources = [n for n in files if n.endswith(".c")]
        with ThreadPoolExecutor(max(1, min(2, os.cpu_count() or 1))) as pool:
            objects = list(
                pool.map(lambda n: _object(n, files, headers, toolchain, folder), sources)
            )
        made = folder / "runtime.so"
        _run([toolchain.compiler, "-shared", "-o", str(made), *map(str, objects), *toolchain.link])
        made.replace(path)


def _object(
    name: str,
    files: Mapping[str, str],
    headers: Mapping[str, str],
    toolchain: Toolchain,
    folder: Path,
) -> Path:
    needed = {name: files[name], **_included(files[name], headers)}
    kept = cache_folder() / "objects" / f"{Path(name).stem}-{_digest(needed, toolchain)}.o"
    if not kept.exists():
        kept.parent.mkdir(exist_ok=True)
        made = folder / f"{Path(name).stem}.o"
        command = [toolchain.compiler, *FLAGS, "-I", str(folder), "-c", str(folder / name)]
        _run([*command, "-o", str(made)])
        made.replace(kept)
    return kept


def _included(text: str, headers: Mapping[str, str]) -> dict[str, str]:
    """The headers that a file includes, and those that they include."""
    by_name = {Path(n).name: n for n in headers}
    found: dict[str, str] = {}
    todo = [text]
    while todo:
        for line in todo.pop().splitlines():
            name = by_name.get(line.split('"')[1].split("/")[-1]) if '#include "' in line else None
            if name is not None and name not in found:
                found[name] = headers[name]
                todo.append(headers[name])
    return found


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        first = "\n".join(done.stderr.strip().splitlines()[:6])
        raise BuildError(f"the compiler failed: {' '.join(command)}\n{first}")


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    for name in ("open", "prepare", "run", "reset_state", "input", "output"):
        getattr(library, f"nacre_plan_{name}").restype = ctypes.c_int32
    library.nacre_plan_arena_bytes.restype = ctypes.c_size_t
    library.nacre_plan_arena_alignment.restype = ctypes.c_size_t
    return library
