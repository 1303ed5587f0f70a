"""docs/PLAN_FORMAT.md, written from the description of the format."""

from __future__ import annotations

from nacre.planfile import layout
from nacre.planfile.layout import Choices, Record, Section

_INTRODUCTION = f"""# The plan file

<!-- Written by `make docs` from src/nacre/planfile/layout.py. -->

A plan (`.ncr`) is a compiled network as data: `nacre compile` writes it, the C99 runtime runs it
([runtime.md](runtime.md)). This page is version {layout.MAJOR}.{layout.MINOR}.

- All numbers are little-endian. Records consist of 32-bit words, so a C struct with the same
  members (`nacre_plan.h`) has the same bytes, and a mapped file is read in place.
- The file is a header, a table of sections, and sections at multiples of
  {layout.SECTION_ALIGNMENT} bytes, in any order and without overlap.
- **Versions.** A reader refuses another major version. A minor version only adds optional sections
  and uses words that were 0 before: older readers skip what they do not know.
- **Checksum.** CRC-32 over the whole file, its own word taken as 0.
- **Pointers** are one word: the region in the upper {32 - layout.OFFSET_BITS} bits, the offset in
  bytes in the lower {layout.OFFSET_BITS}.
- **Rows.** A call of a row-wise kernel has a window of rows. In a segment of several iterations
  `ends` cuts it: iteration i does rows [ends[i - 1], ends[i]).
- **Kernels** are named, not numbered: a firmware with other kernels refuses the plan by the name
  that it lacks.
"""


def format_page() -> str:
    parts = [
        _INTRODUCTION,
        "## Header\n",
        _record(layout.HEADER),
        _record(layout.SECTION),
        "## Sections\n",
        _section_table(),
        *(_record(s.record) for s in layout.SECTIONS if s.record is not None),
        "## Values\n",
        *(_choices(c) for c in layout.ALL_CHOICES),
    ]
    return "\n".join(parts)


def _record(record: Record) -> str:
    rows, at = [], 0
    for field in record.fields:
        many = f"[{field.count}]" if field.count > 1 else ""
        rows.append(f"| {at} | `{field.name}{many}` | {field.type} | {field.meaning} |\n")
        at += 4 * field.count
    head = "| byte | field | type | meaning |\n|---|---|---|---|\n"
    return f"### {record.name}: {record.bytes} bytes\n\n{record.meaning}\n\n{head}{''.join(rows)}"


def _section_table() -> str:
    head = "| kind | section | content | |\n|---|---|---|---|\n"
    return head + "".join(_section_row(s) for s in layout.SECTIONS)


def _section_row(section: Section) -> str:
    optional = "optional" if section.optional else ""
    return f"| {section.kind} | {section.name} | {section.meaning} | {optional} |\n"


def _choices(choices: Choices) -> str:
    rows = "".join(f"| {c.number} | `{c.name}` | {c.meaning} |\n" for c in choices.values)
    head = "| number | name | meaning |\n|---|---|---|\n"
    return f"### {choices.name}\n\n{choices.meaning}\n\n{head}{rows}"
