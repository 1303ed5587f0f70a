"""The example networks: reproducible, run by both runtimes, with outputs that tell inputs apart."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from nacre.frontends.tflite.reader import read_model
from networks import EXAMPLES
from support.oracles import requires_litert, requires_tflm, run_litert, run_tflm

FOLDER = Path(__file__).parents[1] / "examples"
SAMPLES = 6
# LiteRT and TFLite Micro round fully connected layers differently: a step or two, which softmax
# may stretch a little.
STEPS = 3


@cache
def made(name: str) -> bytes:
    return EXAMPLES[name].make()


def samples(name: str) -> list[list[np.ndarray]]:
    return [[sample[np.newaxis]] for sample in EXAMPLES[name].samples(SAMPLES)]


def test_bundled_file_is_reproduced():
    assert made("dscnn") == (FOLDER / "dscnn.tflite").read_bytes()


@pytest.mark.parametrize("name", EXAMPLES)
def test_files_are_reproducible(name):
    assert EXAMPLES[name].make() == made(name)


@pytest.mark.parametrize(
    ("name", "shape", "operators"),
    [
        ("dscnn", (1, 49, 10, 1), {"CONV_2D": 5, "DEPTHWISE_CONV_2D": 4, "SOFTMAX": 1}),
        ("resnet", (1, 32, 32, 3), {"CONV_2D": 9, "ADD": 3, "AVERAGE_POOL_2D": 1}),
        ("mobilenet", (1, 96, 96, 3), {"CONV_2D": 14, "DEPTHWISE_CONV_2D": 13}),
        ("streaming", (1, 3, 40), {"CALL_ONCE": 1, "VAR_HANDLE": 5, "STRIDED_SLICE": 5}),
        ("tiny_float", (1, 12, 12, 1), {"CONV_2D": 1, "MAX_POOL_2D": 1, "FULLY_CONNECTED": 1}),
    ],
)
def test_structure(name, shape, operators):
    graph = read_model(made(name)).subgraphs[0]
    assert graph.tensors[graph.inputs[0]].shape == shape
    types = [operator.type for operator in graph.operators]
    assert {type: types.count(type) for type in operators} == operators


@requires_litert
@requires_tflm
@pytest.mark.parametrize("name", EXAMPLES)
def test_runtimes_agree_and_outputs_differ(name):
    litert, tflm = (run(made(name), samples(name)) for run in (run_litert, run_tflm))
    outputs = np.array([output for (output,) in tflm]).astype(np.float64)
    tolerance = 1e-6 if name == "tiny_float" else STEPS
    np.testing.assert_allclose(np.array(litert)[:, 0], outputs, rtol=0, atol=tolerance)
    assert len(np.unique(outputs.reshape(SAMPLES, -1), axis=0)) == SAMPLES


@requires_litert
@pytest.mark.parametrize("name", [n for n in EXAMPLES if n != "tiny_float"])
def test_no_activation_saturates_or_vanishes(name):
    """Over fresh samples, few values sit at the upper limit and every layer varies."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    interpreter = Interpreter(
        model_content=made(name),
        num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF,
        experimental_preserve_all_tensors=True,
    )
    interpreter.allocate_tensors()
    layers = [o.outputs[0] for o in read_model(made(name)).subgraphs[0].operators if o.outputs]
    layers = [i for i in layers if interpreter.get_tensor_details()[i]["dtype"] == np.int8]
    seen: dict[int, list[np.ndarray]] = {index: [] for index in layers}
    for (sample,) in samples(name):
        interpreter.set_tensor(interpreter.get_input_details()[0]["index"], sample)
        interpreter.invoke()
        for index in layers:
            seen[index].append(interpreter.get_tensor(index))
    for index in layers[:-1]:  # the last is softmax or logistic: near 1 is fine there
        values = np.array(seen[index])
        assert (values == 127).mean() < 0.05, f"tensor {index} saturates"
        assert values.std() > 4, f"tensor {index} vanishes"


@requires_litert
@requires_tflm
def test_bundled_golden_is_what_both_runtimes_give():
    data = (FOLDER / "dscnn.tflite").read_bytes()
    golden = np.load(FOLDER / "dscnn_golden.npz")
    count = sum(name.endswith("_in0") for name in golden.files)
    inputs = [[golden[f"s{i}_in0"]] for i in range(count)]
    expected = [[golden[f"s{i}_out0"]] for i in range(count)]
    assert count == 8
    np.testing.assert_array_equal(run_tflm(data, inputs), expected)
    np.testing.assert_array_equal(run_litert(data, inputs), expected)
