"""Board support in a module: script and start-up for emulated boards, fragments for chips."""

from __future__ import annotations

from importlib import resources

from nacre.emit.environment import environment
from nacre.targets import Memory, Target

STACK = 16 << 10


def board_files(target: Target) -> dict[str, str]:
    """Nothing for the host, linker/ with a fragment for a chip, example/board/ for QEMU."""
    if target.qemu_machine is not None:
        return {
            f"example/board/{target.name}.ld": linker_script(target),
            **{f"example/board/{name}": board_source(name) for name in ("startup.c", "syscalls.c")},
        }
    if any(_sections(m) for m in target.memories):
        return {f"linker/{target.name}.ld": linker_fragment(target)}
    return {}


def board_commands(target: Target) -> str:
    """How to build and run the example of a module on an emulated board; "" elsewhere."""
    if target.qemu_machine is None or target.compiler is None:
        return ""
    return (
        f"{target.compiler} {' '.join(target.flags)} -O2 -I . -nostartfiles --specs=nano.specs \\\n"
        f"  -T example/board/{target.name}.ld -o example.elf \\\n"
        "  $(find *.c kernels* example -name '*.c') -lm\n"
        f"qemu-system-arm -M {target.qemu_machine} -nographic -monitor none -serial none \\\n"
        "  -semihosting-config enable=on,target=native -kernel example.elf"
    )


def board_source(name: str) -> str:
    folder = resources.files("nacre").joinpath("csrc", "board")
    return folder.joinpath(name).read_text(encoding="utf-8")


def linker_script(target: Target) -> str:
    """A whole script: each memory at its address, each placed section in its memory."""
    ram = target.data[0]
    template = environment().get_template("board.ld.j2")
    return template.render(
        target=target.name,
        cold=target.cold.name,
        ram=ram.name,
        vectors=next(m.name for m in target.memories if m.base == 0),
        stack=STACK,
        memories=[_memory_line(m) for m in target.memories if m.base is not None],
        placed=[s for m in target.memories for s in _placed(m, target)],
    )


def linker_fragment(target: Target) -> str:
    """The sections that the module uses, for the user's own script."""
    template = environment().get_template("fragment.ld.j2")
    return template.render(
        target=target.name,
        cold=target.cold.name,
        memories=[
            {"name": m.name, "sections": _sections(m)} for m in target.memories if _sections(m)
        ],
    )


def _sections(memory: Memory) -> list[dict[str, str]]:
    """Distinct sections of a memory with what they hold."""
    found: dict[str, list[str]] = {}
    names = memory.sections
    contents = {
        "arenas": names.bss,
        "constants in RAM": names.data,
        "constants": names.rodata if not memory.writable else None,
        "code": names.code,
    }
    for content, name in contents.items():
        if name is not None:
            found.setdefault(name, []).append(content)
    return [{"name": name, "content": " and ".join(c)} for name, c in found.items()]


def _memory_line(memory: Memory) -> dict[str, str]:
    assert memory.base is not None and memory.size is not None
    rights = ("rwx" if memory.executable else "rw") if memory.writable else "rx"
    return {
        "name": memory.name,
        "rights": rights,
        "base": f"0x{memory.base:08x}",
        "size": f"{memory.size >> 10}K",
    }


def _placed(memory: Memory, target: Target) -> list[dict[str, str]]:
    """Output sections of a memory: code and data are loaded from the cold memory, bss is not."""
    cold = target.cold.name
    copied = f" AT> {cold}" if memory.writable else ""
    names, lower = memory.sections, memory.name.lower()
    rows = [
        (names.code, f"nacre_{lower}_code", "", copied),
        (names.data, f"nacre_{lower}_data", "", copied),
        (names.rodata if not memory.writable else None, f"nacre_{lower}_rodata", "", ""),
        (names.bss, f"nacre_{lower}_bss", "(NOLOAD) ", ""),
    ]
    return [
        {
            "output": output,
            "kind": kind,
            "pattern": f"*({name} {name}.*)",
            "memory": memory.name,
            "load": load,
        }
        for name, output, kind, load in rows
        if name is not None
    ]
