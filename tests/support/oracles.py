"""The source runtimes as the tests use them, and the marks of tests that need them."""

from __future__ import annotations

import pytest

from nacre.oracles import OracleRefused, Sample, is_installed, run_litert, run_tflm

__all__ = [
    "OracleRefused",
    "Sample",
    "have_litert",
    "have_tflm",
    "requires_litert",
    "requires_tflm",
    "run_litert",
    "run_tflm",
]


def have_litert() -> bool:
    return is_installed("litert")


def have_tflm() -> bool:
    return is_installed("tflm")


requires_litert = pytest.mark.skipif(not have_litert(), reason="ai-edge-litert is not installed")
requires_tflm = pytest.mark.skipif(not have_tflm(), reason="tflite-micro is not installed")
