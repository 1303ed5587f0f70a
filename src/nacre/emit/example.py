"""example/main.c: the golden vectors as a program that prints PASS or FAIL."""

from __future__ import annotations

import numpy as np

from nacre.emit.spell import real
from nacre.emit.stage_facts import streams
from nacre.golden import Golden
from nacre.ir import Array, DType
from nacre.program import Program

# Floats pass within this fraction of the largest expected magnitude, unless a tolerance is given.
FLOAT_TOLERANCE = 1e-5
# Where sums go round in a sequence, errors do too; logarithms of spectra magnify them.
SEQUENCE_TOLERANCE = 1e-4
_SEQUENCES = frozenset(
    {"LSTM", "GRU", "RNN", "UNIDIRECTIONAL_SEQUENCE_LSTM", "BATCH_MATMUL", "RFFT2D"}
)
# A smaller magnitude counts as this: functions around 1, like the sigmoid, are no more exact in
# float32 where their results are small, and the source runtimes are not.
LEAST_MAGNITUDE = 2.0**-5


def float_tolerance(program: Program) -> float:
    """The fraction of the largest magnitude within which floats pass."""
    recurrent = any(step.type in _SEQUENCES for step in program.steps)
    return SEQUENCE_TOLERANCE if recurrent else FLOAT_TOLERANCE


def example_facts(program: Program, golden: Golden, tolerance: float) -> dict[str, object]:
    """What the template of the example may name."""
    inputs = _arrays(program, "input", program.inputs, golden.inputs)
    outputs = _arrays(program, "expected", program.outputs, golden.outputs)
    kinds = [program.tensor(key).dtype for key in program.outputs]
    return {
        "p": program.prefix,
        "external": not program.allocate_arenas,
        "streams": streams(program),
        "oracle": golden.oracle,
        "arrays": inputs + outputs,
        "samples": len(golden.inputs),
        "num_inputs": max(1, len(program.inputs)),
        "num_outputs": len(program.outputs),
        "input_rows": _rows("input", len(golden.inputs), len(program.inputs)),
        "output_rows": _rows("expected", len(golden.outputs), len(program.outputs)),
        "comparers": [
            _comparer(dtype, tolerance or _step(golden, kinds, dtype), float_tolerance(program))
            for dtype in dict.fromkeys(kinds)
        ],
        "outputs": [_output(program, i, key) for i, key in enumerate(program.outputs)],
    }


def _step(golden: Golden, kinds: list[DType], dtype: DType) -> float:
    """The largest step of outputs of a type; a little more in real numbers, against rounding."""
    steps = [s for s, kind in zip(golden.steps, kinds, strict=False) if kind is dtype]
    largest = max(steps, default=0.0)
    return largest * (1 + 1e-4) if dtype is DType.FLOAT32 else largest


def _rows(word: str, samples: int, count: int) -> list[list[str]]:
    names = [[f"{word}_{i}_{j}" for j in range(count)] for i in range(samples)]
    return [row or ["NULL"] for row in names]


def _arrays(
    program: Program, word: str, keys: tuple[str, ...], rows: tuple[tuple[Array, ...], ...]
) -> list[dict[str, object]]:
    return [
        {
            "name": f"{word}_{i}_{j}",
            "c_type": program.tensor(keys[j]).dtype.c,
            "count": max(1, _scalars(value).size),
            "content": _content(_scalars(value)),
        }
        for i, row in enumerate(rows)
        for j, value in enumerate(row)
    ]


def _scalars(value: Array) -> Array:
    """Elements as the C array holds them: complex numbers as pairs, booleans as bytes."""
    flat = np.ascontiguousarray(value).reshape(-1)
    if flat.dtype == np.complex64:
        return flat.view(np.float32)
    return flat.astype(np.uint8) if flat.dtype == np.bool_ else flat


def _content(values: Array) -> str:
    words = [real(float(v)) if values.dtype.kind == "f" else _integer(int(v)) for v in values]
    lines, line = [], "   "
    for word in words or ["0"]:
        if len(line) + len(word) + 2 > 100:
            lines.append(line)
            line = "   "
        line += f" {word},"
    return "\n".join([*lines, line])


def _integer(value: int) -> str:
    if value == -(1 << 63):
        return "INT64_MIN"
    if value == -(1 << 31):
        return "INT32_MIN"
    if value >= 1 << 63:
        return f"UINT64_C({value})"
    return f"INT64_C({value})" if abs(value) >= 1 << 31 else str(value)


def _output(program: Program, index: int, key: str) -> dict[str, object]:
    tensor = program.tensor(key)
    return {
        "index": index,
        "comparer": tensor.dtype.value,
        "count": tensor.size // np.dtype(_SCALAR.get(tensor.dtype, tensor.dtype.value)).itemsize,
    }


_SCALAR = {DType.COMPLEX64: "float32", DType.BOOL: "uint8"}


def _comparer(dtype: DType, tolerance: float, fraction: float) -> dict[str, str]:
    is_float = dtype in (DType.FLOAT32, DType.FLOAT64, DType.COMPLEX64)
    if is_float:
        limit = f"{tolerance:g}" if tolerance else f"{fraction:g} of the largest magnitude"
        body = _FLOAT_BODY.format(start=real(fraction * LEAST_MAGNITUDE), fraction=real(fraction))
        body = _FIXED_BODY.format(limit=real(tolerance)) if tolerance else body
    elif tolerance:
        limit = f"{int(tolerance)}"
        body = _STEPS_BODY.format(limit=int(tolerance))
    else:
        limit, body = "none", _EXACT_BODY
    return {"name": dtype.value, "c_type": dtype.c, "limit_text": limit, "body": body}


_EXACT_BODY = """\
    size_t count_wrong = 0;
    for (size_t i = 0; i < count; ++i) {
        count_wrong += ours[i] != theirs[i];
    }
    return count_wrong;"""

_STEPS_BODY = """\
    size_t count_wrong = 0;
    for (size_t i = 0; i < count; ++i) {{
        const int64_t difference = (int64_t)ours[i] - (int64_t)theirs[i];
        count_wrong += difference > {limit} || difference < -{limit};
    }}
    return count_wrong;"""

_FLOAT_BODY = """\
    float limit = {start};
    for (size_t i = 0; i < count; ++i) {{
        const float magnitude = {fraction} * (theirs[i] < 0.0f ? -theirs[i] : theirs[i]);
        limit = magnitude > limit ? magnitude : limit;
    }}
    size_t count_wrong = 0;
    for (size_t i = 0; i < count; ++i) {{
        const float difference = ours[i] - theirs[i];
        count_wrong += !(difference <= limit && difference >= -limit) && ours[i] != theirs[i];
    }}
    return count_wrong;"""

_FIXED_BODY = """\
    size_t count_wrong = 0;
    for (size_t i = 0; i < count; ++i) {{
        const float difference = ours[i] - theirs[i];
        count_wrong += !(difference <= {limit} && difference >= -{limit}) && ours[i] != theirs[i];
    }}
    return count_wrong;"""
