"""How long the command line takes to start and to convert, beside the imports that it needs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MODEL = ROOT.parent / "shared" / "models" / "nets" / "mlperf_kws_ref_model.tflite"
RUNS = 5


def best(command: list[str]) -> float:
    """The quickest of a few runs: the others had to share the machine."""
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    model = MODEL if MODEL.is_file() else ROOT / "examples" / "dscnn.tflite"
    python = sys.executable
    nacre = [python, "-c", "from nacre.cli import main; main(prog_name='nacre')"]
    imports = best([python, "-c", "import numpy, flatbuffers, pydantic, jinja2"])
    help_time = best([*nacre, "--help"])
    with tempfile.TemporaryDirectory() as folder:
        convert = best([*nacre, "convert", str(model), "-o", f"{folder}/kws"])
    print(f"{'import numpy, flatbuffers, pydantic, jinja2':<48}{imports:7.3f} s")
    print(f"{'nacre --help':<48}{help_time:7.3f} s   below 0.5")
    print(f"{'nacre convert ' + model.name:<48}{convert:7.3f} s   limit {1.5 * imports + 1:.3f}")


if __name__ == "__main__":
    main()
