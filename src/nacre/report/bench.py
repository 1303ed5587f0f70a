"""What `bench` prints."""

from __future__ import annotations

from nacre.bench import FLAGS, Bench, StepCost
from nacre.report.conversion import headline
from nacre.residency import Json
from nacre.text import number, short, table


def bench_text(bench: Bench) -> str:
    """The network in a line, the totals, and a row per step."""
    return "\n".join([headline(bench.program), "", _totals(bench), "", _steps(bench)])


def _totals(bench: Bench) -> str:
    program = bench.program
    arena = f"scratch {number(program.scratch_bytes)}"
    if program.persistent_bytes:
        arena += f", variables {number(program.persistent_bytes)}"
    rows = [
        ["instructions", number(bench.instructions), _place(bench)],
        ["arena bytes", number(bench.arena_bytes), arena],
        ["code bytes", number(bench.code_bytes), "with read-only data, without weights"],
        ["weight bytes", number(bench.weight_bytes), "constants as packed"],
        ["stack bytes", number(bench.stack_bytes), "of a run, at its deepest"],
    ]
    return table(rows, right=(1,))


def _place(bench: Bench) -> str:
    per_mac = _per_mac(bench.instructions, bench.program.macs)
    words = [f"{per_mac} per MAC"] if per_mac else []
    words += [bench.toolchain.where, f"{bench.toolchain.label} {FLAGS[0]}"]
    return " · ".join(words)


def _steps(bench: Bench) -> str:
    rows = [
        ["step", "operator", "name", "MACs", "instructions", "share", "per MAC", "bytes", "kernel"]
    ]
    rows += [_row(cost, bench.instructions) for cost in bench.steps]
    return table(rows, right=(0, 3, 4, 5, 6, 7))


def _row(cost: StepCost, total: int) -> list[str]:
    step = cost.step
    return [
        str(step.number),
        step.type,
        short(step.name),
        number(step.macs) if step.macs else "",
        number(cost.instructions),
        f"{100 * cost.instructions / max(1, total):.1f} %",
        _per_mac(cost.instructions, step.macs),
        number(cost.bytes),
        step.kernel,
    ]


def _per_mac(instructions: int, macs: int) -> str:
    return f"{instructions / macs:.2f}" if macs else ""


def cost_text(bench: Bench) -> str:
    """` · 612 004 instructions · stack 904`, to follow a verdict."""
    return f" · {number(bench.instructions)} instructions · stack {number(bench.stack_bytes)}"


def bench_json(bench: Bench) -> dict[str, Json]:
    """The keys that other tools read."""
    return {
        "instructions": bench.instructions,
        "arena_bytes": bench.arena_bytes,
        "code_bytes": bench.code_bytes,
        "weight_bytes": bench.weight_bytes,
        "stack_bytes": bench.stack_bytes,
        "steps": [
            {
                "number": cost.step.number,
                "ids": list(cost.step.ids),
                "type": cost.step.type,
                "name": cost.step.name,
                "macs": cost.step.macs,
                "instructions": cost.instructions,
                "kernel": cost.step.kernel,
                "kernel_reason": cost.step.kernel_reason,
            }
            for cost in bench.steps
        ],
    }
