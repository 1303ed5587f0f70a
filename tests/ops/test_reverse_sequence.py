"""REVERSE_SEQUENCE against LiteRT: dimensions in both orders, types, lengths."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.movement import Value, content, model
from support.operators import check_operator


def reverse_model(shape, sequence: int, batch: int, dtype="int32", index="int32") -> bytes:
    return model(
        "REVERSE_SEQUENCE",
        [Value(tuple(shape), dtype), Value((shape[batch],), index)],
        [Value(tuple(shape), dtype)],
        {"seq_dim": sequence, "batch_dim": batch},
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 5), min_size=2, max_size=4),
    st.data(),
    st.sampled_from(["uint8", "int16", "int32", "int64", "float32"]),
    st.sampled_from(["int32", "int64"]),
)
def test_reverse_sequence(shape: list[int], data: st.DataObject, dtype: str, index: str) -> None:
    sequence, batch = data.draw(st.permutations(range(len(shape))))[:2]
    lengths = [data.draw(st.integers(0, shape[sequence])) for _ in range(shape[batch])]
    x = content(shape, dtype)
    file = reverse_model(shape, sequence, batch, dtype, index)
    check_operator(file, [[x, np.array(lengths, index)]])


def test_lengths_that_are_missing_or_equal_dimensions_are_refused() -> None:
    with pytest.raises(RefusedModel, match="seq_dim 1, batch_dim 1, lengths"):
        import_model(reverse_model((2, 3), 1, 1), "model")
    with pytest.raises(RefusedModel, match="lengths are int16; supported: int32, int64"):
        import_model(reverse_model((2, 3), 1, 0, index="int16"), "model")
