"""Problem files: what is read, and what is refused with which words."""

from __future__ import annotations

from pathlib import Path

import pytest

from nacre.errors import ConfigError
from nacre.planner.csvfile import read_problem, solve_file
from nacre.planner.problem import Buffer
from support.shared import MODELS, requires_shared


def written(folder: Path, text: str) -> Path:
    path = folder / "problem.csv"
    path.write_text(text)
    return path


def test_columns_may_come_in_any_order(tmp_path: Path) -> None:
    path = written(tmp_path, "size,id,upper,lower\n4,b1,3,0\n\n2,b2,9,3\n")
    assert read_problem(path).buffers == (Buffer("b1", 4, 0, 3), Buffer("b2", 2, 3, 9))


def test_optional_columns(tmp_path: Path) -> None:
    text = "id,lower,upper,size,alignment,memory,offset\na,0,1,4,16,sram,32\nb,0,1,4,,,\n"
    first, second = read_problem(written(tmp_path, text)).buffers
    assert first == Buffer("a", 4, 0, 1, 16, "sram", 32)
    assert second == Buffer("b", 4, 0, 1)


def test_solving_a_file(tmp_path: Path) -> None:
    solved = solve_file(written(tmp_path, "id,lower,upper,size\na,0,2,4\nb,1,3,8\n"), seconds=1)
    assert (solved.height, solved.lower_bound, solved.optimal) == (12, 12, True)
    assert solved.seconds >= 0


@requires_shared
def test_the_public_example() -> None:
    solved = solve_file(MODELS / "planner" / "input.12.csv", seconds=1)
    assert (solved.height, solved.optimal) == (12, True)


GOOD = "id,lower,upper,size"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("\n", "the file is empty"),
        (f"{GOOD}\n", "no buffer in it"),
        ("id,lower,size\na,0,4\n", "line 1: the column 'upper' is missing"),
        (f"{GOOD},colour\na,0,1,4,red\n", "line 1: unknown column 'colour'"),
        (f"{GOOD},size\na,0,1,4,4\n", "line 1: the column 'size' is there twice"),
        (f"{GOOD}\na,0,1,-4\n", "line 2: size must not be negative, found -4"),
        (f"{GOOD}\na,0,1,4\nb,3,3,4\n", "line 3: upper must be above lower, found lower 3"),
        (f"{GOOD}\na,0,1,4.5\n", "line 2: size must be a whole number, found '4.5'"),
        (f"{GOOD}\na,0,,4\n", "line 2: upper must be a whole number, found ''"),
        (f"{GOOD}\na,0,1,4\na,1,2,4\n", "line 3: the id 'a' is already that of line 2"),
        (f"{GOOD}\n,0,1,4\n", "line 2: id is empty"),
        (f"{GOOD}\na,0,1\n", "line 2: 3 values for 4 columns"),
        (f"{GOOD},alignment\na,0,1,4,0\n", "line 2: alignment must be at least 1, found 0"),
        (f"{GOOD},offset\na,0,1,4,-1\n", "line 2: offset must not be negative, found -1"),
        (f"{GOOD},offset\na,0,1,4,x\n", "line 2: offset must be a whole number, found 'x'"),
        (f"{GOOD},alignment,offset\na,0,1,4,8,4\n", "line 2: offset must be a multiple"),
        (f"{GOOD},offset\na,0,2,4,0\nb,1,3,4,2\n", "line 3: 'b' at offset 2 clashes with 'a'"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        read_problem(written(tmp_path, text))


def test_files_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "problem.csv"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="cannot be read as text"):
        read_problem(path)
    with pytest.raises(ConfigError, match="cannot be read as text"):
        read_problem(tmp_path / "absent.csv")
