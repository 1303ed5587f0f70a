"""Small pieces of text output: numbers, tables."""

from __future__ import annotations

from collections.abc import Sequence


def number(value: int) -> str:
    """9280 as `9 280`."""
    return f"{value:,}".replace(",", " ")


def size(value: int | None) -> str:
    """A memory's size: `512 KiB`, `4 MiB`."""
    if value is None:
        return "no limit"
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if value >= unit and value % (unit // 4) == 0:
            return f"{value / unit:g} {name}"
    return f"{number(value)} B"


def printable(text: str) -> str:
    """Text that is safe on a terminal: what does not print, line breaks too, as an escape."""
    return "".join(c if c.isprintable() else _escape(c) for c in text)


def _escape(c: str) -> str:
    code = ord(c)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def short(name: str, width: int = 40) -> str:
    """A tensor's name without the tails that converters add: the part before the first `;`."""
    head = printable(name.split(";")[0][: width + 1])
    return head if len(head) <= width else f"{head[: width - 1]}…"


def one_line(text: str, width: int = 200) -> str:
    """What a file says, in a message: without line breaks, its end cut off."""
    head = printable(text[: width + 1])
    return head if len(head) <= width else f"{head[: width - 1]}…"


def quoted(name: str) -> str:
    """A file's name for something, in a message."""
    return f"'{one_line(name)}'"


def macs(value: int) -> str:
    """2656768 as `2.66 M MACs`."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            return f"{value / unit:.3g} {name} MACs"
    return f"{value} MACs"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: str = "  ") -> str:
    """Columns padded to their widest cell; those in `right` align right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if n in right else cell.ljust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append((indent + "   ".join(cells)).rstrip())
    return "\n".join(lines)
