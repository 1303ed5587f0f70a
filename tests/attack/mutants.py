"""Sound-looking models that are wrong: TFLite files changed field by field, from seeded chance.

Unlike `fuzz.mutations`, which damages bytes, a mutant is written anew by the schema's own packer:
the reader takes most of them, so that what comes after it has to cope.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeAlias

import flatbuffers
import numpy as np
import pytest

HAVE_SCHEMA = find_spec("ai_edge_litert") is not None
requires_schema = pytest.mark.skipif(not HAVE_SCHEMA, reason="ai-edge-litert is not installed")
MOST_MUTATIONS = 3

# The schema's mutable objects have no types of their own.
Model: TypeAlias = Any
Mutation: TypeAlias = Callable[[Model, random.Random], None]

DIMENSIONS = (0, 1, 2, 3, 4, 5, 7, 8, 16, 17, 33, 255, 4096, 65536, 2**30, 2**31 - 1, -1)
SCALES = (
    0.0, -1.0, float("nan"), float("inf"), 1e-45, 1e-38, 1e-20, 1e-7, 1 / 256, 0.1, 0.5, 1.0, 1.5,
    2.0, 127.0, 1e7, 1e20, 3e38,
)  # fmt: skip
POINTS = (-(2**63), -(2**31), -32768, -129, -128, -127, -1, 0, 1, 127, 128, 255, 256, 32767)
NUMBERS = (
    -(2**31),
    -65536,
    -129,
    -8,
    -3,
    -2,
    -1,
    0,
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    99,
    255,
    65536,
    2**31 - 1,
)
REALS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-7, 1e7, 3e38, -3e38, float("nan"), float("inf"))
NAMES = (
    b"", b"a" * 5000, b"nul\0nul", b"line\nline\r", b'quote"quote', b"\\", b"*/ int x; /*", b"??/",
    b"??)\\", b"\xff\xfe", "ж€".encode(), b"int", b"%s%n", b"<script>alert(1)</script>", b"</style>",
    b"{{ p }}", b"{% raw %}", b"//\\", b"#define x", b"-->", b"]]>", b"&lt;", "\u2028".encode(),
)  # fmt: skip


@cache
def schema() -> ModuleType:
    from ai_edge_litert import schema_py_generated

    return schema_py_generated


def unpack(data: bytes) -> Model:
    return schema().ModelT.InitFromPackedBuf(data, 0)


def pack(model: Model) -> bytes:
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def mutant(data: bytes, chance: random.Random, count: int = MOST_MUTATIONS) -> bytes | None:
    """One to `count` changes; None where the result cannot be written."""
    model = unpack(data)
    try:
        for _ in range(chance.randint(1, count)):
            chance.choice(MUTATIONS)(model, chance)
        return pack(model)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, struct.error):
        return None  # the packer has its own limits


# --- picking ------------------------------------------------------------------------------------


def _graph(model: Model, chance: random.Random) -> Model:
    return model.subgraphs[0] if chance.random() < 0.8 else chance.choice(model.subgraphs)


def _tensor(model: Model, chance: random.Random) -> Model:
    return chance.choice(_graph(model, chance).tensors)


def _operator(model: Model, chance: random.Random) -> Model:
    operators = _graph(model, chance).operators
    if not operators:
        raise ValueError("no operators")
    return chance.choice(operators)


def _list(values: Sequence[int] | np.ndarray | None) -> list[int]:
    return [] if values is None else [int(v) for v in values]


def _content(model: Model, tensor: Model) -> np.ndarray | None:
    data = model.buffers[tensor.buffer].data if tensor.buffer else None
    return None if data is None or len(data) == 0 else np.array(data, np.uint8)


def _set_content(model: Model, tensor: Model, content: np.ndarray | None) -> None:
    if content is None:
        tensor.buffer = 0
        return
    buffer = schema().BufferT()
    buffer.data = np.frombuffer(content.tobytes(), np.uint8)
    model.buffers.append(buffer)
    tensor.buffer = len(model.buffers) - 1


# --- tensors ------------------------------------------------------------------------------------


def _dimension(model: Model, chance: random.Random) -> None:
    tensor = _tensor(model, chance)
    shape = _list(tensor.shape)
    if shape:
        shape[chance.randrange(len(shape))] = chance.choice(DIMENSIONS)
    tensor.shape = shape


def _rank(model: Model, chance: random.Random) -> None:
    tensor = _tensor(model, chance)
    shape = _list(tensor.shape)
    tensor.shape = chance.choice(
        (
            [],
            shape[1:],
            shape[:-1],
            [1, *shape],
            [*shape, 1],
            [1] * 8,
            shape[::-1],
            [0] * 4,
            [2] * 9,
        )
    )


def _batch(model: Model, chance: random.Random) -> None:
    """More than one of everything that is computed."""
    count = chance.choice((0, 2, 3, 4))
    for tensor in model.subgraphs[0].tensors:
        shape = _list(tensor.shape)
        if shape and shape[0] == 1 and not tensor.buffer:
            tensor.shape = [count, *shape[1:]]


def _resize(model: Model, chance: random.Random) -> None:
    """One extent of the model, wherever it occurs, becomes another."""
    found = _list(_tensor(model, chance).shape)
    if not found:
        return
    old, new = chance.choice(found), chance.choice((1, 2, 3, 5, 9, 0, 65536, 2**24, 2**30))
    for tensor in model.subgraphs[0].tensors:
        if _content(model, tensor) is None:
            tensor.shape = [new if d == old else d for d in _list(tensor.shape)]


def _free(model: Model, chance: random.Random) -> None:
    tensor = _tensor(model, chance)
    shape = _list(tensor.shape)
    tensor.shapeSignature = [-1 if chance.random() < 0.5 else d for d in shape]


def _type(model: Model, chance: random.Random) -> None:
    _tensor(model, chance).type = chance.randrange(0, 20)


def _types(model: Model, chance: random.Random) -> None:
    """One element type becomes another throughout, constants included."""
    old, new = _tensor(model, chance).type, chance.choice((0, 1, 2, 3, 4, 6, 7, 9, 10, 12, 15, 16))
    sizes = {0: 4, 1: 2, 2: 4, 3: 1, 4: 8, 6: 1, 7: 2, 9: 1, 10: 8, 12: 8, 15: 4, 16: 2}
    for tensor in model.subgraphs[0].tensors:
        if tensor.type == old:
            content = _content(model, tensor)
            tensor.type = new
            if content is not None:
                size = sizes[new] * int(np.prod(_list(tensor.shape), dtype=np.int64))
                _set_content(model, tensor, np.resize(content, min(size, 1 << 16)))


def _variable(model: Model, chance: random.Random) -> None:
    tensor = _tensor(model, chance)
    tensor.isVariable = not tensor.isVariable


def _constant(model: Model, chance: random.Random) -> None:
    """A constant loses its content, or a computed tensor gets one."""
    graph = _graph(model, chance)
    tensor = chance.choice(graph.tensors)
    if _content(model, tensor) is not None:
        _set_content(model, tensor, None)
        if chance.random() < 0.7:
            graph.inputs = [*_list(graph.inputs), graph.tensors.index(tensor)]
        return
    size = {0: 4, 1: 2, 2: 4, 4: 8, 7: 2, 10: 8, 12: 8, 15: 4, 16: 2}.get(tensor.type, 1)
    count = size * int(np.prod(_list(tensor.shape), dtype=np.int64))
    if 0 < count <= 1 << 16:
        _set_content(
            model, tensor, np.array([chance.randrange(256) for _ in range(count)], np.uint8)
        )
    if chance.random() < 0.7:
        graph.inputs = [i for i in _list(graph.inputs) if graph.tensors[i] is not tensor]


def _numbers(model: Model, chance: random.Random) -> None:
    """Other numbers in a constant: axes, sizes, weights, biases."""
    tensors = [t for t in model.subgraphs[0].tensors if _content(model, t) is not None]
    if not tensors:
        return
    tensor = chance.choice(tensors)
    content = _content(model, tensor)
    kinds = {2: np.int32, 4: np.int64, 0: np.float32, 9: np.int8, 7: np.int16, 3: np.uint8}
    kind = kinds.get(tensor.type, np.uint8)
    values = (
        np.frombuffer(content.tobytes(), kind).copy()
        if len(content) % kind().itemsize == 0
        else content
    )
    for _ in range(chance.randint(1, 3)):
        place = chance.randrange(len(values))
        number = chance.choice(REALS if values.dtype.kind == "f" else NUMBERS)
        values[place] = np.array(number).astype(values.dtype)
    _set_content(model, tensor, values)


def _name(model: Model, chance: random.Random) -> None:
    for tensor in chance.sample(
        model.subgraphs[0].tensors, k=min(3, len(model.subgraphs[0].tensors))
    ):
        tensor.name = chance.choice(NAMES)


# --- quantization -------------------------------------------------------------------------------


def _quantized(model: Model, chance: random.Random) -> Model:
    tensor = _tensor(model, chance)
    if tensor.quantization is None or chance.random() < 0.05:
        tensor.quantization = schema().QuantizationParametersT()
    q = tensor.quantization
    if q.scale is None:
        q.scale, q.zeroPoint = [0.5], [0]
    return tensor


def _scale(model: Model, chance: random.Random) -> None:
    q = _quantized(model, chance).quantization
    scales = [float(s) for s in q.scale]
    if not scales:
        return
    if chance.random() < 0.5:
        scales[chance.randrange(len(scales))] = chance.choice(SCALES)
    else:
        scales = [s * chance.choice((2**-30, 2**-8, 0.5, 2, 2**8, 2**30)) for s in scales]
    q.scale = scales


def _zero_point(model: Model, chance: random.Random) -> None:
    q = _quantized(model, chance).quantization
    count = len(q.scale) if chance.random() < 0.9 else chance.choice((0, 1, 2, 3))
    q.zeroPoint = [chance.choice(POINTS)] * count


def _channels(model: Model, chance: random.Random) -> None:
    """Per channel where it was per tensor, and the reverse; or along another dimension."""
    tensor = _quantized(model, chance)
    q, shape = tensor.quantization, _list(tensor.shape)
    if len(q.scale) > 1 and chance.random() < 0.5:
        q.scale, q.zeroPoint = q.scale[:1], _list(q.zeroPoint)[:1]
        return
    axis = chance.randrange(-1, len(shape) + 1)
    q.quantizedDimension = axis
    if 0 <= axis < len(shape) and 0 < shape[axis] <= 4096:
        q.scale = [0.1 * (1 + chance.random()) for _ in range(shape[axis])]
        q.zeroPoint = [0] * shape[axis] if chance.random() < 0.7 else [3] * shape[axis]


def _unquantized(model: Model, chance: random.Random) -> None:
    _tensor(model, chance).quantization = None


# --- operators ----------------------------------------------------------------------------------


def _option(model: Model, chance: random.Random) -> None:
    options = _operator(model, chance).builtinOptions
    if options is None:
        return
    names = list(vars(options))
    if not names:
        return
    name = chance.choice(names)
    old = getattr(options, name)
    if isinstance(old, bool):
        setattr(options, name, not old)
    elif isinstance(old, float):
        setattr(options, name, chance.choice(REALS))
    elif isinstance(old, int):
        setattr(
            options, name, chance.choice(NUMBERS) if chance.random() < 0.7 else chance.randrange(8)
        )
    elif old is None or isinstance(old, list | np.ndarray):
        values = _list(old)
        setattr(options, name, [*values, chance.choice(NUMBERS)][-chance.randint(1, 5) :])


def _no_options(model: Model, chance: random.Random) -> None:
    operator = _operator(model, chance)
    operator.builtinOptions, operator.builtinOptionsType = None, 0


def _code(model: Model, chance: random.Random) -> None:
    """Another operator on the same tensors."""
    code = chance.choice(model.operatorCodes)
    new = chance.randrange(0, 210)
    code.builtinCode, code.deprecatedBuiltinCode = new, min(new, 127)
    if chance.random() < 0.5:
        for operator in (o for g in model.subgraphs for o in g.operators or []):
            if model.operatorCodes[operator.opcodeIndex] is code:
                operator.builtinOptions, operator.builtinOptionsType = None, 0


def _swap_codes(model: Model, chance: random.Random) -> None:
    a, b = _operator(model, chance), _operator(model, chance)
    a.opcodeIndex, b.opcodeIndex = b.opcodeIndex, a.opcodeIndex


def _inputs(model: Model, chance: random.Random) -> None:
    graph = _graph(model, chance)
    if not graph.operators:
        return
    operator = chance.choice(graph.operators)
    inputs = _list(operator.inputs)
    at = chance.randrange(len(inputs)) if inputs else 0
    other = chance.randrange(len(graph.tensors))
    operator.inputs = chance.choice(
        (
            inputs[::-1], inputs[:at] + inputs[at + 1 :], [*inputs, -1], [*inputs, other], [],
            [-1 if n == at else i for n, i in enumerate(inputs)],
            [other if n == at else i for n, i in enumerate(inputs)],
            [inputs[0] if inputs else other for _ in inputs], [*inputs, *inputs],
        )
    )  # fmt: skip


def _outputs(model: Model, chance: random.Random) -> None:
    graph = _graph(model, chance)
    if not graph.operators:
        return
    operator = chance.choice(graph.operators)
    outputs = _list(operator.outputs)
    fresh = _fresh(graph, outputs[0] if outputs else 0)
    operator.outputs = chance.choice(
        ([], outputs[1:], outputs[::-1], [*outputs, fresh], [*outputs, *outputs], [fresh])
    )


def _fresh(graph: Model, like: int) -> int:
    """A new tensor like another one; its index."""
    model, tensor = graph.tensors[like], schema().TensorT()
    for name in ("shape", "type", "quantization", "name"):
        setattr(tensor, name, getattr(model, name))
    graph.tensors.append(tensor)
    return len(graph.tensors) - 1


def _drop_operator(model: Model, chance: random.Random) -> None:
    graph = _graph(model, chance)
    if graph.operators:
        graph.operators.pop(chance.randrange(len(graph.operators)))


def _repeat_operator(model: Model, chance: random.Random) -> None:
    """The same operator again: on its own output (a chain), or on its inputs (a fan)."""
    graph = model.subgraphs[0]
    operator = chance.choice(graph.operators)
    chain = chance.random() < 0.5
    for _ in range(chance.choice((1, 2, 12))):
        copy = schema().OperatorT()
        vars(copy).update(vars(operator))
        outputs, inputs = _list(operator.outputs), _list(operator.inputs)
        copy.outputs = [_fresh(graph, o) for o in outputs]
        copy.inputs = [outputs[0], *inputs[1:]] if chain and inputs and outputs else inputs
        graph.operators.append(copy)
        if copy.outputs:
            graph.outputs = [*_list(graph.outputs), copy.outputs[0]]
        operator = copy


def _custom_options(model: Model, chance: random.Random) -> None:
    operator = _operator(model, chance)
    content = bytearray(operator.customOptions if operator.customOptions is not None else b"")
    for _ in range(chance.randint(1, 4)):
        if content:
            content[chance.randrange(len(content))] = chance.choice((0, 1, 2, 127, 128, 255))
    if chance.random() < 0.3:
        del content[chance.randint(0, len(content)) :]
    operator.customOptions = np.frombuffer(bytes(content), np.uint8)


# --- the graph ----------------------------------------------------------------------------------


def _graph_inputs(model: Model, chance: random.Random) -> None:
    graph = _graph(model, chance)
    inputs, other = _list(graph.inputs), chance.randrange(len(graph.tensors))
    graph.inputs = chance.choice(([], inputs[1:], [*inputs, other], inputs[::-1], [other]))


def _graph_outputs(model: Model, chance: random.Random) -> None:
    graph = _graph(model, chance)
    outputs, inputs = _list(graph.outputs), _list(graph.inputs)
    other = chance.randrange(len(graph.tensors))
    graph.outputs = chance.choice(
        (
            [],
            [*outputs, other],
            [*outputs, *inputs],
            inputs,
            [other],
            outputs[::-1],
            [*outputs, *outputs],
        )
    )


def _subgraphs(model: Model, chance: random.Random) -> None:
    graphs = model.subgraphs
    if chance.random() < 0.5 and len(graphs) > 1:
        graphs[0], graphs[1] = graphs[1], graphs[0]
    else:
        graphs.append(graphs[0])


MUTATIONS: tuple[Mutation, ...] = (
    _dimension, _dimension, _rank, _batch, _resize, _resize, _free, _type, _types, _types, _variable,
    _constant, _constant, _numbers, _numbers, _name, _scale, _scale, _zero_point, _channels,
    _unquantized, _option, _option, _option, _no_options, _code, _swap_codes, _inputs, _inputs,
    _outputs, _drop_operator, _repeat_operator, _custom_options, _graph_inputs, _graph_outputs,
    _subgraphs,
)  # fmt: skip
