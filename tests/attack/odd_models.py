"""Models that are sound but unusual, written by the examples' builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from tflite_builder import ModelBuilder

INT8 = ("int8", 0.5, 3)
# Names that break out of comments, strings, lines or identifiers where they are let.
NAMES = (
    "", "*/ int x; /*", "/*", "??/", "??)\\", "\\", 'quote"quote', "line\nline\r\n", "nul\0nul",
    "%s%n", "int", "main", "memcpy", "model_run", "net_model_run", "{{ p }}", "{% raw %}", "//\\",
    "<script>alert(1)</script>", "</style>-->]]>", "ж€", "\u2028", "a" * 5000,
)  # fmt: skip


def _relu(b: ModelBuilder, x: int, shape: tuple[int, ...], name: str = "y") -> int:
    y = b.tensor(name, shape, *INT8)
    b.operator("RELU", [x], [y])
    return y


def no_constants() -> ModelBuilder:
    b = ModelBuilder()
    b.output(_relu(b, b.input("x", (1, 4), *INT8), (1, 4)))
    return b


def no_inputs() -> ModelBuilder:
    b = ModelBuilder()
    b.output(_relu(b, b.constant("c", np.array([[-5, 5, 7, 9]], np.int8), 0.5, 3), (1, 4)))
    return b


def counter() -> ModelBuilder:
    """No inputs, but a state: each run adds 2."""
    b = ModelBuilder()
    handle = b.tensor("h", (), "resource")
    b.operator("VAR_HANDLE", [], [handle], {"shared_name": "n"})
    old, new = b.tensor("old", (3,), "float32"), b.tensor("new", (3,), "float32")
    b.operator("READ_VARIABLE", [handle], [old])
    b.operator("ADD", [old, b.constant("two", np.full(3, 2, np.float32))], [new], {})
    b.operator("ASSIGN_VARIABLE", [handle, new], [])
    b.output(new)
    return b


def output_is_input() -> ModelBuilder:
    b = ModelBuilder()
    b.output(b.input("x", (1, 5), *INT8))
    return b


def output_is_constant() -> ModelBuilder:
    b = ModelBuilder()
    y = _relu(b, b.input("x", (1, 4), *INT8), (1, 4))
    b.output(b.constant("c", np.arange(6, dtype=np.int32)), y)
    return b


def unused_input() -> ModelBuilder:
    b = ModelBuilder()
    b.input("unused", (2, 3), "float32")
    b.output(_relu(b, b.input("x", (1, 4), *INT8), (1, 4)))
    return b


def views_as_outputs() -> ModelBuilder:
    """The same bytes under three shapes, two of them outputs."""
    b = ModelBuilder()
    y = _relu(b, b.input("x", (1, 4), *INT8), (1, 4))
    outputs = [y]
    for shape in ((2, 2), (4,)):
        outputs.append(b.tensor(f"v{shape}", shape, *INT8))
        wanted = b.constant(f"s{shape}", np.array(shape, np.int32))
        b.operator("RESHAPE", [y, wanted], [outputs[-1]])
    b.output(*outputs)
    return b


def batches() -> ModelBuilder:
    b = ModelBuilder()
    x = b.input("x", (4, 5, 5, 2), "int8", 0.5, -1)
    rng = np.random.default_rng(0)
    w = b.constant("w", rng.integers(-127, 128, (3, 3, 3, 2)).astype(np.int8), [0.01, 0.02, 0.03])
    bias = b.constant("b", np.array([5, -6, 7], np.int32), [0.005, 0.01, 0.015])
    y = b.tensor("y", (4, 3, 3, 3), "int8", 0.4, 2)
    options = {"padding": 0, "stride_h": 2, "stride_w": 2, "fused_activation_function": 1}
    b.operator("CONV_2D", [x, w, bias], [y], options)
    b.output(y)
    return b


def scalar() -> ModelBuilder:
    b = ModelBuilder()
    x, y = b.input("x", (), "float32"), b.tensor("y", (), "float32")
    b.operator("ADD", [x, b.constant("c", np.float32(1.5))], [y], {})
    b.output(y)
    return b


def vector() -> ModelBuilder:
    b = ModelBuilder()
    b.output(_relu(b, b.input("x", (7,), *INT8), (7,)))
    return b


def pixel() -> ModelBuilder:
    """Everything spatial is 1x1."""
    b = ModelBuilder()
    x, y = b.input("x", (1, 1, 1, 1), *INT8), b.tensor("y", (1, 1, 1, 1), *INT8)
    options = {"padding": 1, "stride_h": 1, "stride_w": 1, "filter_height": 1, "filter_width": 1}
    b.operator("AVERAGE_POOL_2D", [x], [y], options)
    b.output(y)
    return b


def eight_dimensions() -> ModelBuilder:
    b = ModelBuilder()
    shape = (1, 2, 1, 3, 1, 2, 1, 2)
    b.output(_relu(b, b.input("x", shape, *INT8), shape))
    return b


def wide_types() -> ModelBuilder:
    b = ModelBuilder()
    x, y = b.input("x", (3,), "int64"), b.tensor("y", (3,), "int64")
    flags, flipped = b.input("flags", (3,), "bool"), b.tensor("flipped", (3,), "bool")
    b.operator("ADD", [x, b.constant("c", np.array([1, -1, 2**40]))], [y], {})
    b.operator("LOGICAL_NOT", [flags], [flipped])
    b.output(y, flipped)
    return b


def bad_names() -> ModelBuilder:
    """A chain with a bad name in every tensor, inputs, outputs and constants among them."""
    b = ModelBuilder(name="*/", description="*/ \n ??/")
    at = b.input(NAMES[1], (1, 3), "float32")
    for number, name in enumerate(NAMES):
        offset = b.constant(f"{name}c", np.full((1, 3), number, np.float32))
        made = b.tensor(name, (1, 3), "float32")
        b.operator("ADD", [at, offset], [made], {})
        at = made
    b.output(at)
    return b


def long_chain(length: int = 400) -> ModelBuilder:
    b = ModelBuilder()
    at = b.input("x", (1, 8), "float32")
    for number in range(length):
        made = b.tensor(f"t{number}", (1, 8), "float32")
        b.operator("ABS" if number % 2 else "NEG", [at], [made])
        at = made
    b.output(at)
    return b


def wide_fan(width: int = 120) -> ModelBuilder:
    b = ModelBuilder()
    x = b.input("x", (1, 8), "float32")
    parts = []
    for number in range(width):
        parts.append(b.tensor(f"p{number}", (1, 8), "float32"))
        b.operator("NEG", [x], [parts[-1]])
    y = b.tensor("y", (1, 8 * width), "float32")
    b.operator("CONCATENATION", parts, [y], {"axis": 1})
    b.output(y)
    return b


ODD: Mapping[str, Callable[[], ModelBuilder]] = {
    made.__name__: made
    for made in (
        no_constants, no_inputs, counter, output_is_input, output_is_constant, unused_input,
        views_as_outputs, batches, scalar, vector, pixel, eight_dimensions, wide_types, bad_names,
        long_chain, wide_fan,
    )
}  # fmt: skip
