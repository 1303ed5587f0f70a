"""TAN, ASIN, ACOS, ATAN and the hyperbolic functions, as ONNX files have them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Attributes
from nacre.ops.kind import OpKind
from nacre.ops.unary import FLOAT, Function, unary_row


@dataclass(frozen=True)
class Tan(Attributes):
    """The tangent."""


@dataclass(frozen=True)
class Asin(Attributes):
    """The arc sine."""


@dataclass(frozen=True)
class Acos(Attributes):
    """The arc cosine."""


@dataclass(frozen=True)
class Atan(Attributes):
    """The arc tangent."""


@dataclass(frozen=True)
class Sinh(Attributes):
    """The hyperbolic sine."""


@dataclass(frozen=True)
class Cosh(Attributes):
    """The hyperbolic cosine."""


@dataclass(frozen=True)
class Asinh(Attributes):
    """The inverse hyperbolic sine."""


@dataclass(frozen=True)
class Acosh(Attributes):
    """The inverse hyperbolic cosine."""


@dataclass(frozen=True)
class Atanh(Attributes):
    """The inverse hyperbolic tangent."""


def _row(kind: Attributes, summary: str, function: Function) -> OpKind:
    """TFLite has none of them."""
    row = unary_row(kind, type(kind).__name__.upper(), summary, FLOAT, function)
    return replace(row, tflite={})


TAN = _row(Tan(), "Tangent.", np.tan)
ASIN = _row(Asin(), "Arc sine.", np.arcsin)
ACOS = _row(Acos(), "Arc cosine.", np.arccos)
ATAN = _row(Atan(), "Arc tangent.", np.arctan)
SINH = _row(Sinh(), "Hyperbolic sine.", np.sinh)
COSH = _row(Cosh(), "Hyperbolic cosine.", np.cosh)
ASINH = _row(Asinh(), "Inverse hyperbolic sine.", np.arcsinh)
ACOSH = _row(Acosh(), "Inverse hyperbolic cosine.", np.arccosh)
ATANH = _row(Atanh(), "Inverse hyperbolic tangent.", np.arctanh)
