"""Is every symbol of a linked image where the plan put it?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from nacre.errors import ConfigError, ModelError

_Limits: TypeAlias = Mapping[str, int | None]


# ELF machine by the beginning of a target's core.
MACHINES = {"cortex-": "EM_ARM", "xtensa": "EM_XTENSA"}


@dataclass(frozen=True)
class Finding:
    """One symbol: where it is, where it should be, and whether that is right."""

    symbol: str
    memory: str
    address: int | None
    # Addresses [low, high) of its memory; None when the target does not say.
    expected: tuple[int, int] | None
    problem: str | None


@dataclass(frozen=True)
class ImageCheck:
    image: Path
    plan_hash: str
    findings: tuple[Finding, ...]
    # Why the image as a whole is not of this plan, or None.
    mismatch: str | None

    @property
    def ok(self) -> bool:
        return self.mismatch is None and not any(f.problem for f in self.findings)


@dataclass(frozen=True)
class Symbol:
    address: int
    size: int
    content: bytes | None


def check_image(image: Path, module: Path) -> ImageCheck:
    """Compare an ELF image with the placement file of a module's folder."""
    placement = _placement(module)
    symbols = read_symbols(image)
    prefix, plan = str(placement["module_prefix"]), str(placement["plan_hash"])
    memories = placement["memories"]
    findings = tuple(
        _finding(entry, symbols.get(str(entry["symbol"])), memories)
        for entry in placement["symbols"]
    )
    mismatch = (
        _wrong_machine(image, placement)
        or _mismatch(symbols.get(f"{prefix}_plan_hash"), plan)
        or _nothing_to_check(findings, placement)
    )
    return ImageCheck(image, plan, findings, mismatch)


def _wrong_machine(image: Path, placement: Mapping[str, object]) -> str | None:
    from elftools.elf.elffile import ELFFile

    core = str(placement.get("core", ""))
    expected = next((m for prefix, m in MACHINES.items() if core.startswith(prefix)), None)
    with image.open("rb") as file:
        found = str(ELFFile(file)["e_machine"])
    if expected is None or found == expected:
        return None
    return f"the image is for another machine: {found}, the module is for {core} ({expected})"


def _nothing_to_check(findings: tuple[Finding, ...], placement: Mapping[str, object]) -> str | None:
    if any(f.expected is not None or f.problem for f in findings):
        return None
    if not findings:
        return "the module has no symbols to check: the application owns all of its memory"
    return (
        f"nothing could be checked: the target {placement.get('target')} gives no addresses of its "
        "memories; give `base` and `size` in a target file of your own"
    )


def _placement(module: Path) -> dict:  # type: ignore[type-arg]
    found = sorted(module.glob("*_placement.json")) if module.is_dir() else []
    if len(found) != 1:
        raise ConfigError(
            f"{module}: expected one *_placement.json of a module, found {len(found)}; "
            "name the folder that `nacre convert` wrote"
        )
    try:
        placement = json.loads(found[0].read_text(encoding="utf-8"))
        keys = ("module_prefix", "plan_hash", "memories", "symbols")
        if not isinstance(placement, dict) or any(k not in placement for k in keys):
            raise ValueError
    except ValueError:
        raise ConfigError(f"{found[0]}: is not a placement file; convert the model again") from None
    return placement


def read_symbols(image: Path) -> dict[str, Symbol]:
    """Every named symbol with its address and, where the image holds it, its content."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile
    from elftools.elf.sections import SymbolTableSection

    try:
        with image.open("rb") as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".symtab")
            if not isinstance(table, SymbolTableSection):
                raise ModelError(f"{image}: has no symbol table; link without stripping")
            defined = (s for s in table.iter_symbols() if s["st_shndx"] != "SHN_UNDEF")
            return {s.name: _symbol(elf, s) for s in defined if s.name}
    except OSError as error:
        raise ConfigError(f"{image}: cannot be read: {error.strerror}") from None
    except (ELFError, ValueError, KeyError, IndexError, AssertionError, OverflowError) as error:
        raise ModelError(f"{image}: is not an ELF image: {error}") from None


def _symbol(elf, entry) -> Symbol:  # type: ignore[no-untyped-def]
    address, size, index = entry["st_value"], entry["st_size"], entry["st_shndx"]
    if entry["st_info"]["type"] == "STT_FUNC":
        address &= ~1  # the Thumb bit is not part of the address
    content = None
    if isinstance(index, int) and size <= 64:
        section = elf.get_section(index)
        if section["sh_type"] != "SHT_NOBITS":
            start = entry["st_value"] - section["sh_addr"]
            content = section.data()[start : start + size]
    return Symbol(address, size, content)


def _mismatch(symbol: Symbol | None, plan: str) -> str | None:
    if symbol is None:
        return "the image has no plan hash of this module: it was built without it"
    found = (symbol.content or b"").rstrip(b"\0").decode("ascii", errors="replace")
    if found != plan:
        return f"the image was built from another plan: its hash is {found}, the module's {plan}"
    return None


def _finding(
    entry: Mapping[str, object], symbol: Symbol | None, memories: Mapping[str, _Limits]
) -> Finding:
    name, memory = str(entry["symbol"]), str(entry["memory"])
    limits = memories.get(memory, {})
    base, size = limits.get("base"), limits.get("size")
    expected = None if base is None or size is None else (base, base + size)
    if symbol is None:
        return Finding(name, memory, None, expected, "is not in the image")
    problem = _problem(entry, symbol, memory.upper(), expected)
    return Finding(name, memory, symbol.address, expected, problem)


def _problem(
    entry: Mapping[str, object], symbol: Symbol, memory: str, expected: tuple[int, int] | None
) -> str | None:
    """What is wrong with a symbol of the image: size, alignment or place."""
    size, alignment = entry["size"], entry.get("alignment")
    if isinstance(size, int) and size and symbol.size != size:
        return f"has {symbol.size} bytes, the plan {size}"
    if isinstance(alignment, int) and alignment and symbol.address % alignment:
        return f"is at 0x{symbol.address:08x}; the plan aligns it to {alignment}"
    if expected is None or _inside(symbol, expected):
        return None
    return (
        f"is at 0x{symbol.address:08x}; the plan puts it in {memory}, "
        f"0x{expected[0]:08x} to 0x{expected[1]:08x}"
    )


def _inside(symbol: Symbol, limits: tuple[int, int]) -> bool:
    return limits[0] <= symbol.address and symbol.address + max(1, symbol.size) <= limits[1]
