"""The node tests that the onnx package brings: every one passes or is refused with a reason."""

from __future__ import annotations

import warnings
from collections import Counter
from functools import cache

import numpy as np
import pytest
from onnx import numpy_helper
from onnx.backend.test.case.test_case import TestCase

from nacre.errors import CompileError
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes
from nacre.oracles import run_ort
from support.execute import Runner, program_of

PARTS = 4
# The size of the output before it is rounded down; ONNX Runtime, our oracle, takes the rounded one.
AS_ONNX_RUNTIME = {
    "test_resize_downsample_scales_linear_align_corners",
    "test_resize_downsample_scales_cubic_align_corners",
}
# Vectors that the standard gives to four digits.
ROUNDED = {"test_averagepool_2d_ceil_last_window_starts_on_pad"}
ENOUGH = 1200


@cache
def cases() -> tuple[TestCase, ...]:
    """Cases whose inputs and outputs are tensors."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = [c for c in collect_testcases(None) if c.model is not None and c.data_sets]
    plain = [c for c in found if all(_is_array(v) for part in c.data_sets[0] for v in part)]
    return tuple(sorted(plain, key=lambda c: c.name))


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) or np.isscalar(value)


def run(case: TestCase, constants: range) -> list[tuple[np.ndarray, np.ndarray]]:
    """Our outputs beside those expected; the inputs in `constants` are known at compile time."""
    inputs, outputs = ([np.asarray(v) for v in part] for part in case.data_sets[0])
    made = type(case.model)()
    made.CopyFrom(case.model)
    names = [value.name for value in made.graph.input]
    for k in constants:
        made.graph.initializer.append(numpy_helper.from_array(inputs[k], names[k]))
    free = [k for k in range(len(inputs)) if k not in constants]
    given = InputShapes({names[k]: inputs[k].shape for k in free})
    graph = import_model(made.SerializeToString(), "model", None, OnnxOptions(given))
    ours = Runner(program_of(graph)).run([inputs[k] for k in free])
    if case.name in AS_ONNX_RUNTIME:
        (outputs,) = run_ort(made.SerializeToString(), [[inputs[k] for k in free]])
    return list(zip(ours, outputs, strict=True))


def differs(ours: np.ndarray, theirs: np.ndarray, tolerance: float = 1e-5) -> bool:
    if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
        return True
    if ours.dtype.kind != "f":
        return bool((ours != theirs).any())
    same = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    with np.errstate(invalid="ignore"):
        error = np.where(same, 0, np.abs(ours - theirs)).max(initial=0)
    largest = np.abs(theirs[np.isfinite(theirs)]).max(initial=0)
    return not error <= tolerance * max(largest, 1e-3)


def verdict(case: TestCase) -> str:
    """passed, refused or failed; at first all inputs are free, then all but the first constant."""
    tolerance = 1e-3 if case.name in ROUNDED else 1e-5
    for constants in (range(0), range(1, len(case.data_sets[0][0]))):
        try:
            wrong = any(differs(a, b, tolerance) for a, b in run(case, constants))
        except CompileError as error:
            assert str(error), case.name
            continue
        return "failed" if wrong else "passed"
    return "refused"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_node_tests(part: int, record_property) -> None:
    verdicts = {c.name: verdict(c) for c in cases()[part::PARTS]}
    counts = Counter(verdicts.values())
    for word in ("passed", "refused", "failed"):
        record_property(word, counts[word])
    assert [name for name, word in verdicts.items() if word == "failed"] == []
    assert counts["passed"] > ENOUGH / PARTS
