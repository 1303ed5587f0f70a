"""All ONNX operators, as one literal table made of the tables of the families."""

from __future__ import annotations

from collections.abc import Mapping

from nacre.frontends.onnx.control import CONTROL
from nacre.frontends.onnx.rules_activation import UNARY
from nacre.frontends.onnx.rules_convolution import CONVOLUTIONS
from nacre.frontends.onnx.rules_elementwise import BINARY
from nacre.frontends.onnx.rules_indices import INDICES
from nacre.frontends.onnx.rules_matmul import PRODUCTS
from nacre.frontends.onnx.rules_pooling import POOLS
from nacre.frontends.onnx.rules_qoperator import QOPERATORS
from nacre.frontends.onnx.rules_quantized import QUANTIZERS
from nacre.frontends.onnx.rules_recurrent import RECURRENT
from nacre.frontends.onnx.rules_reduction import ALONG_AXES
from nacre.frontends.onnx.rules_resize import RESIZES
from nacre.frontends.onnx.rules_shape import MOVES
from nacre.frontends.onnx.rules_signal import SIGNALS
from nacre.frontends.onnx.source import OnnxKind

# Evaluated while the file is read, with what is supported of them.
FOLDED: Mapping[str, str] = {
    "Constant": "numbers",
    "ConstantOfShape": "a constant shape",
    "EyeLike": "every input",
    "NonZero": "a constant input",
    "Range": "constant limits",
    "Shape": "every input",
    "Size": "every input",
}

RULES: Mapping[str, OnnxKind] = {
    **CONVOLUTIONS,
    **POOLS,
    **PRODUCTS,
    **BINARY,
    **UNARY,
    **MOVES,
    **INDICES,
    **ALONG_AXES,
    **RESIZES,
    **QUANTIZERS,
    **QOPERATORS,
    **RECURRENT,
    **SIGNALS,
}


def supported() -> dict[str, str]:
    """Every ONNX operator, by name, with what is supported of it."""
    rules = {name: kind.supports for name, kind in RULES.items()}
    control = {name: kind.supports for name, kind in CONTROL.items()}
    names = {**FOLDED, **rules, **control}
    return dict(sorted(names.items()))
