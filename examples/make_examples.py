"""Writes the example networks: python examples/make_examples.py [-o DIR] [--golden] [NAME ...]

The files are the same bytes on every machine. `--golden` also writes NAME_golden.npz with inputs
and TFLite Micro's outputs (s{i}_in0, s{i}_out0), and needs nacre with its oracles installed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from networks import EXAMPLES

GOLDEN_SAMPLES = 8


def main() -> None:
    arguments = _arguments()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.names or EXAMPLES:
        data = EXAMPLES[name].make()
        (arguments.output / f"{name}.tflite").write_bytes(data)
        if arguments.golden:
            vectors = golden(data, EXAMPLES[name].samples(GOLDEN_SAMPLES))
            np.savez_compressed(arguments.output / f"{name}_golden.npz", **vectors)


def golden(data: bytes, samples: np.ndarray) -> dict[str, np.ndarray]:
    """Inputs with TFLite Micro's outputs, one after another in one interpreter."""
    from nacre.oracles import run_tflm

    inputs = [sample[np.newaxis] for sample in samples]
    outputs = run_tflm(data, [[value] for value in inputs])
    vectors = {f"s{number}_in0": value for number, value in enumerate(inputs)}
    return vectors | {f"s{number}_out0": value for number, (value,) in enumerate(outputs)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Write the example networks as .tflite files.")
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent)
    parser.add_argument("--golden", action="store_true", help="with TFLite Micro's outputs")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(EXAMPLES)}")
    arguments = parser.parse_args()
    unknown = sorted(set(arguments.names) - set(EXAMPLES))
    if unknown:
        parser.error(f"no example is called {unknown[0]!r}; known: {', '.join(EXAMPLES)}")
    return arguments


if __name__ == "__main__":
    main()
