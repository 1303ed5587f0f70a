"""Each defect of a file is one ModelError whose sentence has the value found."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from tflite.Model import Model

from nacre.errors import ModelError
from nacre.frontends.tflite.reader import read_model
from support.shared import MODELS, needs_shared
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

INPUT, OUTPUT = TensorSpec(), TensorSpec()
NAN, INFINITY = float("nan"), float("inf")


@dataclass(frozen=True)
class Case:
    """A defect by name, the file that has it, and a part of the sentence that is expected."""

    name: str
    file: Callable[[], bytes]
    message: str


def spec(name: str, model: ModelSpec, message: str) -> Case:
    return Case(name, lambda: write_model(model), message)


def patched(name: str, patch: Callable[[bytearray], None], message: str) -> Case:
    def file() -> bytes:
        data = bytearray(write_model(TINY))
        patch(data)
        return bytes(data)

    return Case(name, file, message)


def put(data: bytearray, code: str, position: int, value: int) -> None:
    struct.pack_into(f"<{code}", data, position, value)


def root(data: bytearray) -> int:
    """Position of the model's table."""
    return int(struct.unpack_from("<I", data, 0)[0])


def vtable(data: bytearray) -> int:
    return root(data) - int(struct.unpack_from("<i", data, root(data))[0])


def field(data: bytearray, slot: int) -> int:
    """Position of a field of the model's table."""
    offset = struct.unpack_from("<H", data, vtable(data) + 4 + 2 * slot)[0]
    assert offset, f"the tiny model has no field {slot}"
    return root(data) + int(offset)


def vector(data: bytearray, slot: int) -> int:
    """Position of the length of a vector of the model's table."""
    at = field(data, slot)
    return at + int(struct.unpack_from("<I", data, at)[0])


def graph(**changes: object) -> ModelSpec:
    return changed(TINY, lambda s: replace(s, **changes))  # type: ignore[arg-type]


def operators(*given: OperatorSpec, tensors: int = 4) -> ModelSpec:
    subgraph = SubgraphSpec(tuple(TensorSpec() for _ in range(tensors)), given)
    return ModelSpec((subgraph,))


def sparse(sparsity: Sparsity, shape: tuple[int, ...] = (3, 4), data: bytes = b"abc") -> ModelSpec:
    return with_constant(TensorSpec(shape, data=data, sparsity=sparsity))


def csr(segments: tuple[int, ...], indices: tuple[int, ...]) -> Sparsity:
    return Sparsity((0, 1), (Dimension(3), Dimension(segments=segments, indices=indices)))


STRUCTURE = [
    Case("empty", lambda: b"", "has 0 bytes, expected at least 8"),
    Case("header", lambda: b"\x08\0\0\0TFL", "has 7 bytes"),
    Case("zeros", lambda: bytes(64), "identifier is b'\\x00\\x00\\x00\\x00', expected b'TFL3'"),
    spec("identifier", replace(TINY, identifier=b"TFL2"), "b'TFL2', expected b'TFL3'"),
    Case("root only", lambda: b"\x08\0\0\0TFL3", "the model lies at bytes [8, 12)"),
    patched("root outside", lambda d: put(d, "I", 0, 2**32 - 1), "the model lies at"),
    patched("vtable before", lambda d: put(d, "i", root(d), 2**31 - 1), "the vtable of the model"),
    patched("vtable after", lambda d: put(d, "i", root(d), -(2**31)), "the vtable of the model"),
    patched("vtable short", lambda d: put(d, "H", vtable(d), 2), "has the sizes 2 and"),
    patched("vtable odd", lambda d: put(d, "H", vtable(d), 7), "has the sizes 7 and"),
    patched("vtable long", lambda d: put(d, "H", vtable(d), 65534), "the vtable of the model"),
    patched("table short", lambda d: put(d, "H", vtable(d) + 2, 3), "and 3, expected"),
    patched("table long", lambda d: put(d, "H", vtable(d) + 2, 65535), "the model lies at"),
    patched("field outside", lambda d: put(d, "H", vtable(d) + 4, 60000), "at offset 60000"),
    patched("field in header", lambda d: put(d, "H", vtable(d) + 4, 2), "at offset 2"),
    patched("vector offset", lambda d: put(d, "I", field(d, 2), 2**31), "subgraphs lies at"),
    patched("vector length", lambda d: put(d, "I", vector(d, 2), 2**30), "subgraphs lies at"),
    patched("element offset", lambda d: put(d, "I", vector(d, 2) + 4, 2**31), "subgraph 0 lies"),
    patched("text offset", lambda d: put(d, "I", field(d, 3), 2**31), "description lies at"),
    patched("text length", lambda d: put(d, "I", vector(d, 3), 2**31), "description lies at"),
    spec("version", replace(TINY, version=2), "version is 2, expected 3"),
    spec("no subgraphs", replace(TINY, subgraphs=()), "has 0 subgraphs"),
]

SHAPES = [
    spec("negative", tiny(TensorSpec((2, -2))), "shape is [2, -2]"),
    spec("most negative", tiny(TensorSpec((-(2**31),))), "shape is [-2147483648]"),
    spec("rank", tiny(TensorSpec((1,) * 9)), "shape has 9 entries, expected at most 8"),
    spec("elements", tiny(TensorSpec((2**16, 2**16))), "that is 4294967296 elements"),
    spec("overflow", tiny(TensorSpec((2**31 - 1,) * 8)), "expected at most 2147483648"),
    spec("behind zero", tiny(TensorSpec((0, 2**31 - 1, 2**31 - 1))), "elements, expected"),
    spec("signature rank", tiny(TensorSpec((2, 2), signature=(2,))), "shape_signature is [2]"),
    spec("signature", tiny(TensorSpec((2,), signature=(-5,))), "shape_signature is [-5]"),
]

CONTENT = [
    spec("type", tiny(TensorSpec(type=99)), "type is 99"),
    spec("negative type", tiny(TensorSpec(type=-1)), "type is -1"),
    spec("buffer index", tiny(TensorSpec(buffer=7)), "buffer is 7, expected below the 1"),
    spec("short", with_constant(TensorSpec((4,), data=b"123")), "has 3 bytes, expected 4 for INT8"),
    spec("long", with_constant(TensorSpec((4,), data=b"12345")), "has 5 bytes, expected 4"),
    spec("float", with_constant(TensorSpec((1,), "FLOAT32", b"123")), "has 3 bytes, expected 4"),
    spec("int4", with_constant(TensorSpec((3,), "INT4", b"123")), "has 3 bytes, expected 2"),
    spec("none wanted", with_constant(TensorSpec((0,), data=b"1")), "has 1 bytes, expected 0"),
    spec("external", with_constant(TensorSpec((4,), external=(10**9, 4))), "content of buffer 1"),
    spec(
        "external overflow",
        with_constant(TensorSpec((4,), external=(2**64 - 2, 2**64 - 2))),
        "content of buffer 1",
    ),
]

QUANTIZATION = [
    spec("scale nan", tiny(TensorSpec(scales=(NAN,))), "scale nan, expected a positive"),
    spec("scale infinite", tiny(TensorSpec(scales=(INFINITY,))), "scale inf"),
    spec("scale negative", tiny(TensorSpec(scales=(-0.5,))), "scale -0.5"),
    spec("scale zero", tiny(TensorSpec(scales=(0.0,))), "scale 0.0"),
    spec("one bad of many", tiny(TensorSpec((2,), scales=(1.0, NAN))), "scale nan"),
    spec("scales", tiny(TensorSpec((4,), scales=(1.0, 1.0, 1.0))), "has 3 scales, expected 1 or"),
    spec("scales on a scalar", tiny(TensorSpec((), scales=(1.0, 1.0))), "dimension of []"),
    spec("axis", tiny(TensorSpec((2, 2), scales=(1.0, 1.0), axis=2)), "quantized_dimension is 2"),
    spec("axis below", tiny(TensorSpec((2, 2), scales=(1.0, 1.0), axis=-1)), "is -1, expected"),
    spec(
        "zero points",
        tiny(TensorSpec((3,), scales=(1.0,) * 3, zero_points=(0, 0))),
        "has 2 zero points, expected 3",
    ),
    spec("too many", tiny(TensorSpec(scales=(1.0,), zero_points=(0, 0))), "has 2 zero points"),
    spec("int8", tiny(TensorSpec(scales=(1.0,), zero_points=(128,))), "zero point 128, expected"),
    spec(
        "uint8", tiny(TensorSpec((1,), "UINT8", None, "t", (1.0,), (-1,))), "-1, expected 0 to 255"
    ),
    spec("int4", tiny(TensorSpec((1,), "INT4", None, "t", (1.0,), (8,))), "8, expected -8 to 7"),
    spec("huge", tiny(TensorSpec(scales=(1.0,), zero_points=(2**62,))), str(2**62)),
]

FLOW = [
    spec("input index", graph(inputs=(2,)), "inputs has the tensor 2"),
    spec("input absent", graph(inputs=(-1,)), "inputs has the tensor -1"),
    spec("output index", graph(outputs=(-1,)), "outputs has the tensor -1"),
    spec("same input", graph(inputs=(0, 0)), "the tensor 0 twice among its inputs"),
    spec("same output", graph(outputs=(1, 1)), "the tensor 1 twice among its outputs"),
    spec("opcode", tiny(INPUT, operator=OperatorSpec(opcode_index=3)), "opcode_index is 3"),
    spec("operator input", tiny(INPUT, operator=OperatorSpec((2,))), "inputs has the tensor 2"),
    spec("below absent", tiny(INPUT, operator=OperatorSpec((-2,))), "inputs has the tensor -2"),
    spec("operator output", tiny(INPUT, operator=OperatorSpec((0,), (-1,))), "the tensor -1"),
    spec("written twice", tiny(INPUT, operator=OperatorSpec((0,), (1, 1))), "tensor 1 twice"),
    spec(
        "two producers",
        operators(OperatorSpec((0,), (1,)), OperatorSpec((0,), (1,))),
        "operator 1 (RELU) writes tensor 1 ('tensor'), which has a content already",
    ),
    spec(
        "writes an input", tiny(INPUT, operator=OperatorSpec((0,), (0,))), "has a content already"
    ),
    spec(
        "writes a constant",
        tiny(INPUT, TensorSpec(data=b"1234")),
        "writes tensor 1 ('tensor'), which has a content already",
    ),
    spec(
        "reads what nobody wrote",
        operators(OperatorSpec((2,), (1,))),
        "operator 0 (RELU) reads tensor 2 ('tensor'), which nothing before it writes",
    ),
    spec(
        "wrong order",
        operators(OperatorSpec((2,), (1,)), OperatorSpec((0,), (2,))),
        "operator 0 (RELU) reads tensor 2",
    ),
    spec("itself", operators(OperatorSpec((0, 1), (1,))), "operator 0 (RELU) reads tensor 1"),
    spec("output never written", graph(operators=()), "has the output tensor 1"),
    spec(
        "second subgraph",
        ModelSpec((TINY.subgraphs[0], replace(TINY.subgraphs[0], operators=()))),
        "subgraph 1 has the output tensor 1",
    ),
    spec(
        "variable without a value",
        operators(OperatorSpec((0,), (1,)), OperatorSpec((2,), (), "ASSIGN_VARIABLE")),
        "ASSIGN_VARIABLE has 1 inputs (0 absent) and 0 outputs, expected 2 and 0",
    ),
    spec(
        "variable with an absent value",
        operators(OperatorSpec((0,), (1,)), OperatorSpec((2, -1), (), "ASSIGN_VARIABLE")),
        "ASSIGN_VARIABLE has 2 inputs (1 absent)",
    ),
    spec(
        "variable read from nothing",
        operators(OperatorSpec((0,), (1,)), OperatorSpec((), (3,), "READ_VARIABLE")),
        "READ_VARIABLE has 0 inputs (0 absent) and 1 outputs, expected 1 and 1",
    ),
    spec(
        "external options",
        tiny(INPUT, operator=OperatorSpec(type="CUSTOM", external_options=(10**6, 10))),
        "the custom options of subgraph 0 operator 0",
    ),
    spec(
        "option list",
        tiny(
            INPUT,
            operator=OperatorSpec(
                type="BUCKETIZE", options=("BucketizeOptions", {"Boundaries": (0.5, NAN)})
            ),
        ),
        "boundaries has a number that is not finite",
    ),
    spec("signature", replace(TINY, signature=(0, {9: "x"}, {})), "tensor_index is 9"),
    spec(
        "operator code", tiny(INPUT, operator=OperatorSpec(type=-5)), "builtin_code is -5, expected"
    ),
    spec(
        "option",
        tiny(
            INPUT, operator=OperatorSpec(type="SOFTMAX", options=("SoftmaxOptions", {"Beta": NAN}))
        ),
        "beta is nan, expected a finite number",
    ),
]

SPARSITY = [
    spec("order", sparse(Sparsity((0, 0), (Dimension(3), Dimension(4)))), "order [0, 0]"),
    spec("dimensions", sparse(Sparsity((0, 1), (Dimension(3),))), "and 1 dimensions"),
    spec("dense size", sparse(Sparsity((0, 1), (Dimension(3), Dimension(9)))), "dense_size is 9"),
    spec("format", sparse(Sparsity((0, 1), (Dimension(3), Dimension(format=7)))), "format is 7"),
    spec(
        "no segments", sparse(Sparsity((0, 1), (Dimension(3), Dimension(format=1)))), "the type 0"
    ),
    spec("segments", sparse(csr((0, 3), (0, 1, 2))), "has 2 segments"),
    spec("falling", sparse(csr((0, 2, 1, 3), (0, 1, 2))), "do not rise"),
    spec("segment end", sparse(csr((0, 1, 2, 4), (0, 1, 2))), "do not rise"),
    spec("segment start", sparse(csr((1, 1, 2, 3), (0, 1, 2))), "do not rise"),
    spec("index", sparse(csr((0, 1, 2, 3), (0, 1, 4))), "go from 0 to 4, expected inside [0, 4)"),
    spec("index below", sparse(csr((0, 1, 2, 3), (0, -1, 2))), "go from -1 to 2"),
    spec("values", sparse(csr((0, 1, 2, 3), (0, 1, 2)), data=b"ab"), "describes 3 values"),
    spec(
        "all dense", sparse(Sparsity((0, 1), (Dimension(3), Dimension(4)))), "describes 12 values"
    ),
    spec(
        "bytes",
        with_constant(TensorSpec((3, 4), "FLOAT32", b"abc", sparsity=csr((0, 1, 2, 3), (0, 1, 2)))),
        "stores 3 bytes, expected a multiple of 4",
    ),
    spec(
        "block map",
        sparse(Sparsity((0, 1, 2), (Dimension(3), Dimension(4), Dimension(2)), (5,))),
        "block_map is [5]",
    ),
    spec(
        "block size",
        sparse(Sparsity((0, 1, 2), (Dimension(3), Dimension(2), Dimension(3)), (1,))),
        "makes blocks of 3 in dimension 1",
    ),
    spec(
        "small file, huge tensor",
        sparse(Sparsity((0,), (Dimension(segments=(0, 3), indices=(0, 1, 2)),)), (2**31 - 1,)),
        "the number of bytes of unpacked constants",
    ),
]

GROUPS = {
    "structure": STRUCTURE,
    "shapes": SHAPES,
    "content": CONTENT,
    "quantization": QUANTIZATION,
    "flow": FLOW,
    "sparsity": SPARSITY,
}
CASES = [pytest.param(c, id=f"{group}: {c.name}") for group, cs in GROUPS.items() for c in cs]


@pytest.mark.parametrize("case", CASES)
def test_defect(case: Case) -> None:
    with pytest.raises(ModelError) as caught:
        read_model(case.file())
    sentence = str(caught.value)
    assert case.message in sentence
    assert "\n" not in sentence and len(sentence) < 400


def test_the_tiny_model_is_sound() -> None:
    data = write_model(TINY)
    assert read_model(data).subgraphs[0].operators[0].type == "RELU"
    assert Model.GetRootAs(data).SubgraphsLength() == 1


def test_every_truncation_is_refused_or_harmless() -> None:
    """A shorter file misses something, unless only padding was cut."""
    data = write_model(with_constant(TensorSpec((8,), data=b"12345678", scales=(0.5,))))
    refused = 0
    for size in range(len(data)):
        try:
            read_model(data[:size])
        except ModelError:
            refused += 1
    assert refused >= len(data) - 8


def repeated_subgraphs(count: int) -> bytes:
    """`count` entries that all point at one subgraph with many tensors."""
    tensors = tuple(TensorSpec() for _ in range(1000))
    return write_repeated(SubgraphSpec(tensors, (OperatorSpec(),)), count)


def write_repeated(subgraph: SubgraphSpec, count: int) -> bytes:
    """A file whose model table, written anew in front of all else, repeats one subgraph."""
    data = write_model(ModelSpec((subgraph,)))
    entry = vector(bytearray(data), 2) + 4
    head = struct.pack("<I4s10H4x", 32, b"TFL3", 20, 24, 4, 8, 12, 0, 16, 0, 0, 0)
    table = len(head)
    entries = table + 24 + 4
    shift = entries + 4 * count
    targets = [
        _points_at(data, field(bytearray(data), 1)) + shift,  # operator codes
        entries - 4,  # subgraphs
        _points_at(data, field(bytearray(data), 4)) + shift,  # buffers
    ]
    places = [table + place for place in (8, 12, 16)]
    head += struct.pack("<iI", table - 8, 3)
    head += struct.pack("<3I4x", *(t - p for t, p in zip(targets, places, strict=True)))
    shared = _points_at(data, entry) + shift
    offsets = [shared - entries - 4 * i for i in range(count)]
    return head + struct.pack(f"<{count + 1}I", count, *offsets) + data


def _points_at(data: bytes, at: int) -> int:
    return at + int(struct.unpack_from("<I", data, at)[0])


def test_shared_parts_are_fine_but_not_without_end() -> None:
    assert len(read_model(repeated_subgraphs(2)).subgraphs) == 2
    with pytest.raises(ModelError, match=r"number of bytes to decode is .* or more"):
        read_model(repeated_subgraphs(2000))


@needs_shared
def test_a_cut_network() -> None:
    data = (MODELS / "nets/mlperf_kws_ref_model.tflite").read_bytes()
    for size in (100, 1000, len(data) // 2, len(data) - 8):
        with pytest.raises(ModelError, match=r"cut short|damaged"):
            read_model(data[:size])
