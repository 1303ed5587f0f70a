"""What every command with a model does first: read it, plan it, and say what there is to note."""

from __future__ import annotations

from nacre.cli.options import Request
from nacre.cli.run import progress, show_notes
from nacre.compile import compile_graph, import_graph
from nacre.errors import ModelError, RefusedModel
from nacre.fit import check_flash
from nacre.ir import Graph
from nacre.program import Program


def compiled(asked: Request) -> tuple[Graph, Program]:
    """The graph as the file has it, and the program made from it."""
    graph = imported(asked)
    return graph, planned(asked, graph)


def planned(asked: Request, graph: Graph) -> Program:
    progress(f"planning {len(graph.operators)} operators")
    program = compile_graph(graph, asked.config, asked.model.name, asked.allow_unmatched)
    show_notes(program.notes)
    check_flash(program, asked.config.memory.flash)
    return program


def imported(asked: Request) -> Graph:
    """The model; complaints about it begin with its name."""
    progress(f"reading {asked.model}")
    name = str(asked.model)
    try:
        return import_graph(asked.model, asked.config)
    except RefusedModel as refused:
        raise RefusedModel(refused.refusals, refused.operator_count, name) from None
    except ModelError as error:
        raise ModelError(error if str(error).startswith(name) else f"{name}: {error}") from None
