"""One step of a Program as C: its comment, its parameter structs, its calls."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nacre.emit.spell import comment, initialiser, integer, real
from nacre.ops.kind import Kernel, Params, Span
from nacre.program import Address, Program, ProgramArgument, ProgramCall, ProgramStep
from nacre.text import short

WIDTH = 100
INDENT = "    "


@dataclass(frozen=True)
class ParamsText:
    """A parameter struct: `static const <c_type> <name> = { .field = literal, … }`."""

    c_type: str
    name: str
    members: list[tuple[str, str, str]]


@dataclass(frozen=True)
class StepText:
    """A step, ready for the template."""

    number: int
    comment: str
    params: list[ParamsText]
    calls: list[str]
    # The function that runs the step, when its code is placed apart.
    function: str


def step_text(program: Program, step: ProgramStep, apart: bool) -> StepText:
    names = params_names(program, step)
    return StepText(
        step.number,
        step_title(program, step),
        [ParamsText(p.c_type, name, initialiser(p)) for p, name in names.items()],
        list(call_texts(program, step, step.calls, names, INDENT)),
        f"{program.prefix}_step{step.number}" if apart else "",
    )


def region_variable(program: Program, number: int) -> str:
    """The local variable that holds a region's base: `dtcm`, `persistent_sram`, `const_mram`."""
    return program.regions[number].name.removeprefix("arena_")


@dataclass(frozen=True)
class CodeGroup:
    """Steps whose code lives in one memory. `name` is empty for the default one."""

    name: str
    section: str | None
    steps: tuple[ProgramStep, ...]


def code_groups(program: Program) -> tuple[CodeGroup, ...]:
    """The default group first, then one per memory that rules place code in.

    A memory without a code section, as on the host, is no place of its own.
    """
    groups: dict[str, list[ProgramStep]] = {"": []}
    sections: dict[str, str | None] = {"": None}
    for step in program.steps:
        memory = program.target.memory(step.code)
        section = None if memory is None else memory.sections.code
        name = "" if section is None else step.code.lower()
        groups.setdefault(name, []).append(step)
        sections[name] = section
    return tuple(CodeGroup(n, sections[n], tuple(steps)) for n, steps in groups.items())


def group_kernels(group: CodeGroup) -> tuple[Kernel, ...]:
    """The kernels that the steps of a group call, each once, by name."""
    found = {c.kernel.name: c.kernel for s in group.steps for c in s.calls}
    return tuple(found[name] for name in sorted(found))


def used_regions(steps: tuple[ProgramStep, ...]) -> list[int]:
    """Regions whose base the steps need."""
    arguments = (a for s in steps for c in s.calls for a in c.arguments)
    return sorted({a.region for a in arguments if isinstance(a, Address)})


def params_names(program: Program, step: ProgramStep) -> dict[Params, str]:
    """Distinct parameter structs of a step; most steps have one, named after the step."""
    found = dict.fromkeys(a for c in step.calls for a in c.arguments if isinstance(a, Params))
    base = f"{program.prefix}_op{step.number}"
    return {p: base if n == 0 else f"{base}_{n}" for n, p in enumerate(found)}


def step_title(program: Program, step: ProgramStep) -> str:
    shapes = f"{_shapes(program, step.inputs)} -> {_shapes(program, step.outputs)}"
    name = f'   "{short(step.name)}"' if step.name else ""
    walk = "   over its input, last row first" if step.backward else ""
    return comment(f"{step.number}  {step.type:<18} {shapes}{name}{walk}")


def _shapes(program: Program, ids: tuple[str, ...]) -> str:
    moving = [program.slots[i].tensor for i in ids if i in program.slots]
    return ", ".join("x".join(str(d) for d in t.shape[1:]) or "1" for t in moving if t.data is None)


def call_texts(
    program: Program,
    step: ProgramStep,
    calls: tuple[ProgramCall, ...],
    names: dict[Params, str],
    indent: str,
    banded: bool = False,
) -> Iterator[str]:
    """The calls; a loop over single rows, last to first, when they must run backward.

    `banded`: a variable `rows` holds the window.
    """
    for call in calls:
        if not step.backward:
            yield _call(program, call, names, indent, "rows" if banded else None)
            continue
        rows = next(a for a in call.arguments if isinstance(a, Span))
        body = _call(program, call, names, indent + INDENT, "(nacre_rows_t){row, row + 1}")
        head = f"for (int32_t row = {rows.end - 1}; row >= {rows.begin}; --row) {{"
        yield f"{indent}{head}\n{body}\n{indent}}}"


def _rows(rows: Span) -> str:
    return f"(nacre_rows_t){{{rows.begin}, {rows.end}}}"


def _call(
    program: Program, call: ProgramCall, names: dict[Params, str], indent: str, window: str | None
) -> str:
    head = f"{indent}{call.kernel.name}("
    lines = [head]
    for n, argument in enumerate(call.arguments):
        text = _argument(program, argument, names, window)
        text += ", " if n + 1 < len(call.arguments) else ");"
        if len(lines[-1]) + len(text.rstrip()) > WIDTH and lines[-1].strip():
            lines.append(" " * len(head))
        lines[-1] += text
    return "\n".join(line.rstrip() for line in lines)


def _argument(
    program: Program, argument: ProgramArgument, names: dict[Params, str], window: str | None
) -> str:
    match argument:
        case Address():
            const = "const " if argument.const else ""
            base = region_variable(program, argument.region)
            return f"({const}{argument.dtype.c} *)({base} + {argument.offset})"
        case Params():
            return f"&{names[argument]}"
        case Span():
            return _rows(argument) if window is None else window
        case float():
            return real(argument)
        case int():
            return integer(argument)
