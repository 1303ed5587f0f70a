"""The byte moves under the data-movement operators: loops are joined, and joined loops agree."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.ir import DType, Tensor
from nacre.ops.moves import COPY_BYTES, Loop, Move, collapse, move_calls, strides


def tensor(key: str, size: int) -> Tensor:
    return Tensor(key, key, (size,), DType.UINT8)


def moved(move: Move, x: np.ndarray, size: int) -> np.ndarray:
    """What the loops say, one piece after another."""
    y = np.zeros(size, np.uint8)
    for index in np.ndindex(*(loop.count for loop in move.loops)):
        at = move.source + sum(i * lp.source for i, lp in zip(index, move.loops, strict=True))
        to = move.target + sum(i * lp.target for i, lp in zip(index, move.loops, strict=True))
        y[to : to + move.run] = x[at : at + move.run]
    return y


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=6),
    st.sampled_from([1, 2, 3, 4, 8]),
    st.data(),
)
def test_collapsed_loops_move_the_same_bytes(
    shape: list[int], run: int, data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    source = strides(tuple(shape), run)
    out = tuple(shape[d] for d in order)
    target = strides(out, run)
    loops = tuple(Loop(n, source[d], t) for n, d, t in zip(out, order, target, strict=True))
    size = run * int(np.prod(shape))
    x = np.random.default_rng(0).integers(0, 256, size).astype(np.uint8)
    move = Move(loops, run)
    joined = collapse(move)
    assert len(joined.loops) <= len(loops)
    np.testing.assert_array_equal(moved(joined, x, size), moved(move, x, size))


def test_contiguous_loops_become_one_copy() -> None:
    loops = tuple(Loop(n, s, s) for n, s in zip((2, 3, 4), strides((2, 3, 4), 2), strict=True))
    (call,) = move_calls(tensor("x", 48), tensor("y", 48), Move(loops, 2))
    assert call.kernel == COPY_BYTES and call.arguments[-1] == 48


def test_rows_of_a_wider_tensor_keep_one_loop() -> None:
    loops = (Loop(5, 12, 20), Loop(3, 4, 4))
    assert collapse(Move(loops, 4)) == Move((Loop(5, 12, 20),), 12)


@pytest.mark.parametrize("move", [Move((Loop(0, 1, 1),), 1), Move((), 0)])
def test_nothing_to_move_is_no_call(move: Move) -> None:
    assert move_calls(tensor("x", 4), tensor("y", 4), move) == ()


def test_a_short_inner_loop_changes_places() -> None:
    loops = (Loop(100, 1, 3), Loop(3, 100, 1))
    assert collapse(Move(loops, 1)).loops == (Loop(3, 100, 1), Loop(100, 1, 3))
