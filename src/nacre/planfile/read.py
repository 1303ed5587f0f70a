"""Plan file -> what it says, for people: the runtime, not this, decides whether it is sound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nacre.errors import ModelError
from nacre.planfile.binary import unpack, with_checksum
from nacre.planfile.layout import (
    ABOUT,
    HEADER,
    KERNEL,
    MAGIC,
    MAJOR,
    NONE,
    SECTION,
    SECTIONS,
    Record,
)

Fields = dict[str, int | float | tuple[int, ...]]


@dataclass(frozen=True, eq=False)
class PlanContent:
    """Header, sections by name, and the bytes of each."""

    header: Fields
    sections: Mapping[str, bytes]
    unknown: tuple[int, ...]
    sound: bool

    def records(self, name: str, record: Record) -> list[Fields]:
        content = self.sections.get(name, b"")
        count = len(content) // record.bytes
        return [unpack(record, content, n * record.bytes) for n in range(count)]

    def text(self, offset: object, section: str = "strings") -> str:
        """A string of the section of strings; empty where there is none."""
        content = self.sections.get(section, b"")
        if not isinstance(offset, int) or offset == NONE or offset >= len(content):
            return ""
        return content[offset : content.find(b"\0", offset)].decode(errors="replace")

    @property
    def about(self) -> dict[str, str]:
        rows = self.records("about", ABOUT)
        return {n: self.text(v) for n, v in rows[0].items()} if rows else {}


def read_plan(content: bytes, name: str = "plan") -> PlanContent:
    """Take a file apart; ModelError when it is no plan of this major version."""
    if len(content) < HEADER.bytes:
        raise ModelError(f"{name}: is no plan file: it has {len(content)} bytes")
    header = unpack(HEADER, content)
    if header["magic"] != MAGIC:
        raise ModelError(f"{name}: is no plan file: it does not begin with NCR")
    version = header["version"]
    assert isinstance(version, int)
    if version >> 16 != MAJOR:
        raise ModelError(
            f"{name}: is a plan of version {version >> 16}.{version & 0xFFFF}; "
            f"this nacre reads version {MAJOR}: compile the model again"
        )
    names = {s.kind: s.name for s in SECTIONS}
    sections, unknown = {}, []
    for row in _section_rows(content, header, name):
        kind, offset, size = row["kind"], row["offset"], row["bytes"]
        assert isinstance(kind, int) and isinstance(offset, int) and isinstance(size, int)
        if offset + size > len(content):
            raise ModelError(f"{name}: section {kind} ends behind the file: it is cut short")
        if kind in names:
            sections[names[kind]] = content[offset : offset + size]
        else:
            unknown.append(kind)
    return PlanContent(header, sections, tuple(unknown), with_checksum(content) == content)


def _section_rows(content: bytes, header: Fields, name: str) -> list[Fields]:
    count = header["section_count"]
    assert isinstance(count, int)
    if HEADER.bytes + count * SECTION.bytes > len(content):
        raise ModelError(f"{name}: the table of sections ends behind the file: it is cut short")
    return [unpack(SECTION, content, HEADER.bytes + n * SECTION.bytes) for n in range(count)]


def kernel_names(content: bytes) -> tuple[str, ...]:
    """The kernels that a plan calls."""
    plan = read_plan(content)
    rows = plan.records("kernels", KERNEL)
    return tuple(plan.text(row["name"], "names") for row in rows)
