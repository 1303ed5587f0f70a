"""The source runtimes as oracles: LiteRT's reference kernels and TFLite Micro.

Both are imported when first asked for; a test that needs one carries its mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
import pytest

# One array per input (or output) of the model.
Sample: TypeAlias = Sequence[np.ndarray]

# Enough for every model of the tests; the runtime's own guess is ten times the file.
TFLM_ARENA = 8 << 20


class OracleRefused(Exception):
    """The oracle cannot run this model, in its own words."""


def have_litert() -> bool:
    return find_spec("ai_edge_litert") is not None


def have_tflm() -> bool:
    return find_spec("tflite_micro") is not None


requires_litert = pytest.mark.skipif(not have_litert(), reason="ai-edge-litert is not installed")
requires_tflm = pytest.mark.skipif(not have_tflm(), reason="tflite-micro is not installed")


def run_litert(data: bytes, samples: Sequence[Sample]) -> list[list[np.ndarray]]:
    """Consecutive invokes of one interpreter with LiteRT's reference kernels."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    try:
        interpreter = Interpreter(
            model_content=data,
            num_threads=1,
            experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        )
        _fit_inputs(interpreter, samples)
        return [_invoke_litert(interpreter, sample) for sample in samples]
    except (RuntimeError, ValueError) as error:
        raise OracleRefused(f"LiteRT: {error}") from error


def _fit_inputs(interpreter, samples: Sequence[Sample]) -> None:
    """Free dimensions take the sizes of the first sample."""
    for details, value in zip(interpreter.get_input_details(), samples[0], strict=True):
        if tuple(details["shape"]) != np.shape(value):
            interpreter.resize_tensor_input(details["index"], np.shape(value))
    interpreter.allocate_tensors()


def _invoke_litert(interpreter, sample: Sample) -> list[np.ndarray]:
    for details, value in zip(interpreter.get_input_details(), sample, strict=True):
        interpreter.set_tensor(details["index"], np.asarray(value))
    interpreter.invoke()
    return [interpreter.get_tensor(d["index"]) for d in interpreter.get_output_details()]


def run_tflm(
    data: bytes, samples: Sequence[Sample], custom_operators: Sequence[str] = ()
) -> list[list[np.ndarray]]:
    """Consecutive invokes of one TFLite Micro interpreter; names of registerers are optional."""
    from tflite_micro.python.tflite_micro.runtime import Interpreter

    try:
        arena = max(TFLM_ARENA, 10 * len(data))
        interpreter = Interpreter.from_bytes(data, list(custom_operators), arena)
        outputs = _output_count(data)
        return [_invoke_tflm(interpreter, sample, outputs) for sample in samples]
    except (RuntimeError, ValueError) as error:
        raise OracleRefused(f"TFLite Micro: {error}") from error


def _invoke_tflm(interpreter, sample: Sample, outputs: int) -> list[np.ndarray]:
    for index, value in enumerate(sample):
        interpreter.set_input(np.ascontiguousarray(value), index)
    interpreter.invoke()
    return [np.array(interpreter.get_output(index)) for index in range(outputs)]


def _output_count(data: bytes) -> int:
    import tflite

    return tflite.Model.GetRootAs(data, 0).Subgraphs(0).OutputsLength()
