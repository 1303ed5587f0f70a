"""A short, seeded walk of the fuzzer, and every file that once broke something."""

from __future__ import annotations

import random
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.corpus import own_files, published_files
from fuzz.mutations import mutate
from fuzz.properties import TFLITE, count_calls

REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.tflite"))
# Of a damaged file, per byte and at least: the budget of the reader allows for no more.
CALLS_PER_BYTE, CALLS_AT_LEAST = 40, 50_000


@pytest.mark.parametrize("seed", range(8))
def test_damaged_files_of_our_own(seed: int) -> None:
    chance = random.Random(seed)
    corpus = own_files()
    outcomes = {
        TFLITE.check_reader(mutate(chance.choice(corpus), corpus, chance)) for _ in range(5000)
    }
    assert outcomes == {True, False}


@pytest.mark.parametrize("seed", range(4))
def test_damaged_published_files(seed: int) -> None:
    corpus = published_files("tflite", 8 * 1024)
    if not corpus:
        pytest.skip("the shared models are not there")
    chance = random.Random(seed)
    outcomes = {
        TFLITE.check_reader(mutate(chance.choice(corpus), corpus, chance)) for _ in range(2000)
    }
    assert outcomes == {True, False}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.binary(max_size=256))
def test_any_bytes_behind_the_header(tail: bytes) -> None:
    assert not TFLITE.check_reader(b"\x08\x00\x00\x00TFL3" + tail)


def test_the_work_is_bounded_by_the_size() -> None:
    chance = random.Random(99)
    corpus = own_files()
    for _ in range(300):
        data = mutate(chance.choice(corpus), corpus, chance)
        assert count_calls(TFLITE.check_reader, data) <= CALLS_AT_LEAST + CALLS_PER_BYTE * len(data)


def test_the_memory_is_bounded_by_the_size() -> None:
    chance = random.Random(100)
    corpus = own_files()
    tracemalloc.start()
    try:
        for _ in range(100):
            data = mutate(chance.choice(corpus), corpus, chance)
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            TFLITE.check_reader(data)
            assert tracemalloc.get_traced_memory()[1] - before <= (4 << 20) + 128 * len(data)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("path", REGRESSIONS, ids=[path.stem for path in REGRESSIONS])
def test_regression(path: Path) -> None:
    """Files that once ended in something else than a result or an error for the user."""
    sound = TFLITE.check_reader(path.read_bytes())
    imported = sound and TFLITE.check_importer(path.read_bytes())
    assert not imported or sound


@pytest.mark.parametrize("seed", range(4))
def test_the_importer_on_damaged_files(seed: int) -> None:
    chance = random.Random(seed)
    corpus = own_files() + published_files("tflite", 8 * 1024)
    read = 0
    for _ in range(2000):
        data = mutate(chance.choice(corpus), corpus, chance)
        if TFLITE.check_reader(data):
            read += 1
            TFLITE.check_importer(data)
    assert read > 0
