"""Inputs and outputs of a run as numpy files."""

from __future__ import annotations

import difflib
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from nacre.errors import ConfigError
from nacre.ir import Array


@dataclass(frozen=True)
class PlanTensor:
    """An input or output of a plan."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    size: int
    scale: float
    zero_point: int


def read_inputs(given: Sequence[str], tensors: Sequence[PlanTensor]) -> list[Array]:
    """One array per input, from `[NAME=]x.npy` or one .npz."""
    if len(given) == 1 and given[0].endswith(".npz"):
        return _from_archive(given[0], tensors)
    named, ordered = {}, []
    for text in given:
        name, mark, path = text.rpartition("=")
        if mark and not Path(text).exists():
            named[name] = _load(path)
        else:
            ordered.append(_load(text))
    return _matched(named, ordered, tensors)


def _from_archive(path: str, tensors: Sequence[PlanTensor]) -> list[Array]:
    archive = _load(path)
    assert isinstance(archive, Mapping)
    arrays = {key: np.asarray(archive[key]) for key in archive}
    names = {t.name for t in tensors}
    if set(arrays) & names:
        return _matched({k: v for k, v in arrays.items() if k in names}, [], tensors)
    if not all(key.startswith("arr_") for key in arrays):
        raise ConfigError(
            f"--input {path}: holds {', '.join(map(repr, arrays))}; "
            f"inputs: {', '.join(repr(t.name) for t in tensors)}"
        )
    return _matched({}, list(arrays.values()), tensors)


def _matched(
    named: Mapping[str, Array], ordered: Sequence[Array], tensors: Sequence[PlanTensor]
) -> list[Array]:
    """Named inputs first, then the others in order."""
    known = [t.name for t in tensors]
    for name in named:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; closest: {near[0]!r}" if near else f"; inputs: {', '.join(known)}"
            raise ConfigError(f"--input {name}=…: the plan has no input {name!r}{hint}")
    rest = iter(ordered)
    values = []
    for tensor in tensors:
        value = named.get(tensor.name)
        value = next(rest, None) if value is None else value
        if value is None:
            raise ConfigError(f"--input: nothing is given for {_words(tensor)}")
        values.append(_checked(value, tensor))
    left = sum(1 for _ in rest)
    if left:
        raise ConfigError(f"--input: {left} more than the {len(tensors)} inputs of the plan")
    return values


def _checked(value: Array, tensor: PlanTensor) -> Array:
    found = f"{value.dtype}{list(value.shape)}"
    if value.dtype != np.dtype(tensor.dtype):
        raise ConfigError(
            f"--input: {_words(tensor)} is asked for, {found} was given; convert it first"
        )
    if not _fits(value, tensor.shape):
        raise ConfigError(f"--input: {_words(tensor)} is asked for, {found} was given")
    return value


def _fits(value: Array, shape: tuple[int, ...]) -> bool:
    """The shape that is asked for, with or without leading ones, or all values in a row."""
    if value.ndim == 1:
        return value.size == np.prod(shape, dtype=np.int64)
    return _without_ones(value.shape) == _without_ones(shape)


def _without_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    first = next((n for n, size in enumerate(shape) if size != 1), len(shape))
    return shape[first:]


def _words(tensor: PlanTensor) -> str:
    return f"{tensor.name!r} {tensor.dtype}{list(tensor.shape)}"


def _load(path: str) -> Array:
    try:
        loaded: Array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ConfigError(f"--input {path}: cannot be read: {reason}") from None
    return loaded


def write_outputs(path: Path, tensors: Sequence[PlanTensor], values: Sequence[Array]) -> None:
    """One array as .npy; several, or a name that ends in .npz, as an archive by output name."""
    try:
        if path.suffix == ".npz" or len(values) > 1:
            names = [t.name or f"output{n}" for n, t in enumerate(tensors)]
            unique = [n if names.count(n) == 1 else f"{n}_{i}" for i, n in enumerate(names)]
            with path.open("wb") as file:
                _save_archive(file, dict(zip(unique, values, strict=True)))
        else:
            with path.open("wb") as file:
                np.save(file, values[0])
    except OSError as error:
        raise ConfigError(f"-o {path}: cannot be written: {error.strerror}") from None


def _save_archive(file: IO[bytes], arrays: Mapping[str, Array]) -> None:
    """As numpy.savez writes it; names may be anything."""
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)
