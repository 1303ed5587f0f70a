"""What the TFLite operators ask of their tensors and options, before any rule looks at them.

Rules may then index shapes, divide by strides and use scales without asking again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from nacre.ir import DType, Tensor
from nacre.ops.kind import Refuse, SourceNode

_QUANTIZED_TYPES = (DType.INT8, DType.UINT8, DType.INT16)


@dataclass(frozen=True)
class Signature:
    """The demands of one kind of operator; what is not named here is left to its rule."""

    # Rank by input position; None for any.
    ranks: tuple[int | None, ...] = ()
    # Number of outputs; None for any.
    outputs: int | None = 1
    # Options that are counts or steps: 1 or more.
    positive: tuple[str, ...] = ()
    # The operator computes on real numbers, so narrow integers must say what they stand for.
    arithmetic: bool = True
    # Inputs that may be quantized per channel -> along which dimension; None for any.
    per_channel: Mapping[int, int | None] = field(default_factory=dict)
    # Position of the bias, and the dimension of the weights (input 1) that it has a value for.
    bias: tuple[int, int] | None = None


_STEPS = ("stride_h", "stride_w")
_DILATIONS = ("dilation_h_factor", "dilation_w_factor")
_PLAIN = Signature()
_MOVE = Signature(arithmetic=False)
_CONVOLUTION = Signature(
    (4, 4), positive=_STEPS + _DILATIONS, per_channel={1: 0, 2: 0}, bias=(2, 0)
)
_POOL = Signature((4,), positive=(*_STEPS, "filter_height", "filter_width"))
_BLOCK = Signature((4,), positive=("block_size",), arithmetic=False)
_SOURCE = replace(_MOVE, per_channel={0: None})

_SIGNATURES: Mapping[str, Signature] = {
    "CONV_2D": _CONVOLUTION,
    "DEPTHWISE_CONV_2D": replace(_CONVOLUTION, per_channel={1: 3, 2: 0}, bias=(2, 3)),
    "TRANSPOSE_CONV": Signature(
        (1, 4, 4), positive=_STEPS, per_channel={1: 0, 3: 0}, bias=(3, 0)
    ),
    "FULLY_CONNECTED": Signature((None, 2), per_channel={1: 0, 2: 0}, bias=(2, 0)),
    "AVERAGE_POOL_2D": _POOL,
    "MAX_POOL_2D": _POOL,
    "L2_POOL_2D": _POOL,
    "RESIZE_BILINEAR": Signature((4, 1)),
    "RESIZE_NEAREST_NEIGHBOR": Signature((4, 1), arithmetic=False),
    "SPACE_TO_DEPTH": _BLOCK,
    "DEPTH_TO_SPACE": _BLOCK,
    "SVDF": Signature((2, 2, 2), positive=("rank",)),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": Signature((3,)),
    "PAD": Signature((None, 2), arithmetic=False),
    "PADV2": Signature((None, 2), arithmetic=False),
    "MIRROR_PAD": Signature((None, 2), arithmetic=False),
    "STRIDED_SLICE": Signature((None, 1, 1, 1), arithmetic=False),
    "SLICE": Signature((None, 1, 1), arithmetic=False),
    "TRANSPOSE": Signature((None, 1), arithmetic=False, per_channel={0: None}),
    "RESHAPE": _SOURCE,
    "SQUEEZE": _SOURCE,
    "EXPAND_DIMS": _SOURCE,
    "DEQUANTIZE": _SOURCE,
    "DENSIFY": _SOURCE,
    "QUANTIZE": _SOURCE,
    "SPLIT": replace(_MOVE, outputs=None),
    "SPLIT_V": replace(_MOVE, outputs=None),
    "UNPACK": replace(_MOVE, outputs=None),
    "EMBEDDING_LOOKUP": replace(_MOVE, per_channel={1: 0}),
    "TOPK_V2": replace(_MOVE, outputs=2),
    "ASSIGN_VARIABLE": replace(_MOVE, outputs=0),
    "CALL_ONCE": replace(_MOVE, outputs=0),
    "VAR_HANDLE": _MOVE,
    "READ_VARIABLE": _MOVE,
    **dict.fromkeys(
        (
            "ADD", "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "LOGISTIC", "TANH", "SOFTMAX",
            "LOG_SOFTMAX", "LEAKY_RELU", "PRELU", "ELU", "GELU", "HARD_SWISH", "RELU", "RELU6",
            "RELU_N1_TO_1", "RELU_0_TO_1", "MEAN", "SUM", "L2_NORMALIZATION", "BATCH_MATMUL",
            "RSQRT", "EXP", "LOG", "ABS",
        ),
        _PLAIN,
    ),
    **dict.fromkeys(
        (
            "CONCATENATION", "PACK", "GATHER", "GATHER_ND", "TILE", "FILL", "SHAPE", "CAST",
            "REDUCE_MAX", "REDUCE_MIN", "ARG_MAX", "ARG_MIN", "REVERSE_V2", "BROADCAST_TO",
            "MAXIMUM", "MINIMUM", "SELECT_V2", "RANGE", "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND",
        ),
        _MOVE,
    ),
}  # fmt: skip


# Fewest inputs, where it is not 1.
_FEWEST_INPUTS: Mapping[str, int] = {
    "VAR_HANDLE": 0,
    "CALL_ONCE": 0,
    "STRIDED_SLICE": 4,
    "SVDF": 5,
    "UNIDIRECTIONAL_SEQUENCE_LSTM": 20,
    **dict.fromkeys(
        (
            "CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "BATCH_MATMUL", "PRELU", "ADD",
            "SUB", "MUL", "DIV", "SQUARED_DIFFERENCE", "MAXIMUM", "MINIMUM", "POW", "FLOOR_DIV",
            "FLOOR_MOD", "EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL",
            "LOGICAL_AND", "LOGICAL_OR", "PAD", "MIRROR_PAD", "TRANSPOSE", "EXPAND_DIMS", "SPLIT",
            "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "MEAN", "SUM", "REDUCE_MAX",
            "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL", "ARG_MAX", "ARG_MIN",
            "GATHER", "GATHER_ND", "TILE", "FILL", "BROADCAST_TO", "BROADCAST_ARGS",
            "ASSIGN_VARIABLE", "TOPK_V2", "REVERSE_V2", "REVERSE_SEQUENCE", "CUMSUM", "RFFT2D",
            "EMBEDDING_LOOKUP",
        ),
        2,
    ),
    **dict.fromkeys(
        (
            "TRANSPOSE_CONV", "PADV2", "SLICE", "SPLIT_V", "SELECT", "SELECT_V2", "RANGE",
            "SPACE_TO_BATCH_ND", "BATCH_TO_SPACE_ND", "DYNAMIC_UPDATE_SLICE",
        ),
        3,
    ),
}  # fmt: skip

# Operators that may have absent inputs.
_OPTIONAL_INPUTS: Mapping[str, tuple[int, ...]] = {
    "CONV_2D": (2,),
    "DEPTHWISE_CONV_2D": (2,),
    "FULLY_CONNECTED": (2,),
    "TRANSPOSE_CONV": (3,),
    "SVDF": (3,),
    "RESHAPE": (1,),
    "UNIDIRECTIONAL_SEQUENCE_LSTM": (1, 5, 9, 10, 11, 12, 16, 17, 20, 21, 22, 23),
}

# Inputs that are positions, sizes or axes: integers.
_INDEX_INPUTS: Mapping[str, tuple[int, ...]] = {
    "TRANSPOSE_CONV": (0,),
    "SPLIT": (0,),
    "FILL": (0,),
    "SLICE": (1, 2),
    "SPLIT_V": (1, 2),
    "SPACE_TO_BATCH_ND": (1, 2),
    "BATCH_TO_SPACE_ND": (1, 2),
    "BROADCAST_ARGS": (0, 1),
    "STRIDED_SLICE": (1, 2, 3),
    **dict.fromkeys(
        (
            "RESHAPE", "TRANSPOSE", "PAD", "PADV2", "MIRROR_PAD", "EXPAND_DIMS", "MEAN", "SUM",
            "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PROD", "REDUCE_ANY", "REDUCE_ALL", "ARG_MAX",
            "ARG_MIN", "GATHER", "GATHER_ND", "TILE", "BROADCAST_TO", "RESIZE_BILINEAR",
            "RESIZE_NEAREST_NEIGHBOR", "REVERSE_V2", "TOPK_V2", "RFFT2D", "CUMSUM",
        ),
        (1,),
    ),
}  # fmt: skip


def check_source(source: SourceNode) -> None:
    """Refuse an operator whose tensors or options no rule could make sense of."""
    _check_inputs(source)
    if source.type == "CUSTOM":
        return
    signature = _SIGNATURES.get(source.type, replace(_MOVE, outputs=None))
    _check_outputs(source, signature)
    for position, rank in enumerate(signature.ranks):
        tensor = source.optional(position)
        if rank is not None and tensor is not None and len(tensor.shape) != rank:
            raise Refuse(f"input {position} is {list(tensor.shape)}; supported: {rank} dimensions")
    for name in signature.positive:
        if source.options.integer(name) < 1:
            raise Refuse(f"{name} is {source.options.integer(name)}; supported: 1 or more")
    _check_bias(source, signature)
    _check_quantization(source, signature)


def _check_inputs(source: SourceNode) -> None:
    fewest = _FEWEST_INPUTS.get(source.type, 1)
    if len(source.inputs) < fewest:
        raise Refuse(f"it has {len(source.inputs)} inputs; supported: {fewest} or more")
    indices = _INDEX_INPUTS.get(source.type, ())
    for position, tensor in enumerate(source.inputs):
        if tensor is None and position not in _OPTIONAL_INPUTS.get(source.type, ()):
            raise Refuse(f"input {position} is missing; it is required")
        if tensor is not None and position in indices and tensor.dtype.numpy.kind not in "iu":
            raise Refuse(f"input {position} is {tensor.dtype.value}; supported: integers")


def _check_outputs(source: SourceNode, signature: Signature) -> None:
    found = len(source.outputs)
    if signature.outputs is not None and found != signature.outputs:
        raise Refuse(f"it has {found} outputs; supported: {signature.outputs}")
    if found == 0 and signature.outputs != 0:
        raise Refuse("it has no outputs; supported: 1 or more")


def _check_bias(source: SourceNode, signature: Signature) -> None:
    bias = None if signature.bias is None else source.optional(signature.bias[0])
    if signature.bias is None or bias is None:
        return
    expected = source.input(1).shape[signature.bias[1]]
    if bias.elements != expected:
        raise Refuse(f"the bias has {bias.elements} values; supported: {expected} as the weights")


def _check_quantization(source: SourceNode, signature: Signature) -> None:
    for position, tensor in enumerate(source.inputs):
        if tensor is not None:
            _check_channels(f"input {position}", tensor, signature, position)
    for position, tensor in enumerate(source.outputs):
        # An operator that takes any kind of input only moves it: so is its output.
        _check_channels(f"output {position}", tensor, signature, 0)
    if signature.arithmetic:
        for name, tensor in _numbers(source):
            if tensor.dtype in _QUANTIZED_TYPES and tensor.quantization is None:
                raise Refuse(f"{name} is {tensor.dtype.value} without a scale; supported: with one")


def _check_channels(name: str, tensor: Tensor, signature: Signature, position: int) -> None:
    quantization = tensor.quantization
    if quantization is None or not quantization.per_channel:
        return
    if position not in signature.per_channel:
        raise Refuse(f"{name} has {len(quantization.scales)} scales; supported: one")
    wanted = signature.per_channel[position]
    if wanted is not None and quantization.axis != wanted:
        raise Refuse(
            f"{name} is quantized along dimension {quantization.axis}; supported: {wanted}"
        )


def _numbers(source: SourceNode) -> list[tuple[str, Tensor]]:
    """The tensors that stand for real numbers: the first two inputs, and the outputs."""
    inputs = [(f"input {i}", t) for i, t in enumerate(source.inputs[:2]) if t is not None]
    return inputs + [(f"output {i}", t) for i, t in enumerate(source.outputs)]
