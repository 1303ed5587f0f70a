"""Greedy placement: the two engines agree, and orders are permutations."""

from __future__ import annotations

from random import Random

import pytest

from nacre.planner.greedy import Columns, Linked, first_fit, orders, tightest_fit
from nacre.planner.instance import FREE, instances
from nacre.planner.local import improve
from nacre.planner.rising import rising_orders
from planner.problems import Kind, random_problem


@pytest.mark.parametrize("seed", range(10))
def test_both_engines_give_the_same_offsets(seed: int) -> None:
    random = Random(seed)
    for _ in range(10):
        problem = random_problem(random, Kind(memories=("",)), random.randrange(1, 40))
        instance = instances(problem)[""]
        for order in orders(instance):
            for tight in (False, True):
                assert Linked.of(instance).place(order, tight) == Columns(instance).place(
                    order, tight
                )


@pytest.mark.parametrize("seed", range(10))
def test_orders_hold_every_free_buffer_once(seed: int) -> None:
    problem = random_problem(Random(seed), Kind(memories=("",)), 25)
    instance = instances(problem)[""]
    free = [i for i, pin in enumerate(instance.pins) if pin == FREE]
    for order in (*orders(instance), *rising_orders(instance)):
        assert sorted(order) == free


def test_first_fit_takes_the_lowest_gap_and_tight_fit_the_smallest() -> None:
    # Offsets that a buffer of 4 bytes may not take beside [0, 4), [12, 20) and [24, 30).
    taken = [(-4, 4), (8, 20), (20, 30)]
    assert first_fit(taken, 1) == 4
    assert first_fit(taken, 8) == 8
    assert tightest_fit(taken, 1) == 20


def test_local_search_never_ends_above_its_start() -> None:
    for seed in range(20):
        problem = random_problem(Random(seed), Kind(memories=("",)), 20)
        instance = instances(problem)[""]
        machine = Linked.of(instance)
        order = next(orders(instance))
        start = machine.place(order, tight=False)
        found = improve(machine, order, 0, budget=5_000)
        assert found.height <= start.height
        assert found == improve(machine, order, 0, budget=5_000)
