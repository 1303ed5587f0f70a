"""The diagram's layout: edges join what the program joins, and nothing runs through a box."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.report.document_graph import MAX_COLUMNS, Edge, Layout, Node, diagram, layout
from report.made_programs import Op, assembled, branches, chain, compiled


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[Node, ...], tuple[Edge, ...]]:
    """Nodes that each read some earlier ones; a node writes one tensor, named after its row."""
    count = draw(st.integers(1, 24))
    nodes = tuple(Node("step", n) for n in range(count))
    edges = []
    for lower in range(1, count):
        near = st.integers(max(0, lower - 6), lower - 1)
        for upper in sorted(draw(st.sets(near, max_size=3))):
            edges.append(Edge(f"t{upper}", upper, lower))
    return nodes, tuple(edges)


def check(placed: Layout) -> None:
    """Rows strictly between the ends of an edge are free where it runs down."""
    for edge, track in zip(placed.edges, placed.tracks, strict=True):
        assert edge.upper < edge.lower
        between = range(edge.upper + 1, edge.lower)
        if not track.wire:
            assert all(placed.columns[row] != track.number for row in between), (edge, track)
    runs = [
        (track, e.tensor, e.upper, e.lower)
        for e, track in zip(placed.edges, placed.tracks, strict=True)
        if e.lower - e.upper > 1
    ]
    for n, (track, tensor, upper, lower) in enumerate(runs):
        for other, name, top, end in runs[:n]:
            apart = lower <= top or end <= upper
            joined = tensor == name or (lower == end and not track.wire)
            assert track != other or apart or joined, (runs[n], other, name, top, end)


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_no_edge_crosses_a_box(graph: tuple[tuple[Node, ...], tuple[Edge, ...]]) -> None:
    placed = layout(*graph)
    assert len(placed.columns) == len(placed.nodes)
    check(placed)


@given(st.integers(1, 30))
@settings(deadline=None)
def test_a_chain_is_one_column(count: int) -> None:
    nodes = tuple(Node("step", n) for n in range(count))
    edges = tuple(Edge(f"t{n}", n, n + 1) for n in range(count - 1))
    placed = layout(nodes, edges)
    assert set(placed.columns) == {0}
    assert not any(track.wire for track in placed.tracks)


def test_a_bypass_takes_one_wire() -> None:
    placed = layout(*diagram(chain(20)))
    assert set(placed.columns) == {0}
    assert {t.number for t in placed.tracks if t.wire} == {0}
    assert sum(t.wire for t in placed.tracks) == 4
    check(placed)


def test_branches_stand_side_by_side_and_join() -> None:
    program = branches()
    placed = layout(*diagram(program))
    check(placed)
    column = {n.key: c for n, c in zip(placed.nodes, placed.columns, strict=True)}
    assert column[0] == column[1] == column[2] == column[6] == column[7] == 0
    assert column[3] == column[4] != 0
    assert column[5] not in (0, column[4])
    assert not any(track.wire for track in placed.tracks)


def test_edges_follow_views_to_what_was_written() -> None:
    nodes, edges = diagram(branches())
    keys = [n.key for n in nodes]
    joined = {(keys[e.upper], keys[e.lower], e.tensor) for e in edges}
    assert (6, 7, "e") in joined
    assert ("x", 0, "x") in joined
    assert (7, "y", "y") in joined and (3, "c1", "c1") in joined


def test_constants_and_variables_are_no_edges() -> None:
    program = assembled((Op(("x", "w0", "state"), ("y",)),))
    nodes, edges = diagram(program)
    assert [n.kind for n in nodes] == ["input", "step", "output"]
    assert [e.tensor for e in edges] == ["x", "y"]


def test_an_input_that_is_an_output_and_one_that_nobody_reads() -> None:
    program = assembled((Op(("x",), ("y",)),), inputs=("x", "lost"), outputs=("y", "x"))
    nodes, edges = diagram(program)
    assert sorted((n.kind, str(n.key)) for n in nodes) == [
        ("input", "lost"), ("input", "x"), ("output", "x"), ("output", "y"), ("step", "0"),
    ]  # fmt: skip
    assert len(edges) == 3


def test_one_reader_after_another_does_not_fill_the_page() -> None:
    ops = [Op(("x",), ("a",)), *(Op(("a",), (f"o{n}",)) for n in range(60))]
    outputs = tuple(f"o{n}" for n in range(60))
    placed = layout(*diagram(assembled(ops, outputs=outputs)))
    check(placed)
    assert max(placed.columns) <= MAX_COLUMNS


def test_the_compiled_model_in_order() -> None:
    nodes, edges = diagram(compiled())
    assert [n.kind for n in nodes] == ["input", "step", "step", "step", "output"]
    assert [(e.upper, e.lower) for e in edges] == [(0, 1), (1, 2), (2, 3), (3, 4)]
