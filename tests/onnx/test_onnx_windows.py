"""Pools and convolutions of any dimension, and every way to resize, against ONNX Runtime."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx_models import check, model, node, noise

from nacre.errors import RefusedModel
from nacre.frontends.onnx.importer import import_model

CASES = settings(max_examples=25, deadline=None, derandomize=True)


@CASES
@given(data=st.data())
def test_pools(data: st.DataObject) -> None:
    dims = data.draw(st.integers(1, 3))
    kind = data.draw(st.sampled_from(["MaxPool", "AveragePool", "LpPool"]))
    kernel = [data.draw(st.integers(1, 3)) for _ in range(dims)]
    dilations = [data.draw(st.integers(1, 2)) for _ in range(dims)]
    strides = [data.draw(st.integers(1, 3)) for _ in range(dims)]
    sizes = [data.draw(st.integers(5, 8)) for _ in range(dims)]
    pads = [data.draw(st.integers(0, k - 1)) for k in kernel * 2]
    attributes = {"kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads}
    if kind == "AveragePool":
        attributes["count_include_pad"] = data.draw(st.integers(0, 1))
    if kind == "LpPool":
        attributes["p"] = data.draw(st.integers(1, 3))
    else:
        attributes["ceil_mode"] = data.draw(st.integers(0, 1))
        # A window that lies on padding alone has no mean; runtimes disagree on it.
        assume(kind == "MaxPool" or not attributes["ceil_mode"] or not any(pads))
    shape = (2, 3, *sizes)
    check(model([node(kind, ["x"], ["y"], **attributes)], {"x": shape}, ["y"], opset=19),
          [noise(*shape)])  # fmt: skip


@pytest.mark.parametrize("p", [1, 2, 3])
def test_global_lp_pool(p: int) -> None:
    check(model([node("GlobalLpPool", ["x"], ["y"], p=p)], {"x": (2, 3, 4, 5)}, ["y"]),
          [noise(2, 3, 4, 5)])  # fmt: skip


@CASES
@given(data=st.data())
def test_deep_convolutions(data: st.DataObject) -> None:
    groups = data.draw(st.sampled_from([1, 2, 4]))
    kernel = [data.draw(st.integers(1, 3)) for _ in range(3)]
    attributes = {
        "strides": [data.draw(st.integers(1, 2)) for _ in range(3)],
        "dilations": [data.draw(st.integers(1, 2)) for _ in range(3)],
        "pads": [data.draw(st.integers(0, 1)) for _ in range(6)],
        "group": groups,
    }
    w = noise(4, 4 // groups, *kernel, seed=1)
    shape = (2, 4, 6, 5, 7)
    made = node("Conv", ["x", "w", "b"], ["y"], **attributes)
    check(model([made], {"x": shape}, ["y"], {"w": w, "b": noise(4, seed=2)}), [noise(*shape)])


def test_deep_transposed_convolution_is_refused() -> None:
    made = node("ConvTranspose", ["x", "w"], ["y"])
    data = model([made], {"x": (1, 2, 3, 3, 3)}, ["y"], {"w": noise(2, 2, 2, 2, 2)})
    with pytest.raises(RefusedModel, match="supported: 3 or 4 dimensions"):
        import_model(data, "model")


def resized(shape: tuple[int, ...], sizes: tuple[int, ...], **attributes) -> bytes:
    made = node("Resize", ["x", "", "", "s"], ["y"], **attributes)
    return model([made], {"x": shape}, ["y"], {"s": np.array(sizes)}, opset=18)


@pytest.mark.parametrize("sizes", [(1, 2, 9, 11), (1, 2, 3, 4)])
@pytest.mark.parametrize(
    "mode", ["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"]
)
def test_cubic(mode: str, sizes: tuple[int, ...]) -> None:
    for outside in (0, 1):
        data = resized((1, 2, 5, 6), sizes, mode="cubic", coordinate_transformation_mode=mode,
                       cubic_coeff_a=-0.5, exclude_outside=outside)  # fmt: skip
        check(data, [noise(1, 2, 5, 6)])


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("sizes", [(1, 2, 4, 5), (1, 2, 3, 4), (1, 2, 9, 4)])
def test_smooth(mode: str, sizes: tuple[int, ...]) -> None:
    check(resized((1, 2, 9, 13), sizes, mode=mode, antialias=1), [noise(1, 2, 9, 13)])


def test_outside_of_the_image() -> None:
    roi = np.array([0, 0, -0.2, 0.3, 1, 1, 0.8, 1.4], np.float32)
    made = node("Resize", ["x", "roi", "", "s"], ["y"], mode="linear", extrapolation_value=7.0,
                coordinate_transformation_mode="tf_crop_and_resize")  # fmt: skip
    constants = {"roi": roi, "s": np.array([1, 2, 6, 7])}
    check(model([made], {"x": (1, 2, 5, 6)}, ["y"], constants, opset=18), [noise(1, 2, 5, 6)])
