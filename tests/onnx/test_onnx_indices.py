"""Gather, scatter, TopK and the like against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto
from onnx_models import check, count, model, node, noise

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import import_model

INT64, INT32 = TensorProto.INT64, TensorProto.INT32
CASES = settings(max_examples=20, deadline=None, derandomize=True)


def indexed(kind: str, data: np.ndarray, indices: np.ndarray, *more, computed: bool, **attributes):
    """A node whose indices are an input or a constant."""
    names = ["x", "i", *(f"u{n}" for n in range(len(more)))]
    values = dict(zip(names, [data, indices, *more], strict=True))
    free = {n: v for n, v in values.items() if computed or n != "i"}
    constants = {} if computed else {"i": indices}
    made = node(kind, names, ["y"], **attributes)
    types = {"i": INT64 if indices.dtype == np.int64 else INT32}
    shapes = {n: v.shape for n, v in free.items()}
    return model([made], shapes, ["y"], constants, opset=18, types=types), list(free.values())


@CASES
@given(data=st.data())
def test_gather_elements(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, 5)) for _ in range(rank))
    axis = data.draw(st.integers(-rank, rank - 1))
    places = [data.draw(st.integers(1, n)) for n in shape]
    places[axis] = data.draw(st.integers(1, 6))
    size = shape[axis]
    kind = data.draw(st.sampled_from([np.int32, np.int64]))
    indices = np.random.default_rng(0).integers(-size, size, places).astype(kind)
    computed = data.draw(st.booleans())
    check(*indexed("GatherElements", noise(*shape), indices, computed=computed, axis=axis))


@CASES
@given(data=st.data())
def test_scatter_elements(data: st.DataObject) -> None:
    rank = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, 5)) for _ in range(rank))
    axis = data.draw(st.integers(0, rank - 1))
    reduction = data.draw(st.sampled_from(["none", "add", "mul", "max", "min"]))
    places = [data.draw(st.integers(1, n)) for n in shape]
    size = shape[axis]
    indices = np.random.default_rng(1).integers(-size, size, places)
    if reduction == "none":  # what is written twice has no order in the standard
        order = np.random.default_rng(2).permutation(size)[: places[axis]]
        line = tuple(-1 if d == axis else 1 for d in range(rank))
        indices = np.broadcast_to(order.reshape(line), places).copy()
    model_and_inputs = indexed(
        "ScatterElements", noise(*shape), indices, noise(*places, seed=3),
        computed=data.draw(st.booleans()), axis=axis, reduction=reduction,
    )  # fmt: skip
    check(*model_and_inputs)


@CASES
@given(data=st.data())
def test_scatter_nd(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.integers(2, 4)) for _ in range(data.draw(st.integers(1, 4))))
    depth = data.draw(st.integers(1, len(shape)))
    rows = int(np.prod(shape[:depth]))
    count_of = data.draw(st.integers(1, rows))
    chosen = np.random.default_rng(4).permutation(rows)[:count_of]
    indices = np.stack(np.unravel_index(chosen, shape[:depth]), axis=-1).astype(np.int64)
    indices[0] -= np.array(shape[:depth])  # below zero: from the end
    reduction = data.draw(st.sampled_from(["none", "add", "max"]))
    updates = noise(count_of, *shape[depth:], seed=5)
    check(*indexed("ScatterND", noise(*shape), indices, updates, reduction=reduction,
                   computed=data.draw(st.booleans())))  # fmt: skip


def test_scatter_of_a_box_is_one_update() -> None:
    """What exporters make of y[:, 1:3] = u."""
    at = np.stack(np.meshgrid(np.arange(2), np.arange(1, 3), np.arange(5), indexing="ij"), -1)
    data = indexed("ScatterND", noise(2, 4, 5), at.astype(np.int64), noise(2, 2, 5, seed=1),
                   computed=False)  # fmt: skip
    _, simple = check(*data)
    assert [o.type for o in simple.operators] == ["DYNAMIC_UPDATE_SLICE"]


@pytest.mark.parametrize("computed", [True, False])
def test_gather_nd(computed: bool) -> None:
    indices = np.array([[[0, -1], [1, 2]], [[-2, 0], [1, 1]]], np.int64)
    check(*indexed("GatherND", noise(2, 3, 4), indices, computed=computed))
    one = np.array([[1], [-1]], np.int64)
    if not computed:
        check(*indexed("GatherND", noise(2, 3, 4), one, computed=False, batch_dims=1))


def test_an_index_out_of_range_reads_nothing_outside() -> None:
    from support.execute import Runner, program_of

    indices = np.array([[100, -100, 1]], np.int64)
    data, inputs = indexed("GatherElements", noise(1, 4), indices, computed=True, axis=1)
    (ours,) = Runner(program_of(import_model(data, "model"))).run(inputs)
    x = inputs[0]
    assert (ours == [[x[0, 3], x[0, 0], x[0, 1]]]).all()


@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_top_k(axis: int, largest: int) -> None:
    x = np.round(noise(5, 6, 7), 1)  # some are equal
    made = node("TopK", ["x", "k"], ["v", "i"], axis=axis, largest=largest)
    data = model([made], {"x": x.shape}, ["v", "i"], {"k": np.array([3])}, types={"i": INT64})
    check(data, [x])


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("k", [-2, 0, 1, 9])
def test_trilu(k: int, upper: int) -> None:
    made = node("Trilu", ["x", "k"], ["y"], upper=upper)
    check(model([made], {"x": (2, 4, 5)}, ["y"], {"k": np.array(k)}), [noise(2, 4, 5)])


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_hardmax(axis: int) -> None:
    check(model([node("Hardmax", ["x"], ["y"], axis=axis)], {"x": (2, 3, 4)}, ["y"]),
          [noise(2, 3, 4)])  # fmt: skip


def test_compress_and_reverse_sequence() -> None:
    condition = np.array([True, False, True, True])
    made = node("Compress", ["x", "c"], ["y"], axis=1)
    check(model([made], {"x": (2, 4)}, ["y"], {"c": condition}), [noise(2, 4)])
    made = node("ReverseSequence", ["x", "n"], ["y"], time_axis=0, batch_axis=1)
    data = model([made], {"x": (4, 3), "n": (3,)}, ["y"], types={"n": INT64})
    check(data, [noise(4, 3), np.array([1, 4, 2])])


def test_quotients_and_remainders_of_integers() -> None:
    a = np.array([7, -7, 7, -7, 0, 2**40, -(2**40)])
    b = np.array([2, 2, -2, -2, 3, 7, 7])
    for kind, attributes in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
        made = node(kind, ["a", "b"], ["y"], **attributes)
        types = dict.fromkeys("aby", INT64)
        check(model([made], {"a": a.shape, "b": b.shape}, ["y"], types=types), [a, b])


@pytest.mark.parametrize("kind", ["ReduceSum", "ReduceMax", "ReduceMin", "Abs"])
def test_wide_integers(kind: str) -> None:
    x = np.array([[7, -(2**40), 3], [-5, 2**41, 9]])
    made = node(kind, ["x"], ["y"], **({} if kind == "Abs" else {"keepdims": 0}))
    check(model([made], {"x": x.shape}, ["y"], types={"x": INT64, "y": INT64}), [x])


def test_quotient_by_zero_does_not_trap() -> None:
    from support.execute import Runner, program_of

    lowest = np.iinfo(np.int64).min
    made = node("Div", ["a", "b"], ["y"])
    types = dict.fromkeys("aby", INT64)
    data = model([made], {"a": (3,), "b": (3,)}, ["y"], types=types)
    inputs = [np.array([5, lowest, lowest]), np.array([0, -1, 0])]
    (ours,) = Runner(program_of(import_model(data, "model"))).run(inputs)
    assert ours.tolist() == [0, lowest, 0]


def test_refusals() -> None:
    made = node("TopK", ["x", "k"], ["v", "i"])
    data = model([made], {"x": (4,), "k": (1,)}, ["v"], types={"k": INT64})
    with pytest.raises(RefusedModel, match="the number of values is computed at run time"):
        import_model(data, "model")
    data = model([made], {"x": (4,)}, ["v"], {"k": np.array([5])})
    with pytest.raises(RefusedModel, match="5 of 4 values; supported: 1 to 4"):
        import_model(data, "model")
    graph, _ = check(model([node("Hardmax", ["x"], ["y"])], {"x": (4,)}, ["y"]), [noise(4)])
    assert count(graph, "ONE_HOT") == 1
