"""A module appears whole or not at all, whatever fails; files of others stay as they are."""

from __future__ import annotations

import errno
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.commands import nacre, snapshot
from cli.models import plain
from nacre.emit.write import MANIFEST, write_module
from nacre.errors import ConfigError

OLD = {"a.h": b"old", "same.h": b"same", "kernels/gone.c": b"old", "deep/er/gone.c": b"old"}
NEW = {"a.h": b"new", "same.h": b"same", "kernels/k.c": b"new", "docs/index.html": b"new"}
FOREIGN = {"notes.txt": b"mine", "kernels/mine.c": b"mine", "empty/.keep": b""}

FULL_DISK = OSError(errno.ENOSPC, "No space left on device")
INTERRUPT = KeyboardInterrupt()
# Every way in which writing touches the disk.
METHODS = ("write_bytes", "replace", "mkdir")


def put(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def files_below(folder: Path) -> dict[str, bytes]:
    """All files but the manifest."""
    found = {name: c for name, c in snapshot(folder).items() if c is not None}
    return {name: c for name, c in found.items() if name != MANIFEST}


def failing(method: str, count: int, error: BaseException, late: bool) -> Callable[..., object]:
    """A method of Path that fails once, at its n-th call: before it has done its work, or after."""
    real, calls = getattr(Path, method), iter(range(count, -1, -1))

    def call(self: Path, *arguments: object, **named: object) -> object:
        last = next(calls, -1) == 0
        if last and not late:
            raise error
        result = real(self, *arguments, **named)
        if last:
            raise error
        return result

    return call


def write(folder: Path, force: bool) -> bool:
    """Whether writing went through."""
    try:
        write_module(folder, NEW, force)
    except (ConfigError, KeyboardInterrupt):
        return False
    return True


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("error", [FULL_DISK, INTERRUPT], ids=["full disk", "interrupt"])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("state", ["nothing", "module", "module and others"])
def test_failure_at_any_moment_leaves_all_or_nothing(
    state: str, method: str, error: BaseException, late: bool, tmp_path: Path
) -> None:
    folder = tmp_path / "some" / "where" if state == "nothing" else tmp_path / "module"
    if state != "nothing":
        write_module(folder, OLD)
    if state == "module and others":
        put(folder, FOREIGN)
    before = snapshot(tmp_path)
    for count in range(1000):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Path, method, failing(method, count, error, late))
            done = write(folder, force=True)
        if done:
            break
        complete = state == "nothing" and folder.exists()
        assert complete or snapshot(tmp_path) == before, f"{method}, call {count}"
        if complete:
            assert files_below(folder) == NEW
            return
    assert count >= 1
    kept = FOREIGN if state == "module and others" else {}
    assert files_below(folder) == {**kept, **NEW}
    assert not [p for p in tmp_path.rglob(".*") if p.name not in (MANIFEST, ".keep")]


def test_undo_that_fails_keeps_the_old_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "module"
    write_module(folder, OLD)
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        if "new" in self.parts or "old" in self.parts:
            raise FULL_DISK
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    with pytest.raises(ConfigError):
        write_module(folder, NEW)
    kept = {
        p.name: p.read_bytes() for p in folder.rglob("*") if "new" not in p.parts and p.is_file()
    }
    assert kept.items() >= {Path(name).name: content for name, content in OLD.items()}.items()


def test_stale_files_and_their_folders_go(tmp_path: Path) -> None:
    write_module(tmp_path / "renewed", OLD)
    write_module(tmp_path / "renewed", NEW)
    write_module(tmp_path / "fresh", NEW)
    assert snapshot(tmp_path / "renewed") == snapshot(tmp_path / "fresh")


def test_unchanged_files_keep_their_time(tmp_path: Path) -> None:
    write_module(tmp_path, OLD)
    before = {name: (tmp_path / name).stat().st_ino for name in ("a.h", "same.h")}
    write_module(tmp_path, NEW)
    assert (tmp_path / "same.h").stat().st_ino == before["same.h"]
    assert (tmp_path / "a.h").read_bytes() == b"new"


def test_files_of_others_are_refused_or_kept(tmp_path: Path) -> None:
    put(tmp_path, {**FOREIGN, "a.h": b"mine"})
    before = snapshot(tmp_path)
    with pytest.raises(
        ConfigError, match=r"did not write \(a\.h, empty/\.keep, kernels/mine\.c, …"
    ):
        write_module(tmp_path, NEW)
    assert snapshot(tmp_path) == before
    write_module(tmp_path, NEW, force=True)
    assert files_below(tmp_path) == {**FOREIGN, **NEW}
    with pytest.raises(ConfigError, match=r"did not write \(empty/\.keep, kernels/mine\.c, notes"):
        write_module(tmp_path, NEW)


@pytest.mark.parametrize("name", ["a.h/mine.txt", "kernels"])
def test_nothing_of_others_makes_way(name: str, tmp_path: Path) -> None:
    """A folder where a file would go, a file where a folder would go: even --force refuses."""
    put(tmp_path, {name: b"mine"})
    before = snapshot(tmp_path)
    with pytest.raises(ConfigError, match="cannot be written"):
        write_module(tmp_path, NEW, force=True)
    assert snapshot(tmp_path) == before


def test_manifest_is_not_trusted(tmp_path: Path) -> None:
    put(tmp_path, {"victim.txt": b"mine", "module/a.h": b"old"})
    manifest = f"../victim.txt\n{tmp_path}/victim.txt\na.h\n".encode() + b"\xff\n"
    put(tmp_path, {f"module/{MANIFEST}": manifest})
    write_module(tmp_path / "module", NEW)
    assert (tmp_path / "victim.txt").read_bytes() == b"mine"
    assert files_below(tmp_path / "module") == NEW


def test_link_to_a_folder_stays_a_link(tmp_path: Path) -> None:
    write_module(tmp_path / "real", OLD)
    (tmp_path / "link").symlink_to("real")
    write_module(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert files_below(tmp_path / "real") == NEW


# --- through the command --------------------------------------------------------------------------


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.tflite").write_bytes(plain())
    return tmp_path


def convert(*arguments: str) -> int:
    return nacre("convert", "net.tflite", "--no-test.enabled", *arguments).code


def test_conversion_replaces_an_older_one(model: Path) -> None:
    assert convert("-o", "m", "--module.prefix", "first", "--target", "mps3-an547") == 0
    assert (model / "m/first.h").is_file() and (model / "m/example/board").is_dir()
    assert convert("-o", "m", "--module.prefix", "second") == 0
    assert convert("-o", "fresh", "--module.prefix", "second") == 0
    assert snapshot(model / "m") == snapshot(model / "fresh")


def test_conversion_twice_gives_the_same_bytes(model: Path) -> None:
    assert convert("-o", "a") == convert("-o", "b") == 0
    assert snapshot(model / "a") == snapshot(model / "b")


def test_conversion_into_the_working_folder(model: Path) -> None:
    assert convert("-o", ".") == 2
    assert convert("-o", ".", "--force") == 0
    assert (model / "net.tflite").read_bytes() == plain()
    assert (model / "net.h").is_file()


def test_conversion_into_an_empty_folder(model: Path) -> None:
    (model / "ready").mkdir()
    assert convert("-o", "ready") == 0
    assert (model / "ready/net.h").is_file()


@pytest.mark.parametrize("count", [0, 1, 5])
def test_interrupted_conversion(count: int, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(model)
    monkeypatch.setattr(Path, "write_bytes", failing("write_bytes", count, INTERRUPT, True))
    ended = nacre("convert", "net.tflite", "--no-test.enabled", "-o", "deep/er")
    assert (ended.code, ended.out, ended.err) == (1, "", "interrupted\n")
    assert snapshot(model) == before


def test_full_disk(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(model)
    monkeypatch.setattr(Path, "write_bytes", failing("write_bytes", 3, FULL_DISK, False))
    ended = nacre("convert", "net.tflite", "--no-test.enabled", "-o", "m")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("m: cannot be written: No space left on device")
    assert snapshot(model) == before
