"""A wheel builds, installs into a clean environment, and converts there without a compiler."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_wheel_converts_in_a_clean_environment(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(tmp_path)]
    subprocess.run([*build, str(ROOT)], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    for needed in ("csrc/kernels/nacre_kernel.h", "targets/host.yaml", "csrc/solver/offsets.c"):
        assert f"nacre/{needed}" in names
    assert not [n for n in names if n.startswith(("tests", "examples"))]
    environment = tmp_path / "clean"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "pip"), "install", "--quiet", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    command = [environment / "bin" / "nacre", "convert", ROOT / "examples" / "dscnn.tflite"]
    done = subprocess.run(
        [*command, "-o", tmp_path / "kws"],
        env={"PATH": "/nonexistent", "HOME": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "scratch" in done.stdout
    assert (tmp_path / "kws" / "dscnn.c").is_file()
    assert "numpy references of nacre" in (tmp_path / "kws" / "README.md").read_text()
