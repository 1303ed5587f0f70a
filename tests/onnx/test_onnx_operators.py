"""Generated convolutions, pools, resizes and products against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx_models import check, model, node, noise

from nacre.errors import CompileError, RefusedModel
from nacre.frontends.onnx.importer import import_model
from nacre.oracles import OracleRefused, run_ort

QUICK = settings(max_examples=40, deadline=None, derandomize=True)
small = st.integers(1, 3)


def runs(data: bytes, *inputs: np.ndarray) -> bool:
    try:
        run_ort(data, [list(inputs)])
    except OracleRefused:
        return False
    return True


def pads(rank: int) -> st.SearchStrategy[dict[str, object]]:
    explicit = st.lists(st.integers(0, 2), min_size=2 * rank, max_size=2 * rank)
    schemes = st.sampled_from(["SAME_UPPER", "SAME_LOWER", "VALID"])
    return st.one_of(
        explicit.map(lambda p: {"pads": p}), schemes.map(lambda s: {"auto_pad": s}), st.just({})
    )


def lists(rank: int) -> st.SearchStrategy[list[int]]:
    return st.lists(st.integers(1, 2), min_size=rank, max_size=rank)


@QUICK
@given(st.data(), st.sampled_from([1, 2]), small, small, small)
def test_conv(data: st.DataObject, rank: int, groups: int, ins: int, outs: int) -> None:
    sizes = data.draw(st.lists(st.integers(4, 8), min_size=rank, max_size=rank))
    kernel = data.draw(st.lists(small, min_size=rank, max_size=rank))
    options = data.draw(pads(rank)) | {
        "group": groups,
        "strides": data.draw(lists(rank)),
        "dilations": data.draw(lists(rank)) if rank == 2 else [1],
    }
    assume("auto_pad" not in options or max(options["dilations"]) == 1)
    constants = {"w": noise(outs * groups, ins, *kernel, seed=1)}
    inputs = ["x", "w"]
    if data.draw(st.booleans()):
        constants["b"] = noise(outs * groups, seed=2)
        inputs.append("b")
    shape = (data.draw(st.integers(1, 2)), ins * groups, *sizes)
    made = model([node("Conv", inputs, ["y"], **options)], {"x": shape}, ["y"], constants)
    x = noise(*shape)
    assume(runs(made, x))
    check(made, [x])


@QUICK
@given(st.data(), st.sampled_from([1, 2]), small, small, small)
def test_conv_transpose(data: st.DataObject, rank: int, groups: int, ins: int, outs: int) -> None:
    sizes = data.draw(st.lists(st.integers(2, 5), min_size=rank, max_size=rank))
    kernel = data.draw(st.lists(st.integers(1, 4), min_size=rank, max_size=rank))
    strides = data.draw(st.lists(small, min_size=rank, max_size=rank))
    options = data.draw(pads(rank)) | {
        "group": groups, "strides": strides, "dilations": data.draw(lists(rank)),
    }  # fmt: skip
    assume("auto_pad" not in options or all(k >= s for k, s in zip(kernel, strides, strict=True)))
    constants = {"w": noise(ins * groups, outs, *kernel, seed=1), "b": noise(outs * groups)}
    shape = (1, ins * groups, *sizes)
    nodes = [node("ConvTranspose", ["x", "w", "b"], ["y"], **options)]
    made = model(nodes, {"x": shape}, ["y"], constants)
    x = noise(*shape)
    assume(runs(made, x))
    try:
        import_model(made, "model")
    except RefusedModel as refused:
        assume("beyond the kernel" not in str(refused))
    check(made, [x])


@QUICK
@given(st.data(), st.sampled_from(["MaxPool", "AveragePool"]), st.sampled_from([1, 2]))
def test_pools(data: st.DataObject, kind: str, rank: int) -> None:
    sizes = data.draw(st.lists(st.integers(4, 9), min_size=rank, max_size=rank))
    kernel = data.draw(st.lists(st.integers(2, 4), min_size=rank, max_size=rank))
    options: dict[str, object] = {
        "kernel_shape": kernel, "ceil_mode": data.draw(st.integers(0, 1)),
        "strides": data.draw(st.lists(small, min_size=rank, max_size=rank)),
        "pads": data.draw(st.lists(st.integers(0, 1), min_size=2 * rank, max_size=2 * rank)),
    }  # fmt: skip
    if kind == "AveragePool":
        options["count_include_pad"] = data.draw(st.integers(0, 1))
    shape = (1, 3, *sizes)
    made = model([node(kind, ["x"], ["y"], **options)], {"x": shape}, ["y"], opset=19)
    x = noise(*shape)
    assume(runs(made, x))
    check(made, [x])


@QUICK
@given(
    st.sampled_from(["nearest", "linear"]),
    st.sampled_from(["half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"]),
    st.sampled_from(["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"]),
    st.lists(st.integers(2, 7), min_size=4, max_size=4),
    st.booleans(),
)
def test_resize(mode: str, coordinates: str, rounding: str, sizes: list[int], scaled: bool) -> None:
    constants: dict[str, np.ndarray] = {"sizes": np.array([1, 2, *sizes[2:]])}
    inputs = ["x", "", "", "sizes"]
    if scaled:
        constants = {"scales": np.array([1, 1, sizes[2] / 2, sizes[3] / 4], np.float32)}
        inputs = ["x", "", "scales"]
    options = {"mode": mode, "coordinate_transformation_mode": coordinates}
    if mode == "nearest":
        options["nearest_mode"] = rounding
    shape = (1, 2, *sizes[:2])
    made = model([node("Resize", inputs, ["y"], **options)], {"x": shape}, ["y"], constants)
    x = noise(*shape)
    assume(runs(made, x))
    check(made, [x])


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ((3, 4), (4, 5)), ((2, 3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((4,), (4, 5)),
        ((3, 4), (4,)), ((2, 1, 3, 4), (1, 3, 4, 5)), ((4,), (4,)),
        ((2, 2, 2, 2, 3, 4), (2, 2, 2, 2, 4, 5)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("constant", ["", "a", "b"])
def test_matmul(a: tuple[int, ...], b: tuple[int, ...], constant: str) -> None:
    values = {"a": noise(*a), "b": noise(*b, seed=1)}
    free = {k: v for k, v in values.items() if k != constant}
    known = {k: v for k, v in values.items() if k == constant}
    made = model(
        [node("MatMul", ["a", "b"], ["y"])], {k: v.shape for k, v in free.items()}, ["y"], known
    )
    check(made, list(free.values()))


@pytest.mark.parametrize(
    "equation", ["bij,bjk->bik", "bhid,bhjd->bhij", "ij,kj->ki", "bid,jd->bji"]
)
def test_einsum(equation: str) -> None:
    sizes = {c: n for n, c in enumerate("bhijkd", start=2)}
    terms = equation.split("->")[0].split(",")
    shapes = [tuple(sizes[c] for c in t) for t in terms]
    made = model(
        [node("Einsum", ["a", "b"], ["y"], equation=equation)],
        dict(zip("ab", shapes, strict=True)), ["y"],
    )  # fmt: skip
    check(made, [noise(*s, seed=i) for i, s in enumerate(shapes)])


KINDS = [
    "Conv",
    "ConvTranspose",
    "MaxPool",
    "Resize",
    "Pad",
    "Slice",
    "Gather",
    "Split",
    "Concat",
    "Reshape",
    "Transpose",
    "Softmax",
    "ReduceMean",
    "Gemm",
    "MatMul",
    "Squeeze",
    "Unsqueeze",
    "BatchNormalization",
    "LayerNormalization",
    "Tile",
    "Expand",
    "OneHot",
    "Einsum",
    "PRelu",
    "DepthToSpace",
    "ArgMax",
    "LRN",
    "CumSum",
    "Flatten",
    "GatherND",
    "Clip",
    "Where",
]
NAMES = [
    "axis",
    "axes",
    "pads",
    "kernel_shape",
    "strides",
    "dilations",
    "group",
    "perm",
    "blocksize",
    "output_shape",
    "output_padding",
    "split",
    "size",
    "num_groups",
    "keepdims",
]
numbers = st.sampled_from([-(1 << 62), -7, -1, 0, 1, 2, 3, 1 << 31, 1 << 40])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.sampled_from(KINDS),
    st.lists(st.lists(st.integers(0, 4), max_size=5), min_size=1, max_size=4),
    st.dictionaries(
        st.sampled_from(NAMES), st.one_of(numbers, st.lists(numbers, min_size=1, max_size=4)),
        max_size=4,
    ),
    st.lists(numbers, max_size=6),
    st.sampled_from([7, 11, 13, 18]),
)  # fmt: skip
def test_nonsense_is_refused_or_compiled(
    kind: str, shapes: list[list[int]], options: dict[str, object], known: list[int], opset: int
) -> None:
    constants = {f"c{n}": noise(*s) for n, s in enumerate(shapes[1:])}
    constants |= {"k": np.array(known, np.int64)} if known else {}
    first = [max(1, d) for d in shapes[0]]
    made = model(
        [node(kind, ["x", *constants], ["y"], **options)], {"x": first}, ["y"], constants, opset
    )
    try:
        graph = import_model(made, "model")
    except CompileError as refused:
        assert str(refused)
    else:
        assert graph.outputs == ("y",)
