"""A short, seeded attack on the whole line, and every model that once broke something."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from attack.examine import apart, examine, is_small, prepare
from attack.line import compile_bytes
from attack.mutants import mutant, requires_schema
from attack.odd_models import ODD
from attack.sanitized import environment
from fuzz.corpus import own_files, published_files

HERE = Path(__file__).parent
REGRESSIONS = sorted((HERE / "regressions").glob("*.tflite"))
NAMES = [path.stem for path in REGRESSIONS]
MUTANTS = 120
# The others are refused.
COMPILED = {
    "bias_of_two_dimensions", "fully_connected_huge_multiplier", "fully_connected_no_outputs",
    "fully_connected_sums_wrap", "leaky_relu_huge_alpha", "logistic_scalar",
    "pad_half_with_zero_point", "reduce_prod_overflow", "relu_of_floats_with_scales",
    "root_shift_beyond_word",
}  # fmt: skip


def check(data: bytes, litert: bool = False) -> bool:
    """True when the model is compiled; then its kernels must do what the references do."""
    compiled = compile_bytes(data, litert)
    if compiled is not None and is_small(compiled.program):
        verdict = apart(lambda tell: examine(data, compiled, tell, oracles=False))
        assert not verdict.finding, f"{verdict.stage}: {verdict.finding}"
    return compiled is not None


@requires_schema
@pytest.mark.parametrize("seed", range(3))
def test_mutants_of_odd_models(seed: int) -> None:
    prepare()
    chance = random.Random(seed)
    corpus = [*(made().build() for made in ODD.values()), *own_files()]
    made = (mutant(chance.choice(corpus), chance) for _ in range(MUTANTS))
    assert {check(data) for data in made if data is not None} == {True, False}


@requires_schema
@pytest.mark.parametrize("seed", range(2))
def test_mutants_of_published_models(seed: int) -> None:
    corpus = published_files("tflite", 8 * 1024)
    if not corpus:
        pytest.skip("the shared models are not there")
    prepare()
    chance = random.Random(seed)
    made = (mutant(chance.choice(corpus), chance) for _ in range(MUTANTS))
    assert {check(data) for data in made if data is not None} == {True, False}


@pytest.mark.parametrize("litert", [False, True])
@pytest.mark.parametrize("path", REGRESSIONS, ids=NAMES)
def test_regression(path: Path, litert: bool) -> None:
    """Models that once ended in a traceback, a hang, a wrong access or a wrong number."""
    prepare()
    assert check(path.read_bytes(), litert) == (path.stem in COMPILED)


@pytest.mark.slow
def test_regressions_under_sanitizers() -> None:
    """The same in a process whose kernels may touch nothing but what their step names."""
    command = [sys.executable, "-W", "ignore", str(HERE / "fuzz_line.py"), "--memory", "0"]
    command += ["--as-they-are", *map(str, REGRESSIONS)]
    paths = ":".join(str(HERE.parents[1] / name) for name in ("src", "tests", "examples"))
    variables = environment() | {"PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, env=variables, check=False)
    assert done.returncode == 0, done.stderr
