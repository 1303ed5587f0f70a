"""Writes the example networks: python examples/make_examples.py [-o DIR] [--golden] [NAME ...]

The files are the same bytes on every machine. `--golden` also writes NAME_golden.npz with inputs
and TFLite Micro's outputs (s{i}_in0, s{i}_out0), and needs the `tflite-micro` package.
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
    from tflite_micro.python.tflite_micro.runtime import Interpreter

    interpreter = Interpreter.from_bytes(data)
    vectors = {}
    for number, sample in enumerate(samples):
        interpreter.set_input(sample[np.newaxis], 0)
        interpreter.invoke()
        vectors[f"s{number}_in0"] = sample[np.newaxis]
        vectors[f"s{number}_out0"] = np.array(interpreter.get_output(0))
    return vectors


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
