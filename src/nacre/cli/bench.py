"""nacre bench."""

from __future__ import annotations

import os
from pathlib import Path

import click

from nacre.cli.options import model_options, request
from nacre.cli.run import guarded, json_option, progress, progress_done, show, show_json


@click.command("bench")
@model_options
@json_option
@guarded
def command(as_json: bool, **values: object) -> None:
    """Build MODEL for an emulated board (or the host), run it, and count the instructions of an
    inference and of each step; with the bytes of arenas, code, weights and stack."""
    from nacre.bench import bench_board, bench_host, measure
    from nacre.cli.model import compiled
    from nacre.golden import random_inputs, read_golden
    from nacre.report.bench import bench_json, bench_text
    from nacre.targets import load_target

    asked = request(values)
    target = load_target(asked.config.target.name)
    on_host = target.name == "host"
    toolchain = bench_host(os.environ.get("CC")) if on_host else bench_board(target)
    graph, program = compiled(asked)
    golden = asked.config.test.golden
    if golden is None:
        inputs = random_inputs(graph, 1)[0]
    else:
        inputs = list(read_golden(Path(golden), graph).inputs[0])
    progress(f"building and counting on {target.name}")
    bench = measure(program, inputs, toolchain)
    progress_done()
    if as_json:
        show_json(bench_json(bench))
    else:
        show(bench_text(bench))
