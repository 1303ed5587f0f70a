"""The examples' TFLite writer: what it writes is what the reader and the runtimes see."""

from __future__ import annotations

import numpy as np
import pytest
import tflite

from nacre.frontends.tflite.reader import read_model
from nacre.ir import DType, Quantization
from support.oracles import (
    OracleRefused,
    requires_litert,
    requires_tflm,
    run_litert,
    run_tflm,
)
from tflite_builder import ModelBuilder, options_table

OPERATORS = [name for name, code in vars(tflite.BuiltinOperator).items() if isinstance(code, int)]
# What the reader insists on.
ARITIES = {"VAR_HANDLE": ([], [1]), "CALL_ONCE": ([], [])}
ARRAYS = [
    np.array([True, False, True]),
    np.array([[-128, 127]], np.int8),
    np.array([0, 255], np.uint8),
    np.array([-32768, 32767], np.int16),
    np.array([0, 65535], np.uint16),
    np.array([[[-(2**31)], [2**31 - 1]]], np.int32),
    np.array([0, 2**32 - 1], np.uint32),
    np.array([-(2**63), 2**63 - 1], np.int64),
    np.array(3, np.int32),
    np.array([0.1, -1.5], np.float16),
    np.array([0.1, np.inf], np.float32),
    np.array([0.1, 1e300], np.float64),
    np.array([1 + 2j], np.complex64),
    np.empty((0, 4), np.float32),
]


def convolution() -> ModelBuilder:
    b = ModelBuilder("conv", description="a test")
    rng = np.random.default_rng(0)
    scales = [0.01, 0.02, 0.01, 0.03]
    x = b.input("x", (1, 8, 8, 3), "int8", scale=0.1, zero_point=3)
    w = b.constant("w", rng.integers(-127, 128, (4, 3, 3, 3)).astype(np.int8), scales, axis=0)
    bias = b.constant("bias", np.array([5, -6, 7, 8], np.int32), np.multiply(scales, 0.1))
    y = b.tensor("y", (1, 4, 8, 4), "int8", scale=0.4, zero_point=-128)
    options = {"padding": 0, "stride_h": 2, "stride_w": 1, "fused_activation_function": 1}
    b.operator("CONV_2D", [x, w, bias], [y], options, version=3)
    b.output(y)
    return b


def one_operator(type: str, options: dict | None, **more) -> bytes:
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    inputs, outputs = ARITIES.get(type, ([x], [y]))
    b.operator(type, inputs, outputs, options, **more)
    b.output(*outputs)
    return b.build()


def test_subgraph_is_read_back():
    model = read_model(convolution().build())
    assert (model.version, model.description, len(model.subgraphs)) == (3, "a test", 1)
    graph = model.subgraphs[0]
    assert (graph.name, graph.inputs, graph.outputs) == ("conv", (0,), (3,))
    assert [t.name for t in graph.tensors] == ["x", "w", "bias", "y"]
    assert [t.shape for t in graph.tensors] == [(1, 8, 8, 3), (4, 3, 3, 3), (4,), (1, 4, 8, 4)]
    assert graph.tensors[0].quantization == Quantization((float(np.float32(0.1)),), (3,))
    per_channel = graph.tensors[1].quantization
    assert per_channel is not None and per_channel.zero_points == (0, 0, 0, 0)
    assert per_channel.scales == tuple(np.float32([0.01, 0.02, 0.01, 0.03]).tolist())


def test_operator_is_read_back():
    (operator,) = read_model(convolution().build()).subgraphs[0].operators
    assert (operator.type, operator.version) == ("CONV_2D", 3)
    assert (operator.inputs, operator.outputs) == ((0, 1, 2), (3,))
    options = operator.options
    assert (options.integer("stride_h"), options.integer("stride_w")) == (2, 1)
    assert options.integer("fused_activation_function") == 1
    assert options.integer("dilation_h_factor") == 1


@pytest.mark.parametrize("array", ARRAYS, ids=lambda a: f"{a.dtype.name}{list(a.shape)}")
def test_constant_is_read_back(array):
    b = ModelBuilder()
    b.constant("c", array)
    tensor = read_model(b.build()).subgraphs[0].tensors[0]
    assert tensor.dtype is DType(array.dtype.name)
    assert tensor.data is not None and tensor.data.shape == array.shape
    np.testing.assert_array_equal(tensor.data, array)


def test_int4_constant_is_packed():
    values = np.array([[-8, 7, -1], [0, 3, -4], [1, 2, 5]], np.int8)
    b = ModelBuilder()
    b.constant("c", values, scale=0.5, dtype="int4")
    tensor = read_model(b.build()).subgraphs[0].tensors[0]
    assert tensor.type_name == "INT4"
    np.testing.assert_array_equal(tensor.data, values)


def test_constants_are_aligned():
    b = ModelBuilder()
    for size in (1, 3, 17, 5):
        b.constant(f"c{size}", np.full(size, 0x51 + size, np.int8))
    data = b.build()
    for size in (1, 3, 17, 5):
        length = np.uint32(size).tobytes()
        assert data.index(length + bytes([0x51 + size]) * size) % 16 == 12


def test_variables_and_free_dimensions():
    b = ModelBuilder()
    b.input("x", (1, 4), "float32", signature=(-1, 4))
    b.tensor("state", (1, 4), "float32", variable=True)
    b.tensor("handle", (), "resource")
    x, state, handle = read_model(b.build()).subgraphs[0].tensors
    assert (x.dynamic, x.shape, state.dynamic) == (True, (1, 4), False)
    assert (x.is_variable, state.is_variable) == (False, True)
    assert (handle.type_name, handle.shape, handle.dtype) == ("RESOURCE", (), None)


def test_custom_operator():
    data = one_operator("CUSTOM:Spectrum", None, custom_options=b"\x01\x02", version=2)
    (operator,) = read_model(data).subgraphs[0].operators
    assert (operator.type, operator.custom_code, operator.version) == ("CUSTOM", "Spectrum", 2)
    assert operator.custom_options == b"\x01\x02"


def test_absent_inputs_and_intermediates():
    b = ModelBuilder()
    x = b.input("x", (1, 4), "float32")
    y = b.tensor("y", (1, 4), "float32")
    b.operator("UNIDIRECTIONAL_SEQUENCE_LSTM", [x, -1, x], [y], intermediates=[x, -1])
    (operator,) = read_model(b.build()).subgraphs[0].operators
    assert (operator.inputs, operator.intermediates) == ((0, -1, 0), (0, -1))


@pytest.mark.parametrize(
    ("type", "options"),
    [
        ("RESHAPE", {"new_shape": (2, -1)}),
        ("SQUEEZE", {"squeeze_dims": (0, 2)}),
        ("VAR_HANDLE", {"container": "box", "shared_name": "state/0"}),
        ("LEAKY_RELU", {"alpha": 0.25}),
        ("BATCH_MATMUL", {"adj_x": True, "adj_y": False}),
        ("BUCKETIZE", {"boundaries": (0.0, 1.0, 2.5)}),
        ("RANDOM_UNIFORM", {"seed": 2**40, "seed2": -1}),
        ("CALL_ONCE", {"init_subgraph_index": 1}),
        ("UNPACK", {"num": 3, "axis": -1}),
    ],
)
def test_options_are_read_back(type, options):
    (operator,) = read_model(one_operator(type, options)).subgraphs[0].operators
    assert {name: operator.options.values[name] for name in options} == options


@pytest.mark.parametrize("type", OPERATORS)
def test_every_operator_can_be_written(type):
    model = tflite.Model.GetRootAs(one_operator(type, {}), 0)
    code, operator = model.OperatorCodes(0), model.Subgraphs(0).Operators(0)
    assert code.BuiltinCode() == getattr(tflite.BuiltinOperator, type)
    assert code.DeprecatedBuiltinCode() == min(code.BuiltinCode(), 127)
    table = options_table(type)
    kinds = (
        getattr(tflite.BuiltinOptions, table or "NONE", 0),
        getattr(tflite.BuiltinOptions2, table or "NONE", 0),
    )
    assert (operator.BuiltinOptionsType(), operator.BuiltinOptions2Type()) == kinds


def test_every_options_table_has_an_operator():
    written = {options_table(type) for type in OPERATORS}
    unions = vars(tflite.BuiltinOptions) | vars(tflite.BuiltinOptions2)
    tables = {name for name, kind in unions.items() if isinstance(kind, int) and kind}
    assert tables <= written


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="CONV2D"):
        one_operator("CONV2D", {})
    with pytest.raises(ValueError, match=r"stride_x.*StrideH"):
        one_operator("CONV_2D", {"stride_x": 1})
    with pytest.raises(ValueError, match="RELU has no options"):
        one_operator("RELU", {"alpha": 1.0})
    with pytest.raises(ValueError, match="int7"):
        ModelBuilder().tensor("t", (1,), "int7")


def test_same_calls_give_the_same_bytes():
    assert convolution().build() == convolution().build()


@requires_litert
@requires_tflm
def test_convolution_runs_in_both_runtimes():
    rng = np.random.default_rng(1)
    samples = [[rng.integers(-128, 128, (1, 8, 8, 3)).astype(np.int8)] for _ in range(2)]
    litert, tflm = (run(convolution().build(), samples) for run in (run_litert, run_tflm))
    np.testing.assert_array_equal(litert, tflm)
    assert len(np.unique(litert[0])) > 50 and (litert[0][0] != litert[1][0]).any()


def counter() -> bytes:
    """y = (state += x), where the state starts as 10 by an initialising subgraph."""
    b = ModelBuilder()
    init = b.subgraph()
    b.operator("CALL_ONCE", [], [], {"init_subgraph_index": init.index})
    for graph in (b, init):
        handle = graph.tensor("handle", (), "resource")
        graph.operator("VAR_HANDLE", [], [handle], {"shared_name": "count"})
        if graph is init:
            first = graph.constant("ten", np.array([10], np.float32))
            graph.operator("ASSIGN_VARIABLE", [handle, first], [])
    x = b.input("x", (1,), "float32")
    before, after = (b.tensor(n, (1,), "float32") for n in ("before", "after"))
    b.operator("READ_VARIABLE", [0], [before])
    b.operator("ADD", [before, x], [after])
    b.operator("ASSIGN_VARIABLE", [0, after], [])
    b.output(after)
    return b.build()


@requires_litert
@requires_tflm
@pytest.mark.parametrize("run", [run_litert, run_tflm])
def test_variables_run(run):
    outputs = run(counter(), [[np.array([v], np.float32)] for v in (1, 2, 4)])
    assert [o.item() for (o,) in outputs] == [11, 13, 17]


@requires_litert
@requires_tflm
@pytest.mark.parametrize("run", [run_litert, run_tflm])
def test_oracles_refuse_in_their_own_words(run):
    data = one_operator("CUSTOM:Unheard", None)
    with pytest.raises(OracleRefused, match=r"LiteRT: |TFLite Micro: "):
        run(data, [[np.zeros((1, 4), np.float32)]])
