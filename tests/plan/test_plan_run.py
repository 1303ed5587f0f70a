"""Plans give the same bits as the kernels of the C module: whole networks, state, stages, LZ4."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nacre.compile import compile_graph, import_graph
from nacre.config.load import parse_config
from nacre.config.schema import Config
from nacre.errors import ConfigError, PlacementError, RefusedModel
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.planfile.fitting import fitting_plan
from nacre.planfile.read import read_plan
from nacre.planfile.rules import has_checks
from nacre.planfile.write import plan_file
from nacre.program import Place, Program, ProgramMove, ProgramTiles
from nacre.runtime import PlanRunner
from plan.plans import EXAMPLE, program_for, same_bits, samples_for
from support.execute import Runner
from support.modules import emit, run_module
from support.shared import golden_path, model_entry, model_path, onnx_models, requires_shared
from support.shared import tflite_models as models

GUARD = 64


def check(program: Program, content: bytes, samples: list[list[np.ndarray]]) -> PlanRunner:
    """Consecutive runs, so that state counts too; nothing around the arenas is touched."""
    plan, kernels = PlanRunner(content, guard=GUARD), Runner(program)
    for inputs in samples:
        assert same_bits(plan.run(inputs), kernels.run(inputs))
    plan.check_guards()
    return plan


def samples_of(name: str, program: Program) -> list[list[np.ndarray]]:
    """The golden inputs, or random ones."""
    if not model_entry(name).get("golden"):
        return samples_for(program, 2)
    with np.load(golden_path(name)) as golden:
        count = sum(key.endswith("_in0") for key in golden)
        rows = range(min(2, count))
        return [[golden[f"s{i}_in{j}"] for j in range(len(program.inputs))] for i in rows]


def test_example() -> None:
    program = program_for(EXAMPLE)
    check(program, plan_file(program), samples_for(program, 3))


def test_emitted_module_gives_the_same_bits(tmp_path: Path) -> None:
    module = emit(EXAMPLE.read_bytes(), tmp_path)
    program = program_for(EXAMPLE)
    samples = samples_for(program, 3)
    plan = PlanRunner(plan_file(program))
    for ours, theirs in zip(map(plan.run, samples), run_module(module, samples), strict=True):
        assert same_bits(ours, theirs)


@requires_shared
@pytest.mark.slow
@pytest.mark.parametrize("name", models("net"))
def test_network(name: str) -> None:
    try:
        program = program_for(model_path(name))
    except RefusedModel:
        pytest.skip("it is refused, as a C module too")
    check(program, plan_file(program), samples_of(name, program))


@requires_shared
@pytest.mark.slow
@pytest.mark.parametrize("name", onnx_models("net"))
def test_onnx_network(name: str) -> None:
    shapes = {i["name"]: tuple(i["shape"]) for i in model_entry(name)["inputs"]}
    path = model_path(name)
    try:
        graph = import_model(
            path.read_bytes(), "model", path.parent, OnnxOptions(InputShapes(shapes))
        )
    except (RefusedModel, ConfigError):
        pytest.skip("it is refused, as a C module too")
    program = compile_graph(graph, Config(), path.name, usable=has_checks)
    check(program, plan_file(program), samples_of(name, program))


@requires_shared
@pytest.mark.slow
@pytest.mark.parametrize("name", models("op"))
def test_operator_model(name: str) -> None:
    try:
        program = program_for(model_path(name))
    except RefusedModel:
        pytest.skip("it is refused, as a C module too")
    check(program, plan_file(program), samples_of(name, program))


@requires_shared
@pytest.mark.parametrize("name", ["mww_v2_okay_nabu", "ambiq_nnid"])
def test_state_is_kept_and_reset(name: str) -> None:
    program = program_for(model_path(name))
    samples = samples_for(program, 4)
    plan = check(program, plan_file(program), samples)
    plan.reset_state()
    fresh = PlanRunner(plan_file(program))
    for inputs in samples:
        assert same_bits(plan.run(inputs), fresh.run(inputs))


def moved_bytes(program: Program) -> int:
    """Bytes of activations that the moves of a run copy."""
    actions = [a for s in program.segments for a in s.actions]
    total = sum(
        max(a.ends) * a.row_bytes
        for a in actions
        if isinstance(a, ProgramMove)
        and not (isinstance(a.source, Place) and program.regions[a.source.region].blob)
    )
    boxes = [
        (group.rows * group.columns, box)
        for a in actions
        if isinstance(a, ProgramTiles)
        for group in a.groups
        for box in (*group.loads, *group.stores)
    ]
    return total + sum(n * b.planes * b.lines * b.line_bytes for n, b in boxes)


BUDGETS = [
    ("mlperf_kws_ref_model", "8K+1M"),
    ("mlperf_kws_ref_model", "4K+1M"),
    ("mlperf_vww_96_int8", "16K+1M"),
    ("mlperf_pretrainedResnet_quant", "16K+1M"),
    ("tflm_person_detect", "12K+1M"),
]


@requires_shared
@pytest.mark.parametrize("compress", [False, True], ids=["in place", "lz4"])
@pytest.mark.parametrize(("name", "budget"), BUDGETS)
def test_stages(name: str, budget: str, compress: bool) -> None:
    """Bands, spills and staged constants, against the network as a whole."""
    program = program_for(model_path(name), budget=budget)
    assert any(s.iterations > 1 for s in program.segments)
    whole = Runner(program_for(model_path(name)))
    plan = PlanRunner(plan_file(program, compress), guard=GUARD)
    samples = samples_for(program, 2)
    for inputs in samples:
        assert same_bits(plan.run(inputs), whole.run(inputs))
    plan.check_guards()
    assert plan.moved_bytes == 2 * moved_bytes(program)


@requires_shared
@pytest.mark.parametrize("name", ["mlonmcu_aww_layer0", "mlonmcu_aww_layer4", "seanet_conv12"])
def test_tiles(name: str) -> None:
    """A layer in boxes, against the layer as a whole."""
    program = program_for(model_path(name), budget="1K+64K")
    tiles = [a for s in program.segments for a in s.actions if isinstance(a, ProgramTiles)]
    assert tiles
    plan, whole = PlanRunner(plan_file(program), guard=GUARD), Runner(program_for(model_path(name)))
    for inputs in samples_for(program, 2):
        assert same_bits(plan.run(inputs), whole.run(inputs))
    plan.check_guards()
    assert plan.moved_bytes == 2 * moved_bytes(program)


@requires_shared
def test_rows_through_callbacks() -> None:
    """Inputs and outputs that the caller streams; no arena holds them whole."""
    path = model_path("mlperf_vww_96_int8")
    plain = import_graph(path, Config())
    memory = {"budget": "24K+1M", "stream_inputs": [plain.inputs[0]]}
    config = parse_config({"memory": memory})
    program = compile_graph(import_graph(path, config), config, path.name, usable=has_checks)
    plan, whole = PlanRunner(plan_file(program), guard=GUARD), Runner(program_for(path))
    for inputs in samples_for(program, 2):
        assert same_bits(plan.run(inputs), whole.run(inputs))
    plan.check_guards()


@requires_shared
def test_packed_constants_are_smaller_and_unpacked_in_groups() -> None:
    program = program_for(model_path("mlperf_vww_96_int8"))
    plain, packed = plan_file(program), plan_file(program, compress=True)
    assert len(packed) < len(plain) / 2
    plan = check(program, packed, samples_for(program, 2))
    reserved = read_plan(packed).header["fast_reserved"]
    assert reserved < plan.constant_bytes / 2, "the whole network is not unpacked at once"
    assert plan.arena_bytes[0] >= reserved + program.scratch_bytes


def test_packed_example() -> None:
    program = program_for(EXAMPLE)
    check(program, plan_file(program, compress=True), samples_for(program, 2))


def test_flash_budget() -> None:
    config = parse_config({"memory": {"flash": "8K"}})
    with pytest.raises(PlacementError, match=r"the plan file has .* the budget is 8 192"):
        fitting_plan(lambda _: program_for(EXAMPLE), config, compress=False)


@requires_shared
def test_unpacked_constants_count_in_the_budget() -> None:
    path = model_path("tflm_person_detect")
    config = parse_config({"memory": {"budget": "40K+1M"}})

    def planned(asked):
        budget = asked.memory.budget
        return program_for(path, budget=f"{budget[0]}+{budget[1]}")

    content = fitting_plan(planned, config, compress=True)
    assert PlanRunner(content).arena_bytes[0] <= 40 << 10
