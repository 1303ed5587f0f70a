"""Which kernel runs an operator: by cost, by rule, within the allowance of scratch."""

from __future__ import annotations

import pytest

from nacre.allowance import ALLOWANCE
from nacre.compile import compile_graph
from nacre.config.load import parse_config
from nacre.errors import ConfigError
from nacre.frontends.tflite.importer import import_model
from nacre.ops import TABLE
from nacre.program import Program
from support.convolutions import VALID, Layer, layer_model
from support.shared import model_path, requires_shared

POINTWISE = Layer("CONV_2D", (1, 12, 12, 32), (32, 1, 1, 32), padding=VALID)
THREE = Layer("CONV_2D", (1, 12, 12, 16), (16, 3, 3, 16))
MODES = tuple(ALLOWANCE)


def compiled(data: bytes, target: str, *rules: object, optimize: str = "balanced") -> Program:
    config = parse_config(
        {
            "target": {"name": target},
            "kernels": {"optimize": optimize},
            "operators": [{"attributes": {"kernel": r}} for r in rules],
        }
    )
    return compile_graph(import_model(data, "net"), config, "net.tflite")


def kernel_of(program: Program) -> str:
    (step,) = program.steps
    assert step.calls[0].kernel.name.removeprefix("nacre_") == step.kernel
    return step.kernel


@pytest.mark.parametrize(
    ("target", "kernel"),
    [
        ("host", "conv2d_s8"),
        ("mps2-an385", "conv2d_s8"),
        ("mps2-an386", "conv2d_s8_dsp"),
        ("mps3-an547", "conv2d_1x1_s8_mve"),
    ],
)
def test_the_core_decides(target: str, kernel: str) -> None:
    assert kernel_of(compiled(layer_model(POINTWISE), target)) == kernel


def test_the_reason_is_told() -> None:
    (fast,) = compiled(layer_model(POINTWISE), "mps3-an547").steps
    assert fast.kernel_reason.startswith("least cost: about ")
    (plain,) = compiled(layer_model(POINTWISE), "host").steps
    assert "conv2d_1x1_s8_mve: host has no mve" in plain.kernel_reason
    (asked,) = compiled(layer_model(POINTWISE), "mps3-an547", "portable").steps
    assert (asked.kernel, asked.kernel_reason) == ("conv2d_s8", "asked for by operators[0]")


@pytest.mark.parametrize("name", ["conv2d_s8_mve", "conv2d_short_s8_mve", "conv2d_s8"])
def test_a_rule_decides(name: str) -> None:
    assert kernel_of(compiled(layer_model(POINTWISE), "mps3-an547", name)) == name


@pytest.mark.parametrize(
    ("target", "name", "words"),
    [
        ("mps3-an547", "conv2d_fast", "kernel: 'conv2d_fast' is not a kernel of CONV_2D 0."),
        ("mps3-an547", "conv2d_1x1_s8_mve", "does not apply to CONV_2D 0: for kernels of 1x1"),
        ("mps2-an386", "conv2d_s8_mve", "does not apply to CONV_2D 0: mps2-an386 has no mve"),
        ("mps3-an547", 7, "kernel: '7' is not a kernel of CONV_2D 0."),
    ],
)
def test_a_wrong_name_is_an_error_with_those_that_apply(target: str, name, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compiled(layer_model(THREE), target, name)
    message = str(caught.value)
    assert words in message
    assert "those that apply: conv2d_s8, " in message


def test_variants_have_names_of_their_own() -> None:
    for kind in TABLE:
        names = [v.name for v in kind.variants]
        assert len(set(names)) == len(names), kind.type
        plain = {k.name.removeprefix("nacre_") for k in kind.kernels}
        assert not plain & set(names), kind.type


@requires_shared
@pytest.mark.parametrize("optimize", MODES)
def test_scratch_stays_within_the_allowance(optimize: str) -> None:
    data = model_path("mlperf_kws_ref_model").read_bytes()
    portable = compiled(data, "mps3-an547", "portable", optimize=optimize)
    program = compiled(data, "mps3-an547", optimize=optimize)
    assert program.scratch_bytes * 100 <= portable.scratch_bytes * ALLOWANCE[optimize]
    assert any(s.kernel.endswith("_mve") for s in program.steps)


@requires_shared
def test_struck_kernels_say_what_they_would_have_cost() -> None:
    data = model_path("mlperf_kws_ref_model").read_bytes()
    reasons = [s.kernel_reason for s in compiled(data, "mps3-an547", optimize="size").steps]
    assert any("would raise scratch to" in r and "size allows" in r for r in reasons)
