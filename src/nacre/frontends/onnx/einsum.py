"""Einsum: operands are summed, their diagonals taken, and multiplied two at a time."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.products import product
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxSource
from nacre.ir import Tensor
from nacre.ops.gather import Gather
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.reduce import Sum

# Letters for the dimensions that an ellipsis stands for; no equation has them.
_DOTS = "\u2460\u2461\u2462\u2463\u2464\u2465"


@dataclass(frozen=True, eq=False)
class Term:
    """An operand with a letter for each dimension."""

    tensor: Tensor
    letters: str

    @property
    def sizes(self) -> Mapping[str, int]:
        return dict(zip(self.letters, self.tensor.shape, strict=True))


def einsum(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    terms, result = _parse(source)
    _check_sizes(terms)
    left = _alone(emit, terms[0], result, terms[1:])
    for n, term in enumerate(terms[1:], 1):
        right = _alone(emit, term, result, [left, *terms[n + 1 :]])
        left = _contracted(emit, left, right, _letters(result, terms[n + 1 :]))
        left = _alone(emit, left, result, terms[n + 1 :])
    if left.letters == result:
        return (reshaped(emit, left.tensor, *left.tensor.shape),)
    return (_moved(emit, left, result),)


def _parse(source: OnnxSource) -> tuple[list[Term], str]:
    equation = source.options.text("equation").replace(" ", "")
    if not re.fullmatch("[A-Za-z.,]*(->[A-Za-z.]*)?", equation):
        raise Impossible(f"the equation is {equation!r}; supported: letters, commas, an arrow")
    left, arrow, right = equation.partition("->")
    words = left.split(",")
    tensors = [source.input(i) for i in range(len(source.inputs))]
    if len(words) != len(tensors):
        raise Impossible(f"{equation!r} for {len(tensors)} inputs")
    terms = [Term(t, _expanded(w, t, equation)) for w, t in zip(words, tensors, strict=True)]
    dots = max((t.letters for t in terms), key=lambda w: sum(c in _DOTS for c in w))
    dots = "".join(c for c in dots if c in _DOTS)
    if not arrow:
        every = "".join(t.letters for t in terms)
        right = "..." + "".join(sorted(c for c in set(every) - set(_DOTS) if every.count(c) == 1))
    result = right.replace("...", dots)
    if len(set(result)) < len(result) or not set(result) <= set(_letters("", terms)):
        raise Impossible(f"{equation!r}: letters of the result are missing or there twice")
    return terms, result


def _expanded(word: str, tensor: Tensor, equation: str) -> str:
    """The ellipsis as letters, those on the right the same for all operands."""
    rank, named = len(tensor.shape), len(word.replace("...", ""))
    count = rank - named if "..." in word else 0
    letters = word.replace("...", _DOTS[len(_DOTS) - count :] if count > 0 else "")
    if count < 0 or count > len(_DOTS) or len(letters) != rank or "." in letters:
        raise Impossible(f"{equation!r} for an input of {list(tensor.shape)}")
    return letters


def _check_sizes(terms: Sequence[Term]) -> None:
    known: dict[str, int] = {}
    for term in terms:
        for letter, size in zip(term.letters, term.tensor.shape, strict=True):
            if known.setdefault(letter, size) != size:
                raise Refuse(f"a dimension is {known[letter]} and {size}; supported: one size")


def _letters(result: str, terms: Sequence[Term]) -> str:
    return result + "".join(t.letters for t in terms)


def _alone(emit: Emitter, term: Term, result: str, others: Sequence[Term]) -> Term:
    """The operand without letters that are there twice or that nobody else has."""
    for letter in dict.fromkeys(term.letters):
        while term.letters.count(letter) > 1:
            term = _diagonal(emit, term, letter)
    gone = [c for c in term.letters if c not in _letters(result, others)]
    if not gone:
        return term
    axes = tuple(sorted(term.letters.index(c) for c in gone))
    kept = "".join(c for c in term.letters if c not in gone)
    return Term(emit.one(Sum(axes), (term.tensor,)), kept)


def _diagonal(emit: Emitter, term: Term, letter: str) -> Term:
    """The elements at which two dimensions are at the same place."""
    first = term.letters.index(letter)
    second = term.letters.index(letter, first + 1)
    rest = [d for d in range(len(term.letters)) if d not in (first, second)]
    moved = transposed(emit, term.tensor, first, second, *rest)
    size = moved.shape[0]
    flat = reshaped(emit, moved, size * size, *moved.shape[2:])
    places = emit.constant((np.arange(size) * (size + 1)).astype(np.int32))
    picked = emit.one(Gather(0), (flat, places), flat.dtype)
    return Term(picked, letter + "".join(term.letters[d] for d in rest))


def _contracted(emit: Emitter, left: Term, right: Term, wanted: str) -> Term:
    """Two operands as a product of matrices: batch, rows, what is summed, columns."""
    both = [c for c in left.letters if c in right.letters]
    batch = [c for c in both if c in wanted]
    summed = [c for c in both if c not in wanted]
    rows = [c for c in left.letters if c not in right.letters]
    columns = [c for c in right.letters if c not in left.letters]
    sizes = {**left.sizes, **right.sizes}
    order = "".join(batch + rows + columns)
    if not summed:
        # Nothing is summed: an outer product, place by place.
        shapes = [[1 if c not in t.letters else sizes[c] for c in order] for t in (left, right)]
        parts = [
            reshaped(emit, _moved(emit, t, [c for c in order if c in t.letters]), *shape)
            for t, shape in zip((left, right), shapes, strict=True)
        ]
        return Term(emit.one(Mul(), parts), order)
    x = _arranged(emit, left, (batch, rows, summed), sizes)
    z = _arranged(emit, right, (batch, summed, columns), sizes)
    return Term(reshaped(emit, product(emit, x, z), *(sizes[c] for c in order)), order)


def _moved(emit: Emitter, term: Term, order: Sequence[str]) -> Tensor:
    return transposed(emit, term.tensor, *(term.letters.index(c) for c in order))


def _arranged(
    emit: Emitter, term: Term, groups: tuple[list[str], ...], sizes: Mapping[str, int]
) -> Tensor:
    """The operand as [batch, ., .]; without a batch a matrix."""
    moved = _moved(emit, term, [c for group in groups for c in group])
    shape = [prod(sizes[c] for c in group) for group in groups]
    return reshaped(emit, moved, *(shape if groups[0] else shape[1:]))
