"""The exact search in C: built on first use with the host's compiler, called through ctypes.

Without a compiler, or when anything about the build fails, `load` returns None and the Python twin
does the same work at a hundredth of the speed.
"""

from __future__ import annotations

import ctypes
import hashlib
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import numpy as np
import numpy.typing as npt

from nacre.planner.exact import Outcome, Status
from nacre.planner.model import Model

Words = npt.NDArray[np.int32]

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=c99", "-O3", "-shared", "-fPIC")
SOURCES = ("offsets.h", "state.h", "offsets.c", "choose.c", "blame.c")
# Heights and live bytes must stay below it, in units, for 32-bit sums not to overflow.
LARGEST = 1 << 29
# Work memory of one search, 4 bytes each; a deeper search ends with MEMORY.
MOST_WORDS = 1 << 27

_POINTER = ctypes.POINTER(ctypes.c_int32)
_SCALARS = ("count", "slices", "pinned")
_COLUMNS = (
    *("size", "first", "last", "step", "pin"),
    *("edge_start", "edge_to", "edge_up", "edge_down", "weight_start", "weight"),
)


class _Problem(ctypes.Structure):
    """nacre_solver_problem_t."""

    _fields_ = [
        *((name, ctypes.c_int32) for name in _SCALARS),
        *((name, _POINTER) for name in _COLUMNS),
    ]


class NativeModel:
    """A model in C's layout; `search` may run in several threads at once."""

    def __init__(self, library: ctypes.CDLL, model: Model) -> None:
        self._library = library
        self._count = model.count
        self._columns = _columns(model)  # keeps the memory alive that the structure points to
        self._problem = _Problem(
            model.count,
            model.slices,
            int(any(pin >= 0 for pin in model.pin)),
            *(_address(self._columns.get(name)) for name in _COLUMNS),
        )
        needed: int = library.nacre_solver_words(ctypes.byref(self._problem))
        self._words = min(needed, MOST_WORDS)

    def search(self, rank: Sequence[int], height: int, limit: int, stop: ctypes.c_int32) -> Outcome:
        """The same as `exact.search`."""
        offsets = np.zeros(self._count, dtype=np.int32)
        memory = np.empty(self._words, dtype=np.int32)
        worked = ctypes.c_int64(0)
        status: int = self._library.nacre_solver_search(
            ctypes.byref(self._problem),
            _address(_words(rank)),
            height,
            limit,
            ctypes.byref(stop),
            _address(memory),
            self._words,
            _address(offsets),
            ctypes.byref(worked),
        )
        return Outcome(Status(status), tuple(offsets.tolist()), worked.value)


def suits(model: Model, height: int) -> bool:
    """Whether 32-bit integers hold this model and any offset up to `height`."""
    return max(height, _live(model), *model.step, *model.size) < LARGEST


def _live(model: Model) -> int:
    """The most that is alive in one slice."""
    steps = np.zeros(model.slices + 1, dtype=np.int64)
    np.add.at(steps, np.array(model.first), np.array(model.size))
    np.subtract.at(steps, np.array(model.last), np.array(model.size))
    return int(np.cumsum(steps).max())


@cache
def load(build: bool = True) -> ctypes.CDLL | None:
    """The library, from the cache or freshly built; None when there is none."""
    compiler = next(filter(None, map(shutil.which, COMPILERS)), None)
    if compiler is None:
        return None
    try:
        library = cache_folder() / f"offsets-{_key(compiler)}.so"
        if not library.exists():
            if not build:
                return None
            _build(compiler, library)
        return _declared(ctypes.CDLL(str(library)))
    except (OSError, RuntimeError, subprocess.SubprocessError, AttributeError):
        return None


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    library.nacre_solver_words.argtypes = [ctypes.POINTER(_Problem)]
    library.nacre_solver_words.restype = ctypes.c_int64
    library.nacre_solver_search.argtypes = [
        *(ctypes.POINTER(_Problem), _POINTER, ctypes.c_int32, ctypes.c_int64, _POINTER),
        *(_POINTER, ctypes.c_int64, _POINTER, ctypes.POINTER(ctypes.c_int64)),
    ]
    library.nacre_solver_search.restype = ctypes.c_int32
    return library


def _sources() -> dict[str, bytes]:
    folder = files("nacre") / "csrc" / "solver"
    return {name: (folder / name).read_bytes() for name in SOURCES}


def _key(compiler: str) -> str:
    parts = [*_sources().values(), compiler.encode(), platform.platform().encode()]
    return hashlib.sha256(b"\0".join([*parts, *(f.encode() for f in FLAGS)])).hexdigest()[:16]


def cache_folder() -> Path:
    caches = {"Darwin": ("Library", "Caches"), "Windows": ("AppData", "Local")}
    folder = Path.home().joinpath(*caches.get(platform.system(), (".cache",)), "nacre")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _build(compiler: str, path: Path) -> None:
    """Build beside the final place, then rename: a reader never sees half a library."""
    with tempfile.TemporaryDirectory(dir=path.parent) as work:
        for name, text in _sources().items():
            (Path(work) / name).write_bytes(text)
        made = Path(work) / "offsets.so"
        units = [str(Path(work) / name) for name in SOURCES if name.endswith(".c")]
        command = [compiler, *FLAGS, "-o", str(made), *units]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        made.replace(path)


def _columns(model: Model) -> dict[str, Words]:
    edges = [edge for around in model.edges for edge in around]
    columns = {
        "size": _words(model.size),
        "first": _words(model.first),
        "last": _words(model.last),
        "step": _words(model.step),
        "pin": _words(model.pin),
        "edge_start": _starts([len(around) for around in model.edges]),
        "edge_to": _words([to for to, _, _ in edges]),
        "edge_up": _words([up for _, up, _ in edges]),
        "edge_down": _words([down for _, _, down in edges]),
    }
    if model.weights:
        columns["weight_start"] = _starts([len(row) for row in model.weights])
        columns["weight"] = _words([weight for row in model.weights for weight in row])
    return columns


def _words(values: Sequence[int]) -> Words:
    return np.array(values, dtype=np.int32)


def _starts(lengths: list[int]) -> Words:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)


def _address(column: Words | None) -> ctypes._Pointer[ctypes.c_int32] | None:
    return None if column is None else column.ctypes.data_as(_POINTER)
