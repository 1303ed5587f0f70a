"""Runs a compiled mutant against the numpy reference and the runtimes, in a process of its own."""

from __future__ import annotations

import os
import signal
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from attack.line import Compiled, compile_bytes
from attack.sanitized import SanitizedRunner, is_sanitized, sanitized_kernels
from nacre.frontends.tflite.reader import read_model
from nacre.ir import Array, DType
from nacre.oracles import OracleRefused, run_litert, run_tflm
from nacre.program import Program
from nacre.reference import run_reference
from support.execute import Runner, kernel_library

MOST_BYTES = 4 << 20
MOST_MACS = 20_000_000
SECONDS = 20
SAMPLES = 2
# Ends what is said of floats: beyond plausible weights they overflow in another order.
REAL = "(floats)"


@dataclass(frozen=True)
class Verdict:
    """`stage` is how far it came; `finding` is empty when nothing is wrong."""

    stage: str
    finding: str

    @property
    def is_oracle_crash(self) -> bool:
        """Not our fault: strange models bring the runtimes down."""
        return self.stage in ("tflm", "litert") and self.finding.startswith(("killed", "ended"))


def prepare() -> None:
    """Build and load the kernels once, before any process is forked."""
    sanitized_kernels() if is_sanitized() else kernel_library()


def is_small(program: Program) -> bool:
    """Worth running: it will end soon."""
    bytes_ = program.scratch_bytes + program.persistent_bytes + program.constant_bytes
    elements = sum(s.tensor.elements for s in program.slots.values())
    return bytes_ <= MOST_BYTES and elements <= MOST_BYTES and program.macs <= MOST_MACS


def apart(function: Callable[[Callable[[str], None]], str]) -> Verdict:
    """Call in a forked process; it tells its stages, and a crash is charged to the last one."""
    reading, writing = os.pipe()
    with tempfile.TemporaryFile() as said:
        child = os.fork()
        if child == 0:
            os.close(reading)
            _in_child(function, writing, said.fileno())
        os.close(writing)
        with os.fdopen(reading, "rb") as stream:
            text = stream.read().decode(errors="replace")
        _, status = os.waitpid(child, 0)
        said.seek(0)
        words = said.read(3000).decode(errors="replace")
    lines = text.split("\n")
    stage = [line for line in lines if line.startswith("stage ")][-1:] or ["stage none"]
    found = text.split("finding ", 1)[1] if "finding " in text else ""
    if os.WIFSIGNALED(status):
        found = f"killed by signal {os.WTERMSIG(status)}\n{words}"
    elif os.WEXITSTATUS(status) and not found:
        found = f"ended with status {os.WEXITSTATUS(status)}\n{words}"
    return Verdict(stage[0].removeprefix("stage "), found)


def _in_child(function: Callable[[Callable[[str], None]], str], writing: int, said: int) -> None:
    def tell(stage: str) -> None:
        os.write(writing, f"stage {stage}\n".encode())

    os.dup2(said, 1)  # the runtimes talk, and the sanitizers tell
    os.dup2(said, 2)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    try:
        found = function(tell)
    except BaseException:
        found = traceback.format_exc()
    if found:
        os.write(writing, f"finding {found[:4000]}".encode())
    os._exit(0)


def inputs_of(program: Program, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [_random(program, key, rng) for key in program.inputs]


def _random(program: Program, key: str, rng: np.random.Generator) -> Array:
    tensor = program.tensor(key)
    kind = tensor.dtype.numpy
    if tensor.dtype is DType.BOOL:
        return rng.integers(0, 2, tensor.shape).astype(bool)
    if kind.kind in "iu":
        low, high = tensor.dtype.range
        if rng.random() < 0.3:
            low, high = max(low, -3), min(high, 3)
        return rng.integers(low, high, tensor.shape, kind, endpoint=True)
    if kind.kind == "c":
        return (rng.standard_normal(tensor.shape) + 1j).astype(kind)
    return (rng.standard_normal(tensor.shape) * 3).astype(kind)


def examine(
    data: bytes, compiled: Compiled, tell: Callable[[str], None], oracles: bool = True
) -> str:
    """Kernels against reference against TFLite Micro, then LiteRT's numerics against LiteRT."""
    samples = [inputs_of(compiled.program, seed) for seed in range(SAMPLES)]
    tell("kernels")
    ours = _run(compiled, samples)
    tell("reference")
    state: dict[str, Array] = {}
    plausible = is_plausible(data, compiled)
    for mine, inputs in zip(ours, samples, strict=True):
        theirs = run_reference(compiled.graph, list(inputs), state)
        wrong = differences(mine, theirs)
        if wrong and (plausible or not wrong.endswith(REAL)):
            return f"kernels differ from the reference: {wrong}"
    if not oracles or is_sanitized() or not plausible:
        return ""
    tell("tflm")
    wrong = _against(run_tflm, data, samples, ours)
    if wrong:
        return f"differs from TFLM: {wrong}"
    tell("litert compile")
    other = compile_bytes(data, litert=True)
    if other is None:
        return "refused with LiteRT's numerics alone"
    tell("litert kernels")
    again = _run(other, samples)
    tell("litert")
    wrong = _against(run_litert, data, samples, again)
    return f"differs from LiteRT: {wrong}" if wrong else ""


def is_plausible(data: bytes, compiled: Compiled) -> bool:
    """Of a kind that the runtimes answer for: they trust recorded shapes, and they overflow."""
    tensors = compiled.graph.tensors
    for file in read_model(data).subgraphs[0].tensors:
        ours = tensors.get(str(file.index))
        if ours is None or file.dtype is None:
            continue
        scales = () if ours.quantization is None else ours.quantization.scales
        if ours.shape != file.shape or any(not 1e-5 <= s <= 100 for s in scales):
            return False
        if file.data is not None and file.data.dtype.kind == "f":
            magnitudes = np.abs(file.data)
            if not (magnitudes <= 1e4).all() or (file.data.dtype.itemsize < 4):
                return False
    return True


def _run(compiled: Compiled, samples: list[list[Array]]) -> list[list[Array]]:
    runner = (SanitizedRunner if is_sanitized() else Runner)(compiled.program)
    return [runner.run(list(inputs)) for inputs in samples]


def _against(oracle, data: bytes, samples: list[list[Array]], ours: list[list[Array]]) -> str:
    try:
        theirs = oracle(data, samples)
    except (OracleRefused, TypeError):
        return ""
    for mine, other in zip(ours, theirs, strict=True):
        wrong = differences(mine, other)
        if wrong and "shape" not in wrong:  # the runtimes may believe the file's shapes
            return wrong
    return ""


def differences(ours: list[Array], theirs: list[Array], tolerance: float = 2e-5) -> str:
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True)):
        b = np.asarray(b)
        if a.shape != b.shape:
            return f"output {number}: shape {a.shape}, theirs {b.shape}"
        if a.dtype != b.dtype:
            return f"output {number}: type {a.dtype}, theirs {b.dtype}"
        if a.dtype.kind in "iub":
            count = int((a != b).sum())
            if count:
                at = tuple(int(i) for i in np.argwhere(a != b)[0])
                return f"output {number}: {count} of {a.size} differ, at {at} {a[at]} not {b[at]}"
            continue
        text = _real_difference(a, b, tolerance)
        if text:
            return f"output {number}: {text}"
    return ""


def _real_difference(a: Array, b: Array, tolerance: float) -> str:
    a, b = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in (a, b))
    if not (np.isnan(a) == np.isnan(b)).all():
        return f"NaN where the other is not {REAL}"
    good = np.isfinite(b) & np.isfinite(a)
    same = (a == b) | np.isnan(a)
    if not (good | same).all():
        return f"infinite where the other is not {REAL}"
    largest = np.abs(b[good]).max(initial=1e-30)
    worst = np.abs(a[good] - b[good]).max(initial=0.0)
    return f"off by {worst:.3g} of {largest:.3g} {REAL}" if worst > tolerance * largest else ""
