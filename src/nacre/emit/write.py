"""Puts a module's files on disk: whole or not at all, and never over somebody else's folder."""

from __future__ import annotations

import errno
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from nacre.errors import ConfigError

# Marks a folder as ours, with one path per line: what a later conversion may replace.
MANIFEST = ".nacre-manifest"


def check_folder(folder: Path, force: bool = False) -> None:
    """Refuse a folder that holds files of others, unless that is allowed."""
    with _explained(folder):
        found, ours = _found(folder), _listed(folder)
    strangers = sorted(found - ours)
    if strangers and not force:
        shown = ", ".join(strangers[:3]) + (", …" if len(strangers) > 3 else "")
        raise ConfigError(
            f"{folder}: holds files that nacre did not write ({shown}).\n"
            "  choose another folder with -o, or allow it with --force: then files of the same "
            "name are replaced. Nothing was written."
        )


def write_module(folder: Path, files: Mapping[str, bytes], force: bool = False) -> None:
    """Write everything aside first, then put it in its place; files of others stay."""
    check_folder(folder, force)
    whole = {**files, MANIFEST: "".join(f"{n}\n" for n in sorted(files)).encode()}
    with _explained(folder):
        if folder.exists():
            _renew(folder, whole)
        else:
            _create(folder, whole)


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ConfigError(
            f"{folder}: cannot be written: {error.strerror}; choose another folder with -o. "
            "Nothing was written."
        ) from None


def _found(folder: Path) -> set[str]:
    """The files in a folder, ours and others'."""
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: is a file; choose a folder with -o. Nothing was written.")
    names = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if not p.is_dir()}
    return names - {MANIFEST}


def _listed(folder: Path) -> set[str]:
    """The files that an earlier conversion wrote."""
    manifest = folder / MANIFEST
    if not manifest.is_file():
        return set()
    return set(manifest.read_text(encoding="utf-8", errors="replace").splitlines())


def _create(folder: Path, files: Mapping[str, bytes]) -> None:
    """A new folder appears with everything in it."""
    made = _missing(folder.parent)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as staging:
            whole = Path(staging) / folder.name
            _fill(whole, files)
            whole.replace(folder)
    except BaseException:
        _remove_empty(made)
        raise


def _renew(folder: Path, files: Mapping[str, bytes]) -> None:
    """Move what is new in and what is old out; a failure on the way undoes it all."""
    stale = sorted((_found(folder) & _listed(folder)) - set(files))
    fresh = {name: c for name, c in files.items() if not _is_same(folder / name, c)}
    staging = Path(tempfile.mkdtemp(prefix=".nacre-", dir=folder))
    moved: list[tuple[Path, Path]] = []
    made: list[Path] = []
    try:
        _fill(staging / "new", fresh)
        for name in (*stale, *fresh):
            if _is_there(folder / name):
                _move(folder / name, staging / "old" / name, moved, made)
        for name in fresh:
            _move(staging / "new" / name, folder / name, moved, made)
    except BaseException:
        _undo(moved)  # should this fail too, the old files stay in the staging folder
        shutil.rmtree(staging, ignore_errors=True)
        _remove_empty(made)
        raise
    shutil.rmtree(staging, ignore_errors=True)
    _remove_empty({p for name in stale for p in (folder / name).parents if folder in p.parents})


def _fill(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


def _is_same(path: Path, content: bytes) -> bool:
    """Unchanged files keep their time, so that builds do not start over."""
    return path.is_file() and path.read_bytes() == content


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()


def _move(source: Path, target: Path, moved: list[tuple[Path, Path]], made: list[Path]) -> None:
    """Note what is made before it is made: an interrupt may come right after it."""
    if source.is_dir() and not source.is_symlink():
        raise IsADirectoryError(errno.EISDIR, f"{source} is a folder, not the module's file")
    made += _missing(target.parent)
    target.parent.mkdir(parents=True, exist_ok=True)
    moved.append((source, target))
    source.replace(target)


def _undo(moved: Sequence[tuple[Path, Path]]) -> None:
    for source, target in reversed(moved):
        if _is_there(target) and not _is_there(source):
            target.replace(source)


def _missing(folder: Path) -> list[Path]:
    """The folder and those above it, as far as they do not exist yet."""
    return [p for p in (folder, *folder.parents) if not p.exists()]


def _remove_empty(folders: Iterable[Path]) -> None:
    """Remove folders with nothing left in them, innermost first."""
    for folder in sorted(folders, key=lambda p: -len(p.parts)):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
