"""Fuzzing of the runtime: `python tests/plan/fuzz_plans.py FOLDER SECONDS` with src on the path.

Builds the runtime with its kernels under libFuzzer, ASan and UBSan, and changes plans: words of
their records mostly, with the checksum mended. Findings stay in FOLDER/found.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nacre.build import write_files
from nacre.ops.kind import Kernel
from nacre.planfile.firmware import runtime_files
from nacre.planfile.read import kernel_names
from nacre.planfile.rules import known_kernels, rules
from nacre.planfile.write import plan_file

HERE = Path(__file__).parent / "fuzz"
# Conversions of floats that do not fit an integer give any integer: no address depends on one.
SANITIZERS = (
    "-fsanitize=fuzzer-no-link,address,undefined",
    "-fno-sanitize=float-cast-overflow",
    "-fno-sanitize-recover=undefined",
)
FLAGS = ("-std=gnu99", "-O1", "-g", "-DNACRE_MAX_KERNELS=512", "-DNACRE_MOST_ROWS=2048")


def corpus_plans() -> dict[str, bytes]:
    """Small plans, one or more for each kind of check."""
    return {p.name: p.read_bytes() for p in sorted((HERE / "corpus").glob("*.ncr"))}


def seeds() -> dict[str, bytes]:
    """Whole networks in stages, with packed constants and without."""
    from plan.plans import EXAMPLE, program_for

    found = {}
    for budget in (None, "8K+64K", "4K+64K"):
        for compress in (False, True):
            program = program_for(EXAMPLE, budget=budget)
            found[f"example-{budget}-{compress}"] = plan_file(program, compress)
    return found


def write_sources(folder: Path, kernels: Iterable[Kernel]) -> None:
    """The runtime, these kernels and the fuzz target."""
    files = {name: text.encode() for name, text in runtime_files(kernels).items()}
    files["fuzz_plan.c"] = (HERE / "fuzz_plan.c").read_bytes()
    write_files(folder, files)


def build(folder: Path, plans: Iterable[bytes] | None = None) -> Path:
    """The fuzzer with the kernels of these plans, or with all that plans may call."""
    known = {n: k for n, k in known_kernels().items() if n in rules() and k.isa == "portable"}
    names = set(known) if plans is None else {n for p in plans for n in kernel_names(p)}
    write_sources(folder, [known[n] for n in sorted(names & set(known))])

    def compile_one(source: Path) -> str:
        made = source.with_suffix(".o")
        command = ["clang", *FLAGS, *SANITIZERS, f"-I{folder}", "-c", str(source), "-o", str(made)]
        subprocess.run(command, check=True)
        return str(made)

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile_one, sorted(folder.rglob("*.c"))))
    fuzzer = folder / "fuzz_plan"
    linked = ("-fsanitize=fuzzer,address,undefined", "-o", str(fuzzer), *objects, "-lm")
    subprocess.run(["clang", *linked], check=True)
    return fuzzer


def main(folder: Path, seconds: int) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    fuzzer = build(folder / "build")
    corpus, found = folder / "corpus", folder / "found"
    corpus.mkdir(exist_ok=True)
    found.mkdir(exist_ok=True)
    for name, content in {**corpus_plans(), **seeds()}.items():
        (corpus / name).write_bytes(content)
    options = ("-fork=1", "-ignore_crashes=1", "-max_len=40960", "-timeout=120")
    command = [fuzzer, *options, f"-max_total_time={seconds}", f"-artifact_prefix={found}/", corpus]
    subprocess.run([str(c) for c in command], check=False)
    return len(list(found.iterdir()))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    sys.exit(min(1, main(Path(sys.argv[1]), int(sys.argv[2]))))
