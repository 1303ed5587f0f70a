"""Bounds: exact on hand-made cases, never above a solution."""

from __future__ import annotations

from nacre.planner.bounds import lower_bounds, overlap_bounds
from nacre.planner.problem import Buffer, Overlap, Problem


def test_live_bytes_of_the_fullest_step() -> None:
    problem = Problem((Buffer("a", 5, 0, 3), Buffer("b", 7, 2, 5), Buffer("c", 11, 3, 4)))
    assert lower_bounds(problem) == {"": 18}


def test_memories_are_apart() -> None:
    problem = Problem((Buffer("a", 5, 0, 3), Buffer("b", 7, 2, 5, memory="sram")))
    assert lower_bounds(problem) == {"": 5, "sram": 7}


def test_all_but_the_top_buffer_fill_whole_grains() -> None:
    # Multiples of 16: one of them ends the stack, at best the one with the most padding (15).
    problem = Problem((Buffer("a", 17, 0, 1, 16), Buffer("b", 1, 0, 1, 16)))
    assert lower_bounds(problem) == {"": 32 + 16 - 15}


def test_the_grain_is_what_all_alignments_share() -> None:
    problem = Problem((Buffer("a", 5, 0, 1, 16), Buffer("b", 5, 0, 1, 4)))
    assert lower_bounds(problem) == {"": 8 + 8 - 3}


def test_a_pin_is_a_bound() -> None:
    problem = Problem((Buffer("a", 5, 0, 1, offset=100), Buffer("b", 5, 0, 1)))
    assert lower_bounds(problem) == {"": 105}


def test_pairs_count_in_full_in_the_plain_bound_alone() -> None:
    buffers = (Buffer("in", 100, 0, 2), Buffer("out", 100, 1, 3))
    problem = Problem(buffers, (Overlap("in", "out", ahead=16),))
    assert lower_bounds(problem) == {"": 200}
    assert overlap_bounds(problem) == {"": 116}


def test_an_output_cannot_share_more_bytes_than_it_has() -> None:
    # An addition in place of both inputs: they are apart, so the output saves its size once.
    buffers = (Buffer("x", 10, 0, 2), Buffer("y", 10, 0, 2), Buffer("sum", 10, 1, 3))
    pairs = (Overlap("x", "sum", ahead=0), Overlap("y", "sum", ahead=0))
    assert overlap_bounds(Problem(buffers, pairs)) == {"": 20}


def test_a_pair_that_never_lives_together_shares_nothing() -> None:
    buffers = (Buffer("a", 10, 0, 1), Buffer("b", 10, 1, 2), Buffer("c", 10, 0, 2))
    problem = Problem(buffers, (Overlap("a", "b", ahead=0),))
    assert overlap_bounds(problem) == {"": 20}


def test_an_empty_memory_has_height_zero() -> None:
    assert lower_bounds(Problem((Buffer("a", 0, 0, 1),))) == {"": 0}
    assert lower_bounds(Problem(())) == {}
