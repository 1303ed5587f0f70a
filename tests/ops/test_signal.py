"""The audio front end's operators against TFLite Micro, and its whole against the golden file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from flatbuffers import flexbuffers
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from support.golden import check_model, check_reference
from support.operators import check_operator
from support.shared import golden_path, model_path, requires_shared
from tflite_builder import ModelBuilder

TENSOR_TYPES = {"int16": 7, "int32": 2, "float32": 0}


def custom_model(
    name: str,
    inputs: Sequence[tuple[str, tuple[int, ...]] | np.ndarray],
    outputs: Sequence[tuple[str, tuple[int, ...]]],
    options: dict | bytes,
) -> bytes:
    """One custom operator; arrays among the inputs are constants."""
    b = ModelBuilder()
    x = [
        b.constant(f"c{i}", v) if isinstance(v, np.ndarray) else b.input(f"x{i}", v[1], v[0])
        for i, v in enumerate(inputs)
    ]
    y = [b.tensor(f"y{i}", shape, dtype) for i, (dtype, shape) in enumerate(outputs)]
    packed = options if isinstance(options, bytes) else bytes(flexbuffers.Dumps(options))
    b.operator(name, x, y, None, custom_options=packed)
    b.output(*y)
    return b.build()


def noise(dtype: str, shape: tuple[int, ...], seed: int, top: int | None = None) -> np.ndarray:
    """Values over the whole range, or of random magnitudes up to `top`."""
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    if top is None:
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    exponents = rng.uniform(0, np.log2(top), shape)
    return np.minimum(2**exponents, info.max).astype(dtype)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(1, 2), st.integers(1, 60), st.integers(0, 15), st.integers(0, 1000))
def test_window(frames: int, length: int, shift: int, seed: int) -> None:
    window = noise("int16", (length,), seed + 1)
    shape = (frames, length)
    model = custom_model(
        "CUSTOM:SignalWindow", [("int16", shape), window], [("int16", shape)], {"shift": shift}
    )
    check_operator(model, [[noise("int16", shape, seed)]], ("tflm",))


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(1, 60), st.integers(1, 32767), st.integers(0, 1000))
def test_automatic_scale(length: int, top: int, seed: int) -> None:
    signs = np.random.default_rng(seed).choice([-1, 1], length).astype(np.int16)
    x = noise("int16", (length,), seed, top) * signs
    model = custom_model(
        "CUSTOM:SignalFftAutoScale",
        [("int16", (length,))],
        [("int16", (length,)), ("int32", ())],
        {},
    )
    check_operator(model, [[x], [np.zeros_like(x)]], ("tflm",))


@pytest.mark.parametrize("frame", [(-32768, 5), (5, -32768), (-32768, -32768), (0, -1), (1, 0)])
def test_automatic_scale_of_the_smallest_sample(frame: tuple[int, int]) -> None:
    model = custom_model(
        "CUSTOM:SignalFftAutoScale", [("int16", (2,))], [("int16", (2,)), ("int32", ())], {}
    )
    check_operator(model, [[np.array(frame, np.int16)]], ("tflm",))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(["int16", "int32"]),
    st.sampled_from([4, 8, 16, 32, 64, 128, 256, 512, 1024]),
    st.integers(1, 2),
    st.data(),
    st.integers(0, 1000),
)
def test_fixed_point_transform(
    dtype: str, length: int, frames: int, data: st.DataObject, seed: int
) -> None:
    frame = data.draw(st.integers(1, length))
    model = custom_model(
        "CUSTOM:SignalRfft", [(dtype, (frames, frame))], [(dtype, (frames, length + 2))],
        {"T": TENSOR_TYPES[dtype], "fft_length": length},
    )  # fmt: skip
    x = noise(dtype, (frames, frame), seed)
    extreme = np.random.default_rng(seed).choice(
        [np.iinfo(dtype).min, np.iinfo(dtype).max], x.shape
    )
    check_operator(model, [[x], [extreme.astype(dtype)]], ("tflm",))


def test_float_transform() -> None:
    x = np.random.default_rng(0).standard_normal((2, 200)).astype(np.float32)
    model = custom_model(
        "CUSTOM:SignalRfft", [("float32", x.shape)], [("float32", (2, 258))],
        {"T": TENSOR_TYPES["float32"], "fft_length": 256},
    )  # fmt: skip
    check_operator(model, [[x]], ("tflm",))


def test_energy_inside_its_range() -> None:
    x = noise("int16", (66,), 0)
    model = custom_model(
        "CUSTOM:SignalEnergy",
        [("int16", (66,))],
        [("uint32", (33,))],
        {"start_index": 0, "end_index": 33},
    )
    check_operator(model, [[x], [np.full_like(x, -32768)]], ("tflm",))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(1, 9), st.integers(0, 1000))
def test_filter_bank(channels: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    bins, weights = 40, 64
    widths = rng.integers(0, 9, channels + 1).astype(np.int16)
    tables = [
        rng.integers(-4096, 4096, weights).astype(np.int16),
        rng.integers(-4096, 4096, weights).astype(np.int16),
        rng.integers(0, bins - 8, channels + 1).astype(np.int16),
        rng.integers(0, weights - 8, channels + 1).astype(np.int16),
        widths,
    ]
    model = custom_model(
        "CUSTOM:SignalFilterBank", [("uint32", (bins,)), *tables], [("uint64", (channels,))],
        {"num_channels": channels},
    )  # fmt: skip
    check_operator(model, [[noise("uint32", (bins,), seed)]], ("tflm",))


@pytest.mark.parametrize("bits", [0, 3])
def test_square_roots(bits: int) -> None:
    edges = [0, 1, 2, 3, 2**32 - 1, 2**32, 0xFFFE0001, 0xFFFF0000, 2**64 - 1, 0xFFFFFFFE00000002]
    x = np.concatenate([noise("uint64", (80,), 0, 2**64 - 2048), np.array(edges, np.uint64)])
    model = custom_model(
        "CUSTOM:SignalFilterBankSquareRoot",
        [("uint64", x.shape), ("int32", ())],
        [("uint32", x.shape)],
        {},
    )
    check_operator(model, [[x, np.array(bits, np.int32)]], ("tflm",))


@pytest.mark.parametrize("clamping", [False, True])
@pytest.mark.parametrize("smoothing_bits", [0, 10])
def test_spectral_subtraction_remembers_the_noise(clamping: bool, smoothing_bits: int) -> None:
    options = {
        "alternate_one_minus_smoothing": 15401, "alternate_smoothing": 983, "clamping": clamping,
        "min_signal_remaining": 819, "num_channels": 9, "one_minus_smoothing": 15975,
        "smoothing": 409, "smoothing_bits": smoothing_bits, "spectral_subtraction_bits": 14,
    }  # fmt: skip
    model = custom_model(
        "CUSTOM:SignalFilterBankSpectralSubtraction", [("uint32", (9,))],
        [("uint32", (9,)), ("uint32", (9,))], options,
    )  # fmt: skip
    samples = [[noise("uint32", (9,), seed, 1 << 21)] for seed in range(6)]
    outputs = check_operator(model, samples, ("tflm",))
    assert not np.array_equal(outputs[0][1], outputs[5][1])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 20), st.integers(0, 1000))
def test_gain_control(snr_shift: int, seed: int) -> None:
    lut = np.random.default_rng(seed).integers(-2000, 16000, 125).astype(np.int16)
    shape = (40,)
    model = custom_model(
        "CUSTOM:SignalPCAN", [("uint32", shape), ("uint32", shape), lut], [("uint32", shape)],
        {"snr_shift": snr_shift},
    )  # fmt: skip
    noises = noise("uint32", shape, seed, 1 << 32)
    noises[:4] = range(4)
    check_operator(model, [[noise("uint32", shape, seed + 1, 1 << 30), noises]], ("tflm",))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.sampled_from([1, 64, 1600, 60000]), st.integers(0, 8), st.integers(0, 1000))
def test_logarithm(scale: int, bits: int, seed: int) -> None:
    x = noise("uint32", (64,), seed, 1 << 32)
    x[:3] = range(3)
    model = custom_model(
        "CUSTOM:SignalFilterBankLog", [("uint32", (64,))], [("int16", (64,))],
        {"input_correction_bits": bits, "output_scale": scale},
    )  # fmt: skip
    check_operator(model, [[x]], ("tflm",))


@requires_shared
def test_the_whole_front_end() -> None:
    name = "tflm_audio_preprocessor_int8"
    assert check_model(model_path(name), golden_path(name)) > 0
    check_reference(model_path(name), golden_path(name))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (b"\x00", "cannot be read as a flexbuffer map"),
        (b"\xff" * 40, "cannot be read as a flexbuffer map"),
        ({}, "option fft_length is missing; it is required"),
        ({"fft_length": 1 << 40}, "option fft_length is .*; supported: integers from 4 to 32768"),
        ({"fft_length": 48}, "fft_length is 48; supported: powers of two"),
        ({"fft_length": 8}, r"frames of shape \[16\] with a transform of 8"),
    ],
)
def test_odd_options_are_refused(options: dict | bytes, sentence: str) -> None:
    model = custom_model("CUSTOM:SignalRfft", [("int16", (16,))], [("int16", (18,))], options)
    with pytest.raises(RefusedModel, match=sentence):
        import_model(model, "model")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_damaged_options_never_crash(options: bytes) -> None:
    """Only a refusal may come of bytes that are no options."""
    model = custom_model("CUSTOM:SignalRfft", [("int16", (16,))], [("int16", (18,))], options)
    with pytest.raises(RefusedModel, match=r"custom options|option fft_length"):
        import_model(model, "model")


def test_a_filter_bank_that_reads_outside_is_refused() -> None:
    tables = [np.ones(8, np.int16), np.ones(8, np.int16), *(np.array(v, np.int16) for v in
              ([0, 30], [0, 0], [4, 4]))]  # fmt: skip
    model = custom_model(
        "CUSTOM:SignalFilterBank",
        [("uint32", (32,)), *tables],
        [("uint64", (1,))],
        {"num_channels": 1},
    )
    with pytest.raises(RefusedModel, match="channel 1 of the filter bank reads outside"):
        import_model(model, "model")
