"""The whole line: model bytes in, Program out. Read this file first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from nacre.alias import replace_inputs, share_copies
from nacre.allowance import within_allowance
from nacre.assemble import Names, assemble
from nacre.config.schema import Config
from nacre.emit.spell import LONGEST, identifier
from nacre.errors import ConfigError, ModelError
from nacre.fit import arena_alignments, does_not_fit, excess, memory_limits, overflows
from nacre.ir import Graph, TensorId
from nacre.lifetimes import Alignment, Lifetimes, lifetimes, problem
from nacre.lower import LoweredGraph, lower
from nacre.ops import kind_of
from nacre.ops.kind import LowerOptions, Variant
from nacre.ops.rings import goes_by_rows
from nacre.passes import simplify
from nacre.passes.quantized_ends import quantized_ends
from nacre.place import Defaults, Placed, choose, may_share, place
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate
from nacre.program import Program
from nacre.schedule import schedules
from nacre.selection import Selection, select
from nacre.stages.assemble import assemble_stages
from nacre.stages.request import Forms, forms, plan_stages
from nacre.targets import Target, load_target


def compile_model(path: Path, config: Config, allow_unmatched: bool = False) -> Program:
    """Model file -> Program: everything decided, nothing written."""
    return compile_graph(import_graph(path, config), config, path.name, allow_unmatched)


def compile_graph(
    graph: Graph,
    config: Config,
    source: str,
    allow_unmatched: bool = False,
    usable: Callable[[Variant], bool] | None = None,
) -> Program:
    """The line after the frontend; `usable` says which variants of kernels may be chosen."""
    target = load_target(config.target.name)
    simple, options = simplify(graph), LowerOptions(features=target.features)

    selection = select(simple, target, config)
    if usable is not None:
        selection = selection.only(usable)
    if config.memory.budget is not None:
        graphs = lowered_forms(simple, options, selection, config.memory.overlap)
        return staged(*graphs, target, config, source, allow_unmatched)

    def planned(selection: Selection) -> Program:
        lowered = lower(simple, options, selection)
        return plan(lowered, target, config, source, allow_unmatched)

    return within_allowance(selection, config.kernels.optimize, planned)


def import_graph(path: Path, config: Config) -> Graph:
    """Read a model; its ends are of the types that the configuration asks for."""
    graph = _import(path, config)
    return quantized_ends(graph) if config.model.io_types == "quantized" else graph


def _import(path: Path, config: Config) -> Graph:
    """Read a model with the frontend of its format."""
    data = _read(path)
    name = config.module.name or identifier(path.stem)
    if path.suffix == ".tflite":
        from nacre.frontends.tflite.importer import import_model

        if config.model.input_shapes or config.model.dims or config.model.io_layout != "model":
            raise ConfigError("model.input_shapes, model.dims, model.io_layout: for ONNX files")
        litert = config.numerics == "litert"
        return import_model(data, name, config.model.subgraph, config.model.outputs, litert)
    if path.suffix == ".onnx":
        return _import_onnx(data, name, path.parent, config)
    raise ModelError(f"{path}: ending {path.suffix!r}; supported: .tflite, .onnx")


def _import_onnx(data: bytes, name: str, folder: Path, config: Config) -> Graph:
    from nacre.frontends.onnx.importer import OnnxOptions, import_model
    from nacre.frontends.onnx.shapes import InputShapes

    model = config.model
    given = InputShapes(model.input_shapes, model.dims)
    return import_model(
        data, name, folder, OnnxOptions(given, model.outputs, model.io_layout == "nhwc")
    )


def plan(
    lowered: LoweredGraph,
    target: Target,
    config: Config,
    source: str,
    allow_unmatched: bool = False,
) -> Program:
    """Place, schedule and pack; what no rule places goes to the fastest memory that holds it."""
    _check_streams(config)
    limits = memory_limits(target, config.memory.constraints)
    names = _names(lowered, config, source)
    choices = [choose(lowered, target, config, allow_unmatched)]
    if config.memory.overlap:
        may = partial(may_share, choices[0])
        kept = lowered.inputs if config.memory.keep_inputs else ()
        shared = replace_inputs(share_copies(lowered, may), may, kept)
        if shared is not lowered:
            choices.append(choose(shared, target, config, allow_unmatched))
    programs = (
        best_of([_packed(place(c, d), config, names) for c in choices]) for d in _defaults(target)
    )
    failed = []
    for program in programs:
        if not overflows(program, limits):
            return program
        failed.append(program)
    raise does_not_fit(min(failed, key=lambda program: excess(program, limits)), limits)


def budgeted(graph: Graph, config: Config) -> Forms:
    """The stage planner for an imported graph: asked for one budget, or for many."""
    target = load_target(config.target.name)
    simple, options = simplify(graph), LowerOptions(features=target.features)
    selection = select(simple, target, config)
    graphs = lowered_forms(simple, options, selection, config.memory.overlap)
    return forms(*graphs, target, config)


def lowered_forms(
    simple: Graph, options: LowerOptions, selection: Selection, overlap: bool
) -> tuple[list[LoweredGraph], int]:
    """The network with its fast kernels, with those of them that go row by row, with the kernels
    that need least memory, without copies; and how many of these have fast kernels."""
    found = [lower(simple, options, selection)]
    if any(len(choices) > 1 for choices in selection.candidates.values()):
        found.append(lower(simple, options, _by_rows(simple, selection)))
        found.append(lower(simple, options, selection.smallest))
    fast = max(1, len(found) - 1)
    shared = share_copies(found[-1], _always) if overlap else found[-1]
    return found + ([shared] if shared is not found[-1] else []), fast


def _by_rows(simple: Graph, selection: Selection) -> Selection:
    """Without the variants that keep an operator from running row by row."""
    kept = dict(selection.candidates)
    for node in (n for n in simple.nodes() if n.id in kept and kind_of(n.operator).rows):
        choices = [c for c in kept[node.id] if c.variant is None or goes_by_rows(node, c.variant)]
        kept[node.id] = tuple(choices) or kept[node.id]
    return Selection(kept)


def _always(a: TensorId, b: TensorId) -> bool:
    return a != b


def staged(
    graphs: Sequence[LoweredGraph],
    fast_forms: int,
    target: Target,
    config: Config,
    source: str,
    allow_unmatched: bool = False,
) -> Program:
    """Stages that fit `memory.budget`: segments, cascades of rows, tiles, spill."""
    found = plan_stages(graphs, fast_forms, target, config)
    fast, lowered = found.memories.fast, found.graph
    placed = place(choose(lowered, target, config, allow_unmatched), Defaults(fast, fast))
    names = _names(lowered, config, source)
    program = assemble_stages(placed, found.plan, found.alignment, found.solution, names)
    limits = memory_limits(target, config.memory.constraints)
    if overflows(program, limits):
        raise does_not_fit(program, limits)
    return program


def _check_streams(config: Config) -> None:
    """Rows can only be streamed to a plan that works on rows."""
    for key in ("stream_inputs", "stream_outputs"):
        if key in config.memory.model_fields_set and config.memory.budget is None:
            raise ConfigError(f"memory.{key}: needs a memory.budget, such as -m 64K")


def _defaults(target: Target) -> Iterator[Defaults]:
    """Where to put what no rule places: fastest first, variables moving before scratch does."""
    for scratch in target.data:
        for persistent in target.data:
            yield Defaults(scratch.type, persistent.type)


def best_of(forms: list[list[Program]]) -> Program:
    """The smallest scratch; among equals the form with fewer copies, then the model's order.

    `forms` are the plain graph's programs and, after them, those that save copies; the first
    program of each has the model's order. The bound is that of the plain graph: without sharing.
    """
    plain = forms[0]
    bound = min(program.lower_bound for program in plain)
    best = min(
        (program for programs in reversed(forms) for program in programs),
        key=lambda program: program.scratch_bytes,
    )
    return replace(
        best,
        lower_bound=bound,
        overlap_saved=max(0, bound - best.scratch_bytes),
        order_saved=plain[0].lower_bound - bound,
    )


def _packed(placed: Placed, config: Config, names: Names) -> list[Program]:
    """One program per order worth trying, the model's own first."""
    alignment = Alignment(
        config.target.tensor_alignment or placed.target.min_alignment,
        arena_alignments(placed.target, config.memory.constraints),
    )
    keep = config.memory.keep_inputs
    orders = schedules(placed, config.schedule.order == "auto", keep)
    return [_solve(lifetimes(order, keep), alignment, config, names) for order in orders]


def _solve(alive: Lifetimes, alignment: Alignment, config: Config, names: Names) -> Program:
    offsets = problem(alive, alignment, config.memory.overlap)
    solution = solve(offsets, Effort(config.memory.planner))
    validate(offsets, solution)
    return assemble(alive, alignment, solution, names)


def _names(lowered: LoweredGraph, config: Config, source: str) -> Names:
    prefix = config.module.prefix or identifier(lowered.name)
    if prefix != identifier(prefix):
        raise ConfigError(
            f"module.prefix: {prefix[:200]!r} is no C identifier, is taken, or has more than "
            f"{LONGEST} letters; try {identifier(prefix)!r}"
        )
    memory = config.memory
    return Names(
        name=lowered.name,
        prefix=prefix,
        source=source,
        numerics="ort" if source.endswith(".onnx") else config.numerics,
        module_type=config.module.type,
        allocate_arenas=memory.allocate_arenas,
        keep_inputs=memory.keep_inputs,
        dump_residency=memory.dump_residency_json,
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None
