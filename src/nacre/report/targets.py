"""What `targets` prints."""

from __future__ import annotations

from nacre.targets import Memory, Target
from nacre.text import size, table


def targets_text(targets: list[Target]) -> str:
    rows = [["target", "core", "memories", ""]]
    rows += [[t.name, t.core, " ".join(m.name for m in t.memories), t.description] for t in targets]
    return table(rows)


def target_text(target: Target) -> str:
    features = ", ".join(sorted(target.features)) or "none"
    head = (
        f"{target.name}  {target.description}\n"
        f"  core {target.core}, features {features}, "
        f"slots aligned to {target.min_alignment} bytes\n"
    )
    rows = [["memory", "size", "", "base", "read MB/s", "write MB/s", "source"]]
    unlimited = "no limit" if target.core == "host" else "unknown"
    rows += [_memory_row(m, unlimited) for m in target.memories]
    return head + "\n" + table(rows)


def _memory_row(memory: Memory, unlimited: str) -> list[str]:
    traits = "read-only" if not memory.writable else "volatile" if memory.volatile else "kept"
    return [
        memory.name,
        unlimited if memory.size is None else size(memory.size),
        traits,
        "-" if memory.base is None else f"0x{memory.base:08x}",
        _rate(memory.read_mb_s),
        _rate(memory.write_mb_s),
        memory.source or "",
    ]


def _rate(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}"
