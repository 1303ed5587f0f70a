"""Plan file -> example firmware: the runtime, its kernels, and projects that find and run it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nacre import __version__
from nacre.emit.board import board_source, linker_script
from nacre.emit.environment import environment
from nacre.emit.spell import byte_lines
from nacre.errors import ConfigError
from nacre.ops.kind import Kernel
from nacre.planfile.firmware import runtime_files
from nacre.planfile.read import PlanContent, kernel_names, read_plan
from nacre.planfile.rules import known_kernels, rules
from nacre.targets import Target

PARTITION = "plan"
# Flash is mapped in pages of this size on ESP chips.
PAGE = 1 << 16


@dataclass(frozen=True)
class PlanInput:
    """A plan file by its name."""

    name: str
    content: bytes


def chosen_kernels(names: Sequence[str], plans: Sequence[PlanInput]) -> tuple[Kernel, ...]:
    """Kernels by name, with or without `nacre_`, and those that plans call."""
    asked = [n if n.startswith("nacre_") else f"nacre_{n}" for n in names]
    asked += [n for plan in plans for n in kernel_names(plan.content)]
    unknown = sorted({n for n in asked if n not in known_kernels() or n not in rules()})
    if unknown:
        raise ConfigError(
            f"no kernel for plans is called {', '.join(unknown)}; `nacre inspect model.ncr` lists "
            "those of a plan"
        )
    return tuple(known_kernels()[n] for n in sorted(set(asked)))


def runtime_folder(kernels: Sequence[Kernel]) -> dict[str, bytes]:
    """The runtime and these kernels, with a CMake file."""
    files = runtime_files(kernels)
    files["CMakeLists.txt"] = _cmake(files, len(kernels), example=False)
    return {name: files[name].encode() for name in sorted(files)}


def firmware_folder(plan: PlanInput, target: Target | None) -> dict[str, bytes]:
    """Everything for one plan; a QEMU board's example where `target` is one."""
    content = read_plan(plan.content, plan.name)
    kernels = chosen_kernels((), [plan])
    files = runtime_files(kernels)
    board = target if target is not None and target.qemu_machine is not None else None
    facts = _facts(plan, content, kernels, board)
    render = environment().get_template
    files["CMakeLists.txt"] = _cmake(files, len(kernels), example=True)
    files["example/plan_arenas.h"] = render("plan_arenas.h.j2").render(facts)
    files["example/host/main.c"] = render("plan_example.c.j2").render(facts | {"embedded": False})
    files |= _esp_idf(plan, facts, files)
    if board is not None:
        files |= _board(plan, facts, board)
    files["README.md"] = render("plan_readme.md.j2").render(facts)
    made = {name: text.encode() for name, text in files.items()}
    made[f"plan/{plan.name}"] = plan.content
    return {name: made[name] for name in sorted(made)}


def _cmake(files: dict[str, str], kernels: int, example: bool) -> str:
    sources = sorted(f for f in files if f.endswith(".c") and not f.startswith("example/"))
    template = environment().get_template("plan_cmake.txt.j2")
    return template.render(version=__version__, kernels=kernels, sources=sources, example=example)


def _facts(
    plan: PlanInput, content: PlanContent, kernels: tuple[Kernel, ...], board: Target | None
) -> dict[str, object]:
    sizes = content.header["arena_bytes"]
    assert isinstance(sizes, tuple)
    count = max([1, *(n + 1 for n, size in enumerate(sizes) if size)])
    return {
        "name": content.about.get("name") or plan.name,
        "file": plan.name,
        "version": __version__,
        "room": max(PAGE, 2 * len(plan.content)),
        "file_alignment": content.header["file_alignment"],
        "alignment": content.header["arena_alignment"],
        "arenas": [
            {"number": n, "size": max(16, sizes[n]), "section": _section(board, n)}
            for n in range(count)
        ],
        "kernels": [k.name.removeprefix("nacre_") for k in kernels],
        "board": None if board is None else board.name,
        "commands": "" if board is None else _commands(board),
        "partition": PARTITION,
    }


def _section(board: Target | None, arena: int) -> str:
    """The attribute that puts an arena into the board's memory of that speed."""
    if board is None or arena >= len(board.data):
        return ""
    name = board.data[arena].sections.bss
    return "" if name is None else f' __attribute__((section("{name}")))'


def _board(plan: PlanInput, facts: dict[str, object], board: Target) -> dict[str, str]:
    text = environment().get_template("plan_example.c.j2").render(facts | {"embedded": True})
    data = (
        f"/* The plan {plan.name}, linked into the image. */\n"
        "#include <stddef.h>\n#include <stdint.h>\n\n"
        "extern const uint8_t plan_data[];\nextern const size_t plan_data_bytes;\n"
        f"const size_t plan_data_bytes = {len(plan.content)};\n"
        f"const uint8_t plan_data[{len(plan.content)}] "
        f"__attribute__((aligned({facts['file_alignment']}))) = {{\n"
        f"{byte_lines(plan.content)}\n}};\n"
    )
    return {
        "example/board/main.c": text,
        "example/board/plan_data.c": data,
        f"example/board/{board.name}.ld": linker_script(board),
        **{f"example/board/{name}": board_source(name) for name in ("startup.c", "syscalls.c")},
    }


def _commands(board: Target) -> str:
    return (
        f"{board.compiler} {' '.join(board.flags)} -std=c99 -O2 -ffunction-sections "
        "-Wl,--gc-sections -I . -I example \\\n"
        f"  -nostartfiles --specs=nano.specs -T example/board/{board.name}.ld -o plan.elf \\\n"
        "  *.c runtime/*.c kernels/*.c example/board/*.c -lm\n"
        f"qemu-system-arm -M {board.qemu_machine} -nographic -monitor none -serial none \\\n"
        "  -semihosting-config enable=on,target=native -kernel plan.elf"
    )


def _esp_idf(plan: PlanInput, facts: dict[str, object], files: dict[str, str]) -> dict[str, str]:
    """A project whose partition table has a place for plans, twice as large as this one."""
    pages = -(-2 * len(plan.content) // PAGE)
    sources = sorted(f for f in files if f.endswith(".c") and not f.startswith("example/"))
    listed = "".join(f'        "../../../{s}"\n' for s in sources)
    return {
        "example/esp-idf/CMakeLists.txt": (
            "cmake_minimum_required(VERSION 3.16)\n"
            "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\n"
            "project(plan_example)\n"
        ),
        "example/esp-idf/main/CMakeLists.txt": (
            f'idf_component_register(\n    SRCS\n        "main.c"\n{listed}'
            '    INCLUDE_DIRS "../../.."\n    REQUIRES esp_partition heap\n)\n'
        ),
        "example/esp-idf/main/main.c": environment()
        .get_template("plan_idf_main.c.j2")
        .render(facts),
        "example/esp-idf/partitions.csv": (
            "# Name, Type, SubType, Offset, Size\n"
            "nvs,      data, nvs,     0x9000,  0x6000\n"
            "phy_init, data, phy,     0xf000,  0x1000\n"
            "factory,  app,  factory, 0x10000, 1M\n"
            f"{PARTITION},     0x40, 0x00,    ,        {hex(pages * PAGE)}\n"
        ),
        "example/esp-idf/sdkconfig.defaults": (
            "CONFIG_PARTITION_TABLE_CUSTOM=y\n"
            'CONFIG_PARTITION_TABLE_CUSTOM_FILENAME="partitions.csv"\n'
        ),
    }
