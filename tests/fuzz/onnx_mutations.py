"""Damages ONNX files: their bytes now and then, mostly what the messages inside them say."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import onnx
from google.protobuf.message import DecodeError

from fuzz.mutations import mutate

NUMBERS = (0, 1, -1, 2, 3, 4, 7, 64, 255, 1 << 16, (1 << 31) - 1, 1 << 31, 1 << 40, -(1 << 63))
REALS = (0.0, -0.0, 1.0, -1.0, 1e-30, 1e30, float("inf"), float("-inf"), float("nan"))
MOST_MUTATIONS = 4
BYTES = 0.15


def mutate_onnx(data: bytes, corpus: Sequence[bytes], chance: random.Random) -> bytes:
    """One to four damages of the model's structure, or of its bytes."""
    model = _parsed(data)
    if model is None or not model.graph.node or chance.random() < BYTES:
        return mutate(data, corpus, chance)
    other = _parsed(chance.choice(corpus)) or model
    try:
        for _ in range(chance.randint(1, MOST_MUTATIONS)):
            chance.choice(MUTATIONS)(model, other, chance)
        return model.SerializeToString()
    except ValueError:
        return mutate(data, corpus, chance)


def _parsed(data: bytes) -> onnx.ModelProto | None:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except (DecodeError, RecursionError):
        return None
    return model


def _node(model: onnx.ModelProto, chance: random.Random) -> onnx.NodeProto | None:
    return chance.choice(model.graph.node) if model.graph.node else None


def _names(model: onnx.ModelProto) -> list[str]:
    graph = model.graph
    made = [name for node in graph.node for name in (*node.input, *node.output)]
    return ["", *made, *(t.name for t in graph.initializer), *(i.name for i in graph.input)]


def _change_attribute(
    model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random
) -> None:
    node = _node(model, chance)
    if node is None or not node.attribute:
        return
    attribute = chance.choice(node.attribute)
    kind = chance.randrange(6)
    if kind == 0:
        attribute.i = chance.choice(NUMBERS)
    elif kind == 1:
        attribute.f = chance.choice(REALS)
    elif kind == 2 and attribute.ints:
        attribute.ints[chance.randrange(len(attribute.ints))] = chance.choice(NUMBERS)
    elif kind == 3:
        attribute.ints.append(chance.choice(NUMBERS))
    elif kind == 4:
        attribute.s = chance.choice((b"", b"linear", b"SAME_UPPER", b"\xff\x00", b"reflect"))
    else:
        attribute.type = chance.randrange(15)


def _drop_attribute(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    node = _node(model, chance)
    if node is not None and node.attribute:
        del node.attribute[chance.randrange(len(node.attribute))]


def _rewire(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    node = _node(model, chance)
    if node is not None and node.input:
        node.input[chance.randrange(len(node.input))] = chance.choice(_names(model))


def _other_ends(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    node = _node(model, chance)
    if node is None:
        return
    kind = chance.randrange(4)
    if kind == 0 and node.input:
        node.input.pop()
    elif kind == 1:
        node.input.append(chance.choice(_names(model)))
    elif kind == 2 and node.output:
        node.output.pop()
    else:
        node.output.append(chance.choice(_names(model)))


def _other_type(model: onnx.ModelProto, other: onnx.ModelProto, chance: random.Random) -> None:
    node, source = _node(model, chance), _node(other, chance)
    if node is not None and source is not None:
        node.op_type = source.op_type


def _borrow_node(model: onnx.ModelProto, other: onnx.ModelProto, chance: random.Random) -> None:
    source = _node(other, chance)
    if source is not None and len(model.graph.node) < 40:
        node = model.graph.node.add()
        node.CopyFrom(source)


def _change_dimension(
    model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random
) -> None:
    values = [*model.graph.input, *model.graph.output, *model.graph.value_info]
    dims = chance.choice(values).type.tensor_type.shape.dim if values else []
    if not dims:
        return
    dim = chance.choice(dims)
    if chance.random() < 0.2:
        dim.dim_param = chance.choice(("N", "", "batch"))
    else:
        dim.dim_value = chance.choice(NUMBERS)


def _change_element(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    values = [*model.graph.input, *model.graph.output]
    if values:
        chance.choice(values).type.tensor_type.elem_type = chance.randrange(24)


def _change_constant(
    model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random
) -> None:
    tensors = list(model.graph.initializer)
    tensors += [a.t for n in model.graph.node for a in n.attribute if a.HasField("t")]
    if not tensors:
        return
    tensor = chance.choice(tensors)
    kind = chance.randrange(4)
    if kind == 0:
        tensor.data_type = chance.randrange(24)
    elif kind == 1 and tensor.dims:
        tensor.dims[chance.randrange(len(tensor.dims))] = chance.choice(NUMBERS)
    elif kind == 2:
        tensor.dims.append(chance.choice((0, 1, 2)))
    elif tensor.raw_data:
        raw = bytearray(tensor.raw_data)
        raw[chance.randrange(len(raw))] = chance.randrange(256)
        tensor.raw_data = bytes(raw)


def _make_constant(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    """A model input that becomes a constant: folding is reached."""
    if model.graph.input:
        value = chance.choice(model.graph.input)
        dims = [d.dim_value for d in value.type.tensor_type.shape.dim]
        small = [d if 0 <= d <= 8 else 1 for d in dims]
        tensor = model.graph.initializer.add(name=value.name, dims=small, data_type=1)
        tensor.float_data.extend([chance.choice(REALS[:6])] * _count(small))


def _count(dims: Sequence[int]) -> int:
    total = 1
    for dim in dims:
        total *= dim
    return min(total, 4096)


def _opset(model: onnx.ModelProto, _other: onnx.ModelProto, chance: random.Random) -> None:
    if model.opset_import:
        model.opset_import[0].version = chance.choice((1, 6, 7, 9, 11, 13, 17, 21, 24, 99))


Mutation = Callable[[onnx.ModelProto, onnx.ModelProto, random.Random], None]
MUTATIONS: tuple[Mutation, ...] = (
    _change_attribute,
    _change_attribute,
    _drop_attribute,
    _rewire,
    _other_ends,
    _other_type,
    _borrow_node,
    _change_dimension,
    _change_element,
    _change_constant,
    _make_constant,
    _opset,
)
