"""Networks at a quarter of the memory that they need: the same outputs, or a refusal that helps."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.errors import CompileError, PlacementError
from nacre.ir import Graph
from nacre.program import Program
from stages.staging import run_staged
from support.execute import Runner
from support.golden import expected
from support.shared import MODELS, golden, golden_path, model_entry, model_index, requires_shared

pytestmark = requires_shared

SLOW = 64 << 20
# Few seconds each.
SAMPLED = (
    "mlperf_kws_ref_model",
    "mlperf_vww_96_int8",
    "mlperf_pretrainedResnet_quant",
    "mlperf_ad01_int8",
    "tflm_person_detect",
    "mww_v2_alexa",
    "tflm_trained_lstm_int8",
    "mlonmcu_micro_kws_m_quantized",
)


def nets() -> list[str]:
    return [entry["name"] for entry in model_index() if "nets/" in entry["file"]]


def graph_of(name: str) -> Graph:
    """The network; one that needs further options, or has foreign operators, is skipped."""
    try:
        return import_graph(MODELS / model_entry(name)["file"], parse_config({}))
    except CompileError as error:
        pytest.skip(str(error).splitlines()[0])


def staged_program(graph: Graph, fast: int) -> Program:
    config = parse_config({"memory": {"budget": [fast, SLOW]}})
    return compile_graph(graph, config, "net.tflite")


def samples_of(name: str, program: Program) -> list[list[np.ndarray]]:
    vectors, count = golden(name), len(program.inputs)
    found = [s for s in range(2) if f"s{s}_in0" in vectors]
    return [[vectors[f"s{s}_in{j}"] for j in range(count)] for s in found]


def check_quarter(name: str) -> Program | None:
    """The program for a quarter, which gives the same; None when it was refused as it should be."""
    graph = graph_of(name)
    whole = compile_graph(graph, parse_config({}), "net.tflite")
    samples = samples_of(name, whole)
    # Variables have to stay.
    quarter = whole.scratch_bytes // 4 + whole.persistent_bytes
    try:
        program = staged_program(graph, quarter)
    except PlacementError as refused:
        assert re.search(r"does not fit: op \S+ [A-Z0-9_]+", str(refused)), str(refused)
        smallest = re.search(r"smallest budget that works: -m (\d+)", str(refused))
        assert smallest is not None, str(refused)
        assert int(smallest[1]) > quarter
        compare(staged_program(graph, int(smallest[1])), whole, samples)
        return None
    fast = [r.usage.total_size for r in program.regions if r.usage.memory == "DTCM"]
    assert sum(fast) <= quarter
    compare(program, whole, samples)
    return program


def compare(program: Program, whole: Program, samples: list[list[np.ndarray]]) -> None:
    ours, theirs = Runner(program), Runner(whole)
    for sample in samples:
        for a, b in zip(ours.run(sample), theirs.run(sample), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("name", SAMPLED)
def test_a_quarter_of_the_memory(name: str) -> None:
    check_quarter(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in nets() if n not in SAMPLED])
def test_a_quarter_of_the_memory_of_all(name: str) -> None:
    check_quarter(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ("mlperf_vww_96_int8", "tflm_person_detect"))
def test_emitted_module_of_a_quarter(name: str, tmp_path: Path) -> None:
    """The C of it, under the sanitizers, against the vectors of the oracle."""
    program = check_quarter(name)
    assert program is not None
    samples = samples_of(name, program)
    vectors = np.load(golden_path(name))
    for n, outputs in enumerate(run_staged(program, samples, tmp_path)):
        np.testing.assert_array_equal(outputs[0], expected(vectors, n, 0))
