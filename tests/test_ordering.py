"""Orders with a low peak: never above the given one, and the best there is on small graphs."""

from __future__ import annotations

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.ordering import OrderProblem, Task, best_order, peak_of


def chain_of_branches(sizes: list[int], branches: int) -> OrderProblem:
    """One input, `branches` two-step branches (large, then small), one task that joins them."""
    tasks, table = [], {"x": sizes[0]}
    for b in range(branches):
        table |= {f"big{b}": sizes[1], f"small{b}": sizes[2]}
    for b in range(branches):
        tasks.append(Task(frozenset(), frozenset({"x", f"big{b}"})))
    for b in range(branches):
        tasks.append(Task(frozenset({b}), frozenset({f"big{b}", f"small{b}"})))
    table["y"] = sizes[3]
    last = frozenset({f"small{b}" for b in range(branches)} | {"y"})
    tasks.append(Task(frozenset(range(branches, 2 * branches)), last))
    return OrderProblem(tuple(tasks), table, frozenset({"x"}), frozenset({"y"}))


def brute_force(problem: OrderProblem) -> int:
    count = len(problem.tasks)
    orders = (
        order
        for order in permutations(range(count))
        if all(problem.tasks[t].before <= set(order[:i]) for i, t in enumerate(order))
    )
    return min(peak_of(problem, order) for order in orders)


@st.composite
def graphs(draw: st.DrawFn) -> OrderProblem:
    count = draw(st.integers(2, 6))
    sizes = {f"b{n}": draw(st.integers(1, 50)) for n in range(count)} | {"in": 10}
    tasks = []
    for n in range(count):
        before = frozenset(draw(st.sets(st.integers(0, n - 1), max_size=3))) if n else frozenset()
        reads = {f"b{m}" for m in before} or {"in"}
        tasks.append(Task(before, frozenset(reads | {f"b{n}"}), draw(st.integers(0, 20))))
    read = set().union(*(t.before for t in tasks))
    kept = frozenset(f"b{n}" for n in range(count) if n not in read)
    return OrderProblem(tuple(tasks), sizes, frozenset({"in"}), kept)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(graphs())
def test_small_graphs_reach_the_optimum(problem: OrderProblem) -> None:
    order = best_order(problem)
    assert sorted(order) == list(range(len(problem.tasks)))
    done: set[int] = set()
    for task in order:
        assert problem.tasks[task].before <= done
        done.add(task)
    assert peak_of(problem, order) == brute_force(problem)


def test_branches_are_finished_one_by_one() -> None:
    problem = chain_of_branches([10, 100, 5, 20], branches=4)
    given_order = range(len(problem.tasks))
    assert peak_of(problem, given_order) >= 410
    assert peak_of(problem, best_order(problem)) == 10 + 100 + 5 * 3


def test_same_order_every_time() -> None:
    problem = chain_of_branches([10, 100, 5, 20], branches=6)
    assert len({best_order(problem) for _ in range(3)}) == 1


def test_large_graph_is_never_worse() -> None:
    problem = chain_of_branches([10, 100, 5, 20], branches=400)
    order = best_order(problem)
    assert peak_of(problem, order) < peak_of(problem, range(len(problem.tasks)))
