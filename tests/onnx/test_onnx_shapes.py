"""Open dimensions are given by the user, never guessed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from onnx_models import model, node

from nacre.config.load import parse_config
from nacre.errors import ConfigError, ModelError
from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.frontends.onnx.shapes import InputShapes

OPEN = model(
    [node("Add", ["x", "z"], ["y"])], {"x": ["batch", 3, None], "z": ["batch", 3, 1]}, ["y"]
)


def shapes_of(given: InputShapes) -> list[tuple[int, ...]]:
    graph = import_model(OPEN, "model", None, OnnxOptions(given))
    return [graph.tensors[key].shape for key in (*graph.inputs, *graph.outputs)]


def test_every_open_dimension_is_listed() -> None:
    with pytest.raises(ModelError) as caught:
        shapes_of(InputShapes())
    text = str(caught.value)
    assert "x: dimension 0 is 'batch'" in text
    assert "x: dimension 2 has no size and no name" in text
    assert "z: dimension 0 is 'batch'" in text
    assert "--input-shape x:1x3x1" in text and "--dim batch=1" in text


def test_a_shape_decides_the_names_in_it() -> None:
    assert shapes_of(InputShapes({"x": (2, 3, 5)})) == [(2, 3, 5), (2, 3, 1), (2, 3, 5)]


def test_a_question_mark_is_no_name() -> None:
    data = model([node("Relu", ["x"], ["y"])], {"x": [1, "?", "?"]}, ["y"])
    graph = import_model(data, "model", None, OnnxOptions(InputShapes({"x": (1, 3, 5)})))
    assert graph.tensors[graph.inputs[0]].shape == (1, 3, 5)


def test_names_alone_may_not_suffice() -> None:
    with pytest.raises(ModelError) as caught:
        shapes_of(InputShapes(dims={"batch": 2}))
    assert "dimension 2" in str(caught.value) and "'batch'" not in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (InputShapes({"xx": (1,)}), "no input is called 'xx'; closest: 'x'"),
        (InputShapes(dims={"batches": 1}), "no dimension is called 'batches'; closest: 'batch'"),
        (InputShapes({"x": (2, 4, 5)}), "the file says batchx3x"),
        (InputShapes({"x": (2, 3)}), "the file says"),
    ],
)
def test_mistakes(given: InputShapes, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        shapes_of(given)


def test_configuration_takes_mappings_and_options() -> None:
    from_file = parse_config({"model": {"input_shapes": {"x": "1x3x8"}, "dims": {"batch": 2}}})
    from_list = parse_config({"model": {"input_shapes": {"x": [1, 3, 8]}}})
    from_options = parse_config({"model": {"input_shapes": ["x:0:1x3x8"], "dims": ["batch=2"]}})
    assert from_file.model.input_shapes == from_list.model.input_shapes == {"x": (1, 3, 8)}
    assert from_options.model.input_shapes == {"x:0": (1, 3, 8)}
    assert from_file.model.dims == from_options.model.dims == {"batch": 2}


@pytest.mark.parametrize(
    "tree",
    [
        {"input_shapes": ["x"]},
        {"input_shapes": ["x:1x0"]},
        {"input_shapes": ["x:1xfour"]},
        {"input_shapes": 7},
        {"dims": ["batch"]},
        {"dims": ["batch=-1"]},
        {"dims": {"batch": "many"}},
        {"io_layout": "nchw"},
    ],
)
def test_configuration_mistakes(tree: dict[str, object]) -> None:
    with pytest.raises(ConfigError, match=f"model.{next(iter(tree))}"):
        parse_config({"model": tree})  # type: ignore[dict-item]


def test_command_line(tmp_path: Path) -> None:
    path = tmp_path / "open.onnx"
    path.write_bytes(OPEN)
    command = [sys.executable, "-m", "nacre", "convert", str(path), "-o", str(tmp_path / "out")]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and "leaves dimensions open" in refused.stderr
    command += ["--input-shape", "x:1x3x4", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scratch_bytes"] > 0
