"""Graph to graph, each pass leaving a valid graph. The order is the tuple."""

from __future__ import annotations

from collections.abc import Callable

from nacre.ir import Graph
from nacre.passes.cancel_transposes import cancel_transposes
from nacre.passes.drop_dead import drop_dead
from nacre.passes.drop_identities import drop_identities
from nacre.passes.fold_constants import fold_constants
from nacre.passes.fold_input_offsets import fold_input_offsets
from nacre.passes.fold_scales import fold_scales
from nacre.passes.fold_transposes import fold_transposes
from nacre.passes.fuse_activations import fuse_activations
from nacre.passes.fuse_functions import fuse_functions
from nacre.passes.fuse_padding import fuse_padding
from nacre.passes.materialise_outputs import materialise_outputs
from nacre.passes.pad_after_views import pad_after_views
from nacre.passes.read_in_place import read_in_place
from nacre.passes.sink_views import sink_views
from nacre.passes.verify import verify

PASSES: tuple[Callable[[Graph], Graph], ...] = (
    fold_constants,
    drop_dead,
    cancel_transposes,
    fold_transposes,
    drop_identities,
    drop_dead,
    fuse_functions,
    sink_views,
    drop_identities,
    fold_scales,
    drop_dead,
    fuse_activations,
    pad_after_views,
    fuse_padding,
    fold_input_offsets,
    read_in_place,
    materialise_outputs,
    drop_dead,
)


def simplify(graph: Graph) -> Graph:
    """Run all passes, verifying the graph after each."""
    verify(graph)
    for step in PASSES:
        graph = verify(step(graph))
    return graph
