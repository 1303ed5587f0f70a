"""The whole line on one file, and what must hold: a Program and its files, or a CompileError."""

from __future__ import annotations

from dataclasses import dataclass

from nacre.compile import compile_graph
from nacre.config.schema import Config
from nacre.emit.module import module_files
from nacre.errors import CompileError
from nacre.frontends.tflite.importer import import_model
from nacre.ir import Graph
from nacre.program import Program

LONGEST_SENTENCE = 20_000


@dataclass(frozen=True, eq=False)
class Compiled:
    """What the line made of a file."""

    graph: Graph
    program: Program
    files: dict[str, bytes]


def compile_bytes(data: bytes, litert: bool = False) -> Compiled | None:
    """None for a file that is refused; any exception beyond CompileError is a finding."""
    config = Config(numerics="litert" if litert else "tflm")
    try:
        graph = import_model(data, "net", litert=litert)
        program = compile_graph(graph, config, "net.tflite")
        return Compiled(graph, program, module_files(program))
    except CompileError as error:
        assert 0 < len(str(error)) <= LONGEST_SENTENCE, len(str(error))
        return None
