"""Damaged ONNX models through the whole line, for as long as one likes; findings are kept.

PYTHONPATH=src:tests python tests/attack/fuzz_onnx_line.py --seconds 600 --findings findings/
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

from attack.examine import apart, is_small, prepare
from attack.onnx_line import compile_onnx, examine_onnx
from fuzz.corpus import node_tests
from fuzz.onnx_mutations import mutate_onnx

# For compiling one model.
SECONDS = 20


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--findings", type=Path, default=Path("findings"))
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    prepare()
    chance, corpus = random.Random(options.seed), node_tests()
    end, count, places = time.monotonic() + options.seconds, 0, set()
    while time.monotonic() < end:
        data = mutate_onnx(chance.choice(corpus), corpus, chance)
        count += 1
        found = check(data)
        place = found.strip().splitlines()[-1][:60] if found else ""
        if found and place not in places:
            places.add(place)
            keep(options.findings, len(places), data, found)
    sys.stderr.write(f"{count} models, {len(places)} findings\n")
    return 1 if places else 0


def check(data: bytes) -> str:
    """What is wrong with what the line makes of a model."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.alarm(SECONDS)
    try:
        compiled = compile_onnx(data)
    except (Exception, KeyboardInterrupt):  # the timer's
        return traceback.format_exc()
    finally:
        signal.alarm(0)
    if compiled is None or not is_small(compiled.program):
        return ""
    verdict = apart(lambda tell: examine_onnx(data, compiled, tell))
    return f"{verdict.stage}: {verdict.finding}" if verdict.finding else ""


def keep(folder: Path, number: int, data: bytes, found: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{number}.onnx").write_bytes(data)
    (folder / f"{number}.txt").write_text(found)
    sys.stderr.write(f"finding {number}: {found.strip().splitlines()[-1][:200]}\n")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
