"""A kernel that a rule places takes all of its code along, helper functions included."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from memory.programs import BOARD, toolchain_of
from nacre.targets import load_target
from support.execute import CSRC

HERE = ".text.placed"


@pytest.mark.slow
def test_no_function_stays_behind(tmp_path: Path) -> None:
    """Every function definition carries NACRE_CODE: with it, .text of every object is empty.

    -Os inlines least.
    """
    flags = ["-Os", "-std=c99", *load_target(BOARD).flags]
    flags.append(f'-DNACRE_CODE=__attribute__((section("{HERE}")))')
    sources = [str(p) for p in sorted(CSRC.glob("*.c"))]
    command = [toolchain_of(BOARD).compiler, *flags, "-c", *sources]
    subprocess.run(command, cwd=tmp_path, check=True)
    made = {p.stem: code_sections(p) for p in sorted(tmp_path.glob("*.o"))}
    left = [name for name, sections in made.items() if sections - {HERE}]
    assert not left, f"{len(left)} kernels leave code behind: {', '.join(left)}"
    assert len(made) == len(sources)


def code_sections(image: Path) -> set[str]:
    """Sections with code, empty ones left out."""
    from elftools.elf.elffile import ELFFile

    with image.open("rb") as file:
        sections = {s.name: s["sh_size"] for s in ELFFile(file).iter_sections()}
    return {name for name, size in sections.items() if name.startswith(".text") and size}
