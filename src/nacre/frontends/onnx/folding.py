"""Nodes with constant inputs, evaluated while the file is read: shapes and what they are made of.

Only what builds shapes, indices and tables is here; everything else folds through its rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from nacre.frontends.fold import FOLD_LIMIT
from nacre.frontends.onnx.source import OnnxSource, check_size
from nacre.frontends.onnx.tensors import DTYPES, is_absurd, shape_text
from nacre.ir import Array
from nacre.ops.kind import Refuse

Values: TypeAlias = tuple[Array, ...]
Fold: TypeAlias = Callable[[OnnxSource, Values], Array]


def folded(source: OnnxSource) -> tuple[Array, ...] | None:
    """The outputs of a node that can be evaluated now, else None."""
    if source.type in _FROM_SHAPES:
        return (_FROM_SHAPES[source.type](source),)
    present = [t for t in source.inputs if t is not None]
    fold = FOLDS.get(source.type)
    small = sum(t.elements for t in present) <= FOLD_LIMIT
    if fold is None or not small or len(present) < len(source.inputs):
        return None
    if not all(t.is_constant for t in present):
        return None
    try:
        with np.errstate(all="ignore"):
            return (np.asarray(fold(source, tuple(t.constant for t in present))),)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise Refuse(f"cannot be evaluated: {error}") from None


def _constant(source: OnnxSource) -> Array:
    options, node = source.options, source.node
    if "value" in node.tensors:
        return node.tensors["value"]
    for name, dtype in (("value_int", np.int64), ("value_ints", np.int64)):
        if name in options.values:
            return np.array(options.values[name], dtype)
    for name in ("value_float", "value_floats"):
        if name in options.values:
            return np.array(options.values[name], np.float32)
    raise Refuse("a constant without numbers; supported: tensors, integers and floats")


def _shape(source: OnnxSource) -> Array:
    dims = source.input(0).shape
    end = source.options.integer("end", len(dims))
    return np.array(dims[source.options.integer("start") : end], np.int64)


def _size(source: OnnxSource) -> Array:
    return np.array(source.input(0).elements, np.int64)


def _eye(source: OnnxSource) -> Array:
    shape = source.input(0).shape
    number = source.options.integer("dtype")
    dtype = DTYPES.get(number, source.input(0).dtype) if number else source.input(0).dtype
    if len(shape) != 2:
        raise Refuse(f"an input of {list(shape)}; supported: 2 dimensions")
    rows, columns = _checked(shape)
    eye: Array = np.eye(rows, columns, source.options.integer("k")).astype(dtype.numpy)
    return eye


# These do not look at the content of their inputs.
_FROM_SHAPES: Mapping[str, Callable[[OnnxSource], Array]] = {
    "Constant": _constant,
    "Shape": _shape,
    "Size": _size,
    "EyeLike": _eye,
}


def _checked(shape: tuple[int, ...]) -> tuple[int, ...]:
    if is_absurd(shape) or math.prod(shape) > FOLD_LIMIT:
        found = f"makes a constant of {shape_text(shape)}"
        raise Refuse(f"{found}; supported: up to {FOLD_LIMIT} values")
    check_size(shape)
    return shape


def _ints(values: Array) -> tuple[int, ...]:
    return tuple(int(v) for v in values.reshape(-1))


def _constant_of_shape(source: OnnxSource, v: Values) -> Array:
    value = source.node.tensors.get("value", np.zeros(1, np.float32))
    return np.full(_checked(_ints(v[0])), value.reshape(-1)[0], value.dtype)


def _range(_: OnnxSource, v: Values) -> Array:
    start, limit, delta = (a.reshape(-1)[0] for a in v)
    _checked((max(0, math.ceil((limit - start) / delta)),) if delta else (-1,))
    return np.arange(start, limit, delta).astype(v[0].dtype)


def _cast(source: OnnxSource, v: Values) -> Array:
    dtype = DTYPES.get(source.options.integer("to"))
    if dtype is None:
        raise Refuse("casts to a type that is not supported")
    return v[0].astype(dtype.numpy)


def _divide(_: OnnxSource, v: Values) -> Array:
    if v[0].dtype.kind not in "iu":
        return np.divide(v[0], v[1])
    if (v[1] == 0).any():
        raise Refuse("divides by 0")
    quotient = np.abs(v[0]) // np.abs(v[1])
    return (quotient * np.sign(v[0]) * np.sign(v[1])).astype(v[0].dtype)


def _modulo(source: OnnxSource, v: Values) -> Array:
    return np.fmod(v[0], v[1]) if source.options.integer("fmod") else np.mod(v[0], v[1])


def _expand(_: OnnxSource, v: Values) -> Array:
    shape = np.broadcast_shapes(v[0].shape, _checked(_ints(v[1])))
    return np.broadcast_to(v[0], _checked(shape))


def _tile(_: OnnxSource, v: Values) -> Array:
    _checked(tuple(int(a * b) for a, b in zip(v[0].shape, _ints(v[1]), strict=True)))
    return np.tile(v[0], _ints(v[1]))


def _nonzero(_: OnnxSource, v: Values) -> Array:
    return np.array(np.nonzero(v[0]), np.int64)


def _scatter_nd(source: OnnxSource, v: Values) -> Array:
    if source.options.text("reduction") not in ("", "none"):
        raise Refuse("reduces while it scatters; supported: none")
    result = v[0].copy()
    result[tuple(np.moveaxis(v[1], -1, 0))] = v[2]
    return result


def _power(_: OnnxSource, v: Values) -> Array:
    return np.power(v[0], v[1]).astype(v[0].dtype)


def _of_two(function: Callable[[Array, Array], Array]) -> Fold:
    return lambda _, v: function(v[0], v[1])


def _of_one(function: Callable[[Array], Array]) -> Fold:
    return lambda _, v: function(v[0])


FOLDS: Mapping[str, Fold] = {
    "ConstantOfShape": _constant_of_shape,
    "Range": _range,
    "Cast": _cast,
    "CastLike": lambda _, v: v[0].astype(v[1].dtype),
    "Add": _of_two(np.add),
    "Sub": _of_two(np.subtract),
    "Mul": _of_two(np.multiply),
    "Div": _divide,
    "Mod": _modulo,
    "Pow": _power,
    "Min": lambda _, v: np.minimum.reduce(v),
    "Max": lambda _, v: np.maximum.reduce(v),
    "Equal": _of_two(np.equal),
    "Less": _of_two(np.less),
    "LessOrEqual": _of_two(np.less_equal),
    "Greater": _of_two(np.greater),
    "GreaterOrEqual": _of_two(np.greater_equal),
    "And": _of_two(np.logical_and),
    "Or": _of_two(np.logical_or),
    "Xor": _of_two(np.logical_xor),
    "Not": _of_one(np.logical_not),
    "Neg": _of_one(np.negative),
    "Abs": _of_one(np.abs),
    "Floor": _of_one(np.floor),
    "Ceil": _of_one(np.ceil),
    "Sqrt": _of_one(np.sqrt),
    "Where": lambda _, v: np.where(v[0], v[1], v[2]),
    "Expand": _expand,
    "Tile": _tile,
    "NonZero": _nonzero,
    "ScatterND": _scatter_nd,
}
