"""Where the shared test models are; a checkout without them skips the tests that need them."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_BESIDE = Path(__file__).resolve().parents[3] / "shared"
# None where the checkout stands alone.
SHARED = _BESIDE if (_BESIDE / "models").is_dir() else None
MODELS = _BESIDE / "models"

requires_shared = pytest.mark.skipif(
    SHARED is None, reason="the shared models are not beside this checkout"
)
needs_shared = requires_shared


@cache
def model_index() -> tuple[dict[str, Any], ...]:
    """The entries of the models' index; none without the shared folder."""
    index = MODELS / "index.json"
    return tuple(json.loads(index.read_text())["models"]) if index.is_file() else ()


def model_entry(name: str) -> dict[str, Any]:
    return next(entry for entry in model_index() if entry["name"] == name)


def model_path(name: str) -> Path:
    return MODELS / model_entry(name)["file"]


def golden(name: str) -> dict[str, np.ndarray]:
    """Inputs and outputs of a model: s{i}_in{j}, s{i}_out{j}, s{i}_tflm_out{j}."""
    with np.load(golden_path(name)) as arrays:
        return dict(arrays)


def golden_path(name: str) -> Path:
    return MODELS / "golden" / f"{name}.npz"


def tflite_models(group: str | None = None) -> tuple[str, ...]:
    """Names of the TFLite models of a group ("net" or "op"), or of both; usable as parameters."""
    return _models("tflite", group)


def onnx_models(group: str | None = None) -> tuple[str, ...]:
    return _models("onnx", group)


def _models(format: str, group: str | None) -> tuple[str, ...]:
    return tuple(
        entry["name"]
        for entry in model_index()
        if entry["format"] == format and group in (None, entry["group"])
    )
