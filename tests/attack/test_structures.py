"""Graphs that no converter writes: variables used oddly, calls in circles, absurd sizes."""

from __future__ import annotations

import numpy as np
import pytest

from attack.examine import apart, examine, prepare
from attack.line import compile_bytes
from attack.odd_models import long_chain, wide_fan
from fuzz.properties import count_calls
from nacre.errors import CompileError
from nacre.frontends.tflite.importer import import_model
from support.oracles import have_litert, have_tflm
from tflite_builder import ModelBuilder
from tflite_reader.model_writer import (
    ModelSpec,
    OperatorSpec,
    SubgraphSpec,
    TensorSpec,
    write_model,
)

X = TensorSpec((4,), "FLOAT32")
ONES = TensorSpec((4,), "FLOAT32", np.ones(4, np.float32).tobytes())
HANDLE = TensorSpec((), "RESOURCE")
BIG = (1, 1 << 30, 1, 1)
LARGEST = (1 << 31) - 1
# Function calls that the line may need for a model of a few operators, however large its tensors.
MOST_CALLS = 2_000_000


def handle(output: int, name: str = "s") -> OperatorSpec:
    return OperatorSpec((), (output,), "VAR_HANDLE", ("VarHandleOptions", {"SharedName": name}))


def read(source: int, output: int) -> OperatorSpec:
    return OperatorSpec((source,), (output,), "READ_VARIABLE")


def assign(target: int, value: int) -> OperatorSpec:
    return OperatorSpec((target, value), (), "ASSIGN_VARIABLE")


def add(a: int, b: int, output: int) -> OperatorSpec:
    return OperatorSpec((a, b), (output,), "ADD", ("AddOptions", {}))


def negate(x: int, output: int) -> OperatorSpec:
    return OperatorSpec((x,), (output,), "NEG")


def call(subgraph: int) -> OperatorSpec:
    return OperatorSpec((), (), "CALL_ONCE", ("CallOnceOptions", {"InitSubgraphIndex": subgraph}))


def graph(
    tensors: tuple[TensorSpec, ...],
    *operators: OperatorSpec,
    inputs: tuple[int, ...] = (0,),
    outputs: tuple[int, ...] = (1,),
) -> SubgraphSpec:
    return SubgraphSpec(tensors, operators, inputs, outputs)


# Tensor 0 is the input, 1 the output, 2 a handle.
STATEFUL = {
    "never assigned": graph((X, X, HANDLE, X), handle(2), read(2, 3), add(0, 3, 1)),
    "never read": graph((X, X, HANDLE), handle(2), assign(2, 0), negate(0, 1)),
    "two handles of one": graph(
        (X, X, HANDLE, HANDLE, X), handle(2), handle(3), read(2, 4), add(0, 4, 1), assign(3, 1)
    ),
    "old and new": graph(
        (X, X, HANDLE, X, X, X),
        handle(2), read(2, 3), add(0, 3, 5), assign(2, 5), read(2, 4), add(3, 4, 1),
    ),
    "moved on": graph(
        (X, X, HANDLE, HANDLE, X, X),
        handle(2, "a"), handle(3, "b"), read(2, 4), read(3, 5), assign(2, 5), assign(3, 0),
        add(4, 5, 1),
    ),
    "delayed": graph((X, X, HANDLE), handle(2), read(2, 1), assign(2, 0)),
    "assigned twice": graph(
        (X, X, HANDLE, X, X),
        handle(2), assign(2, 0), negate(0, 3), assign(2, 3), read(2, 4), add(0, 4, 1),
    ),
    "constant": graph(
        (X, X, HANDLE, ONES, X), handle(2), read(2, 4), assign(2, 3), add(0, 4, 1)
    ),
    "input is output": graph(
        (X, X, HANDLE), handle(2), read(2, 1), assign(2, 0), outputs=(1, 0)
    ),
    "long name": graph(
        (X, X, HANDLE, X), handle(2, "*/\n" * 2000), read(2, 3), add(0, 3, 1), assign(2, 1)
    ),
}  # fmt: skip

INITIAL = graph((ONES, HANDLE), handle(1), assign(1, 0), inputs=(), outputs=())
PLAIN = graph((X, X), negate(0, 1))
REFUSED = {
    "beyond the subgraphs": ((graph((X, X), call(7), negate(0, 1)),), "runs subgraph 7"),
    "itself": ((graph((X, X), call(0), negate(0, 1)),), "initialisation subgraph has op 0"),
    "a circle": (
        (graph((X, X), call(1), negate(0, 1)), graph((X,), call(0), inputs=(), outputs=())),
        "initialisation subgraph has op 0 CALL_ONCE",
    ),
    "another shape": (
        (
            graph((TensorSpec((2,), "FLOAT32"), TensorSpec((2,), "FLOAT32"), HANDLE), call(1),
                  handle(2), read(2, 1), assign(2, 0)),
            INITIAL,
        ),
        "starts as",
    ),
    "two shapes": (
        (graph((X, X, HANDLE, TensorSpec((2,), "FLOAT32", bytes(8))), handle(2), assign(2, 0),
               assign(2, 3), negate(0, 1)),),
        "supported: the same",
    ),
    "handle as value": (
        (graph((X, X, HANDLE, X), handle(2), read(2, 3), add(0, 2, 1), assign(2, 3)),),
        "is the handle of a variable",
    ),
    "handle as output": (
        (graph((X, X, HANDLE), handle(2), read(2, 1), assign(2, 0), outputs=(1, 2)),),
        "is the handle of a variable",
    ),
    "input that is a constant": ((graph((ONES, X), negate(0, 1)),), "is a constant"),
    "input that is a variable": (
        (graph((TensorSpec((4,), "FLOAT32", is_variable=True), X), negate(0, 1)),),
        "is a variable",
    ),
    "variable of several zero points": (
        (graph((X, X, TensorSpec((2, 4), "INT8", scales=(0.5, 0.5), zero_points=(1, 2),
                                 is_variable=True)), add(0, 2, 1)),),
        "2 zero points",
    ),
    "no outputs": ((graph((X, X), negate(0, 1), outputs=()),), "no outputs"),
    "8 gigabytes": (
        (graph((TensorSpec((46340, 46341), "FLOAT32"),) * 2, negate(0, 1)),),
        "supported: 2147483647",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STATEFUL)
def test_state(name: str) -> None:
    """Kernels, references and, where it runs the model, LiteRT keep the same state."""
    prepare()
    data = write_model(ModelSpec((STATEFUL[name],)))
    compiled = compile_bytes(data)
    assert compiled is not None
    oracles = have_litert() and have_tflm()
    verdict = apart(lambda tell: examine(data, compiled, tell, oracles))
    assert not verdict.finding or verdict.is_oracle_crash, verdict


def test_initial_state() -> None:
    main = graph((X, X, HANDLE, X), call(1), handle(2), read(2, 3), add(0, 3, 1), assign(2, 1))
    compiled = compile_bytes(write_model(ModelSpec((main, INITIAL))))
    assert compiled is not None and len(compiled.program.first_values) == 1


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    subgraphs, words = REFUSED[name]
    with pytest.raises(CompileError) as caught:
        import_model(write_model(ModelSpec(subgraphs)), "net")
    assert words in str(caught.value)


def one(operator: str, options: dict, shape: tuple[int, ...] = BIG, *more: np.ndarray) -> bytes:
    b = ModelBuilder()
    x, y = b.input("x", shape, "int8", 0.5), b.tensor("y", shape, "int8", 0.5)
    constants = [b.constant(f"c{n}", value, 0.5 if value.ndim == 4 else None)
                 for n, value in enumerate(more)]  # fmt: skip
    b.operator(operator, [x, *constants], [y], options)
    b.output(y)
    return b.build()


STEPS = {"padding": 0, "stride_h": 1, "stride_w": 1}
POOL = STEPS | {"filter_height": 1, "filter_width": 1}
CONVOLUTION = STEPS | {"dilation_h_factor": 1, "dilation_w_factor": 1}
KERNEL = np.ones((1, 3, 3, 1), np.int8)
SMALL = (1, 8, 8, 1)
ABSURD = {
    "rows": one("RELU", {}),
    "pooled rows": one("MAX_POOL_2D", POOL),
    "large filter": one("AVERAGE_POOL_2D", POOL | {"filter_height": LARGEST}),
    "large stride": one("MAX_POOL_2D", POOL | {"stride_h": LARGEST}),
    "convolved rows": one("CONV_2D", CONVOLUTION, BIG, KERNEL),
    "filtered rows": one("DEPTHWISE_CONV_2D", CONVOLUTION, BIG, KERNEL),
    "large dilation": one(
        "CONV_2D", CONVOLUTION | {"dilation_h_factor": LARGEST}, SMALL, KERNEL
    ),
    "padding": one("PAD", {}, SMALL, np.array([[0, 0], [1 << 28, 0], [0, 0], [0, 0]], np.int32)),
    "tiles": one("TILE", {}, SMALL, np.array([1, 1 << 25, 1, 1], np.int32)),
    "resizing": one("RESIZE_NEAREST_NEIGHBOR", {}, SMALL, np.array([1 << 30, 1], np.int32)),
    "means": one("MEAN", {}, BIG, np.array([1, 2], np.int32)),
    "negative size": one("BROADCAST_TO", {}, (1,), np.array([-(1 << 31)], np.int32)),
    "many dimensions": one("RESHAPE", {}, (1,), np.ones(100, np.int32)),
}  # fmt: skip


@pytest.mark.parametrize("name", ABSURD)
def test_absurd_sizes_cost_no_time(name: str) -> None:
    calls = count_calls(lambda data: compile_bytes(data) is not None, ABSURD[name])
    assert calls <= MOST_CALLS


@pytest.mark.parametrize("made", [lambda: long_chain(1500), lambda: wide_fan(600)])
def test_many_operators(made) -> None:
    compiled = compile_bytes(made().build())
    assert compiled is not None and len(compiled.program.steps) >= 600
