"""What a target file may say: core, features, and its memories in order of speed."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from nacre.memory import MemoryType

_FROZEN = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Sections(BaseModel):
    """Linker section per kind of content; None leaves the compiler's own choice."""

    model_config = _FROZEN

    bss: str | None = None
    data: str | None = None
    rodata: str | None = None
    code: str | None = None


class Memory(BaseModel):
    """One memory. A figure that no source gives is None: unknown, never invented."""

    model_config = _FROZEN

    name: str
    size: int | None = None
    writable: bool = True
    volatile: bool = True
    # Code can run from it.
    executable: bool = True
    # Tensors that no rule places may go there.
    default_data: bool = True
    # Address of the first byte, where known.
    base: int | None = None
    read_mb_s: float | None = None
    write_mb_s: float | None = None
    latency: str | None = None
    # Where the figures come from.
    source: str | None = None
    sections: Sections = Sections()
    # Extra names under which rules may speak of it.
    aliases: tuple[str, ...] = ()

    @field_validator("name")
    @classmethod
    def _upper(cls, value: str) -> str:
        return str(MemoryType(value))

    @property
    def type(self) -> MemoryType:
        return MemoryType(self.name)


class Target(BaseModel):
    """A chip or board; memories are listed fastest first."""

    model_config = _FROZEN

    name: str
    description: str = ""
    core: str
    features: frozenset[str] = frozenset()
    # Smallest alignment of a tensor slot, in bytes.
    min_alignment: int = 4
    memories: tuple[Memory, ...] = Field(min_length=1)
    # Compiler flags and QEMU machine, for the targets that nacre can build and run itself.
    compiler: str | None = None
    flags: tuple[str, ...] = ()
    qemu_machine: str | None = None

    @model_validator(mode="after")
    def _sound(self) -> Target:
        names = [m.name for m in self.memories]
        if len(set(names)) != len(names):
            raise ValueError(f"a memory is listed twice: {', '.join(names)}")
        if self.min_alignment & (self.min_alignment - 1):
            raise ValueError(f"min_alignment {self.min_alignment} is not a power of two")
        if not any(m.writable for m in self.memories):
            raise ValueError("no memory is writable")
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
