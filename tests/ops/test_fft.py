"""Fourier transforms against LiteRT and numpy's double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.compare import assert_equal
from support.execute import Runner, program_of
from support.operators import check_operator
from tflite_builder import ModelBuilder


def rfft_model(shape: tuple[int, ...], lengths: tuple[int, int], part: str | None = None) -> bytes:
    b = ModelBuilder()
    out = (*shape[:-2], lengths[0], lengths[1] // 2 + 1)
    x = b.input("x", shape, "float32")
    wanted = b.constant("lengths", np.array(lengths, np.int32))
    y = b.tensor("spectrum", out, "complex64")
    b.operator("RFFT2D", [x, wanted], [y])
    if part is not None:
        z = b.tensor("part", out, "float32")
        b.operator(part, [y], [z])
        y = z
    b.output(y)
    return b.build()


def signal(shape: tuple[int, ...], seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 3), max_size=2),
    st.tuples(st.integers(1, 9), st.integers(1, 70)),
    st.tuples(st.sampled_from([1, 2, 4, 8]), st.sampled_from([2, 4, 8, 16, 32, 64, 128])),
    st.sampled_from(["COMPLEX_ABS", "REAL", "IMAG"]),
    st.integers(0, 1000),
)
def test_powers_of_two_cut_and_filled_up(
    batch: list[int], image: tuple[int, int], lengths: tuple[int, int], part: str, seed: int
) -> None:
    """LiteRT is the oracle of what is cut or filled up, and of the sign of the exponent."""
    shape = (*batch, *image)
    check_operator(rfft_model(shape, lengths, part), [[signal(shape, seed)]], ("litert",))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 12, 100, 256, 400, 512, 1024, 2048])
def test_any_length_equals_double_precision(length: int) -> None:
    x = signal((2, 1, length))
    graph = import_model(rfft_model(x.shape, (1, length)), "model")
    (ours,) = Runner(program_of(graph)).run([x])
    exact = np.fft.rfft(x.astype(np.float64))
    assert_equal(ours, exact.astype(np.complex64), tolerance=2e-6)
    assert_equal(run_reference(graph, [x], {})[0], exact.astype(np.complex64), tolerance=1e-6)


@pytest.mark.parametrize("height", [3, 5, 6, 16, 64])
def test_any_height_equals_double_precision(height: int) -> None:
    x = signal((2, height, 24))
    graph = import_model(rfft_model(x.shape, (height, 24)), "model")
    (ours,) = Runner(program_of(graph)).run([x])
    exact = np.fft.rfft2(x.astype(np.float64))
    assert_equal(ours, exact.astype(np.complex64), tolerance=2e-6)


def test_a_tone_lands_in_its_bin() -> None:
    x = np.cos(2 * np.pi * 37 * np.arange(512) / 512).astype(np.float32).reshape(1, 1, 512)
    (outputs,) = check_operator(rfft_model(x.shape, (1, 512), "COMPLEX_ABS"), [[x]], ("litert",))
    assert int(np.argmax(outputs[0])) == 37
    assert abs(float(outputs[0][0, 0, 37]) - 256.0) < 1e-3


def test_refusals_say_what_was_found() -> None:
    with pytest.raises(RefusedModel, match=r"lengths of the transform are \[0, 8\]"):
        import_model(rfft_model((1, 1, 8), (0, 8)), "model")
