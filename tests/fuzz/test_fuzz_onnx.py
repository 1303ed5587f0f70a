"""A short, seeded walk of the ONNX fuzzer, and every file that once broke something."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fuzz.corpus import node_tests, published_files
from fuzz.onnx_mutations import mutate_onnx
from fuzz.properties import ONNX

REGRESSIONS = sorted((Path(__file__).parent / "regressions").glob("*.onnx"))


@pytest.mark.parametrize("seed", range(4))
def test_damaged_node_tests(seed: int) -> None:
    _walk(node_tests(), seed, 600)


def test_damaged_published_onnx_files() -> None:
    corpus = published_files("onnx", 24 * 1024)
    if not corpus:
        pytest.skip("the shared models are not there")
    _walk(corpus, 7, 150)


def _walk(corpus: tuple[bytes, ...], seed: int, steps: int) -> None:
    """Some files stay sound, some do not, and some are even imported."""
    chance = random.Random(seed)
    sound, imported = set(), set()
    for _ in range(steps):
        data = mutate_onnx(chance.choice(corpus), corpus, chance)
        sound.add(ONNX.check_reader(data))
        imported.add(ONNX.check_importer(data))
    assert sound == imported == {True, False}


@pytest.mark.parametrize("path", REGRESSIONS, ids=[path.stem for path in REGRESSIONS])
def test_regression(path: Path) -> None:
    """Files that once ended in something else than a result or an error for the user."""
    data = path.read_bytes()
    assert ONNX.check_all(data) or not ONNX.check_importer(data)
