"""Golden vectors: inputs with the outputs that the source runtime gives for them."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from nacre.config.schema import Config
from nacre.errors import ConfigError
from nacre.ir import Array, DType, Graph, Tensor, TensorId
from nacre.ops.quantize import dequantize, quantize_real
from nacre.oracles import ORACLES, OracleRefused, ask
from nacre.reference import run_reference
from nacre.text import short

SEED = 0
# Of all samples together.
MOST_VALUES = 1 << 26

REFERENCES = "the numpy references of nacre"


@dataclass(frozen=True, eq=False)
class Golden:
    """Samples to run in order from a fresh state; `oracle` says who computed the outputs."""

    inputs: tuple[tuple[Array, ...], ...]
    outputs: tuple[tuple[Array, ...], ...]
    oracle: str
    # Which oracles were asked first, and why they did not answer.
    notes: tuple[str, ...] = ()
    # Per output, one step of its quantization, by which results may differ; 0: not at all.
    steps: tuple[float, ...] = ()


def golden_vectors(graph: Graph, data: bytes, config: Config, samples: int | None = None) -> Golden:
    """From the user's file, else from the oracle, else from the numpy references."""
    if config.test.golden is not None:
        return read_golden(Path(config.test.golden), graph, config.numerics)
    made = make_golden(graph, data, config, samples or config.test.samples)
    return replace(made, notes=(*made.notes, *_empty_words(graph, made)))


def _empty_words(graph: Graph, made: Golden) -> list[str]:
    """Outputs on which random inputs prove nothing: all their values are NaN."""
    rows = zip(graph.outputs, zip(*made.outputs, strict=True), strict=True)
    return [
        f"warning: output {short(graph.tensors[key].name)!r} is NaN throughout for random inputs, "
        "so that it compares nothing; give real inputs and outputs in test.golden"
        for key, values in rows
        if values[0].dtype.kind == "f" and all(np.isnan(v).all() for v in values)
    ]


def make_golden(graph: Graph, data: bytes, config: Config, samples: int) -> Golden:
    """Random inputs and what the first oracle that accepts the model makes of them."""
    _check_size(graph, samples)
    inputs = random_inputs(graph, samples)
    if Path(config.model.path or "").suffix == ".onnx":
        return _by_onnx_runtime(graph, data, config, inputs)
    order = ("tflm", "litert") if config.numerics == "tflm" else ("litert",)
    if config.model.outputs or config.model.subgraph:
        return _by_references(graph, inputs, ["the source runtimes only run whole models"])
    refused = []
    for oracle in order:
        try:
            outputs = ask(oracle, data, _asked(graph, inputs))
        except OracleRefused as reason:
            refused.append(str(reason))
            continue
        results = _answered(graph, outputs)
        return Golden(_frozen(inputs), _frozen(results), ORACLES[oracle][0], tuple(refused))
    return _by_references(graph, inputs, refused)


def _check_size(graph: Graph, samples: int) -> None:
    """Before memory is spent on vectors that nobody compiles."""
    values = samples * sum(graph.tensors[key].elements for key in (*graph.inputs, *graph.outputs))
    if values > MOST_VALUES:
        raise ConfigError(
            f"test: golden vectors of {values} values; supported: up to {MOST_VALUES}: give "
            "fewer samples, or convert with --no-test.enabled"
        )


def _by_onnx_runtime(
    graph: Graph, data: bytes, config: Config, inputs: list[list[Array]]
) -> Golden:
    from nacre.frontends.onnx.reader import embedded

    if config.model.outputs:
        return _by_references(graph, inputs, ["the source runtimes only run whole models"])
    nhwc = config.model.io_layout == "nhwc"
    try:
        real = _asked(graph, inputs)
        asked = [[_moved(x, (0, 3, 1, 2)) if nhwc else x for x in s] for s in real]
        outputs = ask("ort", embedded(data, Path(config.model.path or "").parent), asked)
    except OracleRefused as reason:
        return _by_references(graph, inputs, [str(reason)])
    moved = [[_moved(y, (0, 2, 3, 1)) if nhwc else y for y in s] for s in outputs]
    results = _answered(graph, moved)
    return Golden(_frozen(inputs), _frozen(results), ORACLES["ort"][0], (), output_steps(graph))


def output_steps(graph: Graph) -> tuple[float, ...]:
    """Of the outputs that quantized operators compute: the runtime rounds their sums as floats."""
    return tuple(_step(graph, key) for key in graph.outputs)


def _step(graph: Graph, key: str) -> float:
    producers = graph.producers()
    while key in producers and graph.tensors[key].dtype is DType.FLOAT32:
        operator = producers[key]
        source = operator.inputs[0] if operator.type in _VIEWS else None
        if source is None:
            return 0.0
        if operator.type == "DEQUANTIZE":
            return graph.tensors[source].q.scale
        key = source
    return 1.0 if graph.tensors[key].quantization is not None else 0.0


# What may stand between the last quantized tensor and an output.
_VIEWS = ("DEQUANTIZE", "RESHAPE", "TRANSPOSE")


def _moved(value: Array, order: tuple[int, ...]) -> Array:
    """Images alone have their channels elsewhere."""
    return np.ascontiguousarray(value.transpose(order)) if value.ndim == 4 else value


def _asked(graph: Graph, inputs: list[list[Array]]) -> list[list[Array]]:
    """Inputs as the file has them: ends that are quantized by choice as real numbers."""
    tensors = [graph.tensors[key] for key in graph.inputs]
    chosen = [key in graph.real_ends for key in graph.inputs]
    return [
        [dequantize(x, t) if c else x for x, t, c in zip(sample, tensors, chosen, strict=True)]
        for sample in inputs
    ]


def _answered(graph: Graph, outputs: list[list[Array]]) -> list[list[Array]]:
    """Outputs as the graph has them."""
    tensors = [graph.tensors[key] for key in graph.outputs]
    chosen = [key in graph.real_ends for key in graph.outputs]
    return [
        [quantize_real(y, t) if c else y for y, t, c in zip(sample, tensors, chosen, strict=True)]
        for sample in outputs
    ]


def _by_references(graph: Graph, inputs: list[list[Array]], refused: list[str]) -> Golden:
    state: dict[str, Array] = {}
    computed = [run_reference(graph, sample, state) for sample in inputs]
    notes = (*refused, f"compared with {REFERENCES}")
    return Golden(_frozen(inputs), _frozen(computed), REFERENCES, notes)


def random_inputs(graph: Graph, samples: int) -> list[list[Array]]:
    """Reproducible inputs: integers over their range, floats standard normal, indices small."""
    generator = np.random.default_rng(SEED)
    return [[_random_input(generator, graph, key) for key in graph.inputs] for _ in range(samples)]


def _random_input(generator: np.random.Generator, graph: Graph, key: TensorId) -> Array:
    """What is quantized by choice has the numbers that it had as floats."""
    tensor = graph.tensors[key]
    if key in graph.real_ends:
        return quantize_real(generator.standard_normal(tensor.shape), tensor)
    return _random(generator, tensor)


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


def read_golden(path: Path, graph: Graph, numerics: str = "litert") -> Golden:
    """A user's .npz: s{i}_in{j} and s{i}_out{j}; with numerics tflm, s{i}_tflm_out{j} if there."""
    arrays = _arrays(path)
    count = 0
    while f"s{count}_in0" in arrays:
        count += 1
    if count == 0:
        found = ", ".join(sorted(arrays)[:4]) or "nothing"
        raise ConfigError(
            f"test.golden: {path} has no array s0_in0, the first input; it has: {found}"
        )
    out = "tflm_out" if numerics == "tflm" and "s0_tflm_out0" in arrays else "out"
    inputs = [_row(arrays, graph, f"s{i}_in", graph.inputs, path) for i in range(count)]
    outputs = [_row(arrays, graph, f"s{i}_{out}", graph.outputs, path) for i in range(count)]
    return Golden(_frozen(inputs), _frozen(outputs), path.name)


def _arrays(path: Path) -> dict[str, Array]:
    """The arrays of an .npz file."""
    try:
        file = np.load(path, allow_pickle=False)
        if not isinstance(file, np.lib.npyio.NpzFile):
            raise ConfigError(f"test.golden: {path} is one array; write several with numpy.savez")
        with file:
            return {name: file[name] for name in file.files}
    except OSError as error:
        reason = error.strerror or "it is damaged"
        raise ConfigError(f"test.golden: {path} cannot be read: {reason}") from None
    except (ValueError, EOFError, KeyError, BadZipFile, zlib.error):
        raise ConfigError(
            f"test.golden: {path} is not an .npz file of plain arrays, or is damaged; write it "
            "with numpy.savez"
        ) from None


def _row(
    arrays: dict[str, Array], graph: Graph, stem: str, keys: tuple[str, ...], path: Path
) -> list[Array]:
    return [_value(arrays, f"{stem}{j}", graph.tensors[k], path) for j, k in enumerate(keys)]


def _value(arrays: dict[str, Array], name: str, tensor: Tensor, path: Path) -> Array:
    """An array as the tensor holds it; dimensions of 1 may be missing or added."""
    array = arrays.get(name)
    what = f'"{short(tensor.name)}" is {tensor.dtype.value}{list(tensor.shape)}'
    if array is None:
        raise ConfigError(f"test.golden: {path} has no array {name}; {what}")
    if _without_ones(array.shape) != _without_ones(tensor.shape):
        raise ConfigError(f"test.golden: {name} in {path} has shape {list(array.shape)}; {what}")
    if array.dtype.kind not in "biufc" or not _holds(tensor.dtype, array):
        raise ConfigError(
            f"test.golden: {name} in {path} has values that {tensor.dtype.value} does not "
            f"hold; {what}"
        )
    return array.astype(tensor.dtype.numpy).reshape(tensor.shape)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(d for d in shape if d != 1)


def _holds(dtype: DType, array: Array) -> bool:
    """Whether integers stay what they are; floats may be rounded."""
    if np.dtype(dtype.numpy).kind in "fc":
        return array.dtype.kind != "c" or dtype is DType.COMPLEX64
    with np.errstate(invalid="ignore"):
        return bool((array.astype(dtype.numpy) == array).all())


def _frozen(rows: list[list[Array]]) -> tuple[tuple[Array, ...], ...]:
    return tuple(tuple(row) for row in rows)
