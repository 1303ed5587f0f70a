"""What must hold for any bytes: a result or a CompileError, nothing else, in bounded steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

from nacre.errors import CompileError, ModelError
from nacre.frontends.tflite.reader import read_model
from nacre.frontends.tflite.records import FileModel
from nacre.ir import Graph

try:
    from nacre.frontends.tflite.importer import import_model
except ImportError:
    HAS_IMPORTER = False
else:
    HAS_IMPORTER = True


def check_reader(data: bytes) -> bool:
    """True when the file is sound."""
    try:
        model = read_model(data)
    except ModelError as error:
        _check_sentence(error)
        return False
    assert isinstance(model, FileModel)
    return True


def check_importer(data: bytes) -> bool:
    """True when the model is imported; only call it when there is an importer."""
    try:
        graph = import_model(data, "fuzz")
    except CompileError as error:
        assert str(error)
        return False
    assert isinstance(graph, Graph)
    return True


def check_all(data: bytes) -> bool:
    """The reader, then the importer on what the reader takes; True when that is sound."""
    sound = check_reader(data)
    if sound and HAS_IMPORTER:
        check_importer(data)
    return sound


def count_calls(function: Callable[[bytes], bool], data: bytes) -> int:
    """How many Python and C functions are called: time without a clock."""
    calls = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        function(data)
    finally:
        sys.setprofile(None)
    return calls


def _check_sentence(error: ModelError) -> None:
    sentence = str(error)
    assert sentence and "\n" not in sentence and len(sentence) < 1000, sentence
