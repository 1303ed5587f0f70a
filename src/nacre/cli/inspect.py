"""nacre inspect."""

from __future__ import annotations

from pathlib import Path

import click

from nacre.cli.run import guarded, json_option, show, show_json


@click.command("inspect")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--subgraph",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="Which subgraph to list.",
)
@click.option(
    "--input-shape",
    "input_shape",
    multiple=True,
    metavar="NAME:1x3x96x96",
    help="The shape of an ONNX model's input; repeatable.",
)
@click.option(
    "--dim",
    "dim",
    multiple=True,
    metavar="NAME=VALUE",
    help="The size of an ONNX model's symbolic dimension; repeatable.",
)
@json_option
@guarded
def command(
    file: Path, subgraph: int, input_shape: tuple[str, ...], dim: tuple[str, ...], as_json: bool
) -> None:
    """List what is inside FILE: ids, kinds, shapes, quantization, operators, refusals."""
    from nacre.cli.options import check_file
    from nacre.inspection import inspect_file
    from nacre.report.inspection import inspection_json, inspection_text

    check_file(file)
    if file.suffix == ".onnx":
        _onnx(file, input_shape, dim, as_json)
        return
    if file.suffix == ".ncr":
        _plan(file, as_json)
        return
    inspection = inspect_file(file, subgraph)
    if as_json:
        show_json(inspection_json(inspection))
    else:
        show(inspection_text(inspection))


def _onnx(file: Path, shapes: tuple[str, ...], dims: tuple[str, ...], as_json: bool) -> None:
    from nacre.config.load import load_config
    from nacre.frontends.onnx.shapes import InputShapes
    from nacre.inspection import inspect_onnx
    from nacre.report.inspection_onnx import onnx_inspection_json, onnx_inspection_text

    model = load_config(None, {"model.input_shapes": [*shapes], "model.dims": [*dims]}).model
    inspection = inspect_onnx(file, InputShapes(model.input_shapes, model.dims))
    if as_json:
        show_json(onnx_inspection_json(inspection))
    else:
        show(onnx_inspection_text(inspection))


def _plan(file: Path, as_json: bool) -> None:
    from nacre.planfile.read import read_plan
    from nacre.report.plan import plan_json, plan_text

    content = file.read_bytes()
    plan = read_plan(content, str(file))
    if as_json:
        show_json(plan_json(plan, len(content)))
    else:
        show(plan_text(plan, file, len(content)))
