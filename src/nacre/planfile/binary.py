"""Bytes of a plan file: records, sections, header and checksum."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from nacre.planfile.layout import (
    HEADER,
    MAGIC,
    MAJOR,
    MINOR,
    SECTION,
    SECTION_ALIGNMENT,
    SECTIONS,
    Record,
    Section,
)

Value = int | float | Sequence[int]
_CRC_AT = 4 * [f.name for f in HEADER.fields].index("crc")


@dataclass(frozen=True)
class Part:
    """The content of a section."""

    section: Section
    content: bytes


def pack(record: Record, values: Mapping[str, Value]) -> bytes:
    """A record from its fields by name."""
    assert set(values) == {f.name for f in record.fields}, record.name
    words = []
    for field in record.fields:
        value = values[field.name]
        many = value if isinstance(value, Sequence) else (value,)
        assert len(many) == field.count, field.name
        code = {"uint32_t": "I", "int32_t": "i", "float": "f"}[field.type]
        words.append(struct.pack(f"<{field.count}{code}", *many))
    return b"".join(words)


def unpack(record: Record, content: bytes, at: int = 0) -> dict[str, int | float | tuple[int, ...]]:
    """The fields of a record by name."""
    found: dict[str, int | float | tuple[int, ...]] = {}
    for field in record.fields:
        code = {"uint32_t": "I", "int32_t": "i", "float": "f"}[field.type]
        values = struct.unpack_from(f"<{field.count}{code}", content, at)
        found[field.name] = values if field.count > 1 else values[0]
        at += 4 * field.count
    return found


def words(values: Iterable[int]) -> bytes:
    numbers = [v & 0xFFFFFFFF for v in values]
    return struct.pack(f"<{len(numbers)}I", *numbers)


class Names:
    """Strings one after another, each ended by a zero byte and stored once."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._at: dict[str, int] = {}

    def add(self, text: str) -> int:
        """The offset of a string."""
        if text not in self._at:
            self._at[text] = len(self._content)
            self._content += text.replace("\0", "?").encode() + b"\0"
        return self._at[text]

    @property
    def content(self) -> bytes:
        return bytes(self._content)


def aligned(size: int, alignment: int) -> int:
    return -(-size // alignment) * alignment


def offsets_of(parts: Sequence[Part], alignments: Mapping[str, int]) -> dict[str, int]:
    """First byte of each section, in the order given."""
    at = HEADER.bytes + len(parts) * SECTION.bytes
    found = {}
    for part in parts:
        at = aligned(at, alignments.get(part.section.name, SECTION_ALIGNMENT))
        found[part.section.name] = at
        at += len(part.content)
    return found


def file_bytes(
    header: Mapping[str, Value], parts: Sequence[Part], alignments: Mapping[str, int]
) -> bytes:
    """The whole file; `header` lacks what follows from the rest."""
    offsets = offsets_of(parts, alignments)
    last = parts[-1]
    size = aligned(offsets[last.section.name] + len(last.content), SECTION_ALIGNMENT)
    content = bytearray(size)
    content[: HEADER.bytes] = pack(
        HEADER,
        {
            **header,
            "magic": MAGIC,
            "version": MAJOR << 16 | MINOR,
            "file_bytes": size,
            "crc": 0,
            "section_count": len(parts),
        },
    )
    for number, part in enumerate(parts):
        at, row = offsets[part.section.name], HEADER.bytes + number * SECTION.bytes
        content[row : row + SECTION.bytes] = words(
            (part.section.kind, int(part.section.optional), at, len(part.content))
        )
        content[at : at + len(part.content)] = part.content
    return with_checksum(bytes(content))


def with_checksum(content: bytes) -> bytes:
    """The same file with the checksum that its bytes need."""
    blank = content[:_CRC_AT] + bytes(4) + content[_CRC_AT + 4 :]
    crc = zlib.crc32(blank)
    return content[:_CRC_AT] + crc.to_bytes(4, "little") + content[_CRC_AT + 4 :]


def section_order() -> dict[str, int]:
    return {s.name: n for n, s in enumerate(SECTIONS)}
