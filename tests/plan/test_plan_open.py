"""What the runtime refuses, and that it says why: versions, sections, kernels, arenas."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from nacre.planfile.binary import pack, unpack, with_checksum
from nacre.planfile.layout import (
    ACTION,
    HEADER,
    REGION,
    SECTION,
    SECTIONS,
    SEGMENT,
    TENSOR,
    Record,
)
from nacre.planfile.read import read_plan
from nacre.planfile.rules import known_kernels
from nacre.planfile.write import plan_file
from nacre.runtime import PlanError, PlanRunner
from plan.plans import EXAMPLE, program_for, same_bits, samples_for


@pytest.fixture(scope="module")
def plan() -> bytes:
    return plan_file(program_for(EXAMPLE))


def changed_header(content: bytes, changes: Mapping[str, object]) -> bytes:
    values = {**unpack(HEADER, content), **changes}
    return with_checksum(pack(HEADER, values) + content[HEADER.bytes :])


def section_at(content: bytes, name: str) -> int:
    """The first byte of a section."""
    kind = next(s.kind for s in SECTIONS if s.name == name)
    for n in range(unpack(HEADER, content)["section_count"]):
        row = unpack(SECTION, content, HEADER.bytes + n * SECTION.bytes)
        if row["kind"] == kind:
            return row["offset"]
    raise AssertionError(name)


def changed_record(
    content: bytes, section: str, record: Record, number: int, changes: Mapping[str, object]
) -> bytes:
    at = section_at(content, section) + number * record.bytes
    values = {**unpack(record, content, at), **changes}
    return with_checksum(content[:at] + pack(record, values) + content[at + record.bytes :])


def refused(content: bytes, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        PlanRunner(content, program_for(EXAMPLE).kernels)


def test_unknown_major_version(plan: bytes) -> None:
    refused(changed_header(plan, {"version": 2 << 16}), "another major version")


def test_damage(plan: bytes) -> None:
    flipped = bytearray(plan)
    flipped[len(plan) // 2] ^= 0x10
    refused(bytes(flipped), "checksum does not match")
    refused(plan[:-16], "shorter than its header says")
    refused(b"\0" * 64, "does not begin as a plan")


def with_section(content: bytes, kind: int, flags: int) -> bytes:
    """The file with a section more, of a kind that this version may not know."""
    header = unpack(HEADER, content)
    count, table = header["section_count"], HEADER.bytes
    rows = [unpack(SECTION, content, table + n * SECTION.bytes) for n in range(count)]
    # The table grows by one row, so everything moves on by 16 bytes; regions name file offsets.
    body = bytearray(content[table + count * SECTION.bytes :])
    rows = [{**r, "offset": r["offset"] + 16} for r in rows]
    end = HEADER.bytes + (count + 1) * SECTION.bytes + len(body)
    rows.append({"kind": kind, "flags": flags, "offset": -(-end // 16) * 16, "bytes": 16})
    body += bytes(rows[-1]["offset"] - end + 16)
    moved = pack(HEADER, {**header, "section_count": count + 1, "version": 1 << 16 | 9})
    moved += b"".join(pack(SECTION, r) for r in rows) + bytes(body)
    moved = changed_header(moved, {"file_bytes": len(moved)})
    return _moved_regions(moved, 16)


def _moved_regions(content: bytes, by: int) -> bytes:
    at = section_at(content, "regions")
    count = len(read_plan(content).sections["regions"]) // REGION.bytes
    made = bytearray(content)
    for n in range(count):
        row = unpack(REGION, content, at + n * REGION.bytes)
        if row["kind"] == 2:
            row["offset"] += by
        made[at + n * REGION.bytes : at + (n + 1) * REGION.bytes] = pack(REGION, row)
    return with_checksum(bytes(made))


def test_newer_minor_version_with_an_unknown_optional_section_runs(plan: bytes) -> None:
    program = program_for(EXAMPLE)
    inputs = samples_for(program, 1)[0]
    newer = PlanRunner(with_section(plan, 1000, 1))
    assert same_bits(newer.run(inputs), PlanRunner(plan).run(inputs))


def test_unknown_section_that_is_needed(plan: bytes) -> None:
    refused(with_section(plan, 1000, 0), "not optional is not known")


def test_missing_kernel_is_named(plan: bytes) -> None:
    known = known_kernels()
    few = [known["nacre_conv2d_s8"], known["nacre_depthwise_s8"]]
    with pytest.raises(PlanError, match=r"does not have a kernel.*nacre_") as caught:
        PlanRunner(plan, few)
    assert "nacre_conv2d_s8" not in str(caught.value)


@pytest.mark.parametrize(
    ("section", "record", "number", "changes", "says"),
    [
        ("regions", REGION, 0, {"bytes": 1 << 27}, "region is out of bounds"),
        ("regions", REGION, 0, {"kind": 9}, "region is out of bounds"),
        ("regions", REGION, 0, {"offset": 8}, "region is out of bounds"),
        ("tensors", TENSOR, 0, {"offset": 1 << 24}, "input or output is out of bounds"),
        ("tensors", TENSOR, 0, {"rank": 9}, "input or output is out of bounds"),
        ("tensors", TENSOR, 0, {"dims": (1 << 16,) * 8}, "input or output is out of bounds"),
        ("tensors", TENSOR, 0, {"region": 1}, "input or output is out of bounds"),
        ("segments", SEGMENT, 0, {"count": 1000}, "actions out of bounds"),
        ("segments", SEGMENT, 0, {"iterations": 1 << 20}, "actions out of bounds"),
        ("segments", SEGMENT, 0, {"iterations": 2}, "rows of an action"),
        ("actions", ACTION, 0, {"kind": 77}, "unknown kind"),
        ("actions", ACTION, 0, {"target": 99}, "unknown kind"),
        ("actions", ACTION, 0, {"arguments": 1 << 20}, "arguments of a call"),
        ("actions", ACTION, 0, {"kind": 1}, "packed block"),
        ("actions", ACTION, 0, {"kind": 2}, "move is out of bounds"),
        ("actions", ACTION, 0, {"kind": 3}, "unknown kind"),
        ("actions", ACTION, 0, {"kind": 4}, "actions out of bounds"),
        ("actions", ACTION, 0, {"ends": 0}, "rows of an action"),
    ],
)
def test_impossible_numbers(
    plan: bytes, section: str, record: Record, number: int, changes: dict[str, object], says: str
) -> None:
    refused(changed_record(plan, section, record, number, changes), says)


# Words of the first convolution: nacre_conv_params_t from input_h to output_ring.
@pytest.mark.parametrize(
    ("word", "value", "says"),
    [
        (1, 1 << 16, "reach beyond a region"),
        (2, -1, "parameters of a call"),
        (4, 1 << 16, "reach beyond a region"),
        (5, 1 << 15, "reach beyond a region"),
        (7, 0, "parameters of a call"),
        (13, 3, "parameters of a call"),
        (13, 0, "parameters of a call"),
        (20, 0, "parameters of a call"),
        (21, 0, "reach beyond a region"),
    ],
)
def test_parameters_that_would_reach_too_far(plan: bytes, word: int, value: int, says: str) -> None:
    at = section_at(plan, "params") + 4 * word
    changed = plan[:at] + np.int32(value).tobytes() + plan[at + 4 :]
    refused(with_checksum(changed), says)


def test_writing_to_constants_is_refused(plan: bytes) -> None:
    """The output pointer of the first convolution is its fifth argument."""
    at = section_at(plan, "arguments") + 4 * 4
    changed = plan[:at] + (1 << 28).to_bytes(4, "little") + plan[at + 4 :]
    refused(with_checksum(changed), "arguments of a call|write constants")


def test_shift_table_is_looked_at(plan: bytes) -> None:
    """Shifts of the first convolution out of range would be undefined in C."""
    arguments = section_at(plan, "arguments")
    pointer = int.from_bytes(plan[arguments + 12 : arguments + 16], "little")
    regions = read_plan(plan).records("regions", REGION)
    channels = int.from_bytes(plan[section_at(plan, "params") + 16 :][:4], "little")
    at = regions[pointer >> 28]["offset"] + (pointer & 0xFFFFFFF) + 4 * channels
    changed = plan[:at] + np.int32(99).tobytes() + plan[at + 4 :]
    refused(with_checksum(changed), "table of a call")


def test_every_truncation_is_refused(plan: bytes) -> None:
    for size in [0, 1, 63, 64, 65, *range(80, len(plan), 997)]:
        with pytest.raises(PlanError):
            PlanRunner(plan[:size] if size else b"\0", kernels=())
