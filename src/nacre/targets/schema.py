"""What a target file may say: core, features, and its memories in order of speed."""

from __future__ import annotations

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from nacre.config.schema import Power, Size
from nacre.memory import MemoryType

_FROZEN = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


def _as_section(value: str) -> str:
    return _spelt(value, r"[.\w$-]+", "letters, digits and . _ - $")


def _as_name(value: str) -> str:
    return _spelt(value, r"\w[\w.-]*", "letters, digits and . _ -")


def _as_memory(value: str) -> str:
    return str(MemoryType(_spelt(value, r"[A-Za-z]\w*", "letters, digits and _")))


def _spelt(value: str, pattern: str, words: str) -> str:
    """Names end up in C, linker scripts and file names."""
    if re.fullmatch(pattern, value, re.ASCII) is None:
        raise ValueError(f"{value!r} is not a name; it may have {words}")
    return value


Section: TypeAlias = Annotated[str, AfterValidator(_as_section)]
MemoryName: TypeAlias = Annotated[str, AfterValidator(_as_memory)]
Rate: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Sections(BaseModel):
    """Linker section per kind of content; None leaves the compiler's own choice."""

    model_config = _FROZEN

    bss: Section | None = None
    data: Section | None = None
    rodata: Section | None = None
    code: Section | None = None


class Memory(BaseModel):
    """One memory. A figure that no source gives is None: unknown, never invented."""

    model_config = _FROZEN

    name: MemoryName = Field(description="such as SRAM")
    size: Size | None = None
    writable: bool = True
    volatile: bool = True
    # Code can run from it.
    executable: bool = True
    # Tensors that no rule places may go there.
    default_data: bool = True
    # Address of the first byte, where known.
    base: Annotated[int, Field(ge=0)] | None = None
    read_mb_s: Rate | None = None
    write_mb_s: Rate | None = None
    latency: str | None = None
    # Where the figures come from.
    source: str | None = None
    sections: Sections = Sections()
    # Extra names under which rules may speak of it.
    aliases: tuple[MemoryName, ...] = ()

    @property
    def type(self) -> MemoryType:
        return MemoryType(self.name)


class Target(BaseModel):
    """A chip or board; memories are listed fastest first."""

    model_config = _FROZEN

    name: Annotated[str, AfterValidator(_as_name)] = Field(description="such as my-board")
    description: str = ""
    core: str = Field(description="such as cortex-m4")
    features: frozenset[str] = frozenset()
    # Smallest alignment of a tensor slot, in bytes.
    min_alignment: Power = 4
    memories: tuple[Memory, ...] = Field(min_length=1, description="a list, fastest first")
    # Compiler flags and QEMU machine, for the targets that nacre can build and run itself.
    compiler: str | None = None
    flags: tuple[str, ...] = ()
    qemu_machine: str | None = None

    @model_validator(mode="after")
    def _sound(self) -> Target:
        names = [name for m in self.memories for name in {m.name, *m.aliases}]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"memories: two have the name or alias {twice[0]}")
        if not self.data:
            raise ValueError("memories: none can hold tensors: writable, with default_data")
        return self

    def memory(self, name: MemoryType) -> Memory | None:
        """The memory of that name or alias."""
        for memory in self.memories:
            if name == memory.type or name in {MemoryType(a) for a in memory.aliases}:
                return memory
        return None

    @property
    def writable(self) -> tuple[Memory, ...]:
        """Memories that can hold scratch, fastest first."""
        return tuple(m for m in self.memories if m.writable)

    @property
    def data(self) -> tuple[Memory, ...]:
        """Memories that scratch and variables go to by themselves, fastest first."""
        return tuple(m for m in self.memories if m.writable and m.default_data)

    @property
    def cold(self) -> Memory:
        """Where constants stay by default: the non-volatile memory, or the slowest one."""
        fixed = [m for m in self.memories if not m.volatile]
        return fixed[0] if fixed else self.memories[-1]
