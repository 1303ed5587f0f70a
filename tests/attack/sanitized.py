"""Runs programs with kernels under ASan and UBSan; only what a step names may be touched.

Needs a process with the sanitizer's runtime loaded first, see `environment`: before each call
 everything is poisoned except the tensors, constants and scratch that its arguments lead into.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np

from nacre.ir import Array
from nacre.memory import ArenaRole
from nacre.ops.kind import Kernel
from nacre.program import Address, Program, ProgramStep, Slot
from support.execute import CSRC, Runner

FLAGS = (
    "-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer", "-shared", "-fPIC",
)  # fmt: skip


@cache
def sanitized_kernels() -> ctypes.CDLL:
    """All kernels with sanitizers, built once per content of the sources."""
    texts = b"".join(p.read_bytes() for p in sorted(CSRC.iterdir()))
    folder = Path(tempfile.gettempdir()) / f"nacre-kernels-{os.getuid()}"
    library = folder / f"{hashlib.sha256(texts).hexdigest()[:16]}.asan.so"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        built = library.with_suffix(f".{os.getpid()}.so")
        sources = [str(p) for p in sorted(CSRC.glob("*.c"))]
        plain = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        command = ["gcc", *FLAGS, "-o", str(built), *sources, "-lm"]
        subprocess.run(command, check=True, env=plain)
        built.rename(library)
    return ctypes.CDLL(str(library))


def environment() -> dict[str, str]:
    """For a Python process that loads sanitized kernels."""
    command = ["gcc", "-print-file-name=libasan.so"]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    options = "detect_leaks=0:allocator_may_return_null=1:handle_segv=1"
    return os.environ | {"LD_PRELOAD": found, "ASAN_OPTIONS": options}


def is_sanitized() -> bool:
    """This process has the sanitizer's runtime."""
    return "libasan" in os.environ.get("LD_PRELOAD", "")


class SanitizedRunner(Runner):
    """A runner whose arenas are poisoned but for what the running step names."""

    def __init__(self, program: Program) -> None:
        self.asan = ctypes.CDLL(None)
        self.kernels = sanitized_kernels()
        super().__init__(program)

    def run(self, inputs: list[Array]) -> list[Array]:
        for region in self.program.regions:
            if region.role is ArenaRole.scratch:
                self.arenas[region.number][:] = 0xA5
        for key, value in zip(self.program.inputs, inputs, strict=True):
            self._bytes(key)[:] = np.frombuffer(np.ascontiguousarray(value).tobytes(), np.uint8)
        for step in self.program.steps:
            for call in step.calls:
                for arguments in self._walk(call.arguments, step.backward):
                    self._call_alone(step, call.kernel, arguments)
        self._check_guards()
        return [self._value(key) for key in self.program.outputs]

    def _call_alone(self, step: ProgramStep, kernel: Kernel, arguments) -> None:
        self._mark_all(poison=True)
        for slot in self._named(step, arguments):
            self._mark(self.arenas[slot.region][slot.offset : slot.offset + slot.size], False)
        function = getattr(self.kernels, kernel.name)
        function.restype = None
        keep = [self._argument(a) for a in arguments]
        function(*keep)
        self._mark_all(poison=False)

    def _named(self, step: ProgramStep, arguments) -> Iterator[Slot]:
        """The slots that pointer arguments lead into: the step's own, else constants, scratch."""
        slots = self.program.slots
        own = [slots[key] for key in (*step.inputs, *step.outputs) if key in slots]
        for address in (a for a in arguments if isinstance(a, Address)):
            found = [s for s in own if _leads(address, s)]
            yield from found or (s for s in slots.values() if _leads(address, s, step.number))

    def _mark_all(self, poison: bool) -> None:
        for arena in self.arenas:
            self._mark(arena, poison)

    def _mark(self, part: Array, poison: bool) -> None:
        if part.size:
            name = f"__asan_{'poison' if poison else 'unpoison'}_memory_region"
            getattr(self.asan, name)(ctypes.c_void_p(part.ctypes.data), ctypes.c_size_t(part.size))


def _leads(address: Address, slot: Slot, step: int | None = None) -> bool:
    inside = slot.offset <= address.offset < slot.offset + max(1, slot.size)
    alive = step is None or slot.lower <= step < slot.upper
    return slot.region == address.region and inside and alive
