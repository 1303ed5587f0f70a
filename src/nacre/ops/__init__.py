"""All operators, as one literal table. To add one: write its file, add its row here."""

from __future__ import annotations

from dataclasses import replace

from nacre.ir import Attributes, Operator
from nacre.ops.activations import ELU, GELU, HARD_SWISH
from nacre.ops.add import ADD, SUB
from nacre.ops.add_n import ADD_N
from nacre.ops.argmax import ARG_MAX, ARG_MIN
from nacre.ops.batch_matmul import BATCH_MATMUL
from nacre.ops.binary import FLOOR_DIV, FLOOR_MOD, LOGICAL_AND, LOGICAL_OR, MAXIMUM, MINIMUM, POW
from nacre.ops.cast import CAST
from nacre.ops.cmsis import CMSIS
from nacre.ops.compare import EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL, NOT_EQUAL
from nacre.ops.complex_pairs import COMPLEX_PAIRS
from nacre.ops.concat import CONCATENATION, PACK
from nacre.ops.conv2d import CONV_2D
from nacre.ops.cumsum import CUMSUM
from nacre.ops.depthwise import DEPTHWISE_CONV_2D
from nacre.ops.detection import DETECTION_POSTPROCESS
from nacre.ops.div import DIV
from nacre.ops.elements import GATHER_ELEMENTS, SCATTER_ELEMENTS
from nacre.ops.fft import COMPLEX_ABS, IMAG, REAL, RFFT2D
from nacre.ops.fill import FILL, ZEROS_LIKE
from nacre.ops.fully_connected import FULLY_CONNECTED
from nacre.ops.gather import EMBEDDING_LOOKUP, GATHER, GATHER_ND
from nacre.ops.kind import ImportRule, OpKind
from nacre.ops.l2_normalization import L2_NORMALIZATION
from nacre.ops.log_softmax import LOG_SOFTMAX
from nacre.ops.lookup_table import LOOKUP_TABLE
from nacre.ops.lrn import LOCAL_RESPONSE_NORMALIZATION
from nacre.ops.lstm import UNIDIRECTIONAL_SEQUENCE_LSTM
from nacre.ops.mul import MUL
from nacre.ops.one_hot import ONE_HOT
from nacre.ops.pad import MIRROR_PAD, PAD, PADV2
from nacre.ops.pool import AVERAGE_POOL_2D, L2_POOL_2D, MAX_POOL_2D
from nacre.ops.quantize import DEQUANTIZE, QUANTIZE
from nacre.ops.real_mve import REAL_MVE
from nacre.ops.recurrent import GRU_SEQUENCE, LSTM_SEQUENCE, RNN_SEQUENCE
from nacre.ops.reduce import MEAN, REDUCE_ALL, REDUCE_ANY, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, SUM
from nacre.ops.relu import LEAKY_RELU, PRELU, RELU, RELU6, RELU_0_TO_1, RELU_N1_TO_1
from nacre.ops.reshape import COPY, DENSIFY, EXPAND_DIMS, RESHAPE, SQUEEZE
from nacre.ops.resize import RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR
from nacre.ops.reverse_sequence import REVERSE_SEQUENCE
from nacre.ops.select import SELECT, SELECT_V2
from nacre.ops.shape import BROADCAST_ARGS, RANGE, RANK, SHAPE
from nacre.ops.sigmoid import LOGISTIC, TANH
from nacre.ops.signal import (
    SIGNAL_ENERGY,
    SIGNAL_FFT_AUTO_SCALE,
    SIGNAL_FILTER_BANK,
    SIGNAL_FILTER_BANK_LOG,
    SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION,
    SIGNAL_FILTER_BANK_SQUARE_ROOT,
    SIGNAL_PCAN,
    SIGNAL_RFFT,
    SIGNAL_WINDOW,
)
from nacre.ops.slice import SLICE, STRIDED_SLICE
from nacre.ops.softmax import SOFTMAX
from nacre.ops.space import BATCH_TO_SPACE_ND, DEPTH_TO_SPACE, SPACE_TO_BATCH_ND, SPACE_TO_DEPTH
from nacre.ops.split import SPLIT, SPLIT_V, UNPACK
from nacre.ops.squared_difference import SQUARED_DIFFERENCE
from nacre.ops.svdf import SVDF
from nacre.ops.tile import BROADCAST_TO, TILE
from nacre.ops.top_k import TOP_K
from nacre.ops.transpose import REVERSE_V2, TRANSPOSE
from nacre.ops.transpose_conv import TRANSPOSE_CONV
from nacre.ops.trigonometric import (
    ACOS,
    ACOSH,
    ASIN,
    ASINH,
    ATAN,
    ATANH,
    COSH,
    SINH,
    TAN,
)
from nacre.ops.unary import (
    ABS,
    CEIL,
    COS,
    ERF,
    EXP,
    FLOOR,
    LOG,
    LOGICAL_NOT,
    NEG,
    ROUND,
    RSQRT,
    SIGN,
    SIN,
    SQRT,
    SQUARE,
)
from nacre.ops.update_slice import DYNAMIC_UPDATE_SLICE
from nacre.ops.variables import ASSIGN_VARIABLE, READ_VARIABLE

_ROWS: tuple[OpKind, ...] = (
    CONV_2D,
    DEPTHWISE_CONV_2D,
    TRANSPOSE_CONV,
    AVERAGE_POOL_2D,
    MAX_POOL_2D,
    L2_POOL_2D,
    FULLY_CONNECTED,
    LOGISTIC,
    TANH,
    MEAN,
    SUM,
    REDUCE_MAX,
    REDUCE_MIN,
    REDUCE_PROD,
    REDUCE_ANY,
    REDUCE_ALL,
    SOFTMAX,
    RESHAPE,
    SQUEEZE,
    EXPAND_DIMS,
    DENSIFY,
    COPY,
    PAD,
    PADV2,
    MIRROR_PAD,
    FILL,
    ZEROS_LIKE,
    CONCATENATION,
    PACK,
    STRIDED_SLICE,
    SLICE,
    SPLIT,
    SPLIT_V,
    UNPACK,
    READ_VARIABLE,
    ASSIGN_VARIABLE,
    SHAPE,
    RANK,
    BROADCAST_ARGS,
    RANGE,
    ARG_MAX,
    ARG_MIN,
    ADD,
    SUB,
    RESIZE_BILINEAR,
    RESIZE_NEAREST_NEIGHBOR,
    TRANSPOSE,
    REVERSE_V2,
    TILE,
    BROADCAST_TO,
    GATHER,
    GATHER_ND,
    EMBEDDING_LOOKUP,
    DYNAMIC_UPDATE_SLICE,
    REVERSE_SEQUENCE,
    ONE_HOT,
    CUMSUM,
    SPACE_TO_BATCH_ND,
    BATCH_TO_SPACE_ND,
    SPACE_TO_DEPTH,
    DEPTH_TO_SPACE,
    MUL,
    QUANTIZE,
    DEQUANTIZE,
    CAST,
    RELU,
    RELU6,
    RELU_N1_TO_1,
    RELU_0_TO_1,
    LEAKY_RELU,
    PRELU,
    BATCH_MATMUL,
    RFFT2D,
    COMPLEX_ABS,
    REAL,
    IMAG,
    SVDF,
    MINIMUM,
    MAXIMUM,
    FLOOR_DIV,
    FLOOR_MOD,
    POW,
    LOGICAL_AND,
    LOGICAL_OR,
    EQUAL,
    NOT_EQUAL,
    GREATER,
    GREATER_EQUAL,
    LESS,
    LESS_EQUAL,
    ABS,
    NEG,
    SIGN,
    SQUARE,
    SQRT,
    RSQRT,
    EXP,
    LOG,
    SIN,
    COS,
    ERF,
    FLOOR,
    CEIL,
    ROUND,
    LOGICAL_NOT,
    DIV,
    SQUARED_DIFFERENCE,
    HARD_SWISH,
    ELU,
    GELU,
    SELECT,
    SELECT_V2,
    ADD_N,
    UNIDIRECTIONAL_SEQUENCE_LSTM,
    LSTM_SEQUENCE,
    GRU_SEQUENCE,
    RNN_SEQUENCE,
    GATHER_ELEMENTS,
    SCATTER_ELEMENTS,
    TOP_K,
    COMPLEX_PAIRS,
    TAN,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    ASINH,
    ACOSH,
    ATANH,
    SIGNAL_WINDOW,
    SIGNAL_FFT_AUTO_SCALE,
    SIGNAL_RFFT,
    SIGNAL_ENERGY,
    SIGNAL_FILTER_BANK,
    SIGNAL_FILTER_BANK_SQUARE_ROOT,
    SIGNAL_FILTER_BANK_SPECTRAL_SUBTRACTION,
    SIGNAL_PCAN,
    SIGNAL_FILTER_BANK_LOG,
    DETECTION_POSTPROCESS,
    LOG_SOFTMAX,
    L2_NORMALIZATION,
    LOCAL_RESPONSE_NORMALIZATION,
    LOOKUP_TABLE,
)
# Variants that stand on the rules of several operators join the rows here.
_JOINING = (REAL_MVE, CMSIS)
TABLE: tuple[OpKind, ...] = tuple(
    replace(kind, variants=sum((more.get(kind.type, ()) for more in _JOINING), kind.variants))
    for kind in _ROWS
)

BY_ATTRIBUTES: dict[type[Attributes], OpKind] = {kind.attributes: kind for kind in TABLE}
TFLITE_RULES: dict[str, tuple[OpKind, ImportRule]] = {
    name: (kind, rule) for kind in TABLE for name, rule in kind.tflite.items()
}

# Every operator type that a rule may name.
OPERATOR_TYPES: frozenset[str] = frozenset(k.type for k in TABLE) | frozenset(
    name for name in TFLITE_RULES if not name.startswith("CUSTOM:")
)


def kind_of(operator: Operator) -> OpKind:
    """The row of an operator: its attributes' class decides."""
    return BY_ATTRIBUTES[type(operator.attributes)]
