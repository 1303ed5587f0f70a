"""Programs for the document's tests: one compiled from a small model, others put together here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.ir import DType, Tensor, TensorKind
from nacre.memory import ArenaRole, ArenaUsage, MemoryType
from nacre.program import Program, ProgramStep, Region, Slot
from support.execute import program_of
from tflite_builder import ModelBuilder

SAME = 0
DTCM, SRAM, MRAM = MemoryType("DTCM"), MemoryType("SRAM"), MemoryType("MRAM")
HOSTILE = (
    "</script><script>window.broken = 1</script>",
    "<!-- <script>",
    "\"quotes\" and 'apostrophes' & <b>tags</b>",
    "{{ 7 * 7 }} {% raw %} ${7 * 7}",
    "名前 \u202egnitirw \u2028 𝄞",
    "\ud83d half of a pair",
    "__proto__",
    " ",
)


def model() -> bytes:
    """Two convolutions and a pool, the second convolution named to break out of the page."""
    rng = np.random.default_rng(5)
    b = ModelBuilder()
    value = b.input("x", (1, 8, 8, 2), "int8", scale=0.5, zero_point=3)
    for n, name in enumerate(("first", HOSTILE[0])):
        channels = 2 if n == 0 else 4
        w = rng.integers(-127, 128, (4, 3, 3, channels), np.int8)
        weights = b.constant(f"{name} weights", w, scale=[0.1, 0.2, 0.3, 0.4])
        bias = b.constant(f"{name} bias", rng.integers(-99, 99, 4, np.int32), scale=[0.1] * 4)
        result = b.tensor(name, (1, 8, 8, 4), "int8", scale=2.0, zero_point=-5)
        options = {"padding": SAME, "stride_h": 1, "stride_w": 1}
        b.operator("CONV_2D", [value, weights, bias], [result], options)
        value = result
    pooled = b.tensor("pooled", (1, 4, 4, 4), "int8", scale=2.0, zero_point=-5)
    pool = {"padding": SAME, "stride_h": 2, "stride_w": 2, "filter_height": 2, "filter_width": 2}
    b.operator("MAX_POOL_2D", [value], [pooled], pool)
    b.output(pooled)
    return b.build()


@cache
def compiled() -> Program:
    return program_of(import_model(model(), "small"))


@dataclass(frozen=True)
class Op:
    """A step of a program that is put together by hand."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    type: str = "CONV_2D"
    name: str = ""


def assembled(
    ops: Sequence[Op],
    inputs: Sequence[str] = ("x",),
    outputs: Sequence[str] = ("y",),
    names: dict[str, str] | None = None,
    constants: int = 3,
    views: dict[str, str] | None = None,
) -> Program:
    """A program of these steps: scratch first-fit in DTCM, a variable in SRAM, constants."""
    views = views or {}
    scratch = _scratch_slots(ops, inputs, outputs, names or {}, views)
    fixed = _fixed_slots(len(ops), constants, names or {})
    slots = {s.tensor.id: s for s in (*scratch, *fixed)}
    slots |= {v: replace(slots[o], tensor=_tensor(v, slots[o].size), view_of=o)
              for v, o in views.items()}  # fmt: skip
    regions = tuple(
        Region(n, name, ArenaUsage(memory, size, size, role, source))
        for n, (name, memory, role, source, size) in enumerate(_arenas(slots))
    )
    steps = tuple(
        ProgramStep(n, (str(n),), op.type, op.name, op.inputs, op.outputs, (), 100 * n, MRAM, {})
        for n, op in enumerate(ops)
    )
    live = [sum(s.size for s in scratch if s.lower <= n < s.upper) for n in range(len(ops))]
    return replace(
        compiled(), name="made", prefix="made", regions=regions, steps=steps, slots=slots,
        inputs=tuple(inputs), outputs=tuple(outputs), lower_bound=max(live, default=0),
        source_operators=len(ops), first_values=(),
    )  # fmt: skip


def chain(count: int, constants: int = 3) -> Program:
    """Many operators in blocks of five, each with a bypass, as in a residual network."""
    ops, last = [], "x"
    for n in range(count):
        bypass = (f"t{n - 4}",) if n % 5 == 4 else ()
        name = f"block_{n // 5}/{'add' if bypass else 'conv'}/BiasAdd;block_{n // 5}/relu"
        result = "y" if n == count - 1 else f"t{n}"
        ops.append(Op((last, *bypass), (result,), "ADD" if bypass else "CONV_2D", name))
        last = result
    return assembled(ops, constants=constants)


def branches() -> Program:
    """A fork into three branches, their join, a view between two steps, and a second output."""
    ops = (
        Op(("x",), ("a",)),
        Op(("a",), ("b1",)), Op(("b1",), ("b2",)),
        Op(("a",), ("c1",)), Op(("c1",), ("c2",)),
        Op(("a",), ("d1",)),
        Op(("b2", "c2", "d1"), ("e",), "CONCATENATION"),
        Op(("e.view",), ("y",), "FULLY_CONNECTED"),
    )  # fmt: skip
    return assembled(ops, outputs=("y", "c1"), views={"e.view": "e"})


def hostile() -> Program:
    """Every name is an attempt to break out of the page; ids too."""
    keys = [f"{n}{text}" for n, text in enumerate(HOSTILE)]
    ops = [
        Op((a,), (b,), type=f"OP {b}", name=b) for a, b in zip(keys, [*keys[1:], "y"], strict=True)
    ]
    names = dict(zip(keys, HOSTILE, strict=True)) | {"w0": HOSTILE[0]}
    program = assembled(ops, inputs=(keys[0],), names=names)
    return replace(program, source=HOSTILE[0], notes=HOSTILE)


def _tensor(key: str, size: int, name: str = "", kind: TensorKind = TensorKind.SCRATCH) -> Tensor:
    return Tensor(key, name or f"name of {key}", (1, size), DType.INT8, kind)


def _scratch_slots(
    ops: Sequence[Op],
    inputs: Iterable[str],
    outputs: Iterable[str],
    names: dict[str, str],
    views: dict[str, str],
) -> list[Slot]:
    life: dict[str, list[int]] = {key: [0, 0] for key in inputs}
    for n, op in enumerate(ops):
        for key in (*op.inputs, *op.outputs):
            life.setdefault(views.get(key, key), [n, n])[1] = n
    for key in outputs:
        life[key][1] = len(ops) - 1
    slots: list[Slot] = []
    for n, (key, (first, last)) in enumerate(life.items()):
        size = 64 * (1 + n * 7 % 5)
        clash = [s for s in slots if s.lower <= last and first < s.upper]
        tops = sorted({0, *(s.offset + s.size for s in clash)})
        offset = next(
            top for top in tops
            if all(top + size <= s.offset or s.offset + s.size <= top for s in clash)
        )  # fmt: skip
        slots.append(Slot(_tensor(key, size, names.get(key, "")), 0, offset, size, "default",
                          first, last + 1))  # fmt: skip
    return slots


def _fixed_slots(steps: int, constants: int, names: dict[str, str]) -> list[Slot]:
    state = Slot(_tensor("state", 96, "", TensorKind.PERSISTENT), 1, 0, 96, "default", 0, steps)
    weights = [
        Slot(_tensor(f"w{n}", 100 + n, names.get(f"w{n}", ""), TensorKind.CONSTANT), 2, 112 * n,
             100 + n, "memory.tensors[0]", 0, steps)
        for n in range(min(constants, 12))
    ]  # fmt: skip
    more = [
        Slot(_tensor(f"w{n}", 256, "", TensorKind.CONSTANT), 2, 2000 + 256 * n, 256, "default", 0,
             steps)
        for n in range(12, constants)
    ]  # fmt: skip
    return [state, *weights, *more]


def _arenas(
    slots: dict[str, Slot],
) -> list[tuple[str, MemoryType, ArenaRole, MemoryType, int]]:
    size = [
        max((s.offset + s.size for s in slots.values() if s.region == n), default=0)
        for n in range(3)
    ]
    return [
        ("arena_dtcm", DTCM, ArenaRole.scratch, DTCM, size[0]),
        ("arena_persistent_sram", SRAM, ArenaRole.persistent, SRAM, size[1]),
        ("arena_const_dtcm", DTCM, ArenaRole.constant, MRAM, size[2]),
    ]
