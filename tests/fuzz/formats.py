"""The model formats that are fuzzed: what to start from, how to damage it, what must hold."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from fuzz import corpus
from fuzz.mutations import mutate
from fuzz.onnx_mutations import mutate_onnx

LARGEST_SEED = 24 * 1024


class Properties(Protocol):
    """Both say whether the file is sound, and raise what should not happen."""

    def check_reader(self, data: bytes) -> bool: ...

    def check_all(self, data: bytes) -> bool: ...


@dataclass(frozen=True)
class Format:
    name: str
    seeds: Callable[[], Sequence[bytes]]
    mutate: Callable[[bytes, Sequence[bytes], random.Random], bytes]
    # Mostly keeps what the first look at a file asks for.
    repair: Callable[[bytes, random.Random], bytes]
    # Imports nacre, so that a coverage-guided run can instrument it.
    properties: Callable[[], Properties]


def _tflite_seeds() -> Sequence[bytes]:
    return (*corpus.own_files(), *corpus.published_files("tflite", LARGEST_SEED))


def _onnx_seeds() -> Sequence[bytes]:
    return (*corpus.node_tests(), *corpus.published_files("onnx", LARGEST_SEED))


def _with_identifier(data: bytes, chance: random.Random) -> bytes:
    return data if chance.random() < 0.02 else data[:4] + b"TFL3" + data[8:]


def _as_it_is(data: bytes, _chance: random.Random) -> bytes:
    return data


def _tflite_properties() -> Properties:
    from fuzz.properties import TFLITE

    return TFLITE


def _onnx_properties() -> Properties:
    from fuzz.properties import ONNX

    return ONNX


FORMATS = {
    f.name: f
    for f in (
        Format("tflite", _tflite_seeds, mutate, _with_identifier, _tflite_properties),
        Format("onnx", _onnx_seeds, mutate_onnx, _as_it_is, _onnx_properties),
    )
}
