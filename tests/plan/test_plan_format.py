"""The plan file is described once: header, status texts and page follow, C and Python agree."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from nacre.planfile import layout
from nacre.planfile.binary import pack, unpack, with_checksum
from nacre.planfile.header import plan_header, status_source
from nacre.planfile.page import format_page
from nacre.planfile.read import kernel_names, read_plan
from nacre.planfile.write import plan_file
from plan.plans import EXAMPLE, program_for

ROOT = Path(__file__).parents[2]
RUNTIME = ROOT / "src" / "nacre" / "csrc" / "runtime"
RECORDS = [layout.HEADER, layout.SECTION, *(s.record for s in layout.SECTIONS if s.record)]


def test_generated_files_are_current() -> None:
    assert (RUNTIME / "nacre_plan.h").read_text() == plan_header(), "run `make docs`"
    assert (RUNTIME / "status.c").read_text() == status_source(), "run `make docs`"
    assert (ROOT / "docs" / "PLAN_FORMAT.md").read_text() == format_page(), "run `make docs`"


def test_c_has_the_same_records(tmp_path: Path) -> None:
    """What a C compiler makes of the header, against the description."""
    lines = ['#include <stdio.h>\n#include <stddef.h>\n#include "nacre_plan.h"\nint main(void) {']
    for record in RECORDS:
        c = f"nacre_plan_{record.name}_t"
        lines.append(f'printf("{record.name} %zu\\n", sizeof({c}));')
        lines += [
            f'printf("{record.name}.{f.name} %zu\\n", offsetof({c}, {f.name}));'
            for f in record.fields
        ]
    (tmp_path / "sizes.c").write_text("\n".join([*lines, "return 0; }"]))
    program = tmp_path / "sizes"
    command = ["gcc", "-std=c99", f"-I{RUNTIME}", str(tmp_path / "sizes.c"), "-o", str(program)]
    subprocess.run(command, check=True)
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    assert said == expected_sizes()


def expected_sizes() -> str:
    lines = []
    for record in RECORDS:
        lines.append(f"{record.name} {record.bytes}")
        at = 0
        for field in record.fields:
            lines.append(f"{record.name}.{field.name} {at}")
            at += 4 * field.count
    return "\n".join(lines) + "\n"


def test_sections_are_unique_and_aligned() -> None:
    kinds = [s.kind for s in layout.SECTIONS]
    assert len(set(kinds)) == len(kinds)
    content = plan_file(program_for(EXAMPLE))
    header = unpack(layout.HEADER, content)
    for n in range(header["section_count"]):
        at = layout.HEADER.bytes + n * layout.SECTION.bytes
        assert unpack(layout.SECTION, content, at)["offset"] % 16 == 0


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_records_survive_a_round_trip(record: layout.Record) -> None:
    generator = np.random.default_rng(3)
    values = {}
    for field in record.fields:
        drawn = [int(v) for v in generator.integers(0, 1 << 31, field.count)]
        whole = [float(v % 1000) for v in drawn] if field.type == "float" else drawn
        values[field.name] = tuple(whole) if field.count > 1 else whole[0]
    assert unpack(record, pack(record, values)) == values


def test_file_says_what_it_needs() -> None:
    program = program_for(EXAMPLE)
    content = plan_file(program)
    plan = read_plan(content)
    assert plan.sound
    assert plan.header["arena_bytes"][0] >= program.scratch_bytes
    assert kernel_names(content) == tuple(k.name for k in program.kernels)
    assert plan.about["source"] == EXAMPLE.name


def test_same_bytes_from_run_to_run() -> None:
    assert plan_file(program_for(EXAMPLE)) == plan_file(program_for(EXAMPLE))


def test_names_can_be_left_out() -> None:
    program = program_for(EXAMPLE)
    bare = plan_file(program, names=False)
    assert len(bare) < len(plan_file(program))
    assert read_plan(bare).about == {}


def test_a_changed_file_is_not_sound() -> None:
    content = bytearray(plan_file(program_for(EXAMPLE)))
    content[-1] ^= 1
    assert not read_plan(bytes(content)).sound
    assert read_plan(with_checksum(bytes(content))).sound
