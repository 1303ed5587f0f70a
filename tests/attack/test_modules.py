"""The C of unusual models: clean under warnings and sanitizers, whatever the names are."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attack.examine import inputs_of
from attack.odd_models import ODD, batches, counter, no_inputs
from nacre.emit.spell import LONGEST, identifier
from nacre.errors import ConfigError
from nacre.reference import run_reference
from support.modules import SANITIZED, Module, build_and_run, emit, module_sources, run_module

WARNINGS = ("-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror")
COMPILERS = tuple(name for name in ("gcc", "clang") if shutil.which(name))
NAMES = (
    "int", "main", "nacre", "arena", "memcpy", "model_run", "9 lives", "", "_", "é", "NULL", "EOF",
    "INT8_MAX", "uint8_t", "size_t", "errno", "string", "stdint", "stddef", "math", "Time",
    "signal", "features", "NACRE", "nacre_names", "nacre_kernel", "kernels", "row", "ctx", "asm",
    "x" * 300, "a-b", "*/", "kws_context", "kws_num", "kws_port",
)  # fmt: skip
TOGETHER = """
#include <stdio.h>
{includes}
int main(void)
{{
{calls}
    puts("ran");
    return 0;
}}
"""
CALL = """    static {p}_model_context_t {p}_ctx;
    if ({p}_model_init(&{p}_ctx) != 0 || {p}_model_run(&{p}_ctx) != 0) {{
        return 1;
    }}"""


@pytest.mark.parametrize("name", ODD)
def test_odd_models_run(name: str, tmp_path: Path) -> None:
    """The module, built with sanitizers, gives what the references give."""
    module = emit(ODD[name]().build(), tmp_path)
    samples = [inputs_of(module.program, seed) for seed in range(2)]
    state: dict[str, np.ndarray] = {}
    wanted = [run_reference(module.graph, list(sample), state) for sample in samples]
    found = run_module(module, samples, SANITIZED)
    for ours, theirs in zip(found, wanted, strict=True):
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("made", [no_inputs, counter, batches])
def test_strict_compilers(made, tmp_path: Path) -> None:
    module = emit(made().build(), tmp_path)
    for compiler in COMPILERS:
        check_syntax(module, compiler)


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str, tmp_path: Path) -> None:
    """Any name becomes a prefix that C takes, and that shadows no header of the C library."""
    prefix = identifier(name)
    assert len(prefix) <= LONGEST + 1 and identifier(prefix) == prefix
    check_syntax(emit(no_inputs().build(), tmp_path, module={"prefix": prefix}), COMPILERS[0])


@pytest.mark.parametrize("prefix", ["int", "string", "kws_context", "a b", "9x", "x" * 300])
def test_prefixes_that_would_not_do(prefix: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"module\.prefix: .*; try"):
        emit(no_inputs().build(), tmp_path, module={"prefix": prefix})


def test_prefixes_that_begin_alike(tmp_path: Path) -> None:
    """Modules whose names are made of each other's words link and run together."""
    prefixes = [
        "kws",
        "kws_arena",
        "kws_model",
        "kws_context_",
        "kws_num_",
        "kws_constant",
        "nacre",
    ]
    modules = [
        emit(batches().build(), tmp_path / p, name=p, module={"prefix": p}) for p in prefixes
    ]
    text = TOGETHER.format(
        includes="\n".join(f'#include "{p}.h"' for p in prefixes),
        calls="\n".join(CALL.format(p=p) for p in prefixes),
    )
    (tmp_path / "together.c").write_text(text)
    sources = [s for m in modules for s in module_sources(m.folder)]
    said = build_and_run(tmp_path, [tmp_path / "together.c", *sources], [m.folder for m in modules])
    assert said == "ran\n"


def check_syntax(module: Module, compiler: str) -> None:
    sources = [str(s) for s in module_sources(module.folder)]
    command = [compiler, *WARNINGS, "-fsyntax-only", f"-I{module.folder}", *sources]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
