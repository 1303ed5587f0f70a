"""Runs programs with kernels under ASan and UBSan; only what a step names may be touched.

Needs a process with the sanitizer's runtime loaded first (`run_sanitized` starts one): before each
step everything is poisoned except the tensors, constants and scratch that its calls point at.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import pickle
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from nacre.ir import Array
from nacre.memory import ArenaRole
from nacre.program import Address, Program
from support import execute
from support.execute import CSRC, Runner

FLAGS = (
    "-std=c99", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer", "-shared", "-fPIC",
)  # fmt: skip


@cache
def sanitized_library() -> Path:
    """All kernels with sanitizers, built once per content of the sources."""
    texts = b"".join(p.read_bytes() for p in sorted(CSRC.iterdir()))
    folder = Path(tempfile.gettempdir()) / f"nacre-kernels-{os.getuid()}"
    library = folder / f"{hashlib.sha256(texts).hexdigest()[:16]}.asan.so"
    if not library.exists():
        folder.mkdir(exist_ok=True)
        built = library.with_suffix(f".{os.getpid()}.so")
        sources = [str(p) for p in sorted(CSRC.glob("*.c"))]
        subprocess.run(["gcc", *FLAGS, "-o", str(built), *sources, "-lm"], check=True)
        built.rename(library)
    return library


def runtime() -> str:
    """The sanitizer's library, to be loaded first."""
    command = ["gcc", "-print-file-name=libasan.so"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


class SanitizedRunner(Runner):
    """A runner whose arenas are poisoned but for what the running step names."""

    def __init__(self, program: Program) -> None:
        self.asan = ctypes.CDLL(None)
        super().__init__(program)

    def run(self, inputs: list[Array]) -> list[Array]:
        self._all(poison=False)
        try:
            return super().run(inputs)
        finally:
            self._all(poison=False)

    def _call(self, kernel, arguments) -> None:
        self._all(poison=True)
        for slot in self._named(arguments):
            arena = self.arenas[slot.region]
            self._mark(arena[slot.offset : slot.offset + slot.size], poison=False)
        super()._call(kernel, arguments)
        self._all(poison=False)

    def _named(self, arguments):
        """The slots that pointer arguments lead into."""
        for address in (a for a in arguments if isinstance(a, Address)):
            for slot in self.program.slots.values():
                inside = slot.offset <= address.offset < slot.offset + max(1, slot.size)
                if slot.region == address.region and inside and self._lives(slot):
                    yield slot

    def _lives(self, slot) -> bool:
        if self.program.regions[slot.region].role is not ArenaRole.scratch:
            return True
        return slot.lower <= self.step < slot.upper

    def _all(self, poison: bool) -> None:
        for arena in self.arenas:
            self._mark(arena, poison)

    def _mark(self, part: Array, poison: bool) -> None:
        if part.size:
            name = f"__asan_{'poison' if poison else 'unpoison'}_memory_region"
            getattr(self.asan, name)(ctypes.c_void_p(part.ctypes.data), ctypes.c_size_t(part.size))
