"""Each module type builds, or has what its build system asks for."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from nacre.config.schema import Config
from nacre.frontends.tflite.importer import import_model
from nacre.golden import make_golden
from support.modules import emit, module_sources

DATA = (Path(__file__).parents[1] / "examples" / "dscnn.tflite").read_bytes()
needs_cmake = pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")


def module(folder: Path, kind: str) -> Path:
    golden = make_golden(import_model(DATA, "kws"), DATA, Config(), 1)
    emit(DATA, folder / "kws", golden, name="kws", module={"type": kind})
    return folder / "kws"


def cmake(folder: Path, source: Path, *more: str) -> str:
    build = folder / "build"
    configure = ["cmake", "-S", str(source), "-B", str(build), *more]
    subprocess.run(configure, check=True, capture_output=True)
    done = subprocess.run(
        ["cmake", "--build", str(build), "-j2"], check=True, capture_output=True, text=True
    )
    return done.stdout


@needs_cmake
def test_cmake_module_builds_alone_and_passes_its_golden_vectors(tmp_path: Path) -> None:
    folder = module(tmp_path, "cmake")
    cmake(tmp_path, folder)
    done = subprocess.run([tmp_path / "build" / "kws_example"], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.endswith("PASS\n")


@needs_cmake
@pytest.mark.parametrize(
    "how",
    ["add_subdirectory(kws)", "include(FetchContent)\nFetchContent_Declare(kws SOURCE_DIR "
     "${CMAKE_SOURCE_DIR}/kws)\nFetchContent_MakeAvailable(kws)"],
    ids=["add_subdirectory", "FetchContent"],
)  # fmt: skip
def test_cmake_module_inside_a_project(tmp_path: Path, how: str) -> None:
    module(tmp_path, "cmake")
    (tmp_path / "main.c").write_text(
        '#include "kws.h"\nint main(void) { static kws_model_context_t c; '
        "return (int)kws_model_init(&c); }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.16)\nproject(app C)\n{how}\n"
        "add_executable(app main.c)\ntarget_link_libraries(app PRIVATE kws)\n"
    )
    cmake(tmp_path, tmp_path)
    assert subprocess.run([tmp_path / "build" / "app"], check=False).returncode == 0


@needs_cmake
def test_zephyr_module_says_what_zephyr_reads(tmp_path: Path) -> None:
    folder = module(tmp_path, "zephyr")
    description = yaml.safe_load((folder / "zephyr" / "module.yml").read_text())
    assert description["name"] == "kws"
    assert (folder / description["build"]["cmake"] / "CMakeLists.txt").is_file()
    kconfig = (folder / description["build"]["kconfig"]).read_text()
    assert "config NACRE_KWS\n\tbool " in kconfig
    # Zephyr's own functions, as far as a module uses them, on plain CMake.
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(app C)\nset(CONFIG_NACRE_KWS y)\n"
        "function(zephyr_library_named name)\n  add_library(${name} STATIC)\n"
        "  set(ZEPHYR_CURRENT_LIBRARY ${name} PARENT_SCOPE)\nendfunction()\n"
        "function(zephyr_library_sources)\n"
        "  target_sources(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})\nendfunction()\n"
        "function(zephyr_include_directories)\n  include_directories(${ARGN})\n"
        "  target_include_directories(${ZEPHYR_CURRENT_LIBRARY} PRIVATE ${ARGN})\nendfunction()\n"
        "add_subdirectory(kws/zephyr)\n"
    )
    assert "Built target nacre_kws" in cmake(tmp_path, tmp_path)


@needs_cmake
def test_idf_component_registers_its_sources(tmp_path: Path) -> None:
    folder = module(tmp_path, "esp-idf")
    manifest = yaml.safe_load((folder / "idf_component.yml").read_text())
    assert manifest["version"].count(".") == 2
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(app C)\n"
        "function(idf_component_register)\n"
        '  cmake_parse_arguments(P "" "" "SRCS;INCLUDE_DIRS;REQUIRES" ${ARGN})\n'
        "  add_library(kws STATIC ${P_SRCS})\n"
        "  target_include_directories(kws PUBLIC ${P_INCLUDE_DIRS})\nendfunction()\n"
        "add_subdirectory(kws)\n"
    )
    assert "Built target kws" in cmake(tmp_path, tmp_path)


def test_plain_module_lists_its_sources_for_make(tmp_path: Path) -> None:
    folder = module(tmp_path, "plain")
    (tmp_path / "Makefile").write_text(
        "include kws/sources.mk\nall:\n\t@echo $(KWS_SOURCES)\n\t@echo $(KWS_INCLUDES)\n"
    )
    done = subprocess.run(["make", "-C", str(tmp_path), "-s"], capture_output=True, text=True)
    sources, includes = done.stdout.strip().splitlines()[:2]
    expected = [f"kws/{p.relative_to(folder).as_posix()}" for p in module_sources(folder)]
    assert sorted(sources.split()) == sorted(expected)
    assert includes == "-Ikws/"


@pytest.mark.parametrize("kind", ["cmake", "zephyr", "esp-idf", "plain"])
def test_every_build_file_names_every_source(tmp_path: Path, kind: str) -> None:
    folder = module(tmp_path, kind)
    text = "".join(p.read_text() for p in folder.rglob("*") if p.suffix in (".txt", ".mk"))
    for source in module_sources(folder):
        assert source.relative_to(folder).as_posix() in text
