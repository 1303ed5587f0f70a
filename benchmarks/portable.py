"""Instructions per inference of the portable kernels, beside TFLite Micro's reference kernels.

usage: portable.py [--functions] [MODEL.tflite …]

Counted by callgrind on x86-64 with gcc -O3 and no -march: a program that runs twice minus one that
runs once, so that start-up and first-run work cancel. Without arguments: the five int8 networks of
MLPerf Tiny, of ../shared/models.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "src"))

from nacre.compile import compile_model  # noqa: E402
from nacre.config.schema import Config  # noqa: E402
from nacre.emit.module import module_files  # noqa: E402
from nacre.program import Program  # noqa: E402

NETWORKS = ROOT.parent / "shared" / "models" / "nets"
# Millions of instructions of TFLite Micro's reference kernels, same compiler and flags.
TFLM = {
    "mlperf_kws_ref_model": 42.9,
    "mlperf_vww_96_int8": 107.9,
    "mlperf_pretrainedResnet_quant": 104.7,
    "mlperf_ad01_int8": 1.51,
    "mlperf_str_ww_ref_model": 8.6,
}
FLAGS = ("-std=c99", "-O3", "-Wall", "-Wextra", "-Wconversion", "-Werror")

MAIN = """
#include <stdlib.h>
#include "{p}.h"
int main(int argc, char **argv)
{{
    static {p}_model_context_t ctx;
    int runs = argc > 1 ? atoi(argv[1]) : 1;
    if ({p}_model_init(&ctx) != 0) return 1;
    for (; runs > 0; --runs) {{
        for (int i = 0; i < {p}_num_inputs; ++i) {{
            unsigned char *bytes = ctx.inputs[i].data;
            for (size_t j = 0; j < ctx.inputs[i].size; ++j) bytes[j] = (unsigned char)(j * 37u);
        }}
        if ({p}_model_run(&ctx) != 0) return 2;
    }}
    return 0;
}}
"""


def main(arguments: Sequence[str]) -> None:
    functions = "--functions" in arguments
    models = [Path(a) for a in arguments if not a.startswith("--")]
    for model in models or [NETWORKS / f"{name}.tflite" for name in TFLM]:
        with tempfile.TemporaryDirectory() as folder:
            _report(model, Path(folder), functions)


def _report(model: Path, folder: Path, functions: bool) -> None:
    program = compile_model(model, Config())
    binary = _build(program, folder)
    twice, once = (_count(binary, runs, folder) for runs in (2, 1))
    count = (twice - once) / 1e6
    theirs = TFLM.get(model.stem)
    beside = "" if theirs is None else f"   TFLM {theirs:7.2f} M   ratio {count / theirs:.3f}"
    ratio = f"{count * 1e6 / max(1, program.macs):.2f} per MAC"
    arena = f"arena {program.scratch_bytes} (bound {program.lower_bound})"
    print(f"{model.stem:34} {count:8.3f} M   {ratio}   {arena}{beside}")
    if functions:
        _print_functions(folder)


def _build(program: Program, folder: Path) -> Path:
    for name, content in module_files(program).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    sources = [str(f) for f in sorted(folder.rglob("*.c")) if "example" not in f.parts]
    (folder / "bench_main.c").write_text(MAIN.format(p=program.prefix))
    command = ["gcc", *FLAGS, f"-I{folder}", "-o", str(folder / "bench"), *sources]
    subprocess.run([*command, str(folder / "bench_main.c"), "-lm"], check=True)
    return folder / "bench"


def _count(binary: Path, runs: int, folder: Path) -> int:
    """Instructions of the whole program."""
    output = f"--callgrind-out-file={folder / 'callgrind'}"
    command = ["valgrind", "--tool=callgrind", output, str(binary), str(runs)]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    found = re.search(r"Collected : (\d+)", said)
    assert found, said
    return int(found.group(1))


def _print_functions(folder: Path) -> None:
    """The functions of the last run (one inference and the start-up), most expensive first."""
    command = ["callgrind_annotate", str(folder / "callgrind")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for line in re.findall(r"^\s*[\d,]+ \(.*nacre.*$|^\s*[\d,]+ \(.*bench\]$", said, re.MULTILINE):
        print(f"    {line.strip()}")


if __name__ == "__main__":
    main(sys.argv[1:])
