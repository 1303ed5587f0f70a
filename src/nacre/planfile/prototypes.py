"""The C prototypes of kernels, read from the headers that declare them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from nacre.kernels import headers_of, kernel_text
from nacre.ops.kind import Kernel

_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIZES = {1: "b", 2: "h", 4: "w", 8: "d"}
_ELEMENTS = {
    "void": 1, "int8_t": 1, "uint8_t": 1, "int16_t": 2, "uint16_t": 2, "int32_t": 4,
    "uint32_t": 4, "float": 4, "int64_t": 8, "uint64_t": 8, "double": 8,
}  # fmt: skip


@dataclass(frozen=True)
class Parameter:
    """One parameter: its letter as nacre_runtime.h has it, and its C type."""

    letter: str
    c_type: str

    @property
    def words(self) -> int:
        return 2 if self.letter == "r" else 1

    @property
    def is_pointer(self) -> bool:
        return self.letter.lower() in _SIZES.values()


@cache
def prototype(kernel: Kernel) -> tuple[Parameter, ...]:
    """The parameters of a kernel in order."""
    text = "".join(kernel_text(h) for h in headers_of([kernel]))
    found = re.search(rf"\bvoid {kernel.name}\(([^)]*)\)\s*;", _COMMENT.sub("", text))
    assert found, f"{kernel.name} is not declared"
    return tuple(_parameter(" ".join(part.split())) for part in found[1].split(","))


def _parameter(text: str) -> Parameter:
    match = re.fullmatch(r"(const )?(\w+) (\*?)(?:restrict )?(\w+)", text)
    assert match, text
    const, base, star = match[1] or "", match[2], match[3]
    if not star:
        return Parameter({"nacre_rows_t": "r", "int32_t": "i", "float": "f"}[base], base)
    c_type = f"{const}{base} *"
    if base not in _ELEMENTS:
        return Parameter("p", c_type)
    letter = _SIZES[_ELEMENTS[base]]
    return Parameter(letter if const else letter.upper(), c_type)
