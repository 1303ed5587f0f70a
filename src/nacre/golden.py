"""Golden vectors: inputs with the outputs that the source runtime gives for them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from nacre.config.schema import Config
from nacre.errors import ConfigError
from nacre.ir import Array, DType, Graph, Tensor
from nacre.oracles import ORACLES, OracleRefused, ask
from nacre.reference import run_reference

SEED = 0


@dataclass(frozen=True, eq=False)
class Golden:
    """Samples to run in order from a fresh state; `oracle` says who computed the outputs."""

    inputs: tuple[tuple[Array, ...], ...]
    outputs: tuple[tuple[Array, ...], ...]
    oracle: str


def golden_vectors(graph: Graph, data: bytes, config: Config, folder: Path) -> Golden:
    """From the user's file, else from the oracle, else from the numpy references."""
    if config.test.golden is not None:
        return read_golden(folder / config.test.golden, graph)
    return make_golden(graph, data, config, config.test.samples)


def make_golden(graph: Graph, data: bytes, config: Config, samples: int) -> Golden:
    """Random inputs and what the first oracle that accepts the model makes of them."""
    inputs = random_inputs(graph, samples)
    order = ("tflm", "litert") if config.numerics == "tflm" else ("litert",)
    whole = not config.model.outputs and config.model.subgraph == 0
    for oracle in order if whole else ():
        try:
            outputs = ask(oracle, data, inputs)
        except OracleRefused:
            continue
        return Golden(_frozen(inputs), _frozen(outputs), ORACLES[oracle][0])
    state: dict[str, Array] = {}
    computed = [run_reference(graph, sample, state) for sample in inputs]
    return Golden(_frozen(inputs), _frozen(computed), "the numpy references of nacre")


def random_inputs(graph: Graph, samples: int) -> list[list[Array]]:
    """Reproducible inputs: integers over their range, floats standard normal, indices small."""
    generator = np.random.default_rng(SEED)
    return [
        [_random(generator, graph.tensors[key]) for key in graph.inputs] for _ in range(samples)
    ]


def _random(generator: np.random.Generator, tensor: Tensor) -> Array:
    if tensor.dtype in (DType.FLOAT32, DType.FLOAT64, DType.FLOAT16):
        return generator.standard_normal(tensor.shape).astype(tensor.dtype.numpy)
    if tensor.dtype is DType.COMPLEX64:
        parts = generator.standard_normal((2, *tensor.shape))
        return np.asarray(parts[0] + 1j * parts[1], np.complex64)
    if tensor.dtype is DType.BOOL:
        return generator.integers(0, 2, tensor.shape).astype(np.bool_)
    if tensor.dtype in (DType.INT8, DType.UINT8, DType.INT16):
        low, high = tensor.dtype.range
        return generator.integers(low, high + 1, tensor.shape).astype(tensor.dtype.numpy)
    return generator.integers(0, 8, tensor.shape).astype(tensor.dtype.numpy)


def read_golden(path: Path, graph: Graph) -> Golden:
    """A user's .npz: s{i}_in{j} and s{i}_out{j}."""
    try:
        with np.load(path) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, BadZipFile) as error:
        raise ConfigError(f"test.golden: {path} cannot be read as .npz: {error}") from None
    count = 0
    while f"s{count}_in0" in arrays:
        count += 1
    if count == 0:
        raise ConfigError(f"test.golden: {path} has no array s0_in0")
    inputs = [_row(arrays, graph, i, "in", graph.inputs, path) for i in range(count)]
    outputs = [_row(arrays, graph, i, "out", graph.outputs, path) for i in range(count)]
    return Golden(_frozen(inputs), _frozen(outputs), path.name)


def _row(
    arrays: dict[str, Array], graph: Graph, i: int, word: str, keys: tuple[str, ...], path: Path
) -> list[Array]:
    row = []
    for j, key in enumerate(keys):
        name, tensor = f"s{i}_{word}{j}", graph.tensors[key]
        if name not in arrays:
            raise ConfigError(f"test.golden: {path} has no array {name}")
        if arrays[name].size != tensor.elements:
            raise ConfigError(
                f"test.golden: {name} in {path} has shape {list(arrays[name].shape)}; "
                f'"{tensor.name}" is {list(tensor.shape)}'
            )
        row.append(arrays[name].astype(tensor.dtype.numpy).reshape(tensor.shape))
    return row


def _frozen(rows: list[list[Array]]) -> tuple[tuple[Array, ...], ...]:
    return tuple(tuple(row) for row in rows)
