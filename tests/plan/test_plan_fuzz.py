"""Plans that somebody damaged, by accident or on purpose: nothing outside their memory is touched.

The long run is `python tests/plan/fuzz_plans.py FOLDER SECONDS`; here are a short one with a fixed
seed, what earlier runs found, and every single bit of a small file.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from nacre.planfile.read import kernel_names
from nacre.planfile.rules import known_kernels
from nacre.runtime import PlanError, PlanRunner
from plan.fuzz_plans import build, corpus_plans, seeds, write_sources

HERE = Path(__file__).parent / "fuzz"
REGRESSIONS = sorted((HERE / "regressions").glob("*.ncr"))


def has_fuzzer() -> bool:
    """Whether clang is there, with the libraries of its fuzzer."""
    if not shutil.which("clang"):
        return False
    command = ["clang", "-print-file-name=libclang_rt.fuzzer-x86_64.a"]
    return Path(subprocess.run(command, capture_output=True, text=True).stdout.strip()).is_file()


needs_clang = pytest.mark.skipif(not has_fuzzer(), reason="clang with its fuzzer is not installed")
SANITIZED = ("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined")


def flipped(plan: bytes, folder: Path) -> str:
    """Every bit of a plan flipped, under the sanitizers; what the program said."""
    names = kernel_names(plan)
    write_sources(folder, [known_kernels()[n] for n in names])
    (folder / "plan.ncr").write_bytes(plan)
    sources = [str(p) for p in folder.rglob("*.c")]
    made = folder / "flip"
    flags = ("-std=gnu99", "-O1", "-g", "-DNACRE_MOST_ROWS=2048", f"-I{folder}", *SANITIZED)
    command = ["gcc", *flags, *sources, str(HERE / "flip_plan.c"), "-o", str(made), "-lm"]
    subprocess.run(command, check=True)
    done = subprocess.run([made, folder / "plan.ncr"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("name", ["fully_connected", "conv2d_8"])
def test_every_bit_of_a_small_file(name: str, tmp_path: Path) -> None:
    plan = (HERE / "corpus" / f"{name}.ncr").read_bytes()
    assert flipped(plan, tmp_path) == f"{8 * len(plan)} bits\n"


@needs_clang
@pytest.mark.slow
def test_short_run_and_what_was_found(tmp_path: Path) -> None:
    """Every seed and every finding runs; then some thousand changes of them, always the same."""
    plans = {**corpus_plans(), **{p.name: p.read_bytes() for p in REGRESSIONS}}
    assert len(plans) > 50
    fuzzer = build(tmp_path, plans.values())
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for name, content in {**plans, **seeds()}.items():
        (corpus / name).write_bytes(content)
    command = [fuzzer, "-runs=6000", "-seed=7", "-max_len=40960", "-timeout=300", str(corpus)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]


def test_corpus_is_current() -> None:
    """Most seeds open: those that do not were made for other parameters of their kernels."""
    refused = []
    for name, content in corpus_plans().items():
        try:
            PlanRunner(content)
        except PlanError as error:
            refused.append(f"{name}: {error}")
    assert len(refused) <= 6, refused
