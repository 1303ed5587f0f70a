"""What the checks say a call reaches is what the compiler planned for it, kernel by kernel.

The checks are C, and so are the parameter structs; here they run on calls of compiled programs,
also of kernels for other cores, which this machine could not run.
"""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.ir import TensorKind
from nacre.ops.kind import Params, Span
from nacre.planfile.actions import params_bytes
from nacre.planfile.prototypes import prototype
from nacre.planfile.rules import known_kernels, rules
from nacre.program import Address, Program, ProgramCall
from plan.plans import EXAMPLE
from support.shared import model_path, requires_shared

CSRC = Path(__file__).parents[2] / "src" / "nacre" / "csrc"
MOST = 12


class Check(ctypes.Structure):
    """nacre_check_t."""

    _fields_ = (
        ("p", ctypes.c_void_p * 2),
        ("begin", ctypes.c_int32),
        ("end", ctypes.c_int32),
        ("number", ctypes.c_int32 * 2),
        ("variant", ctypes.c_int32),
        ("pointers", ctypes.c_int32),
        ("need", ctypes.c_int64 * MOST),
        ("below", ctypes.c_int64 * MOST),
        ("place", ctypes.c_uint32 * MOST),
        ("size", ctypes.c_uint8 * MOST),
        ("alignment", ctypes.c_uint8 * MOST),
        ("content", ctypes.c_void_p * MOST),
    )


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """All checks as one library; the kernels themselves are not needed."""
    made = tmp_path_factory.mktemp("checks") / "checks.so"
    sources = [str(p) for p in (CSRC / "runtime").glob("check_*.c")]
    sources.append(str(CSRC / "runtime" / "numbers.c"))
    flags = ("-std=c99", "-O1", "-shared", "-fPIC", "-fsanitize=undefined", "-static-libubsan")
    subprocess.run(["gcc", *flags, *sources, "-o", str(made)], check=True)
    return ctypes.CDLL(str(made))


@cache
def program_of(path: Path, target: str, optimize: str) -> Program:
    config = parse_config({"target": {"name": target}, "kernels": {"optimize": optimize}})
    return compile_graph(import_graph(path, config), config, path.name)


def calls_of(program: Program) -> Iterator[ProgramCall]:
    for step in program.steps:
        yield from step.calls


def checked(library: ctypes.CDLL, call: ProgramCall) -> list[tuple[int, Address]]:
    """Bytes that a call reaches behind each of its pointers."""
    rule = rules()[call.kernel.name]
    check = Check(variant=rule.variant)
    keep, pointers, structs, numbers = [], [], 0, 0
    for argument in call.arguments:
        if isinstance(argument, Address):
            check.place[len(pointers)] = argument.region << 28 | argument.offset
            pointers.append(argument)
        elif isinstance(argument, Params):
            keep.append(ctypes.create_string_buffer(params_bytes(argument)))
            check.p[structs] = ctypes.addressof(keep[-1])
            structs += 1
        elif isinstance(argument, Span):
            check.begin, check.end = argument.begin, argument.end
        elif isinstance(argument, int):
            check.number[numbers] = argument
            numbers += 1
    check.pointers = len(pointers)
    assert getattr(library, f"nacre_check_{rule.check}")(ctypes.byref(check)) == 1, call
    letters = [p.letter.lower() for p in prototype(call.kernel) if p.is_pointer]
    sizes = [{"b": 1, "h": 2, "w": 4, "d": 8}[letter] for letter in letters]
    reached = [check.need[n] * size for n, size in enumerate(sizes)]
    return list(zip(reached, pointers, strict=True))


def check_program(library: ctypes.CDLL, program: Program) -> set[str]:
    """Calls reach what was planned; constants and scratch to the last bytes."""
    found = set()
    for call in calls_of(program):
        if call.kernel.name not in rules():
            continue
        found.add(call.kernel.name)
        for reached, address in checked(library, call):
            assert reached >= 0
            rooms = {
                slot.offset + slot.size - address.offset: slot
                for slot in program.slots.values()
                if slot.region == address.region
                and slot.offset <= address.offset < slot.offset + slot.size
            }
            assert not rooms or reached <= max(rooms), (call.kernel.name, reached, rooms)
            exact = [s for s in rooms.values() if s.tensor.kind is TensorKind.CONSTANT]
            if exact and address.offset == exact[0].offset:
                assert reached > exact[0].size - 64, (call.kernel.name, reached, exact[0].size)
    return found


def test_portable_kernels(library: ctypes.CDLL) -> None:
    assert "nacre_conv2d_s8" in check_program(library, program_of(EXAMPLE, "host", "balanced"))


NETWORKS = (
    "mlperf_kws_ref_model",
    "mlperf_vww_96_int8",
    "mlperf_pretrainedResnet_quant",
    "mlperf_ad01_int8",
    "mww_v2_okay_nabu",
    "tflm_person_detect",
    "tinymaix_mnist_resnet_q",
    "mlonmcu_micro_speech_custom",
    "mlperf_kws_ref_model_float32",
    "mlperf_pretrainedResnet",
)


@requires_shared
@pytest.mark.parametrize("optimize", ["size", "balanced", "speed"])
@pytest.mark.parametrize("target", ["mps2-an386", "mps3-an547"])
def test_kernels_of_other_cores(library: ctypes.CDLL, target: str, optimize: str) -> None:
    found = set()
    for name in NETWORKS:
        found |= check_program(library, program_of(model_path(name), target, optimize))
    tail = {"mps2-an386": "_dsp", "mps3-an547": "_mve"}[target]
    assert sum(name.endswith(tail) for name in found) >= 4


def test_most_portable_kernels_have_a_check() -> None:
    portable = [k.name for k in known_kernels().values() if k.isa == "portable"]
    missing = [name for name in portable if name not in rules()]
    assert len(missing) <= len(portable) // 20, f"planfile/rules.py has no check for {missing}"
