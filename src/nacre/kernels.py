"""The C sources that come with the package: which files a set of kernels needs."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources

from nacre.ops.kind import Kernel, source_file

NAMES_HEADER = "nacre_names.h"
_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def kernel_text(file: str) -> str:
    """The content of a file of csrc/kernels."""
    folder = resources.files("nacre").joinpath("csrc", "kernels")
    return folder.joinpath(file).read_text(encoding="utf-8")


def kernel_files(kernels: Iterable[Kernel]) -> dict[str, str]:
    """File name -> text of the kernels and of every header that they include."""
    files: dict[str, str] = {}
    todo = [source_file(symbol) for k in kernels for symbol in k.symbols]
    while todo:
        file = todo.pop()
        if file in files:
            continue
        files[file] = kernel_text(file)
        todo.extend(_INCLUDE.findall(files[file]))
    return {name: files[name] for name in sorted(files)}


def headers_of(kernels: Iterable[Kernel]) -> tuple[str, ...]:
    """The headers that declare the kernels: those that their sources include first."""
    found = {_INCLUDE.findall(kernel_text(k.source))[0] for k in kernels}
    return tuple(sorted(found))
