"""Networks of the memory tests: bytes, inputs in order, and what an oracle gave for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from networks import EXAMPLES
from quantizer import QuantizedNetwork
from support.golden import expected, samples
from support.oracles import have_tflm, run_tflm
from support.shared import SHARED, golden_path, model_path

EXAMPLE_FOLDER = Path(__file__).parents[2] / "examples"
STREAM_SAMPLES = 8


@dataclass(frozen=True, eq=False)
class Net:
    """A model file; sample by sample the inputs and the outputs, run in order from fresh."""

    data: bytes
    inputs: tuple[tuple[np.ndarray, ...], ...]
    outputs: tuple[tuple[np.ndarray, ...], ...]

    def first(self, count: int) -> Net:
        """The same with the first samples alone."""
        return Net(self.data, self.inputs[:count], self.outputs[:count])


@cache
def keyword_net() -> Net:
    """The bundled keyword network with its bundled golden file."""
    return _with_golden(EXAMPLE_FOLDER / "dscnn.tflite", EXAMPLE_FOLDER / "dscnn_golden.npz")


@cache
def shared_net(name: str) -> Net:
    """A network of the shared collection."""
    if SHARED is None:
        pytest.skip("the shared models are not beside this checkout")
    return _with_golden(model_path(name), golden_path(name))


@cache
def streaming_net() -> Net:
    """The streaming wake-word network of the examples; TFLite Micro computes its outputs."""
    return _with_oracle(EXAMPLES["streaming"].make(), EXAMPLES["streaming"].samples(STREAM_SAMPLES))


@cache
def gate_net() -> Net:
    """A small network with state: two variables, the second does not start at zero bytes."""
    inputs = np.random.default_rng(21).integers(-128, 128, (STREAM_SAMPLES, 2, 1, 6), np.int8)
    net = QuantizedNetwork("gate", seed=9)
    net.call_once()
    x = net.stream(net.input(inputs, 1 / 64, 0), 2)
    x = net.dense(net.reshape(x, 24), 8)
    x = net.stream(net.reshape(x, 1, 1, 8), 3)
    x = net.dense(net.reshape(x, 32), 16)
    return _with_oracle(net.build(net.dense(x, 5)), inputs)


@cache
def chain_net() -> Net:
    """Four layers of 48: the third writes where the input was, unless that is forbidden."""
    inputs = np.random.default_rng(22).integers(-128, 128, (4, 48), np.int8)
    net = QuantizedNetwork("chain", seed=10)
    x = net.input(inputs, 1 / 64, 0)
    for _ in range(4):
        x = net.dense(x, 48)
    return _with_oracle(net.build(x), inputs)


def _with_golden(model: Path, golden_file: Path) -> Net:
    golden = np.load(golden_file)
    counts = [sum(f"s0_{word}{j}" in golden.files for j in range(16)) for word in ("in", "out")]
    rows = range(samples(golden))
    return Net(
        model.read_bytes(),
        tuple(tuple(golden[f"s{i}_in{j}"] for j in range(counts[0])) for i in rows),
        tuple(tuple(expected(golden, i, j) for j in range(counts[1])) for i in rows),
    )


def _with_oracle(data: bytes, inputs: np.ndarray) -> Net:
    if not have_tflm():
        pytest.skip("tflite-micro is not installed")
    rows = [[sample[np.newaxis]] for sample in inputs]
    outputs = run_tflm(data, rows)
    assert len({o.tobytes() for (o,) in outputs}) > 2, "the outputs must tell the samples apart"
    return Net(data, tuple(map(tuple, rows)), tuple(map(tuple, outputs)))
