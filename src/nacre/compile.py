"""The whole line: model bytes in, Program out. Read this file first."""

from __future__ import annotations

from pathlib import Path

from nacre.assemble import Names, assemble
from nacre.config.schema import Config
from nacre.emit.spell import identifier
from nacre.errors import ConfigError, ModelError, PlacementError
from nacre.ir import Graph
from nacre.lifetimes import Alignment, lifetimes, problem
from nacre.lower import LoweredGraph, lower
from nacre.ops.kind import LowerOptions
from nacre.passes import simplify
from nacre.place import place
from nacre.planner.solve import Effort, solve
from nacre.planner.validate import validate
from nacre.program import Program
from nacre.schedule import schedule
from nacre.targets import Target, load_target



def compile_model(path: Path, config: Config) -> Program:
    """Model file -> Program: everything decided, nothing written."""
    return compile_graph(import_graph(path, config), config, path.name)


def compile_graph(graph: Graph, config: Config, source: str) -> Program:
    """The line after the frontend."""
    target = load_target(config.target.name)
    lowered = lower(simplify(graph), LowerOptions(features=target.features))
    return plan(lowered, target, config, source)


def import_graph(path: Path, config: Config) -> Graph:
    """Read a model with the frontend of its format."""
    data = _read(path)
    name = config.module.name or identifier(path.stem)
    if path.suffix == ".tflite":
        from nacre.frontends.tflite.importer import import_model

        litert = config.numerics == "litert"
        return import_model(data, name, config.model.subgraph, config.model.outputs, litert)
    raise ModelError(f"{path}: ending {path.suffix!r}; supported: .tflite")


def plan(lowered: LoweredGraph, target: Target, config: Config, source: str) -> Program:
    """Place, schedule and pack; scratch goes to the fastest memory that holds it."""
    alignment = Alignment(config.target.tensor_alignment or target.min_alignment, {})
    needed = 0
    for memory in target.writable:
        placed = place(lowered, target, memory.type)
        alive = lifetimes(schedule(placed), config.memory.keep_inputs)
        offsets = problem(alive, alignment, {})
        solution = solve(offsets, Effort(config.memory.planner))
        validate(offsets, solution)
        needed = max(solution.heights.values(), default=0)
        if memory.size is None or needed <= memory.size:
            return assemble(alive, alignment, solution, _names(lowered, config, source))
    raise PlacementError(f"scratch needs {needed} bytes; no writable memory of {target.name} holds it")


def _names(lowered: LoweredGraph, config: Config, source: str) -> Names:
    prefix = config.module.prefix or identifier(lowered.name)
    if prefix != identifier(prefix):
        raise ConfigError(
            f"module.prefix: {prefix!r} is not a C identifier; try {identifier(prefix)!r}"
        )
    memory = config.memory
    return Names(
        name=lowered.name,
        prefix=prefix,
        source=source,
        numerics=config.numerics,
        allocate_arenas=memory.allocate_arenas,
        keep_inputs=memory.keep_inputs,
        dump_residency=memory.dump_residency_json,
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{path}: cannot be read: {error.strerror}") from None


