"""C spelling: identifiers, literals, comments. Nothing here knows about networks."""

from __future__ import annotations

import math
import re
from dataclasses import fields

import numpy as np

from nacre.ir import Quantization
from nacre.ops.kind import Params

_KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef
    union unsigned void volatile while class namespace template this new delete private public
    protected operator virtual bool true false main""".split()  # noqa: SIM905
)
# A module's header is called like its prefix: it must not come before one of the C library.
_HEADERS = frozenset(
    """alloca assert complex ctype endian errno features fenv float inttypes iso646 limits locale
    malloc math newlib reent sched setjmp signal stdalign stdarg stdatomic stdbool stddef stdint
    stdio stdlib stdnoreturn string strings tgmath threads time uchar unistd values wchar
    wctype""".split()  # noqa: SIM905
)
# `kws` has kws_context_bind_arena, kws_num_constant_blobs and kws_port.h: no other module may be
# called so that its bind_arena, its constant_blobs or its header is the same. The kernels' headers
# and their guards begin with nacre_.
_TAKEN = re.compile(r"nacre_.*|.*_(context|num|port)", re.IGNORECASE)
# Leaves room for what is added in file names, which most file systems limit to 255 bytes.
LONGEST = 120


def identifier(text: str) -> str:
    """A C identifier close to the text."""
    name = re.sub(r"[^0-9a-zA-Z]+", "_", text).strip("_") or "model"
    if name[0].isdigit():
        name = f"m{name}"
    name = name[:LONGEST].rstrip("_")
    taken = name.lower() in _KEYWORDS | _HEADERS or _TAKEN.fullmatch(name)
    return f"{name}_" if taken else name


def comment(text: str) -> str:
    """Text that is safe inside a C comment: printable ASCII, no comment marks."""
    plain = "".join(c if " " <= c <= "~" else "?" for c in text)
    return plain.replace("*/", "* /").replace("/*", "/ *")


def integer(value: int) -> str:
    """An int32 literal; INT32_MIN has no literal of its own in C."""
    assert -(1 << 31) <= value < 1 << 31, value
    return "INT32_MIN" if value == -(1 << 31) else str(value)


def real(value: float) -> str:
    """A float literal with the shortest digits that read back to the same float32."""
    if math.isnan(value):
        return "(0.0f / 0.0f)"
    if math.isinf(value):
        return "(1.0f / 0.0f)" if value > 0 else "(-1.0f / 0.0f)"
    text = np.format_float_scientific(np.float32(value), unique=True, trim="0", exp_digits=1)
    return f"{text}f"


def value(item: int | float | tuple[int, ...] | tuple[float, ...]) -> str:
    if isinstance(item, tuple):
        return "{" + ", ".join(value(i) for i in item) + "}"
    return real(item) if isinstance(item, float) else integer(item)


def initialiser(params: Params) -> list[tuple[str, str, str]]:
    """Field, literal, meaning of each member of a parameter struct."""
    return [
        (f.name, value(getattr(params, f.name)), f.metadata.get("meaning", ""))
        for f in fields(params)
    ]


def affine(q: Quantization) -> str:
    """`0.5 * (q + 128)`: what a quantized value stands for."""
    sign = "-" if q.zero_point >= 0 else "+"
    return f"{q.scale:.9g} * (q {sign} {abs(q.zero_point)})"


def byte_lines(data: bytes, per_line: int = 20) -> str:
    """The bytes as array content, `per_line` a line."""
    words = [_BYTES[b] for b in data]
    rows = (" ".join(words[i : i + per_line]) for i in range(0, len(words), per_line))
    return "\n".join(f"    {row}" for row in rows)


_BYTES = tuple(f"0x{b:02x}," for b in range(256))
