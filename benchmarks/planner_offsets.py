"""The offset planner on the hard public problems and on large random ones.

    python benchmarks/planner_offsets.py [--seconds 60] [--problems ../shared/models/planner]

The first table: seconds until a solution within the capacity is known, then the lowest height found
in the time given. The second: the default effort, which counts work, on problems of growing size.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from random import Random
from time import perf_counter

from nacre.planner.csvfile import read_problem, solve_file
from nacre.planner.instance import instances, split
from nacre.planner.model import build_model
from nacre.planner.problem import Buffer, Problem
from nacre.planner.search import Bracket, tighten_timed
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate

PROBLEMS = Path(__file__).resolve().parents[2] / "shared" / "models" / "planner"

# Measured elsewhere on the same files, with the same capacity.
BASELINES = (
    ("greedy by size", "1.23 to 1.41 x capacity"),
    ("Vela's hill climb", "1.09 to 1.35 x capacity in 2 to 90 s"),
    ("CP-SAT, decision at capacity", "6 of 11 in 60 s"),
    ("MiniMalloc (C++)", "11 of 11 in 1.3 to 13.5 s"),
)

HEADINGS = (
    *("problem", "buffers", "capacity", "seconds to fit"),
    *("height", "x bound", "optimal", "seconds"),
)

# (buffers, longest life in steps): life is short, as in a network, or long, as in a hard problem.
CURVE = tuple((count, span) for count in (1_000, 5_000, 20_000) for span in (5, 50, count // 4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--problems", type=Path, default=PROBLEMS)
    options = parser.parse_args()
    hard_problems(options.problems, options.seconds)
    curve()


def hard_problems(folder: Path, seconds: float) -> None:
    row = "{:8} {:>8} {:>10} {:>14} {:>10} {:>8} {:>8} {:>8}"
    print(row.format(*HEADINGS))
    within = 0
    paths = sorted(folder.glob("?.*.csv"))
    for path in paths:
        name, capacity = path.stem.split(".")
        problem = read_problem(path)
        first = seconds_to_fit(problem, int(capacity), seconds)
        solved = solve_file(path, seconds)
        within += first is not None
        fit = "not found" if first is None else f"{first:.2f}"
        gap, total = f"{solved.height / solved.lower_bound:.4f}", f"{solved.seconds:.2f}"
        best = "yes" if solved.optimal else "open"
        count = len(problem.buffers)
        print(row.format(name, count, capacity, fit, solved.height, gap, best, total), flush=True)
    print(f"{'nacre':30} {within} of {len(paths)} within capacity")
    for name, figures in BASELINES:
        print(f"{name:30} {figures}")


def seconds_to_fit(problem: Problem, capacity: int, seconds: float) -> float | None:
    """Model building included; None when no solution within the capacity was found."""
    start = perf_counter()
    for instance in split(instances(problem)[""]):
        model = build_model(instance)
        goal = capacity // model.unit
        bracket = Bracket(goal, sum(model.size))
        left = seconds - (perf_counter() - start)
        if not tighten_timed(model, bracket, left).upper <= goal:
            return None
    return perf_counter() - start


def curve() -> None:
    row = "{:>8} {:>6} {:>10} {:>8} {:>8} {:>9}"
    print("\n" + row.format("buffers", "span", "height", "x bound", "solve", "validate"))
    for count, span in CURVE:
        problem = random_problem(count, span)
        start = perf_counter()
        solution = solve(problem, Effort.AUTO)
        solved = perf_counter()
        validate(problem, solution)
        checked = perf_counter()
        gap = f"{solution.heights[''] / solution.lower_bounds['']:.4f}"
        times = (f"{solved - start:.2f}", f"{checked - solved:.2f}")
        print(row.format(count, span, solution.heights[""], gap, *times), flush=True)


def random_problem(count: int, span: int) -> Problem:
    random = Random(count)
    buffers = []
    for i in range(count):
        lower, size = random.randrange(count), random.randrange(1, 1000) * 16
        buffers.append(Buffer(f"b{i}", size, lower, lower + random.randrange(1, span + 1)))
    return Problem(tuple(buffers))


if __name__ == "__main__":
    main()
