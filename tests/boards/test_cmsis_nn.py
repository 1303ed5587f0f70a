"""Modules that call CMSIS-NN: against a stand-in of its interface, and the library where it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from nacre.cli import main
from support.shared import model_path, needs_shared

STAND_IN = Path(__file__).parents[1] / "support" / "cmsis_nn"
NETWORKS = (
    "mlperf_kws_ref_model",
    "mlperf_vww_96_int8",
    "mlperf_pretrainedResnet_quant",
    "mlperf_ad01_int8",
    "mlperf_str_ww_ref_model",
)
LIBRARY = os.environ.get("CMSIS_NN_DIR", "")


def run(*arguments: str, library: str) -> Result:
    return CliRunner().invoke(main, list(arguments), env={"CMSIS_NN_DIR": library})


def verify(name: str, place: str, library: str) -> Result:
    arguments = ("--kernels", "cmsis-nn", "--target", place, "--on", place)
    return run("verify", str(model_path(name)), *arguments, library=library)


@needs_shared
@pytest.mark.parametrize("name", NETWORKS)
def test_network_with_the_stand_in(name: str) -> None:
    done = verify(name, "host", str(STAND_IN))
    assert done.exit_code == 0, done.output


@needs_shared
@pytest.mark.parametrize("place", ["mps2-an386", "mps3-an547"])
@pytest.mark.parametrize("name", NETWORKS)
def test_network_with_the_library(name: str, place: str) -> None:
    if not LIBRARY:
        pytest.skip("CMSIS_NN_DIR is not set: the real library was left out")
    done = verify(name, place, LIBRARY)
    assert done.exit_code == 0, done.output


@needs_shared
@pytest.mark.parametrize("library", ["", "/nowhere"])
def test_without_the_library(library: str) -> None:
    done = verify(NETWORKS[3], "host", library)
    assert done.exit_code == 1
    assert "CMSIS_NN_DIR is" in done.output and "Traceback" not in done.output


@needs_shared
def test_the_module_says_what_it_needs(tmp_path: Path) -> None:
    model = str(model_path(NETWORKS[0]))
    done = run("convert", model, "-o", str(tmp_path / "m"), "--kernels", "cmsis-nn", library="")
    assert done.exit_code == 0, done.output
    assert "target_link_libraries" in (tmp_path / "m" / "CMakeLists.txt").read_text()
    assert "CMSIS_NN_DIR" in (tmp_path / "m" / "README.md").read_text()
    calls = "".join(p.read_text() for p in (tmp_path / "m" / "kernels").glob("cmsis_*.c"))
    assert "arm_convolve_wrapper_s8(" in calls and "arm_depthwise_conv_wrapper_s8(" in calls
