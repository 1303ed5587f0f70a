"""Graph to graph, each pass leaving a valid graph. The order is the tuple."""

from __future__ import annotations

from collections.abc import Callable

from nacre.ir import Graph
from nacre.passes.drop_dead import drop_dead
from nacre.passes.fold_constants import fold_constants
from nacre.passes.fold_input_offsets import fold_input_offsets
from nacre.passes.verify import verify

PASSES: tuple[Callable[[Graph], Graph], ...] = (
    fold_constants,
    drop_dead,
    fold_input_offsets,
    drop_dead,
)


def simplify(graph: Graph) -> Graph:
    """Run all passes, verifying the graph after each."""
    verify(graph)
    for step in PASSES:
        graph = verify(step(graph))
    return graph
