"""Quantized ONNX models for the tests, and the check that everything agrees on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import onnx
from onnx import helper, numpy_helper

from nacre.frontends.onnx.importer import OnnxOptions, import_model
from nacre.golden import output_steps
from nacre.ir import DType, Graph
from nacre.oracles import run_ort
from nacre.passes import simplify
from nacre.reference import run_reference
from support.execute import Runner, program_of

BORDERS = ("QUANTIZE", "DEQUANTIZE", "TRANSPOSE", "RESHAPE")


@dataclass(frozen=True)
class Scale:
    """One scale, or one per channel along an axis."""

    scale: float | np.ndarray
    zero_point: int = 0
    dtype: str = "int8"
    axis: int = 0

    def arrays(self) -> tuple[np.ndarray, np.ndarray]:
        scales = np.asarray(self.scale, np.float32)
        return scales, np.full(scales.shape, self.zero_point, self.dtype)


@dataclass
class Builder:
    """Nodes, constants, inputs and outputs of a model that is being built."""

    opset: int = 17
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    inputs: list[onnx.ValueInfoProto] = field(default_factory=list)
    outputs: list[onnx.ValueInfoProto] = field(default_factory=list)

    def input(self, name: str, *shape: int, dtype: str = "float32") -> str:
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, name: str, dtype: str = "float32") -> None:
        kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        self.outputs.append(helper.make_tensor_value_info(name, kind, None))

    def constant(self, data: object, stem: str = "c") -> str:
        name = f"{stem}{len(self.constants)}"
        self.constants[name] = np.asarray(data)
        return name

    def node(self, type: str, inputs: Sequence[str], domain: str = "", **options: object) -> str:
        name = f"t{len(self.nodes)}"
        self.nodes.append(
            helper.make_node(type, inputs, [name], f"{type}_{name}", domain=domain, **options)
        )
        return name

    def scales(self, scale: Scale) -> list[str]:
        scales, points = scale.arrays()
        return [self.constant(scales, "s"), self.constant(points, "z")]

    def quantize(self, x: str, scale: Scale) -> str:
        return self.node("QuantizeLinear", [x, *self.scales(scale)])

    def dequantize(self, x: str, scale: Scale) -> str:
        axis = {} if np.ndim(scale.scale) == 0 else {"axis": scale.axis}
        return self.node("DequantizeLinear", [x, *self.scales(scale)], **axis)

    def rounded(self, x: str, scale: Scale) -> str:
        """QuantizeLinear and DequantizeLinear."""
        return self.dequantize(self.quantize(x, scale), scale)

    def model(self) -> bytes:
        graph = helper.make_graph(
            self.nodes, "graph", self.inputs, self.outputs,
            [numpy_helper.from_array(v, n) for n, v in self.constants.items()],
        )  # fmt: skip
        opsets = [helper.make_opsetid("", self.opset), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=opsets)
        made.ir_version = 8 if self.opset < 19 else 10
        return made.SerializeToString()


def weights(shape: tuple[int, ...], scale: Scale, seed: int = 1) -> np.ndarray:
    """Stored weights over most of the type's range."""
    info = np.iinfo(scale.dtype)
    codes = np.random.default_rng(seed).integers(info.min, int(info.max) + 1, shape)
    return codes.astype(scale.dtype)


def real_operators(graph: Graph) -> list[str]:
    """Types of the operators that compute in float."""
    return [
        o.type
        for o in graph.operators
        if o.type not in BORDERS
        and any(graph.tensors[k].dtype is DType.FLOAT32 for k in (*o.inputs, *o.outputs) if k)
    ]


def check(
    data: bytes, samples: Sequence[np.ndarray], pure: bool = True, steps: int = 1,
    options: OnnxOptions | None = None,
) -> Graph:  # fmt: skip
    """Kernels equal the references, both are within `steps` of ONNX Runtime."""
    graph = import_model(data, "model", None, options)
    simple = simplify(graph)
    assert not pure or real_operators(simple) == []
    (theirs,) = run_ort(data, [list(samples)])
    expected = run_reference(simple, list(samples), {})
    ours = Runner(program_of(graph)).run(list(samples))
    for j, (a, b, step) in enumerate(zip(ours, expected, output_steps(graph), strict=True)):
        assert a.dtype == theirs[j].dtype, f"output {j} is {a.dtype}"
        if a.dtype.kind in "iu":
            assert (a == b).all(), f"output {j}: kernels differ from the references"
        distance = np.abs(a.astype(np.float64) - theirs[j].astype(np.float64))
        limit = steps * step * 1.0001 or 1e-5 * np.abs(theirs[j]).max(initial=0)
        assert distance.max(initial=0) <= limit, f"output {j}: off by {distance.max() / step}"
    return simple


def noise(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def centre(dtype: str, offset: int) -> int:
    """A zero point near the middle of a type."""
    return offset + (128 if dtype == "uint8" else 32768 if dtype == "uint16" else 0)


def types_of(graph: Graph) -> list[str]:
    return [o.type for o in graph.operators]
