"""Attacks the whole line with mutants of real models, for as long as one likes.

    PYTHONPATH=src:tests python tests/attack/fuzz_line.py --seconds 600 --findings findings/ MODEL…

Each finding is kept once per place, as a model and a text; the run goes on. Without models it
takes the small ones of the shared folder.
"""

from __future__ import annotations

import argparse
import random
import re
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import numpy as np

from attack.examine import apart, examine, is_small, prepare
from attack.line import Compiled, compile_bytes
from attack.mutants import mutant
from fuzz.corpus import own_files, published_files

CALL_SECONDS = 10
MEMORY_LIMIT = 4 << 30


class TooSlow(Exception):
    """A call that ran into the timer."""


@dataclass
class Run:
    findings: Path
    execute: bool
    seen: set[str] = field(default_factory=set)
    counts: Counter[str] = field(default_factory=Counter)

    def check(self, data: bytes) -> None:
        try:
            compiled = self._compiled(data)
        except Exception as error:
            self.counts["exception"] += 1
            self._keep(_place(error), data, "".join(traceback.format_exception(error)))
            return
        self.counts["refused" if compiled is None else "compiled"] += 1
        if compiled is None or not self.execute or not is_small(compiled.program):
            return
        verdict = apart(lambda tell: examine(data, compiled, tell))
        self.counts[f"reached {verdict.stage}"] += 1
        if verdict.finding and not verdict.is_oracle_crash:
            types = sorted({s.type for s in compiled.program.steps})[:3]
            kinds = sorted({s.tensor.dtype.value for s in compiled.program.slots.values()})[:3]
            words = re.sub(r"[^A-Za-z]+", "-", _gist(verdict.finding))[:50]
            place = f"{verdict.stage}-{'+'.join(types)}-{'+'.join(kinds)}-{words}".replace(" ", "-")
            self._keep(place, data, verdict.finding)

    def _compiled(self, data: bytes) -> Compiled | None:
        signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
        try:
            return compile_bytes(data)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _keep(self, place: str, data: bytes, text: str) -> None:
        self.counts["findings"] += 1
        if place in self.seen:
            return
        self.seen.add(place)
        self.findings.mkdir(parents=True, exist_ok=True)
        (self.findings / f"{place[:180]}.tflite").write_bytes(data)
        (self.findings / f"{place[:180]}.txt").write_text(text)
        sys.stderr.write(f"{place}: {_gist(text)[:160]}\n")


def main(arguments: Sequence[str]) -> int:
    options = _parse(arguments)
    signal.signal(signal.SIGALRM, _stop_call)
    if options.memory:
        resource.setrlimit(resource.RLIMIT_AS, (options.memory, options.memory))
    np.seterr(all="ignore")
    prepare()
    corpus = [p.read_bytes() for p in options.models] or [
        *own_files(),
        *published_files("tflite", 24 * 1024),
    ]
    run = Run(options.findings, not options.compile_only)
    if options.as_they_are:
        for data in corpus:
            run.check(data)
    else:
        _attack(run, corpus, random.Random(options.seed), time.monotonic() + options.seconds)
    sys.stderr.write(f"{dict(run.counts)}, {len(run.seen)} different findings\n")
    return 1 if run.seen else 0


def _attack(run: Run, corpus: list[bytes], chance: random.Random, end: float) -> None:
    while time.monotonic() < end:
        data = mutant(chance.choice(corpus), chance)
        if data is not None:
            run.check(data)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", type=Path)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--memory", type=int, default=MEMORY_LIMIT, help="bytes; 0 for no limit")
    parser.add_argument("--compile-only", action="store_true")
    parser.add_argument("--as-they-are", action="store_true", help="run the models unchanged")
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    return parser.parse_args(arguments)


def _gist(text: str) -> str:
    """The line that says it: a sanitizer's own, else the last one."""
    lines = text.strip().splitlines()
    told = [line for line in lines if "runtime error" in line or "ERROR: Addr" in line]
    return (told or lines[-1:])[0]


def _stop_call(_number: int, _frame: FrameType | None) -> None:
    raise TooSlow(f"no answer after {CALL_SECONDS} seconds")


def _place(error: Exception) -> str:
    """Where in nacre it happened, as a file name."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f for f in frames if "/nacre/" in f.filename] or list(frames)
    return (
        f"{type(error).__name__}-{Path(ours[-1].filename).stem}-{ours[-1].name}-{ours[-1].lineno}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
