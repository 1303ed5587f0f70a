"""The user's own checkout of CMSIS-NN, for modules that call it: where it is, what to build."""

from __future__ import annotations

import os
from pathlib import Path

from nacre.errors import BuildError

VARIABLE = "CMSIS_NN_DIR"
# Element types that no module of ours calls for.
_OTHERS = ("_f16", "_f32", "_s4", "_flt")


def cmsis_nn_folder() -> Path:
    """The checkout that the environment names."""
    given = os.environ.get(VARIABLE, "")
    folder = Path(given).absolute()
    if not given or not (folder / "Include" / "arm_nnfunctions.h").is_file():
        found = f"{VARIABLE} is {given!r}" if given else f"{VARIABLE} is not set"
        raise BuildError(
            f"{found}; a module with kernels of cmsis-nn is built with a checkout of CMSIS-NN 6 or "
            f"later: set {VARIABLE} to it, or leave --kernels out"
        )
    return folder


def cmsis_nn_sources(folder: Path) -> list[Path]:
    """The library's files, without the element types that are never called."""
    found = sorted((folder / "Source").rglob("*.c"))
    return [path for path in found if not any(kind in path.stem for kind in _OTHERS)]
