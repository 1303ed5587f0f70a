"""One check for every operator test: kernels, numpy reference and the oracles agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nacre.frontends.tflite.importer import import_model
from nacre.ir import Array
from nacre.reference import run_reference
from support.compare import assert_equal
from support.execute import Runner, program_of
from support.oracles import OracleRefused, run_litert, run_tflm

RUNNERS = {"tflm": run_tflm, "litert": run_litert}


def check_operator(
    data: bytes,
    samples: Sequence[Sequence[Array]],
    oracles: Sequence[str] = ("tflm", "litert"),
    litert: bool = False,
    tolerance: float = 1e-5,
) -> list[list[Array]]:
    """Run a model through everything; at least one oracle must accept it.

    `oracles` are those whose results ours must equal; one that refuses the model is left out.
    `litert` asks for LiteRT's numerics. Returns our outputs.
    """
    graph = import_model(data, "model", litert=litert)
    runner = Runner(program_of(graph))
    state: dict[str, Array] = {}
    ours = []
    for inputs in samples:
        outputs = runner.run(list(inputs))
        reference = run_reference(graph, list(inputs), state)
        for j, (a, b) in enumerate(zip(outputs, reference, strict=True)):
            assert_equal(a, np.asarray(b), f"output {j}: kernel against numpy reference", tolerance)
        ours.append(outputs)
    asked = 0
    for name in oracles:
        try:
            theirs = RUNNERS[name](data, [list(s) for s in samples])
        except OracleRefused:
            continue
        asked += 1
        for i, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            for j, (x, y) in enumerate(zip(a, b, strict=True)):
                assert_equal(x, y, f"sample {i} output {j}: ours against {name}", tolerance)
    assert asked, f"none of {', '.join(oracles)} runs this model"
    return ours
