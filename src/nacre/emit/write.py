"""Puts a module's files on disk: whole or not at all, and never over somebody else's folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from nacre.errors import ConfigError

# Marks a folder as ours, with one path per line: what a later conversion may replace.
MANIFEST = ".nacre-manifest"


def write_module(folder: Path, files: Mapping[str, bytes], force: bool = False) -> None:
    """Write beside the folder first, then swap; files that are not ours are kept or refused."""
    strangers = _strangers(folder)
    if strangers and not force:
        raise ConfigError(
            f"{folder}: holds files that nacre did not write ({', '.join(strangers[:3])}"
            f"{', …' if len(strangers) > 3 else ''}).\n"
            "  choose another folder with -o, or allow it with --force. Nothing was written."
        )
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        _fill(staging, files)
        _carry_over(folder, staging, files, strangers)
        _swap(folder, staging)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _strangers(folder: Path) -> list[str]:
    """Files in the folder that no manifest of ours lists."""
    if not folder.exists():
        return []
    if not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; choose a folder with -o. Nothing was written.")
    manifest = folder / MANIFEST
    ours = set(manifest.read_text(encoding="utf-8").splitlines()) if manifest.is_file() else set()
    found = (p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir())
    return sorted(name for name in found if name not in ours and name != MANIFEST)


def _fill(staging: Path, files: Mapping[str, bytes]) -> None:
    staging.chmod(0o755)
    for name, content in files.items():
        path = staging / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    (staging / MANIFEST).write_text("".join(f"{n}\n" for n in sorted(files)), encoding="utf-8")


def _carry_over(
    folder: Path, staging: Path, files: Mapping[str, bytes], strangers: list[str]
) -> None:
    """With --force: files of others that ours do not replace stay where they are."""
    for name in strangers:
        if name not in files:
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(folder / name, staging / name, follow_symlinks=False)


def _swap(folder: Path, staging: Path) -> None:
    if not folder.exists():
        staging.replace(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}-old-", dir=folder.parent))
    folder.replace(old / "module")
    try:
        staging.replace(folder)
    except OSError:
        (old / "module").replace(folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
