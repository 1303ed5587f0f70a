"""Damaged and hostile ONNX files are refused with a reason."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from onnx_models import model, node, noise

from nacre.errors import ModelError, RefusedModel
from nacre.frontends.onnx.importer import import_model
from nacre.frontends.onnx.reader import embedded, read_model

RELU = model([node("Relu", ["x"], ["y"])], {"x": [1, 3]}, ["y"])


def changed(change: Callable[[onnx.ModelProto], object], data: bytes = RELU) -> bytes:
    made = onnx.load_from_string(data)
    change(made)
    return made.SerializeToString()


def cycle(m: onnx.ModelProto) -> None:
    m.graph.node.append(node("Add", ["a", "y"], ["b"], name="first"))
    m.graph.node.append(node("Relu", ["b"], ["a"], name="second"))


def short_raw(m: onnx.ModelProto) -> None:
    tensor = numpy_helper.from_array(noise(4), "w")
    tensor.raw_data = tensor.raw_data[:7]
    m.graph.initializer.append(tensor)


def huge(m: onnx.ModelProto) -> None:
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[1 << 40, 1 << 20])
    m.graph.initializer.append(tensor)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no graph"),
        (b"\x08not a model at all", "damaged"),
        (RELU[: len(RELU) // 2], "damaged"),
        (changed(lambda m: m.ClearField("opset_import")), "no opset"),
        (changed(lambda m: setattr(m.opset_import[0], "version", 6)), "opset 6; supported: 7 to"),
        (changed(lambda m: setattr(m.opset_import[0], "version", 999)), "opset 999"),
        (changed(cycle), "cycle"),
        (changed(lambda m: m.graph.node[0].input.append("w")), "reads 'w', which is no input"),
        (changed(lambda m: m.graph.node.append(node("Relu", ["x"], ["y"]))), "a second time"),
        (changed(lambda m: setattr(m.graph.output[0], "name", "z")), "computed by no node"),
        (changed(short_raw), "7 bytes, expected 16"),
        (changed(huge), "has the shape"),
    ],
)
def test_defect(data: bytes, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        import_model(data, "model")


def test_huge_input_is_refused() -> None:
    data = model([node("Relu", ["x"], ["y"])], {"x": [1 << 20, 1 << 20, 4]}, ["y"])
    with pytest.raises(ModelError, match="supported: up to"):
        import_model(data, "model")


def test_huge_constant_is_not_made() -> None:
    nodes = [node("ConstantOfShape", ["s"], ["c"]), node("Add", ["x", "c"], ["y"])]
    data = model(nodes, {"x": [1]}, ["y"], {"s": np.array([1 << 20, 1 << 20])})
    with pytest.raises(RefusedModel, match="makes a constant of"):
        import_model(data, "model")


def test_every_prefix_is_refused_or_read() -> None:
    for size in range(0, len(RELU), 3):
        try:
            import_model(RELU[:size], "model")
        except (ModelError, RefusedModel):
            continue


# --- external data --------------------------------------------------------------------------------


def with_external(location: str, length: int = 12, offset: int = 0) -> bytes:
    def change(m: onnx.ModelProto) -> None:
        tensor = onnx.TensorProto(name="w", data_type=1, dims=[3], data_location=1)
        for key, value in (("location", location), ("offset", offset), ("length", length)):
            tensor.external_data.append(onnx.StringStringEntryProto(key=key, value=str(value)))
        m.graph.initializer.append(tensor)
        m.graph.node[0].CopyFrom(node("Mul", ["x", "w"], ["y"]))

    return changed(change)


def test_external_data_is_read_and_can_be_embedded(tmp_path: Path) -> None:
    values = np.array([1, 2, 3], np.float32)
    (tmp_path / "w.bin").write_bytes(b"1234" + values.tobytes())
    data = with_external("w.bin", offset=4)
    np.testing.assert_array_equal(read_model(data, tmp_path).graph.constants["w"], values)
    alone = embedded(data, tmp_path)
    np.testing.assert_array_equal(read_model(alone).graph.constants["w"], values)


def test_external_data_of_a_constant_node_is_embedded(tmp_path: Path) -> None:
    values = np.array([1, 2, 3], np.float32)
    (tmp_path / "w.bin").write_bytes(values.tobytes())

    def move(m: onnx.ModelProto) -> None:
        tensor = m.graph.initializer.pop()
        m.graph.node.insert(0, node("Constant", [], ["w"], value=tensor))

    alone = embedded(changed(move, with_external("w.bin")), tmp_path)
    kept = onnx.load_from_string(alone).graph.node[0].attribute[0].t
    np.testing.assert_array_equal(numpy_helper.to_array(kept), values)


@pytest.mark.parametrize("location", ["../w.bin", "/etc/hostname", "a/../../w.bin", "", "."])
def test_external_data_outside_the_folder(location: str, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(bytes(12))
    with pytest.raises(ModelError, match="expected a file in the model's folder"):
        read_model(with_external(location), folder)


def test_external_data_through_a_link(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (tmp_path / "w.bin").write_bytes(bytes(12))
    (folder / "w.bin").symlink_to(tmp_path / "w.bin")
    with pytest.raises(ModelError, match="expected a file in the model's folder"):
        read_model(with_external("w.bin"), folder)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (with_external("w.bin", offset=1), "has 11 bytes at 1, expected 12"),
        (with_external("w.bin", offset=1 << 60), "expected a number of bytes"),
        (with_external("w.bin", length=8), "8 external bytes, expected 12"),
        (with_external("w.bin", offset=-4), "expected a number of bytes"),
        (with_external("v.bin"), "there is no file 'v.bin'"),
    ],
)
def test_external_data_that_is_not_there(data: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / "w.bin").write_bytes(bytes(12))
    with pytest.raises(ModelError, match=words):
        read_model(data, tmp_path)


# --- nodes ----------------------------------------------------------------------------------------


def test_nodes_in_any_order_are_sorted() -> None:
    nodes = [node("Relu", ["a"], ["y"]), node("Neg", ["x"], ["a"])]
    graph = import_model(model(nodes, {"x": [1, 3]}, ["y"]), "model")
    assert [o.type for o in graph.operators] == ["NEG", "RELU"]


def test_ids_are_the_names_of_the_file() -> None:
    nodes = [
        node("Conv", ["x", "w"], ["a"], name="conv"),
        node("Relu", ["a"], ["y"]),
        node("Relu", ["y"], ["z"], name="conv"),
    ]
    data = model(nodes, {"x": [1, 2, 4, 4]}, ["z"], {"w": noise(3, 2, 3, 3)})
    graph = import_model(data, "model")
    ids = {o.type: o.ids for o in graph.operators if o.type == "CONV_2D"}
    assert ids["CONV_2D"] == ("conv",)
    assert [o.id for o in graph.operators if o.type == "RELU"] == ["y", "z"]
    assert all("conv" in o.ids for o in graph.operators if o.type == "TRANSPOSE")
    assert {"x", "a", "y", "z"} <= set(graph.tensors)


def test_refusals_are_collected() -> None:
    nodes = [
        node("Det", ["x"], ["a"], name="one"),
        node("Unique", ["x"], ["b"], name="two"),
        node("Add", ["a", "b"], ["y"], name="three"),
    ]
    with pytest.raises(RefusedModel) as caught:
        import_model(model(nodes, {"x": [3, 3]}, ["y"]), "model")
    assert [(r.operator, r.type) for r in caught.value.refusals] == [
        ("one", "Det"),
        ("two", "Unique"),
    ]


def branch(name: str, kind: str) -> onnx.GraphProto:
    out = helper.make_tensor_value_info(name, 1, None)
    return helper.make_graph([node(kind, ["x"], [name])], name, [], [out])


@pytest.mark.parametrize(("condition", "kind"), [(True, "RELU"), (False, "NEG")])
def test_if_with_a_known_condition(condition: bool, kind: str) -> None:
    choice = node(
        "If", ["c"], ["y"], then_branch=branch("t", "Relu"), else_branch=branch("e", "Neg")
    )
    data = model([choice], {"x": [2, 3]}, ["y"], {"c": np.array(condition)})
    graph = import_model(data, "model")
    assert [o.type for o in graph.operators] == [kind]
