"""The house rules that a test can hold: imports point one way, the operator table is complete."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from nacre.kernels import headers_of, kernel_files, kernel_text
from nacre.ops import TABLE
from nacre.ops.kind import Kernel, Params

SOURCE = Path(__file__).parents[1] / "src" / "nacre"
KERNELS = SOURCE / "csrc" / "kernels"

# A module may import from its own level and from levels above it in this list, never below.
LINE = (
    ("nacre", "nacre.errors", "nacre.text", "nacre.ordering"),
    ("nacre.planner",),
    ("nacre.ir", "nacre.memory"),
    ("nacre.ops",),
    ("nacre.frontends",),
    ("nacre.passes", "nacre.reference", "nacre.kernels", "nacre.cmsis_nn"),
    ("nacre.targets", "nacre.config"),
    ("nacre.rules",),
    ("nacre.selection",),
    ("nacre.lower", "nacre.alias"),
    ("nacre.place", "nacre.overlap", "nacre.stages.plan"),
    ("nacre.schedule",),
    ("nacre.lifetimes",),
    ("nacre.program",),
    ("nacre.assemble", "nacre.fit", "nacre.allowance"),
    ("nacre.stages",),
    ("nacre.residency", "nacre.oracles"),
    ("nacre.golden", "nacre.inspection", "nacre.image"),
    ("nacre.report",),
    ("nacre.emit", "nacre.placement"),
    ("nacre.planfile",),
    ("nacre.report.plan",),
    ("nacre.compile", "nacre.build"),
    ("nacre.verification", "nacre.bench", "nacre.runtime"),
    ("nacre.report.verification", "nacre.report.bench", "nacre.report.plan_run"),
    ("nacre.cli",),
    ("nacre.__main__",),
)
LEVELS = {package: level for level, packages in enumerate(LINE) for package in packages}
MODULES = sorted(SOURCE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def level_of(module: str) -> int:
    """The level of the longest listed package that contains a module."""
    parts = module.split(".")
    for count in range(len(parts), 0, -1):
        name = ".".join(parts[:count])
        if name in LEVELS and (count > 1 or len(parts) == 1):
            return LEVELS[name]
    pytest.fail(f"{module} has no place in LINE")


def imports_of(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return {name for name in found if name.split(".")[0] == "nacre"}


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports_point_one_way(path: Path) -> None:
    here = module_name(path)
    backward = [m for m in imports_of(path) if level_of(m) > level_of(here)]
    assert not backward, f"{here} imports {backward}, which come later in the line"


def test_backward_import_would_be_seen() -> None:
    assert level_of("nacre.cli.convert") > level_of("nacre.ops.conv2d") > level_of("nacre.ir.types")


@pytest.mark.parametrize("kind", TABLE, ids=lambda kind: kind.type)
def test_table_row_is_complete(kind) -> None:
    assert kind.summary.endswith(".")
    assert kind.supports or not kind.tflite, "the operator page needs a sentence on types"
    portable = [k for k in kind.kernels if k.isa == "portable"]
    assert portable or kind.is_view or kind.shape_only or not kind.tflite
    for kernel in kind.all_kernels:
        assert (KERNELS / kernel.source).is_file(), kernel.name
        declared = "".join(kernel_text(h) for h in headers_of([kernel]))
        assert re.search(rf"\b{kernel.name}\(", declared), f"{kernel.name} is not declared"
    tests = "".join(p.read_text() for p in (Path(__file__).parent / "ops").glob("*.py"))
    assert not kind.tflite or any(f'"{n}' in tests for n in kind.tflite), "no test builds it"


def test_types_and_attributes_are_unique() -> None:
    assert len({k.type for k in TABLE}) == len(TABLE)
    assert len({k.attributes for k in TABLE}) == len(TABLE)
    names = [n for k in TABLE for n in k.tflite]
    assert len(set(names)) == len(names)


def test_every_kernel_file_is_in_the_table() -> None:
    listed = {f for k in TABLE for f in kernel_files(k.all_kernels)}
    stray = {p.name for p in KERNELS.iterdir()} - listed - {"nacre_names.h"}
    assert not stray, f"no operator uses {sorted(stray)}"


def params_types() -> list[type[Params]]:
    found = {k.params for kind in TABLE for k in kind.all_kernels if k.params is not None}
    return sorted(found, key=lambda p: p.__name__)


def struct_members(header: str, c_type: str) -> list[str]:
    bodies = re.findall(r"typedef struct(?: \w+)? \{(.*?)\} (\w+);", header, re.DOTALL)
    body = next(body for body, name in bodies if name == c_type)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    members = []
    for declaration in filter(None, (part.strip() for part in body.split(";"))):
        match = re.fullmatch(r"(int32_t|float) (\w+)((?:\[\w+\])*)", declaration)
        assert match, f"{c_type}: {declaration!r} is not int32_t, float or an array of them"
        members.append(match[2])
    return members


@pytest.mark.parametrize("params", params_types(), ids=lambda p: p.__name__)
def test_params_match_their_c_struct(params: type[Params]) -> None:
    headers = "".join(p.read_text() for p in KERNELS.glob("*.h"))
    assert [f.name for f in fields(params)] == struct_members(headers, params.c_type)


@pytest.mark.parametrize("path", sorted(KERNELS.iterdir()), ids=lambda p: p.name)
def test_kernel_file_has_licence_and_guards(path: Path) -> None:
    text = path.read_text()
    assert text.startswith("/* SPDX-License-Identifier: Apache-2.0 */\n/* ")
    assert not re.search(r"\b(malloc|calloc|alloca|printf)\b", text)


DEFINITION = re.compile(
    r"^(?:static\s+)?(?:inline\s+)?(?:const\s+)?[A-Za-z_]\w*\s+\**(\w+)\([^;{}]*\)\s*\{",
    re.MULTILINE,
)


@pytest.mark.parametrize("path", sorted(KERNELS.iterdir()), ids=lambda p: p.name)
def test_every_kernel_function_can_be_placed(path: Path) -> None:
    text = path.read_text()
    bare = [
        m[1] for m in DEFINITION.finditer(text) if not text[: m.start()].endswith("NACRE_CODE\n")
    ]
    assert not bare, f"NACRE_CODE is missing before {bare}"


def test_kernels_declare_symbols_of_their_own() -> None:
    kernels: list[Kernel] = [k for kind in TABLE for k in kind.all_kernels]
    assert all(k.name.startswith("nacre_") for k in kernels)


def test_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from nacre.cli import main\n"
        "try: main(['--help'], prog_name='nacre')\n"
        "except SystemExit: pass\n"
        "heavy = {'numpy', 'onnx', 'flatbuffers', 'pydantic', 'jinja2'} & set(sys.modules)\n"
        "sys.exit(f'imports {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "convert" in done.stdout
