"""What must hold for any bytes: a result or a CompileError, nothing else, in bounded steps."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType

from nacre.errors import CompileError, ModelError
from nacre.frontends.onnx.importer import import_model as import_onnx
from nacre.frontends.onnx.reader import read_model as read_onnx
from nacre.frontends.tflite.importer import import_model as import_tflite
from nacre.frontends.tflite.reader import read_model as read_tflite
from nacre.ir import Graph


@dataclass(frozen=True)
class Frontend:
    """Reader and importer of one format."""

    read: Callable[[bytes], object]
    bring: Callable[[bytes, str], Graph]

    def check_reader(self, data: bytes) -> bool:
        """True when the file is sound."""
        try:
            model = self.read(data)
        except ModelError as error:
            _check_sentence(error)
            return False
        assert model is not None
        return True

    def check_importer(self, data: bytes) -> bool:
        """True when the model is imported."""
        try:
            graph = self.bring(data, "fuzz")
        except CompileError as error:
            assert str(error)
            return False
        assert isinstance(graph, Graph)
        return True

    def check_all(self, data: bytes) -> bool:
        """The reader, then the importer on what the reader takes; True when that is sound."""
        sound = self.check_reader(data)
        if sound:
            self.check_importer(data)
        return sound


TFLITE = Frontend(read_tflite, import_tflite)
ONNX = Frontend(read_onnx, import_onnx)


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
