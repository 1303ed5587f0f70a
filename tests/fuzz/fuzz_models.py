"""Fuzzes the reader and the importer of a model format for as long as one likes.

    PYTHONPATH=src:tests python tests/fuzz/fuzz_models.py onnx --seconds 600 --findings findings/

Guided by coverage with atheris when it is installed, else by chance alone. A finding (an exception
that is not for the user, a call over ten seconds, or more than the memory limit) is kept as a
file named after where it happened, once per place; the run goes on.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import resource
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType, TracebackType

import numpy as np

from fuzz.formats import FORMATS, Format

CALL_SECONDS = 10
MEMORY_LIMIT = 3 << 30
LARGEST_INPUT = 64 * 1024
KEPT_CORPUS = 4000


class TooSlow(Exception):
    """A call that ran into the timer."""


@dataclass
class Run:
    """Where findings go, and what was seen so far."""

    format: Format
    findings: Path
    end: float
    reader_only: bool
    places: set[str] = field(default_factory=set)
    calls: int = 0

    def check(self, data: bytes) -> bool:
        """True when the reader takes the file, and nothing is wrong."""
        properties = self.format.properties()
        self.calls += 1
        with _Kept(self, data):
            return (properties.check_reader if self.reader_only else properties.check_all)(data)
        return False

    def keep(self, data: bytes, error: Exception) -> None:
        place = _place(error)
        if place in self.places:
            return
        self.places.add(place)
        self.findings.mkdir(parents=True, exist_ok=True)
        (self.findings / f"{place}.{self.format.name}").write_bytes(data)
        text = "".join(traceback.format_exception(error))
        (self.findings / f"{place}.txt").write_text(text)
        sys.stderr.write(f"finding {place}: {type(error).__name__}: {error}\n")

    @property
    def over(self) -> bool:
        return time.monotonic() > self.end


@dataclass(frozen=True)
class _Kept:
    """Keeps whatever is raised inside as a finding, and bounds the time."""

    run: Run
    data: bytes

    def __enter__(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        signal.setitimer(signal.ITIMER_REAL, 0)
        if not isinstance(error, Exception):
            return False
        self.run.keep(self.data, error)
        return True


def main(arguments: Sequence[str]) -> int:
    options = _parse(arguments)
    signal.signal(signal.SIGALRM, _stop_call)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    np.seterr(all="ignore")
    end = time.monotonic() + options.seconds
    run = Run(FORMATS[options.format], options.findings, end, options.reader_only)
    corpus = list(run.format.seeds())
    guided = importlib.util.find_spec("atheris") is not None and options.engine != "chance"
    (_run_guided if guided else _run_by_chance)(run, corpus, options.seed)
    return _report(run)


def _report(run: Run) -> int:
    sys.stderr.write(f"{run.calls} inputs, {len(run.places)} findings\n")
    return 1 if run.places else 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("format", choices=sorted(FORMATS))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--engine", choices=("auto", "chance"), default="auto")
    parser.add_argument("--reader-only", action="store_true")
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    return parser.parse_args(arguments)


def _run_by_chance(run: Run, corpus: list[bytes], seed: int) -> None:
    """Mutate files; some of those that are still sound join the corpus."""
    chance = random.Random(seed)
    while not run.over:
        data = run.format.mutate(chance.choice(corpus), corpus, chance)[:LARGEST_INPUT]
        if run.check(data) and len(corpus) < KEPT_CORPUS and chance.random() < 0.05:
            corpus.append(data)


def _run_guided(run: Run, corpus: list[bytes], seed: int) -> None:
    import atheris

    with atheris.instrument_imports(include=["nacre"]):
        run.format.properties()
    chance = random.Random(seed)
    folder = run.findings / "corpus"
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(corpus):
        (folder / f"seed{number}").write_bytes(data)

    def test(data: bytes) -> None:
        if run.over:
            # libFuzzer takes any other way out for a crash.
            os._exit(_report(run))
        run.check(data)

    def damage(data: bytes, largest: int, _number: int) -> bytes:
        guided = chance.random() < 0.4
        mutate = run.format.mutate
        damaged = atheris.Mutate(data, largest) if guided else mutate(data, corpus, chance)
        return run.format.repair(bytes(damaged), chance)[:largest]

    flags = [f"-seed={seed + 1}", f"-max_len={LARGEST_INPUT}", "-rss_limit_mb=0", "-verbosity=0"]
    atheris.Setup([sys.argv[0], str(folder), *flags], test, custom_mutator=damage)
    atheris.Fuzz()


def _stop_call(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow(f"no answer after {CALL_SECONDS} seconds")


def _place(error: Exception) -> str:
    """Where in nacre it happened, as a file name."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "nacre" in f.filename] or list(frames)
    last = ours[-1]
    return f"{type(error).__name__}-{Path(last.filename).stem}-{last.lineno}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
