"""What sound files decode to, on small models written here."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest

from nacre.frontends.tflite import schema
from nacre.frontends.tflite.reader import read_model
from nacre.frontends.tflite.records import FileOperator, FileTensor
from nacre.ir import DType
from tflite_reader.model_writer import (
    TINY,
    Dimension,
    ModelSpec,
    OperatorSpec,
    Sparsity,
    SubgraphSpec,
    TensorSpec,
    changed,
    tiny,
    with_constant,
    write_model,
)

CONTENTS = [
    ("FLOAT32", np.arange(6, dtype="<f4")),
    ("FLOAT16", np.arange(6, dtype="<f2")),
    ("FLOAT64", np.arange(6, dtype="<f8")),
    ("COMPLEX64", np.arange(6, dtype="<c8")),
    ("INT8", np.arange(-3, 3, dtype="i1")),
    ("UINT8", np.arange(250, 256, dtype="u1")),
    ("INT16", np.arange(-3, 3, dtype="<i2")),
    ("UINT16", np.arange(65530, 65536, dtype="<u2")),
    ("INT32", np.arange(-3, 3, dtype="<i4")),
    ("UINT32", np.arange(6, dtype="<u4")),
    ("INT64", np.arange(-3, 3, dtype="<i8")),
    ("UINT64", np.arange(6, dtype="<u8")),
    ("BOOL", np.array([True, False, True, True, False, True])),
]


def read_constant(tensor: TensorSpec) -> FileTensor:
    return read_model(write_model(with_constant(tensor))).subgraphs[0].tensors[2]


def read_operator(operator: OperatorSpec) -> FileOperator:
    return read_model(write_model(tiny(TensorSpec(), operator=operator))).subgraphs[0].operators[0]


@pytest.mark.parametrize(("name", "content"), CONTENTS, ids=[name for name, _ in CONTENTS])
def test_content_by_type(name: str, content: np.ndarray) -> None:
    tensor = read_constant(TensorSpec((2, 3), name, content.tobytes()))
    assert tensor.dtype is DType(content.dtype.name) and tensor.type_name == name
    np.testing.assert_array_equal(tensor.data, content.reshape(2, 3))


def test_int4_unpacks_the_low_half_first() -> None:
    tensor = read_constant(TensorSpec((5,), "INT4", bytes([0x21, 0xF8, 0x07])))
    assert tensor.dtype is DType.INT8 and tensor.type_name == "INT4"
    np.testing.assert_array_equal(tensor.data, np.array([1, 2, -8, -1, 7], np.int8))


@pytest.mark.parametrize("name", ["STRING", "RESOURCE", "VARIANT"])
def test_types_that_no_operator_reads(name: str) -> None:
    tensor = read_constant(TensorSpec((1,), name, b"abc"))
    assert tensor.dtype is None and tensor.type_name == name and tensor.data is None


def test_constants_are_views() -> None:
    data = write_model(with_constant(TensorSpec((4096,), "INT8", bytes(4096))))
    constant = read_model(data).subgraphs[0].tensors[2].data
    assert constant is not None and not constant.flags.owndata and not constant.flags.writeable


def test_external_buffer() -> None:
    size = len(write_model(with_constant(TensorSpec((3,), "INT8", external=(2, 3)))))
    spec = with_constant(TensorSpec((3,), "INT8", external=(size, 3)))
    tensor = read_model(write_model(spec) + b"\x01\x02\xff").subgraphs[0].tensors[2]
    np.testing.assert_array_equal(tensor.data, np.array([1, 2, -1], np.int8))


@pytest.mark.parametrize(
    ("shape", "signature", "expected", "dynamic"),
    [
        ((2, 3), (), (2, 3), False),
        ((), (), (), False),
        ((1, 3), (-1, 3), (1, 3), True),
        ((7, 3), (-1, 3), (7, 3), True),
        ((0, 3), (-1, 3), (1, 3), True),
        ((-1, 3), (), (1, 3), True),
        ((0, 3), (), (0, 3), False),
        ((2, 3), (2, 3), (2, 3), False),
    ],
)
def test_free_dimensions(
    shape: tuple[int, ...], signature: tuple[int, ...], expected: tuple[int, ...], dynamic: bool
) -> None:
    data = write_model(tiny(TensorSpec(shape, signature=signature)))
    tensor = read_model(data).subgraphs[0].tensors[0]
    assert (tensor.shape, tensor.dynamic) == (expected, dynamic)


def test_a_constant_without_elements_has_an_empty_content() -> None:
    tensor = read_constant(TensorSpec((0,), "INT32"))
    assert tensor.data is not None and tensor.data.shape == (0,) and tensor.data.dtype == np.int32


def test_quantization_per_tensor() -> None:
    q = read_constant(TensorSpec(scales=(0.1,), zero_points=(-7,))).quantization
    assert q is not None and q.zero_points == (-7,)
    assert q.scales == (float(np.float32(0.1)),)


def test_quantization_per_channel() -> None:
    spec = TensorSpec((2, 3), scales=(0.5, 0.25, 2.0), zero_points=(1, 2, 3), axis=1)
    q = read_constant(spec).quantization
    assert q is not None
    assert (q.scales, q.zero_points, q.axis) == ((0.5, 0.25, 2.0), (1, 2, 3), 1)


@pytest.mark.parametrize(("stored", "expected"), [((), (0, 0)), ((5,), (5, 5)), ((1, 2), (1, 2))])
def test_short_zero_points(stored: tuple[int, ...], expected: tuple[int, ...]) -> None:
    spec = TensorSpec((2,), scales=(0.5, 0.25), zero_points=stored)
    q = read_constant(spec).quantization
    assert q is not None and q.zero_points == expected


def test_scales_of_floats_mean_nothing() -> None:
    tensor = TensorSpec((1,), "FLOAT32", scales=(0.5,), zero_points=(1000,))
    assert read_constant(tensor).quantization is None


def test_no_scale_is_no_quantization() -> None:
    assert read_constant(TensorSpec(zero_points=(3,))).quantization is None
    assert read_constant(TensorSpec()).quantization is None


def test_bias_with_the_dimension_of_its_weights() -> None:
    q = read_constant(TensorSpec((2,), "INT32", scales=(0.5, 0.25), axis=3)).quantization
    assert q is not None and q.axis == 0


def test_a_constant_may_have_the_scale_zero() -> None:
    q = read_constant(TensorSpec((2,), "INT16", bytes(4), scales=(0.0,))).quantization
    assert q is not None and q.scales == (0.0,)


def test_variable() -> None:
    assert read_constant(TensorSpec(is_variable=True)).is_variable
    assert not read_constant(TensorSpec()).is_variable


def test_names_that_are_not_utf8_are_replaced() -> None:
    assert read_constant(TensorSpec(name=b"a\xffb")).name == "a\ufffdb"


def test_options() -> None:
    fields = {"Padding": 1, "StrideW": 2, "StrideH": 3, "FusedActivationFunction": 1}
    options = read_operator(OperatorSpec(type="CONV_2D", options=("Conv2DOptions", fields))).options
    assert options.table == "Conv2DOptions"
    assert dict(options.values) == {
        "padding": 1,
        "stride_w": 2,
        "stride_h": 3,
        "fused_activation_function": 1,
        "dilation_w_factor": 1,
        "dilation_h_factor": 1,
        "quantized_bias_type": 0,
    }


def test_options_of_other_kinds() -> None:
    reshape = read_operator(
        OperatorSpec(type="RESHAPE", options=("ReshapeOptions", {"NewShape": (2, -1)}))
    ).options
    assert reshape.integers("new_shape") == (2, -1)
    handle = read_operator(
        OperatorSpec((), type="VAR_HANDLE", options=("VarHandleOptions", {"SharedName": "state"}))
    ).options
    assert (handle.text("container"), handle.text("shared_name")) == ("", "state")
    fields = {"Boundaries": (0.5, 1.5)}
    bucketize = read_operator(OperatorSpec(type="BUCKETIZE", options=("BucketizeOptions", fields)))
    assert bucketize.options.values["boundaries"] == (0.5, 1.5)
    softmax = read_operator(
        OperatorSpec(type="SOFTMAX", options=("SoftmaxOptions", {"Beta": 0.5}))
    ).options
    assert softmax.real("beta") == 0.5


@pytest.mark.parametrize(
    "operator",
    [
        OperatorSpec(type="ADD"),
        OperatorSpec(type="ADD", options_without_table="AddOptions"),
        OperatorSpec(type="ADD", options=("PadOptions", {})),
        OperatorSpec(type="ADD", options=("AddOptions", {})),
    ],
)
def test_absent_options_have_the_defaults_of_the_schema(operator: OperatorSpec) -> None:
    options = read_operator(operator).options
    assert options.table == "AddOptions"
    assert dict(options.values) == {"fused_activation_function": 0, "pot_scale_int16": True}


def test_operator_without_options() -> None:
    options = read_operator(OperatorSpec(type="LOGISTIC")).options
    assert options.table == "" and dict(options.values) == {}


@pytest.mark.parametrize("name", sorted(schema.options_names().values()))
def test_option_fields_of_every_table(name: str) -> None:
    """Slots are different, and the generated getters that take no argument are all there."""
    fields = schema.option_fields(name)
    assert len({field.slot for field in fields}) == len(fields)
    source = vars(getattr(import_module(f"tflite.{name}"), name))
    getters = [g for g in source if not g.startswith(("_", "GetRootAs")) and g != "Init"]
    derived = ("AsNumpy", "Length", "IsNone", "HasIdentifier")
    plain = [g for g in getters if not g.endswith(derived)]
    assert [field.name.replace("_", "") for field in fields] == [g.lower() for g in plain]


def test_layouts_match_the_generated_classes() -> None:
    tables = {
        "Model": schema.MODEL,
        "OperatorCode": schema.OPERATOR_CODE,
        "SubGraph": schema.SUBGRAPH,
        "Tensor": schema.TENSOR,
        "Buffer": schema.BUFFER,
        "Operator": schema.OPERATOR,
        "QuantizationParameters": schema.QUANTIZATION,
        "SparsityParameters": schema.SPARSITY,
        "DimensionMetadata": schema.DIMENSION,
        "TensorMap": schema.TENSOR_MAP,
    }
    for name, layout in tables.items():
        module = vars(import_module(f"tflite.{name}"))
        added = [f.removeprefix(f"{name}Add") for f in module if f.startswith(f"{name}Add")]
        expected = [field.replace("_", "") for field in layout]
        assert [a.lower() for a in added][: len(layout)] == expected, name


def test_custom_operator() -> None:
    spec = OperatorSpec(type="CUSTOM", custom_code="MyOp", custom_options=b"\x01\x02")
    operator = read_operator(spec)
    assert (operator.type, operator.custom_code) == ("CUSTOM", "MyOp")
    assert operator.custom_options == b"\x01\x02"


def test_custom_options_outside_the_flatbuffer() -> None:
    def write(offset: int) -> bytes:
        operator = OperatorSpec(type="CUSTOM", external_options=(offset, 3))
        return write_model(tiny(TensorSpec(), operator=operator))

    model = read_model(write(len(write(2))) + b"abc")
    assert model.subgraphs[0].operators[0].custom_options == b"abc"


def test_operator_codes_old_and_new() -> None:
    assert read_operator(OperatorSpec(type="ADD", deprecated_code_only=True)).type == "ADD"
    assert read_operator(OperatorSpec(type="CONV_2D", deprecated_code_only=True)).type == "CONV_2D"
    assert read_operator(OperatorSpec(type="GELU")).type == "GELU"
    assert read_operator(OperatorSpec(type=9999)).type == "BUILTIN_9999"


def test_intermediates_and_absent_inputs() -> None:
    operator = read_operator(OperatorSpec(inputs=(0, -1), intermediates=(1, -1)))
    assert operator.inputs == (0, -1) and operator.intermediates == (1, -1)


def test_signature_names() -> None:
    spec = replace(TINY, signature=(0, {0: "x"}, {1: "y"}))
    model = read_model(write_model(spec))
    assert (model.signature_inputs, model.signature_outputs) == ({0: "x"}, {1: "y"})
    other = read_model(write_model(replace(TINY, signature=(1, {0: "x"}, {1: "y"}))))
    assert (other.signature_inputs, other.signature_outputs) == ({}, {})


def test_model_and_subgraph_fields() -> None:
    spec = ModelSpec((TINY.subgraphs[0], replace(TINY.subgraphs[0], name="second")))
    model = read_model(write_model(replace(spec, description="made here")))
    assert (model.version, model.description) == (3, "made here")
    assert [s.name for s in model.subgraphs] == ["main", "second"]
    assert (model.subgraphs[1].inputs, model.subgraphs[1].outputs) == ((0,), (1,))


def test_resources_and_variables_need_no_producer() -> None:
    tensors = (
        TensorSpec(),
        TensorSpec(),
        TensorSpec(type="RESOURCE"),
        TensorSpec(is_variable=True),
    )
    operators = (OperatorSpec((0, 2, 3), (1,)),)
    model = read_model(write_model(ModelSpec((SubgraphSpec(tensors, operators),))))
    assert model.subgraphs[0].operators[0].inputs == (0, 2, 3)


def test_buffer_zero_holds_nothing() -> None:
    spec = changed(TINY, lambda s: replace(s, tensors=(TensorSpec(buffer=0), *s.tensors[1:])))
    assert read_model(write_model(spec)).subgraphs[0].tensors[0].data is None


SPARSE = np.array([[0, 5, 0, 0], [0, 0, 0, 0], [7, 0, 0, -1]], np.int8)
CSR = Sparsity((0, 1), (Dimension(3), Dimension(segments=(0, 1, 1, 3), indices=(1, 0, 3))))


@pytest.mark.parametrize("kind", ["Int32Vector", "Uint16Vector", "Uint8Vector"])
def test_sparse_rows(kind: str) -> None:
    columns = replace(CSR.dimensions[1], index_type=kind)
    sparsity = replace(CSR, dimensions=(CSR.dimensions[0], columns))
    tensor = read_constant(TensorSpec((3, 4), data=b"\x05\x07\xff", sparsity=sparsity))
    np.testing.assert_array_equal(tensor.dense, SPARSE)
    np.testing.assert_array_equal(tensor.data, [5, 7, -1])


def test_sparse_columns() -> None:
    columns = Dimension(segments=(0, 1, 2, 2, 3), indices=(2, 0, 2))
    tensor = read_constant(
        TensorSpec((3, 4), data=b"\x07\x05\xff", sparsity=Sparsity((1, 0), (Dimension(4), columns)))
    )
    np.testing.assert_array_equal(tensor.dense, SPARSE)


def test_sparse_blocks() -> None:
    """Blocks of 2 x 2, stored row-wise inside: the schema's own example of a blocked matrix."""
    dense = np.zeros((4, 4), np.int8)
    dense[0:2, 2:4] = [[1, 2], [3, 4]]
    dense[2:4, 0:2] = [[5, 6], [7, 8]]
    dimensions = (
        Dimension(2),
        Dimension(segments=(0, 1, 2), indices=(1, 0)),
        Dimension(2),
        Dimension(2),
    )
    sparsity = Sparsity((0, 1, 2, 3), dimensions, block_map=(0, 1))
    tensor = read_constant(TensorSpec((4, 4), data=bytes(range(1, 9)), sparsity=sparsity))
    np.testing.assert_array_equal(tensor.dense, dense)


def test_sparse_vector_of_floats() -> None:
    values = np.array([1.5, -2.0], "<f4")
    sparsity = Sparsity((0,), (Dimension(segments=(0, 2), indices=(1, 4)),))
    tensor = read_constant(TensorSpec((5,), "FLOAT32", values.tobytes(), sparsity=sparsity))
    np.testing.assert_array_equal(tensor.dense, np.array([0, 1.5, 0, 0, -2], np.float32))
