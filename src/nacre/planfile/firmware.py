"""The runtime with the kernels that it may call, as files that any C99 compiler builds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources

from nacre.kernels import NAMES_HEADER, kernel_files, kernel_text
from nacre.ops.kind import Kernel
from nacre.planfile.rules import check_files
from nacre.planfile.table import kernel_table

CORE = (
    "crc.c", "numbers.c", "open.c", "open_actions.c", "open_calls.c", "open_kernels.c",
    "open_memory.c", "prepare.c", "run.c", "status.c", "unpack.c",
)  # fmt: skip
HEADERS = (
    "nacre_plan.h", "nacre_runtime.h", "nacre_check.h", "nacre_checks.h", "runtime_parts.h",
    "check_conv.h",
)  # fmt: skip


def runtime_text(file: str) -> str:
    """The content of a file of csrc/runtime."""
    folder = resources.files("nacre").joinpath("csrc", "runtime")
    return folder.joinpath(file).read_text(encoding="utf-8")


def runtime_files(kernels: Iterable[Kernel]) -> dict[str, str]:
    """Path -> text: runtime/, kernels/ and the table of the kernels."""
    chosen = tuple(sorted(set(kernels), key=lambda k: k.name))
    checks = [f"{stem}.c" for stem in check_files(chosen)]
    runtime = {f"runtime/{f}": runtime_text(f) for f in (*CORE, *HEADERS, *checks)}
    kernel_sources = kernel_files(chosen)
    kernel_sources |= _headers(runtime, kernel_sources)
    files = {f"kernels/{name}": text for name, text in kernel_sources.items()}
    files |= runtime | {"nacre_kernel_table.c": kernel_table(chosen)}
    return {name: files[name] for name in sorted(files)}


def _headers(runtime: dict[str, str], have: dict[str, str]) -> dict[str, str]:
    """Kernel headers that checks include and that the chosen kernels did not bring along."""
    todo = {NAMES_HEADER, "nacre_conv.h"}
    for text in runtime.values():
        todo |= set(re.findall(r'"\.\./kernels/(\w+\.h)"', text))
    found: dict[str, str] = {}
    while todo:
        name = todo.pop()
        if name in have or name in found:
            continue
        found[name] = kernel_text(name)
        todo |= set(re.findall(r'#include "(\w+\.h)"', found[name]))
    return found
