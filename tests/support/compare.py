"""Comparing outputs with an oracle's: integers bit for bit, floats relative to the largest."""

from __future__ import annotations

import numpy as np


def assert_equal(
    ours: np.ndarray, theirs: np.ndarray, what: str = "output", tolerance: float = 1e-5
) -> None:
    """Integers equal; floats within `tolerance` of the largest magnitude."""
    assert ours.shape == theirs.shape, f"{what}: shape {ours.shape}, expected {theirs.shape}"
    if ours.dtype.kind in "iub":
        wrong = ours != theirs
        worst = np.abs(ours.astype(np.int64) - theirs.astype(np.int64)).max(initial=0)
        assert not wrong.any(), f"{what}: {wrong.sum()} of {wrong.size} differ, worst by {worst}"
        return
    assert (np.isfinite(ours) == np.isfinite(theirs)).all(), (
        f"{what}: finite where the other is not"
    )
    finite = np.isfinite(theirs)
    scale = max(np.abs(theirs[finite]).max(initial=0.0), 1e-30)
    error = np.abs(ours[finite] - theirs[finite]).max(initial=0.0) / scale
    assert error <= tolerance, f"{what}: off by {error:.3g} of the largest magnitude"
