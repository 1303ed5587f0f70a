"""The C header of the plan file, written from its description."""

from __future__ import annotations

import textwrap

from nacre.planfile import layout
from nacre.planfile.layout import Choices, Record


def plan_header() -> str:
    """The text of csrc/runtime/nacre_plan.h."""
    parts = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* The plan file as C sees it. Written by `make docs`; PLAN_FORMAT.md explains it. */",
        "#ifndef NACRE_PLAN_H\n#define NACRE_PLAN_H\n\n#include <stdint.h>\n",
        _numbers(),
        *(_enum(choices) for choices in layout.ALL_CHOICES),
        _sections(),
        *(_struct(record) for record in _records()),
        "#endif\n",
    ]
    return "\n".join(parts)


def _records() -> list[Record]:
    listed = [s.record for s in layout.SECTIONS if s.record is not None]
    return [layout.HEADER, layout.SECTION, *listed]


def _numbers() -> str:
    rows = (
        ("PLAN_MAGIC", f"UINT32_C(0x{layout.MAGIC:08x})"),
        ("PLAN_MAJOR", layout.MAJOR),
        ("PLAN_MINOR", layout.MINOR),
        ("SECTION_ALIGNMENT", layout.SECTION_ALIGNMENT),
        ("OFFSET_BITS", layout.OFFSET_BITS),
        ("MAX_REGIONS", layout.MAX_REGIONS),
        ("MAX_ARENAS", layout.MAX_ARENAS),
        ("MAX_RANK", layout.MAX_RANK),
        ("MAX_ROWS", layout.MAX_ROWS),
        ("NONE", f"UINT32_C(0x{layout.NONE:08x})"),
        ("FIRST_OF_STEP", "1u"),
        ("BACKWARD", "2u"),
        ("OPTIONAL", "1u"),
    )
    return "".join(f"#define NACRE_{name} {value}\n" for name, value in rows)


def _enum(choices: Choices) -> str:
    group = choices.name.upper()
    rows = "".join(
        f"    NACRE_{group}_{c.name.upper()} = {c.number}, /* {c.meaning} */\n"
        for c in choices.values
    )
    return f"/* {choices.meaning} */\nenum {{\n{rows}}};\n"


def _sections() -> str:
    rows = "".join(f"    NACRE_SECTION_{s.name.upper()} = {s.kind},\n" for s in layout.SECTIONS)
    return f"/* Kinds of sections. */\nenum {{\n{rows}}};\n"


def _struct(record: Record) -> str:
    rows = []
    for field in record.fields:
        many = f"[{field.count}]" if field.count > 1 else ""
        rows.append(f"    {field.type} {field.name}{many}; /* {field.meaning} */\n")
    text = "".join(rows)
    lines = _wrapped(record.meaning)
    return f"{lines}\ntypedef struct {{\n{text}}} nacre_plan_{record.name}_t;\n"


def _wrapped(text: str) -> str:
    return "/* " + "\n * ".join(textwrap.wrap(text, 96)) + " */"


def status_source() -> str:
    """The text of csrc/runtime/status.c."""
    rows = "".join(
        f'    case NACRE_STATUS_{c.name.upper()}:\n        return "{c.meaning}";\n'
        for c in layout.STATUSES.values
    )
    return (
        "/* SPDX-License-Identifier: Apache-2.0 */\n"
        "/* A sentence for every status. Written by `make docs`. */\n"
        '#include "nacre_runtime.h"\n\n'
        "const char *nacre_plan_status_string(int32_t status)\n{\n"
        f"    switch (status) {{\n{rows}    default:\n"
        '        return "no status of the runtime";\n    }\n}\n'
    )
