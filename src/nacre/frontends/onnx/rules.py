"""All ONNX operators, as one literal table made of the tables of the families."""

from __future__ import annotations

from collections.abc import Mapping

from nacre.frontends.onnx.rules_activation import UNARY
from nacre.frontends.onnx.rules_convolution import CONVOLUTIONS
from nacre.frontends.onnx.rules_elementwise import BINARY
from nacre.frontends.onnx.rules_matmul import PRODUCTS
from nacre.frontends.onnx.rules_pooling import POOLS
from nacre.frontends.onnx.rules_reduction import ALONG_AXES
from nacre.frontends.onnx.rules_resize import RESIZES
from nacre.frontends.onnx.rules_shape import MOVES
from nacre.frontends.onnx.source import OnnxKind

RULES: Mapping[str, OnnxKind] = {
    **CONVOLUTIONS,
    **POOLS,
    **PRODUCTS,
    **BINARY,
    **UNARY,
    **MOVES,
    **ALONG_AXES,
    **RESIZES,
}
