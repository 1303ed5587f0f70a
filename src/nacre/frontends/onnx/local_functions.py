"""Functions that a file defines for itself, put in the place of the nodes that call them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from nacre.errors import ModelError

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto

# Nodes that the functions may become all together.
MOST_NODES = 100_000


def inlined(model: ModelProto) -> ModelProto:
    """The model without functions; ones that call themselves or grow without bounds are refused."""
    from onnx.inliner import inline_local_functions

    count = _count(model)
    if count > MOST_NODES:
        raise ModelError(f"its functions become {count} nodes; supported: up to {MOST_NODES}")
    try:
        made = inline_local_functions(model)
    except (RuntimeError, ValueError) as error:
        raise ModelError(f"its functions cannot be inlined: {error}") from None
    if made.functions:
        names = ", ".join(sorted({f.name for f in made.functions})[:5])
        raise ModelError(f"the file defines functions ({names}) that cannot be inlined")
    return made


def _count(model: ModelProto) -> int:
    """The nodes that remain when every call is replaced."""
    bodies = {(f.domain, f.name): f.node for f in model.functions}
    calling: list[tuple[str, str]] = []

    @cache
    def size(key: tuple[str, str]) -> int:
        if key in calling:
            raise ModelError(f"the function {key[1]!r} calls itself")
        calling.append(key)
        total = sum(size(k) if k in bodies else 1 for k in _calls(bodies[key]))
        calling.pop()
        return total

    return sum(size(k) if k in bodies else 1 for k in _calls(model.graph.node))


def _calls(nodes: Iterable[NodeProto]) -> Iterable[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op_type
        for attribute in node.attribute:
            yield from _calls(attribute.g.node)
            for graph in attribute.graphs:
                yield from _calls(graph.node)
