"""The source runtimes: LiteRT's reference kernels, TFLite Micro and ONNX Runtime.

They are native code that a strange model may bring down, so `ask` runs them in a process of
their own. This module is also that process's program: `python -m nacre.oracles ORACLE FOLDER
SAMPLES`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TypeAlias

import numpy as np

from nacre.ir import Array

# One array per input or output.
Sample: TypeAlias = Sequence[Array]

SECONDS = 600
# TFLite Micro's arena on the host; its own guess is ten times the file.
TFLM_ARENA = 8 << 20


class OracleRefused(Exception):
    """The oracle is not installed, or cannot run this model; in its own words."""


def run_litert(data: bytes, samples: Sequence[Sample]) -> list[list[Array]]:
    """Consecutive invokes of one interpreter with LiteRT's reference kernels, one thread."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    try:
        interpreter = Interpreter(
            model_content=data,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        )
        inputs = interpreter.get_input_details()
        for details, value in zip(inputs, samples[0], strict=True):
            if tuple(details["shape"]) != value.shape:
                interpreter.resize_tensor_input(details["index"], value.shape)
        interpreter.allocate_tensors()
        results = []
        for sample in samples:
            for details, value in zip(inputs, sample, strict=True):
                interpreter.set_tensor(details["index"], value)
            interpreter.invoke()
            outputs = interpreter.get_output_details()
            results.append([interpreter.get_tensor(d["index"]) for d in outputs])
        return results
    except (RuntimeError, ValueError) as error:
        raise OracleRefused(f"LiteRT: {error}") from error


def run_tflm(data: bytes, samples: Sequence[Sample]) -> list[list[Array]]:
    """Consecutive invokes of one TFLite Micro interpreter with its reference kernels."""
    import tflite
    from tflite_micro.python.tflite_micro.runtime import Interpreter

    outputs = tflite.Model.GetRootAs(data, 0).Subgraphs(0).OutputsLength()
    try:
        interpreter = Interpreter.from_bytes(data, [], max(TFLM_ARENA, 10 * len(data)))
        results = []
        for sample in samples:
            for index, value in enumerate(sample):
                interpreter.set_input(np.asarray(value, order="C"), index)
            interpreter.invoke()
            results.append([np.array(interpreter.get_output(i)) for i in range(outputs)])
        return results
    except (RuntimeError, ValueError) as error:
        raise OracleRefused(f"TFLite Micro: {error}") from error


def run_ort(data: bytes, samples: Sequence[Sample]) -> list[list[Array]]:
    """One ONNX Runtime session on the CPU, one thread, its usual optimisations.

    A quantized graph is computed as it is written: fused operators round elsewhere.
    """
    import onnxruntime

    try:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        if b"QuantizeLinear" in data or b"QLinear" in data:
            options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        names = [value.name for value in session.get_inputs()]
        return [
            [np.asarray(y) for y in session.run(None, dict(zip(names, sample, strict=True)))]
            for sample in samples
        ]
    except Exception as error:  # its exceptions have no common base but this
        raise OracleRefused(f"ONNX Runtime: {error}") from error


# Name -> (label for people, package that must be there, runner).
ORACLES: dict[str, tuple[str, str, Callable[[bytes, Sequence[Sample]], list[list[Array]]]]] = {
    "tflm": ("TFLite Micro", "tflite_micro", run_tflm),
    "litert": ("LiteRT reference kernels", "ai_edge_litert", run_litert),
    "ort": ("ONNX Runtime", "onnxruntime", run_ort),
}


def is_installed(oracle: str) -> bool:
    return find_spec(ORACLES[oracle][1]) is not None


def ask(oracle: str, data: bytes, samples: Sequence[Sample]) -> list[list[Array]]:
    """Run the samples in a separate process; any failure is an OracleRefused."""
    if not is_installed(oracle):
        raise OracleRefused(
            f"{ORACLES[oracle][0]}: not installed; pip install 'nacre[oracles]' has it"
        )
    with tempfile.TemporaryDirectory(prefix="nacre-oracle-") as name:
        folder = Path(name)
        (folder / "model").write_bytes(data)
        _save(folder / "in.npz", samples)
        command = [sys.executable, "-m", "nacre.oracles", oracle, name, str(len(samples))]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise OracleRefused(f"{ORACLES[oracle][0]}: no answer in {SECONDS} s") from None
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            reason = lines[-1] if lines else f"ended with status {done.returncode}"
            raise OracleRefused(f"{ORACLES[oracle][0]}: {reason.removeprefix(_says(oracle))}")
        return _load(folder / "out.npz", len(samples))


def _says(oracle: str) -> str:
    """How the messages of an oracle's own runner begin."""
    return {"litert": "LiteRT: "}.get(oracle, f"{ORACLES[oracle][0]}: ")


def _save(path: Path, samples: Sequence[Sample]) -> None:
    arrays = {f"{i}_{j}": value for i, s in enumerate(samples) for j, value in enumerate(s)}
    np.savez(path, allow_pickle=False, **arrays)


def _load(path: Path, count: int) -> list[list[Array]]:
    with np.load(path) as file:
        width = len(file.files) // count
        return [[file[f"{i}_{j}"] for j in range(width)] for i in range(count)]


def _main(oracle: str, name: str, count: str) -> int:
    folder = Path(name)
    samples = _load(folder / "in.npz", int(count))
    try:
        outputs = ORACLES[oracle][2]((folder / "model").read_bytes(), samples)
    except OracleRefused as refused:
        sys.stderr.write(f"{refused}\n")
        return 1
    _save(folder / "out.npz", outputs)
    return 0


if __name__ == "__main__":
    sys.exit(_main(*sys.argv[1:4]))
