"""The networks of the tiling comparison at its budgets: equal outputs, counters that are true."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.ir import Graph
from nacre.program import Program
from stages.counting import counted
from support.execute import Runner
from support.shared import MODELS, requires_shared

pytestmark = requires_shared

KB = 1 << 10
SLOW = 16 << 20
POINTS = (
    ("vww_96_i8", 16 * KB),
    ("resnet8_i8", 32 * KB),
    ("resnet8_i8", 8 * KB),
    ("dscnn_i8", 8 * KB),
    ("srnet_128_i8", 64 * KB),
    ("branch_bfs_i8", 32 * KB),
    ("branch_dfs_i8", 32 * KB),
    ("mbv2_035_96_i8", 32 * KB),
)
LARGE = (
    ("mbv2_10_224_i8", 256 * KB),
    ("mbv2_10_224_i8", 172 * KB),
    ("mbv2_10_224_i8", 64 * KB),
    ("unet8_256_i8", 256 * KB),
    ("unet8_256_i8", 232 * KB),
    ("unet8_256_i8", 64 * KB),
)
MODEL = {"io_types": "quantized", "io_layout": "nhwc"}


@cache
def graph_of(name: str) -> Graph:
    return import_graph(MODELS / "tiling" / f"{name}.onnx", parse_config({"model": MODEL}))


@cache
def program_of(name: str, fast: int | None) -> Program:
    tree = {"model": MODEL, "module": {"prefix": "net"}}
    if fast is not None:
        tree["memory"] = {"budget": [fast, SLOW]}
    return compile_graph(graph_of(name), parse_config(tree), f"{name}.onnx")


def sample_of(program: Program) -> list[np.ndarray]:
    rng = np.random.default_rng(5)
    tensors = [program.tensor(key) for key in program.inputs]
    return [rng.integers(-128, 128, t.shape).astype(t.dtype.numpy) for t in tensors]


@cache
def untiled(name: str) -> list[np.ndarray]:
    program = program_of(name, None)
    return Runner(program).run(sample_of(program))


def check(name: str, fast: int, folder: Path) -> None:
    program = program_of(name, fast)
    assert program.is_staged
    sample = sample_of(program)
    for a, b in zip(Runner(program).run(sample), untiled(name), strict=True):
        np.testing.assert_array_equal(a, b)
    assert counted(program, sample, folder) == program.traffic


@pytest.mark.parametrize(("name", "fast"), POINTS)
def test_small_networks(name: str, fast: int, tmp_path: Path) -> None:
    check(name, fast, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fast"), LARGE)
def test_large_networks(name: str, fast: int, tmp_path: Path) -> None:
    check(name, fast, tmp_path)
