"""Nodes in an order in which everything is there when it is read."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from nacre.errors import ModelError
from nacre.frontends.onnx.records import FileGraph, FileNode
from nacre.text import one_line, quoted


def in_order(
    nodes: Sequence[FileNode], own: frozenset[str], known: frozenset[str]
) -> tuple[FileNode, ...]:
    """The file's own order wherever that works. `own` are inputs and constants."""
    writers = _writers(nodes, own)
    waits = [_waits(node, writers, known) for node in nodes]
    readers: dict[int, list[int]] = {}
    for reader, writing in enumerate(waits):
        for writer in writing:
            readers.setdefault(writer, []).append(reader)
    missing = [len(w) for w in waits]
    free = [n for n, count in enumerate(missing) if count == 0]
    heapify(free)
    order: list[FileNode] = []
    while free:
        done = heappop(free)
        order.append(nodes[done])
        for reader in readers.get(done, ()):
            missing[reader] -= 1
            if missing[reader] == 0:
                heappush(free, reader)
    if len(order) < len(nodes):
        stuck = next(nodes[n] for n, count in enumerate(missing) if count)
        raise ModelError(f"{_said(stuck)} waits for its own output: the graph has a cycle")
    return tuple(order)


def _writers(nodes: Sequence[FileNode], own: frozenset[str]) -> dict[str, int]:
    writers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.outputs):
            if name in writers or name in own:
                raise ModelError(f"{_said(node)} writes {quoted(name)} a second time")
            writers[name] = index
    return writers


def _waits(node: FileNode, writers: dict[str, int], known: frozenset[str]) -> set[int]:
    """The nodes that must come before."""
    waits = set()
    for name in _reads(node):
        if name not in known:
            raise ModelError(
                f"{_said(node)} reads {quoted(name)}, which is no input, no initialiser "
                "and no node's output"
            )
        if name in writers:
            waits.add(writers[name])
    return waits


def _said(node: FileNode) -> str:
    return f"{one_line(node.type)} {quoted(node.name)}"


def _reads(node: FileNode) -> set[str]:
    return {i for i in node.inputs if i} | {n for g in node.graphs.values() for n in _outer(g)}


def _outer(graph: FileGraph) -> set[str]:
    """What a graph inside a node reads from around it."""
    inside = set(graph.constants) | {v.name for v in graph.inputs}
    inside |= {o for n in graph.nodes for o in n.outputs}
    reads = {name for node in graph.nodes for name in _reads(node)}
    return (reads | {v.name for v in graph.outputs}) - inside
